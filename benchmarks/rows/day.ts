/** Measures a market maker's day: client and sandbox in one process. */
import { start } from "../harness/children.ts"
import { bracket } from "../harness/compare.ts"
import { type Row, show } from "../harness/report.ts"
import type { Day } from "../peers/day.ts"

const secondsOfDay = 86_400

export const rows: ReadonlyArray<Row> = [{
  name: "day",
  title: "a market maker's day, in which a call fails every minute",
  run: async ({ plan }) => {
    const isFull = plan.shrink === 1
    const child = await start("day.ts")
    // The first day is the warm-up.
    const days: Array<Day> = []
    for (let round = 0; round < (isFull ? 6 : 1); round++) days.push(await child.ask(isFull ? 1 : 240) as Day)
    await child.end()
    const measured = isFull ? days.slice(1) : days
    const seconds = (of: "cpu" | "wall") => bracket(measured.map((day) => day[of] / 1e6))
    const [{ orders, ticks } = { orders: 0, ticks: 0 }] = measured
    return {
      lines: [{
        what: `a market maker's day: ${ticks} ticks, ${orders} orders, a fault each tick`,
        against: "real time",
        ratios: { faster: bracket(measured.map(({ wall }) => secondsOfDay * 1e6 / wall)) },
        absolutes: `wall **${show(seconds("wall"), " s")}**, CPU ${show(seconds("cpu"), " s")}`
      }],
      data: measured
    }
  }
}]
