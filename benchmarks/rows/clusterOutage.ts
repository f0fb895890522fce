/**
 * Measures a cluster of many venues: how long venues are unavailable after a node is killed, how fast they wake, and
 * how long a call takes.
 */
import { bracket, type Plan } from "../harness/compare.ts"
import { makeNode, makeVenue, migrate, type Node, sleepVenue, untilReady } from "../harness/nodes.ts"
import { programs, query, withPostgres } from "../harness/postgres.ts"
import { type Found, type Line, type Row, show } from "../harness/report.ts"

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Does work for each item, with at most `inFlight` items at the same time. */
const forEach = async <A>(items: ReadonlyArray<A>, inFlight: number, work: (item: A) => Promise<void>) => {
  const left = items.values()
  await Promise.all(Array.from({ length: inFlight }, async () => {
    for (const item of left) await work(item)
  }))
}

/** Calls a venue through a node, and returns whether the venue responded. */
const ping = async ({ url }: Node, venue: string): Promise<boolean> => {
  const answer = await fetch(`${url}/v/${venue}/api/v4/public/ping`).catch(() => undefined)
  await answer?.text().catch(() => undefined)
  return answer?.ok === true
}

/** Calls a venue until it responds. */
const awaken = async (node: Node, venue: string): Promise<void> => {
  while (!await ping(node, venue)) await pause(50)
}

/** Calls all venues until each has responded. Returns the time until each response, in milliseconds. */
const backAfter = async (node: Node, venues: ReadonlyArray<string>): Promise<ReadonlyArray<number>> => {
  const begun = performance.now()
  const millis: Array<number> = []
  await forEach(venues, 256, async (venue) => {
    await awaken(node, venue)
    millis.push(performance.now() - begun)
  })
  return millis
}

/** The lease of a node, in milliseconds. */
const lease = 5000

const seconds = (millis: ReadonlyArray<number>) => show(bracket(millis.map((value) => value / 1000)), " s")

const overLease = (millis: ReadonlyArray<number>) => ({ wall: bracket(millis.map((value) => value / lease)) })

/**
 * In each round, kills a node, and calls each venue through another node until the venue responds. Returns the time
 * until each round's last response, in milliseconds.
 */
const killed = async (
  [first, ...others]: readonly [Node, ...ReadonlyArray<Node>],
  venues: ReadonlyArray<string>,
  rounds: number
): Promise<ReadonlyArray<number>> => {
  const last: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    await forEach(venues, 64, (venue) => awaken(first, venue))
    await pause(2000)
    const victim = others[round % others.length]
    await victim?.end("SIGKILL")
    last.push(Math.max(...await backAfter(first, venues)))
    await victim?.start()
    if (victim !== undefined) await untilReady(victim)
  }
  return last
}

/** In each round, puts all venues to sleep and then wakes them. Returns the wakes per second of each round. */
const wakes = async (node: Node, venues: ReadonlyArray<string>, rounds: number): Promise<ReadonlyArray<number>> => {
  const found: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    await forEach(venues, 16, async (venue) => {
      await sleepVenue(node, venue)
    })
    const begun = performance.now()
    await forEach(venues, 64, (venue) => awaken(node, venue))
    found.push(venues.length / (performance.now() - begun) * 1000)
  }
  return found
}

/**
 * Returns the median time of a call in each round, in milliseconds: through the node that owns the venue, and through
 * another node.
 */
const calls = async (nodes: ReadonlyArray<Node>, owners: ReadonlyMap<string, string>, plan: Plan) => {
  const found: Record<"owner" | "other", Array<number>> = { owner: [], other: [] }
  const all = [...owners].slice(0, Math.ceil(300 / plan.shrink))
  // The first round is the warm-up.
  for (let round = 0; round <= Math.min(5, plan.rounds); round++) {
    for (const through of ["owner", "other"] as const) {
      const millis: Array<number> = []
      for (const [venue, owner] of all) {
        const node = nodes.find(({ address }) => (address === owner) === (through === "owner"))
        if (node === undefined) continue
        const begun = performance.now()
        await ping(node, venue)
        millis.push(performance.now() - begun)
      }
      if (round > 0) found[through].push(bracket(millis).median)
    }
  }
  return found
}

const linesOf = async (database: string, plan: Plan): Promise<ReadonlyArray<Line>> => {
  const count = Math.ceil(2000 / plan.shrink)
  const flags = ["--max-awake", `${2 * count}`, "--max-per-owner", `${2 * count}`, "--idle", "3600"]
  const nodes = [
    await makeNode(database, undefined, flags),
    await makeNode(database, undefined, flags),
    await makeNode(database, undefined, flags)
  ] as const
  await Promise.all(nodes.map((node) => node.start()))
  await Promise.all(nodes.map(untilReady))
  const [first] = nodes
  const venues: Array<string> = []
  await forEach(Array.from({ length: count }), 16, async () => {
    venues.push((await makeVenue(first)).id)
  })
  const begun = performance.now()
  await forEach(venues, 64, (venue) => awaken(first, venue))
  const firsts = venues.length / (performance.now() - begun) * 1000
  const owners = new Map(
    query(database, "SELECT venue, node FROM txc_venue WHERE node IS NOT NULL").map((row) => {
      const [venue = "", owner = ""] = row.split("|")
      return [venue, owner]
    })
  )
  const { other, owner } = await calls(nodes, owners, plan)
  const isFull = plan.shrink === 1
  const woken = await wakes(first, venues, isFull ? 3 : 1)
  const few = await killed(nodes, venues.slice(0, 9), isFull ? 6 : 1)
  const many = await killed(nodes, venues, isFull ? 2 : 1)
  await Promise.all(nodes.map((node) => node.end("SIGTERM")))
  return [
    {
      what: "cluster: the last of nine idle venues responds after one of three nodes is killed",
      against: "the lease of a node, 5 s",
      ratios: overLease(few),
      absolutes: `wall: **${seconds(few)}**`
    },
    {
      what: `cluster: the last of ${count} awake venues responds after one of three nodes is killed`,
      against: "the lease of a node, 5 s",
      ratios: overLease(many),
      absolutes: `wall: **${seconds(many)}**`
    },
    {
      what: `cluster: waking ${count} venues through one of three nodes, 64 at once`,
      against: "their first calls, which write the journals",
      ratios: { "per second": bracket(woken.map((value) => value / firsts)) },
      absolutes: `**${show(bracket(woken), "")} wakes/s**, ${Math.round(firsts)} first calls/s`
    },
    {
      what: "cluster: a call through a node that does not own its venue, one at a time",
      against: "a call through the owner",
      ratios: { wall: bracket(other.map((millis, round) => millis / (owner[round] ?? Number.NaN))) },
      absolutes: `wall: **${show(bracket(other), " ms")}**, through the owner ${show(bracket(owner), " ms")}`
    }
  ]
}

const measure = async (plan: Plan): Promise<Found> => {
  if (programs === undefined) {
    return {
      lines: [],
      notes: ["cluster-outage: not run, because PostgreSQL is not installed: apt-get install postgresql"]
    }
  }
  return await withPostgres(async (database) => {
    migrate(database)
    return { lines: await linesOf(database, plan) }
  })
}

export const rows: ReadonlyArray<Row> = [{
  name: "cluster-outage",
  title: "2,000 venues on three nodes: the outage after a node is killed, wakes per second, forwarded calls",
  onlyByName: true,
  run: ({ plan }) => measure(plan)
}]
