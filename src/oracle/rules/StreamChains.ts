/** Rules about the chain of an order book's messages: repeated books, and subscriptions that begin again. */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Numbers from "../world/Numbers.ts"
import * as StreamBooks from "../world/StreamBooks.ts"
import * as StreamMarkets from "../world/StreamMarkets.ts"
import * as Streams from "../world/Streams.ts"

const { forEach } = Streams.documented("Depth")

/** The time after which a book without changes is repeated, in milliseconds. */
const repeatsAfter = 10_000

/** The longest wait for a repeated book, if the target's clock cannot be advanced, in milliseconds. */
const repeatsBy = 15_000

/** Expects a complete book first, and that the number in each later message follows that of the message before it. */
const areChained = (all: ReadonlyArray<StreamBooks.Message>) =>
  Verdict.conclude(
    "first a complete book; then in each change the update_id before it as past_update_id, and in a repeated book none, "
      + "with an update_id that never decreases",
    all,
    all.every(({ body, isSnapshot }, at) => {
      const [past, before, id] = [body["past_update_id"] ?? null, all[at - 1]?.body["update_id"], body["update_id"]]
      return at === 0
        ? isSnapshot && past === null
        : Numbers.idAt(id) >= Numbers.idAt(before) && past === (isSnapshot ? null : before)
    })
  )

export const rules: ReadonlyArray<Rule.Rule> = [
  forEach("streams.depth.repeats", {
    statement:
      "Repeats the complete book after ten seconds without a message; the next changes follow the repeated book",
    // All prices are multiples of 0.1, so the grouped book equals the ungrouped one.
    values: [[20, "0"], [1, "0"], [20, "0.1"]] as const,
    check: Effect.fnUntraced(function*(world, [limit, step]) {
      const { market, place } = yield* StreamBooks.fill(world)
      const { listening } = yield* StreamBooks.subscribe(world, market, limit, step)
      const repeats = (count: number) =>
        Streams.sees(listening, "the complete book again", (pushed) => {
          const found = StreamBooks.messagesOf(pushed, market.name).filter(({ isSnapshot }) => isSnapshot)
          return found.length > count ? found : undefined
        }, repeatsBy)
      for (const count of [1, 2]) {
        // A change of a level beyond the limit is not pushed, but may raise the number of the next book.
        if (limit === 1) yield* place("sell", 1.3 + count / 10, "0.03")
        yield* Streams.pass(world, repeatsAfter + StreamBooks.changeEvery)
        const repeated = (yield* repeats(count)).at(-1)
        const current = Effect.sync(() => repeated === undefined ? undefined : StreamBooks.states([repeated])[0])
        yield* StreamBooks.equalsRest(world, market, limit, listening.connection, current)
        for (const percent of [0.5, 0.4]) {
          const before = StreamBooks.changesIn(StreamBooks.received(listening, market)).length
          yield* place("sell", percent - count / 10, "0.01")
          yield* Streams.pass(world, StreamBooks.changeEvery)
          yield* StreamBooks.more(listening, market, before)
        }
      }
      yield* areChained(StreamBooks.received(listening, market))
    })
  }),
  forEach("streams.depth.resumes", {
    statement:
      "Begins a repeated subscription with the complete book, too; each of its changes follows the message before it",
    values: ["ended", "replaced"] as const,
    check: Effect.fnUntraced(function*(world, how) {
      const { market, other } = yield* StreamMarkets.pair(world)
      const connection = yield* world.connect
      const start = Effect.fnUntraced(function*() {
        const from = connection.messages.length
        yield* Streams.subscribe(connection, "depth", market.name, 20, "0", how === "ended")
        return { connection, channel: "depth", from }
      })
      const change = Effect.fnUntraced(function*(listening: Streams.Listening, percent: number) {
        const before = StreamBooks.changesIn(StreamBooks.received(listening, market)).length
        yield* StreamMarkets.trade(world, market, percent)
        yield* Streams.pass(world, StreamBooks.changeEvery)
        yield* StreamBooks.more(listening, market, before)
      })
      yield* change(yield* start(), 3)
      if (how === "ended") yield* Streams.ask(connection, "depth_unsubscribe", market.name)
      else yield* Streams.subscribe(connection, "depth", other.name, 20, "0", false)
      yield* StreamMarkets.trade(world, market, 2.5)
      yield* Streams.pass(world, StreamBooks.changeEvery)
      const listening = yield* start()
      for (const percent of [2, 1]) yield* change(listening, percent)
      const current = Effect.sync(() => StreamBooks.followed(listening, market).at(-1))
      yield* StreamBooks.equalsRest(world, market, 20, connection, current)
      yield* areChained(StreamBooks.received(listening, market))
    })
  })
]
