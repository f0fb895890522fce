/**
 * Compares the cost of the library, the engine and the sandbox with the cost of alternatives. Prints ratios, and
 * asserts nothing.
 *
 *     npm run bench                      all rows of the table
 *     npm run bench -- NAME ...          only the named rows
 *     npm run bench -- --json FILE       also as JSON
 *     npm run bench -- --plot FILE       only how costs grow, as SVG
 *     npm run bench -- --smoke           each row once with tiny counts, to check that it still runs
 */
import { writeFileSync } from "node:fs"
import { cpus, loadavg } from "node:os"
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { build } from "./harness/build.ts"
import { endAll } from "./harness/children.ts"
import { full, smoke } from "./harness/compare.ts"
import { type Context, type Found, type Row, table } from "./harness/report.ts"
import * as Bundle from "./rows/bundle.ts"
import * as Calls from "./rows/calls.ts"
import * as Cluster from "./rows/cluster.ts"
import * as ClusterCores from "./rows/clusterCores.ts"
import * as ClusterOutage from "./rows/clusterOutage.ts"
import * as Cold from "./rows/cold.ts"
import * as Day from "./rows/day.ts"
import * as Engine from "./rows/engine.ts"
import * as Explore from "./rows/explore.ts"
import * as Growth from "./rows/growth.ts"
import * as Host from "./rows/host.ts"
import * as Memory from "./rows/memory.ts"
import * as Restart from "./rows/restart.ts"
import * as Server from "./rows/server.ts"
import * as Streams from "./rows/streams.ts"

const rows: ReadonlyArray<Row> = [
  ...Calls.rows,
  ...Cold.rows,
  ...Memory.rows,
  ...Bundle.rows,
  ...Engine.rows,
  ...Server.rows,
  ...Restart.rows,
  ...Host.rows,
  ...Cluster.rows,
  ...ClusterCores.rows,
  ...ClusterOutage.rows,
  ...Streams.rows,
  ...Day.rows,
  ...Explore.rows,
  ...Growth.rows
]

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "string" }, plot: { type: "string" }, smoke: { type: "boolean", default: false } }
})

/** Resolves a file name against the folder in which npm was called, not against the current folder. */
const fileOf = (name: string | undefined) =>
  name === undefined ? undefined : resolve(process.env["INIT_CWD"] ?? "", name)

const json = fileOf(values.json)

const context: Context = { plan: values.smoke ? smoke : full, plot: fileOf(values.plot) }

/** Returns the rows named on the command line; by default all rows that the table shows. */
const chosen = (): ReadonlyArray<Row> => {
  const unknown = positionals.filter((name) => !rows.some((row) => row.name === name))
  if (unknown.length > 0) {
    console.error(`There is no row ${unknown.join(", ")}. The rows are:`)
    for (const { name, title } of rows) console.error(`  ${name.padEnd(20)} ${title}`)
    process.exit(2)
  }
  if (positionals.length > 0) return rows.filter(({ name }) => positionals.includes(name))
  if (values.smoke) return rows
  return values.plot === undefined ? rows.filter(({ onlyByName }) => onlyByName !== true) : Growth.rows
}

const machine = () => {
  const processors = cpus()
  const load = loadavg().map((value) => value.toFixed(2)).join(", ")
  return `${processors.length} x ${processors[0]?.model.trim()}, ${process.platform} ${process.arch}, Node ` +
    `${process.version}; load ${load}`
}

const secondsSince = (start: number) => (performance.now() - start) / 1000

try {
  const began = performance.now()
  const before = machine()
  const selected = chosen()
  process.stderr.write("building the library as it is published ... ")
  build()
  process.stderr.write(`${secondsSince(began).toFixed(1)} s\n`)
  const all: Array<readonly [Row, Found]> = []
  const failed: Array<string> = []
  for (const row of selected) {
    const start = performance.now()
    process.stderr.write(`${row.name} ... `)
    try {
      all.push([row, await row.run(context)])
      process.stderr.write(`${secondsSince(start).toFixed(1)} s\n`)
    } catch (error) {
      // Continue with the other rows.
      failed.push(row.name)
      endAll()
      process.stderr.write(`FAILED: ${error instanceof Error ? error.stack : error}\n`)
    }
  }
  const after = machine().replace(/^.*load/u, "load")
  const { rounds, turnMillis } = context.plan
  console.log(
    `${before} before, ${after} after; up to ${rounds} rounds of ${turnMillis} ms; ` +
      `${Math.round(secondsSince(began))} s in all${values.smoke ? ". SMOKE: these figures mean nothing" : ""}\n`
  )
  console.log(table(all))
  for (const note of new Set(all.flatMap(([, { notes = [] }]) => notes))) console.log(`\n${note}`)
  for (const name of failed) console.log(`\n${name} FAILED: see above.`)
  if (json !== undefined) {
    const results = all.map(([{ name, title }, found]) => ({ name, title, ...found }))
    writeFileSync(
      json,
      JSON.stringify({ machine: before, after, plan: context.plan, failed, rows: results }, null, 2)
    )
  }
  process.exitCode = failed.length > 0 ? 1 : 0
} finally {
  endAll()
}
