/** Measures a cluster: the outage when a node is killed, failed calls while nodes are replaced, and the journal. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { start } from "../harness/children.ts"
import { bracket, type Plan } from "../harness/compare.ts"
import { makeNode, makeVenue, migrate, type Node } from "../harness/nodes.ts"
import type { Sample } from "../harness/operation.ts"
import { programs, withPostgres } from "../harness/postgres.ts"
import { type Found, type Line, type Row, show } from "../harness/report.ts"
import type { Message } from "../peers/journals.ts"

/** The duration of each call in milliseconds, and the number of failed calls. */
interface Seen {
  readonly millis: Array<number>
  failed: number
}

/** Calls every venue repeatedly, through these nodes in turn, until stopped. */
const calling = (nodes: ReadonlyArray<Node>, venues: ReadonlyArray<string>) => {
  const seen: Seen = { millis: [], failed: 0 }
  let isOver = false
  const works = venues.map(async (venue, index) => {
    for (let count = index; !isOver; count++) {
      const begun = performance.now()
      const answer = await fetch(`${nodes[count % nodes.length]?.url}/v/${venue}/api/v4/public/ping`).catch(() =>
        undefined
      )
      await answer?.text()
      seen.millis.push(performance.now() - begun)
      if (answer?.ok !== true) seen.failed++
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })
  return async () => {
    isOver = true
    await Promise.all(works)
    return seen
  }
}

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const troubles = async (database: string, rounds: number): Promise<ReadonlyArray<Line>> => {
  const nodes = await Promise.all([0, 1, 2].map(() => makeNode(database)))
  await Promise.all(nodes.map((node) => node.start()))
  const [one, ...others] = nodes
  if (one === undefined) return []
  const venues = (await Promise.all(Array.from({ length: 9 }, () => makeVenue(one)))).map(({ id }) => id)
  const longest: Array<number> = []
  const usual: Array<number> = []
  let killedFailed = 0
  for (let round = 0; round < rounds; round++) {
    const stop = calling([one], venues)
    await pause(1000)
    const victim = others[round % others.length]
    await victim?.end("SIGKILL")
    await pause(8000)
    const { failed, millis } = await stop()
    longest.push(Math.max(...millis))
    usual.push(bracket(millis).median)
    killedFailed += failed
    await victim?.start()
    await pause(3000)
  }
  const stop = calling([one], venues)
  for (const node of others) {
    await node.end("SIGTERM")
    await node.start()
    await pause(2000)
  }
  const rolled = await stop()
  await Promise.all(nodes.map((node) => node.end("SIGTERM")))
  const median = bracket(usual).median
  return [
    {
      what: "cluster: the longest call through another node when one of three nodes is killed",
      against: "the median call",
      ratios: { wall: bracket(longest.map((millis) => millis / median)) },
      absolutes: `wall: **${show(bracket(longest.map((millis) => millis / 1000)), " s")}**, ${killedFailed} failed`
    },
    {
      what: "cluster: calls through one node while the other two are replaced",
      against: "all calls",
      ratios: { failed: bracket([rolled.failed / rolled.millis.length]) },
      absolutes: `**${rolled.failed}** of ${rolled.millis.length} failed, the longest took ${
        Math.round(Math.max(...rolled.millis))
      } ms`
    }
  ]
}

const journals = async (database: string, file: string, plan: Plan): Promise<ReadonlyArray<Line>> => {
  const child = await start("journals.ts", database, file)
  const groups = Math.ceil(400 / plan.shrink)
  const lines: Array<Line> = []
  for (const commands of [1, 64]) {
    const samples: Record<Message["to"], Array<Sample>> = { postgres: [], sqlite: [] }
    for (let round = 0; round < Math.min(6, plan.rounds + 1); round++) {
      for (const to of ["postgres", "sqlite"] as const) {
        const sample = await child.ask({ to, groups, commands } satisfies Message) as Sample
        // The first round is the warm-up.
        if (round > 0) samples[to].push(sample)
      }
    }
    const of = (to: Message["to"]) => bracket(samples[to].map(({ wall }) => wall))
    lines.push({
      what: `cluster: writing commands to PostgreSQL, ${commands} per group`,
      against: "SQLite",
      ratios: {
        wall: bracket(samples.postgres.map(({ wall }, round) => wall / (samples.sqlite[round]?.wall ?? Number.NaN))),
        CPU: bracket(samples.postgres.map(({ cpu }, round) => cpu / (samples.sqlite[round]?.cpu ?? Number.NaN)))
      },
      absolutes: `wall: PostgreSQL ${show(of("postgres"), " µs")}, SQLite ${show(of("sqlite"), " µs")}`
    })
  }
  await child.end()
  return lines
}

const measure = async (plan: Plan): Promise<Found> => {
  if (programs === undefined) {
    return { lines: [], notes: ["cluster: not run, because PostgreSQL is not installed: apt-get install postgresql"] }
  }
  const folder = mkdtempSync(join(tmpdir(), "effect-txc-bench-"))
  return await withPostgres(async (database) => {
    migrate(database)
    const written = await journals(database, join(folder, "journal.sqlite"), plan)
    // Each round takes seconds, and a smoke run cannot shorten it, so a smoke run has only one round.
    return { lines: [...await troubles(database, plan.shrink === 1 ? 4 : 1), ...written] }
  }).finally(() => rmSync(folder, { recursive: true, force: true }))
}

export const rows: ReadonlyArray<Row> = [{
  name: "cluster",
  title: "a cluster while one node is killed and two are replaced; the journal in PostgreSQL compared with SQLite",
  run: ({ plan }) => measure(plan)
}]
