/** Measures the histories of an exploration. */
import { start } from "../harness/children.ts"
import { bracket } from "../harness/compare.ts"
import type { Sample } from "../harness/operation.ts"
import { type Row, show } from "../harness/report.ts"

/** The number of histories per core and second that an exploration is meant to run. */
const goal = 100

export const rows: ReadonlyArray<Row> = [{
  name: "explore",
  title: "histories of a program of ten calls, each with its own exchange",
  run: async ({ plan }) => {
    const isFull = plan.shrink === 1
    const child = await start("explore.ts")
    // The first rounds are the warm-up.
    const rounds: Array<Sample> = []
    for (let round = 0; round < (isFull ? 8 : 1); round++) rounds.push(await child.ask(isFull ? 300 : 5) as Sample)
    await child.end()
    const measured = isFull ? rounds.slice(3) : rounds
    const millis = (of: "cpu" | "wall") => bracket(measured.map((round) => round[of] / 1000))
    return {
      lines: [{
        what: "explore: histories of a program of ten calls",
        against: `${goal} histories per second and core`,
        ratios: { more: bracket(measured.map(({ cpu }) => 1e6 / cpu / goal)) },
        absolutes: `CPU per history **${show(millis("cpu"), " ms")}**, wall ${show(millis("wall"), " ms")}`
      }],
      data: measured
    }
  }
}]
