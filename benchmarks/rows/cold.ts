/** Measures the time from the start of a process to its exit, after one signed response. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { rolldown } from "rolldown"
import { folder } from "../harness/build.ts"
import { start } from "../harness/children.ts"
import { takeTurns } from "../harness/compare.ts"
import type { Sample } from "../harness/operation.ts"
import { line, type Row } from "../harness/report.ts"
import { account } from "../peers/account.ts"

const run = promisify(execFile)

const scriptOf = (name: string): string => fileURLToPath(new URL(`../cold/${name}.js`, import.meta.url))

const everything = "txc with Exchange.layer"
const cached = "txc with Node's compile cache"

/** Bundles a program into one file. */
const bundled = async (name: string): Promise<string> => {
  const build = await rolldown({
    input: scriptOf(name),
    platform: "node",
    logLevel: "silent"
  })
  const file = `${folder}/cold/${name}.js`
  await build.write({ file, format: "esm", minify: true, codeSplitting: false })
  await build.close()
  return file
}

/** Runs one process. Returns the wall time until it exits, and the CPU time that it reports with its response. */
const once = async (script: string, baseUrl: string): Promise<Sample> => {
  const begun = performance.now()
  const { stdout } = await run(process.execPath, [script, baseUrl, account.apiKey, account.apiSecret])
  const wall = (performance.now() - begun) * 1000
  const { system, user } = JSON.parse(stdout) as NodeJS.CpuUsage
  return { cpu: user + system, wall }
}

export const rows: ReadonlyArray<Row> = [{
  name: "cold-start",
  title: "cold start to the first signed response",
  run: async ({ plan }) => {
    const stub = await start("stub.ts")
    const scripts = [
      ...["undici", "effect", "ccxt"].map((name) => [name, scriptOf(name)] as const),
      ["txc", scriptOf("account")] as const,
      [everything, scriptOf("txc")] as const,
      [cached, scriptOf("cached")] as const,
      ["txc bundled", await bundled("account")] as const
    ]
    const turns = scripts.map(([name, script]) => [name, () => once(script, `http://127.0.0.1:${stub.ready}`)] as const)
    // First run each program once, so that its files are in the system's cache. Nothing else stays warm between
    // processes.
    for (const [, turn] of turns) await turn()
    const rounds = plan.shrink === 1 ? 11 : 1
    const compared = await takeTurns({ ...plan, rounds }, new Map(turns))
    await stub.end()
    return {
      lines: [
        line(compared, "cold start to the first signed response", "txc", "undici", "ms"),
        line(compared, "cold start to the first signed response", everything, "undici", "ms"),
        line(compared, "cold start to the first signed response", cached, "undici", "ms"),
        line(compared, "cold start to the first signed response", "txc bundled", "undici", "ms"),
        line(compared, "cold start to the first signed response", "effect", "undici", "ms"),
        line(compared, "cold start to the first signed response", "ccxt", "undici", "ms"),
        line(compared, "cold start to the first signed response", "txc", "ccxt", "ms")
      ],
      data: Object.fromEntries(compared.samples)
    }
  }
}]
