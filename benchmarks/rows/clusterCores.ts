/** Compares two nodes of a cluster, each on its own core, with one node. */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { cpus } from "node:os"
import { type Child, start } from "../harness/children.ts"
import { bracket, compare, type Compared, type Plan, ratio, type Turn } from "../harness/compare.ts"
import { type Made, makeNode, makeVenue, migrate, type Node } from "../harness/nodes.ts"
import type { Sample } from "../harness/operation.ts"
import { programs, query, withPostgres } from "../harness/postgres.ts"
import { type Found, type Line, type Row, unsettledNotes } from "../harness/report.ts"
import { account } from "../peers/account.ts"
import type { Load, Message } from "../peers/load.ts"
import { market, stopLimit } from "./server.ts"

/**
 * Returns the CPU time that all threads of a process have used so far, in microseconds, or zero for a process that has
 * just ended.
 */
const workedBy = (pid: number): number => {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce(
      (sum, task) => sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]) / 1000,
      0
    )
  } catch {
    return 0
  }
}

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number)

const workedByAll = (pids: ReadonlyArray<number>): number => pids.reduce((sum, pid) => sum + workedBy(pid), 0)

/** A cluster, its callers (one per node), and its venues by the node that owns them. */
interface Cluster {
  readonly nodes: ReadonlyArray<Node>
  readonly callers: ReadonlyArray<Child>
  readonly venues: ReadonlyArray<ReadonlyArray<string>>
}

/** Opens an account with unlimited funds in a venue, and lifts the venue's rate limits. */
const endow = async ({ url }: Node, { controlToken, id }: Made): Promise<void> => {
  const operations = {
    OpenAccount: { account: "bench", b2b: true },
    AddKey: { account: "bench", ...account, title: "", type: "1", enabled: true },
    Fund: { account: "bench", wallet: "trade", ticker: "USDT", amount: "1000000000000" },
    Limit: { limit: { calls: Number.MAX_SAFE_INTEGER, perSeconds: 1 } }
  }
  for (const [operation, fields] of Object.entries(operations)) {
    const answer = await fetch(`${url}/v/${id}/control/v1/${operation}`, {
      method: "POST",
      headers: { authorization: `Bearer ${controlToken}`, "content-type": "application/json" },
      body: JSON.stringify(fields)
    })
    if (!answer.ok) throw new Error(await answer.text())
  }
}

const venuesInAll = 8

/** Starts one node per core, with a new database, and creates the same number of venues on each. */
const open = async (server: string, name: string, cores: ReadonlyArray<number>): Promise<Cluster> => {
  query(server, `CREATE DATABASE ${name}`)
  const database = server.replace(/\/postgres$/u, `/${name}`)
  migrate(database)
  const nodes = await Promise.all(cores.map((core) => makeNode(database, core)))
  await Promise.all(nodes.map((node) => node.start()))
  const [first] = nodes
  if (first === undefined) throw new Error("a cluster without nodes")
  // Nodes that start together need a second or two to agree on the owners of venues.
  await new Promise((resolve) => setTimeout(resolve, 3000))
  const venues = new Map(nodes.map(({ address }) => [address, new Array<string>()]))
  const each = venuesInAll / nodes.length
  while ([...venues.values()].some(({ length }) => length < each)) {
    const made = await makeVenue(first)
    await endow(first, made)
    const [owner = ""] = query(database, `SELECT node FROM txc_venue WHERE venue = '${made.id}'`)
    const theirs = venues.get(owner)
    if (theirs !== undefined && theirs.length < each) theirs.push(`/v/${made.id}`)
  }
  const callers = await Promise.all(nodes.map(({ url }) => start("load.ts", new URL(url).port)))
  return { nodes, callers, venues: [...venues.values()] }
}

/**
 * Chooses the venues that are called through each node. Each venue is called through one node only, because both
 * callers have the same key.
 */
type Routes = (venues: Cluster["venues"]) => ReadonlyArray<ReadonlyArray<string>>

const straight: Routes = (venues) => venues

/** Half of the venues called through each node are owned by the other node. */
const anywhere: Routes = (venues) =>
  venues.map((_, node) => venues.flatMap((theirs) => theirs.filter((_, at) => at % venues.length === node)))

/** The CPU time of the database and the callers, in microseconds per call. */
interface Beside {
  readonly database: number
  readonly callers: number
}

const calls = {
  "orders": { path: "/api/v4/order/stop_limit", bodies: [stopLimit] },
  "reads": { path: "/api/v4/public/ping", bodies: [], isGet: true }
} satisfies Readonly<Record<string, Pick<Message, "path" | "bodies" | "isGet">>>

const inFlight = 64

/** Calls a cluster through all its nodes at the same time. Then cancels the open orders, outside the measurement. */
const turnOf = (
  { callers, nodes, venues }: Cluster,
  call: Pick<Message, "path" | "bodies" | "isGet">,
  routes: Routes,
  server: number,
  beside: Array<Beside>
): Turn =>
async (millis): Promise<Sample> => {
  const chosen = routes(venues)
  const ask = (message: (prefixes: ReadonlyArray<string>) => Message) =>
    Promise.all(callers.map((caller, at) => caller.ask(message(chosen[at] ?? []))))
  const look = () => ({
    nodes: workedByAll(nodes.map(({ pid }) => pid())),
    database: workedByAll(childrenOf(server)),
    callers: workedByAll(callers.map(({ pid }) => pid))
  })
  const before = look()
  const loads = await ask((prefixes) => ({
    ...call,
    prefixes,
    inFlight: inFlight / nodes.length,
    millis
  })) as ReadonlyArray<Load>
  const after = look()
  const count = loads.reduce((sum, { calls }) => sum + calls, 0)
  const micros = Math.max(...loads.map(({ micros }) => micros))
  beside.push({
    database: (after.database - before.database) / count,
    callers: (after.callers - before.callers) / count
  })
  if (call.isGet !== true) {
    await ask((prefixes) => ({
      path: "/api/v4/order/cancel/all",
      prefixes,
      bodies: prefixes.map(() => ({ market })),
      inFlight: 1
    }))
  }
  return { cpu: (after.nodes - before.nodes) / count, wall: micros / count }
}

const base = "one node"

/** Creates the table rows that compare two nodes with one, for one kind of call. */
const beside = (
  compared: Compared,
  what: string,
  others: ReadonlyMap<string, ReadonlyArray<Beside>>
): ReadonlyArray<Line> => {
  const words = (peer: string): string => {
    const seen = compared.samples.get(peer) ?? []
    const of = (value: (one: Beside) => number) => bracket((others.get(peer) ?? []).map(value)).median.toFixed(0)
    const median = (value: (sample: Sample) => number) => bracket(seen.map(value)).median.toFixed(0)
    return `${peer}: **${median(({ cpu }) => cpu)} µs** nodes, ${of(({ database }) => database)} µs database, ${
      of(({ callers }) => callers)
    } µs callers, ${median(({ wall }) => 1e6 / wall)} calls/s`
  }
  return [...compared.samples.keys()].filter((peer) => peer !== base).map((peer) => ({
    what: `cluster: ${what} at ${inFlight} in flight, ${peer}`,
    against: base,
    ratios: { "CPU of nodes": ratio(compared, peer, base, "cpu"), "calls/s": ratio(compared, base, peer, "wall") },
    absolutes: `CPU per call, ${words(peer)}; ${words(base)}`
  }))
}

const measure = async (plan: Plan): Promise<Found> => {
  if (programs === undefined || cpus().length < 2 || spawnSync("taskset", ["--version"]).status !== 0) {
    return {
      lines: [],
      notes: ["cluster-cores: not run, because it needs two cores, taskset and PostgreSQL: apt-get install postgresql"]
    }
  }
  return await withPostgres(async (server, pid) => {
    const one = await open(server, "one", [0])
    const two = await open(server, "two", [0, 1])
    const lines: Array<Line> = []
    const notes: Array<string> = []
    // Node's own threads, and the processes of the database, take a while to start.
    const longer = { ...plan, turnMillis: plan.turnMillis * 4 }
    for (const [what, call] of Object.entries(calls)) {
      const others = new Map<string, Array<Beside>>()
      const turn = (name: string, cluster: Cluster, routes: Routes): readonly [string, Turn] => {
        const seen: Array<Beside> = []
        others.set(name, seen)
        return [name, turnOf(cluster, call, routes, pid, seen)]
      }
      const compared = await compare(
        longer,
        new Map([
          turn(base, one, straight),
          turn("two nodes, direct calls", two, straight),
          turn("two nodes, half forwarded", two, anywhere)
        ])
      )
      lines.push(...beside(compared, what, others))
      notes.push(...unsettledNotes(compared, `cluster-cores, ${what}`))
    }
    await Promise.all([...one.callers, ...two.callers].map((caller) => caller.end()))
    await Promise.all([...one.nodes, ...two.nodes].map((node) => node.end("SIGTERM")))
    return { lines, notes }
  })
}

export const rows: ReadonlyArray<Row> = [{
  name: "cluster-cores",
  title:
    "two cluster nodes, each on its own core, compared with one: CPU per call of nodes, database and callers; calls/s",
  run: ({ plan }) => measure(plan)
}]
