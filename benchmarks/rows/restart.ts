/** Measures how long a sandbox with a long journal takes to start. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { start } from "../harness/children.ts"
import { bracket, takeTurns } from "../harness/compare.ts"
import type { Sample } from "../harness/operation.ts"
import { line, type Row, show } from "../harness/report.ts"
import type { Options } from "../peers/venue.ts"
import { inFolder } from "./server.ts"

const run = promisify(execFile)

const script = fileURLToPath(new URL("../cold/restart.js", import.meta.url))

/** Starts a venue, and stops it as soon as it is ready to serve requests. */
const restart = async (file: string): Promise<Sample & { readonly rss: number }> => {
  const begun = performance.now()
  const { stdout } = await run(process.execPath, ["--disable-warning=ExperimentalWarning", script, file])
  const wall = (performance.now() - begun) * 1000
  const { rss, system, user } = JSON.parse(stdout) as NodeJS.CpuUsage & { readonly rss: number }
  return { cpu: user + system, wall, rss }
}

/** Writes a journal whose commands leave half of their orders open. */
const write = async (file: string, commands: number): Promise<void> => {
  const half = Math.ceil(commands / 2)
  const venue = await start("venue.ts", JSON.stringify({ file, open: half, ended: half } satisfies Options))
  await venue.ask("close")
  await venue.end()
}

export const rows: ReadonlyArray<Row> = [{
  name: "restart",
  title: "sandbox: restart with 200,000 commands",
  run: ({ plan }) =>
    inFolder(async (folder) => {
      const files = new Map([["10", 10], ["200,000", Math.ceil(200_000 / plan.shrink)]])
      const rss = new Map<string, Array<number>>()
      const turns = new Map<string, () => Promise<Sample>>()
      for (const [name, commands] of files) {
        const file = join(folder, `${commands}.sqlite`)
        await write(file, commands)
        const seen: Array<number> = []
        rss.set(name, seen)
        turns.set(name, async () => {
          const { rss, ...sample } = await restart(file)
          seen.push(rss / 1024 / 1024)
          return sample
        })
      }
      const compared = await takeTurns(plan, turns)
      const base = rss.get("10") ?? []
      const memory = rss.get("200,000") ?? []
      const shown = line(compared, "", "200,000", "10", "ms")
      const wall = bracket((compared.samples.get("200,000") ?? []).map(({ wall }) => wall / 1e6))
      return {
        lines: [{
          ...shown,
          what: "sandbox: restart with 200,000 commands",
          against: "with ten commands",
          ratios: { ...shown.ratios, RSS: bracket(memory.map((value, round) => value / (base[round] ?? Number.NaN))) },
          absolutes: `**${show(wall, " s")}**, **${show(bracket(memory), " MiB")}** of RSS; ${shown.absolutes}`
        }],
        data: { ...Object.fromEntries(compared.samples), rss: Object.fromEntries(rss) }
      }
    })
}]
