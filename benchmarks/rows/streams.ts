/**
 * Measures streams: applying pushed frames to live views, with one subscriber and with a thousand, memory after a
 * million frames, and a push from the sandbox.
 */
import { type Child, start } from "../harness/children.ts"
import { type Bracket, bracket, compare, type Turn } from "../harness/compare.ts"
import type { Sample } from "../harness/operation.ts"
import { type Found, line, type Row, show, unsettledNotes } from "../harness/report.ts"
import type { FeedName, Left, Message } from "../peers/feeds.ts"
import type { Delays } from "../peers/pushes.ts"
import { inFolder } from "./server.ts"

const floor = "JSON.parse and Maps"

const feeds = ["txc", floor, "ccxt"]

/** After this many frames, all peers must have the same state. */
const compared = 1000

/** Compares all peers on one feed. */
const applied = (name: string, title: string, feed: FeedName): Row => ({
  name,
  title,
  run: async ({ plan }): Promise<Found> => {
    const peers = await Promise.all(feeds.map(async (peer) => [peer, await start("feeds.ts", peer)] as const))
    const sizes = await Promise.all(
      peers.map(async ([, child]) => (await child.ask({ feed, frames: compared } satisfies Message) as Left).size)
    )
    if (new Set(sizes).size !== 1) throw new Error(`${feeds.join(", ")} disagree: ${sizes.join(", ")}`)
    const turns = new Map(peers.map(([peer, child]): [string, Turn] => [
      peer,
      async (millis) => await child.ask({ feed, millis } satisfies Message) as Sample
    ]))
    const found = await compare(plan, turns)
    await Promise.all(peers.map(([, child]) => child.end()))
    return {
      lines: [line(found, title, "txc", floor), line(found, title, "txc", "ccxt"), line(found, title, "ccxt", floor)],
      notes: unsettledNotes(found, name),
      data: Object.fromEntries(found.samples)
    }
  }
})

const many = 1000

const fanOut = (name: string, title: string, feed: FeedName, one: string): Row => ({
  name,
  title,
  run: async ({ plan }): Promise<Found> => {
    const child = await start("feeds.ts", "txc")
    const turn = (subscribers: number): Turn => async (millis) =>
      await child.ask({ feed, subscribers, millis } satisfies Message) as Sample
    const found = await compare(plan, new Map([["txc", turn(many)], [one, turn(1)]]))
    await child.end()
    return {
      lines: [line(found, title, "txc", one)],
      notes: unsettledNotes(found, name),
      data: Object.fromEntries(found.samples)
    }
  }
})

const mebi = 1024 * 1024

const memory = (name: string, title: string, feed: FeedName, frames: number, before: number): Row => ({
  name,
  title,
  // A million frames take minutes.
  onlyByName: true,
  run: async ({ plan }): Promise<Found> => {
    const child = await start("feeds.ts", "txc")
    const after = async (frames: number) =>
      await child.ask({ feed, frames: Math.ceil(frames / plan.shrink) } satisfies Message) as Left
    const early = await after(before)
    const late = await after(frames - before)
    await child.end()
    const ratio = (of: "heapUsed" | "rss"): Bracket => bracket([late[of] / early[of]])
    const shown = ({ heapUsed, rss }: Left) =>
      `heap ${show(bracket([heapUsed / mebi]), " MiB")}, RSS ${show(bracket([rss / mebi]), " MiB")}`
    return {
      lines: [{
        what: title,
        against: "after 100,000",
        ratios: { heap: ratio("heapUsed"), RSS: ratio("rss") },
        absolutes: `${shown(late)}; before ${shown(early)}`
      }],
      data: { early, late }
    }
  }
})

const push: Row = {
  name: "streams-push",
  title: "an order's event over the sandbox's WebSocket",
  run: ({ plan }) =>
    inFolder(async (folder): Promise<Found> => {
      const options = { open: 0, ended: 0, isLive: true, file: `${folder}/venue.journal` }
      const venue: Child = await start("venue.ts", JSON.stringify(options))
      const client = await start("pushes.ts", String(venue.ready))
      const measure = async (millis: number) => await client.ask(millis) as Delays
      await measure(plan.warmUp.windowMillis * 8)
      const rounds: Array<Delays> = []
      while (rounds.length < plan.rounds) rounds.push(await measure(plan.turnMillis))
      await client.end()
      await venue.end()
      const micros = (of: keyof Delays) => show(bracket(rounds.map((round) => round[of])), " µs")
      return {
        lines: [{
          what: "from a call to its order's event, journal on disk",
          against: "the call's response",
          ratios: { wall: bracket(rounds.map(({ answer, push }) => push / answer)) },
          absolutes: `event ${micros("push")}, response ${micros("answer")}`
        }],
        data: rounds
      }
    })
}

export const rows: ReadonlyArray<Row> = [
  applied("streams-book", "a change of 20 levels, applied to a live book", "depth"),
  applied("streams-orders", "an event, applied to live orders", "orders"),
  fanOut("streams-fan-out", "an event to 1,000 subscribers on one connection", "orders", "to one subscriber"),
  memory("streams-memory", "memory after a million changes of a live book", "depth", 1_000_000, 100_000),
  push
]
