/** Rules about subscriptions to public channels: a connection gets the messages of its subscriptions, and no others. */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import { basePrice, perpetual } from "../world/Markets.ts"
import * as Paths from "../world/Paths.ts"
import * as StreamMarkets from "../world/StreamMarkets.ts"
import * as Streams from "../world/Streams.ts"
import * as Trading from "../world/Trading.ts"

const { always } = Streams.documented("Overview")

/** Leaves out the messages that have arrived so far, because a first message may repeat what happened earlier. */
const fromNow = (all: ReadonlyArray<Streams.Listening>): ReadonlyArray<Streams.Listening> =>
  all.map((listening) => ({ ...listening, from: listening.connection.messages.length }))

/** The channels whose first message does not wait for a change, if the market has orders and trades. */
const immediate: ReadonlyArray<string> = ["depth", "trades", "bookTicker"]

export const rules: ReadonlyArray<Rule.Rule> = [
  always("streams.subscribe.acknowledged", {
    statement: "Acknowledges every subscription with status success, pushes its messages, and acknowledges its end too",
    check: Effect.fnUntraced(function*(world) {
      const { market } = yield* StreamMarkets.pair(world)
      const connection = yield* world.connect
      const all = yield* Effect.forEach(
        yield* StreamMarkets.served(world),
        (kind) => Effect.map(StreamMarkets.listen(connection, kind, market), (listening) => ({ kind, listening }))
      )
      yield* StreamMarkets.trade(world, market, 1)
      yield* Streams.pass(world)
      for (const { kind, listening } of all) yield* StreamMarkets.tells(listening, kind, market)
      for (const { kind: { channel } } of all) {
        yield* Streams.isAcknowledgement(yield* Streams.ask(connection, `${channel}_unsubscribe`))
      }
    })
  }),
  Streams.recorded.always("streams.subscribe.first", {
    statement: "Acknowledges a subscription before its first message",
    check: Effect.fnUntraced(function*(world) {
      const { market } = yield* StreamMarkets.pair(world)
      yield* StreamMarkets.trade(world, market, 1)
      const found = (yield* StreamMarkets.served(world)).filter(({ channel }) => immediate.includes(channel))
      for (const kind of found) {
        const connection = yield* world.connect
        const listening = yield* StreamMarkets.listen(connection, kind, market)
        yield* StreamMarkets.tells(listening, kind, market)
        const early = connection.messages.slice(0, listening.from - 1)
        yield* Verdict.conclude("no message before the acknowledgement", early, early.length === 0)
      }
    })
  }),
  always("streams.subscribe.replaces", {
    statement: "Replaces a channel subscription's market with that of the connection's next subscription",
    check: Effect.fnUntraced(function*(world) {
      const { market, other } = yield* StreamMarkets.pair(world)
      const kinds = yield* StreamMarkets.served(world)
      const [connection, witness] = [yield* world.connect, yield* world.connect]
      const before = yield* Effect.forEach(kinds, (kind) => StreamMarkets.listen(witness, kind, market))
      for (const kind of kinds) yield* StreamMarkets.listen(connection, kind, market)
      yield* Streams.linger(connection)
      const after = yield* Effect.forEach(kinds, (kind) => StreamMarkets.listen(connection, kind, other))
      yield* Streams.linger(connection)
      const later = fromNow(after)
      yield* StreamMarkets.trade(world, market, 1)
      yield* StreamMarkets.trade(world, other, 2)
      yield* Streams.pass(world)
      for (const [at, kind] of kinds.entries()) {
        const [listening, witnessing] = [later[at], before[at]]
        if (listening === undefined || witnessing === undefined) continue
        yield* StreamMarkets.tells(witnessing, kind, market)
        yield* StreamMarkets.tells(listening, kind, other)
      }
      yield* Streams.linger(connection)
      for (const [at, kind] of kinds.entries()) {
        const listening = after[at]
        if (listening !== undefined) yield* StreamMarkets.isSilent(listening, kind, market)
      }
    })
  }),
  always("streams.subscribe.several", {
    statement: "Pushes messages about each market of a subscription to several markets",
    check: Effect.fnUntraced(function*(world) {
      const { market, other } = yield* StreamMarkets.pair(world)
      const connection = yield* world.connect
      const kinds = (yield* StreamMarkets.served(world)).filter(({ isOfSet }) => isOfSet)
      if (kinds.length === 0) return yield* Verdict.skip("the target declares none of these channels")
      const begun = yield* Effect.forEach(
        kinds,
        ({ channel }) => Streams.subscribe(connection, channel, market.name, other.name)
      )
      yield* Streams.linger(connection)
      const all = fromNow(begun)
      yield* StreamMarkets.trade(world, market, 1)
      yield* StreamMarkets.trade(world, other, 2)
      yield* Streams.pass(world)
      for (const [at, kind] of kinds.entries()) {
        const listening = all[at]
        if (listening === undefined) continue
        yield* StreamMarkets.tells(listening, kind, market)
        yield* StreamMarkets.tells(listening, kind, other)
      }
    })
  }),
  always("streams.depth.leaves-all", {
    statement: "Ends the subscriptions to all books if no market is named",
    check: Effect.fnUntraced(function*(world) {
      const { market, other } = yield* StreamMarkets.pair(world)
      const [connection, witness] = [yield* world.connect, yield* world.connect]
      for (const one of [connection, witness]) {
        for (const { name } of [market, other]) yield* Streams.subscribe(one, "depth", name, 10, "0", true)
      }
      yield* Streams.linger(connection)
      const ended = yield* Streams.ask(connection, "depth_unsubscribe")
      yield* Streams.isAcknowledgement(ended)
      const seen = { connection: witness, channel: "depth", from: witness.messages.length }
      for (const each of [market, other]) {
        yield* StreamMarkets.trade(world, each, 1)
        yield* Streams.pass(world)
        yield* Streams.seesOne(
          seen,
          `a change of the book of ${each.name}`,
          (params) => Streams.listOf(params)[2] === each.name ? true : undefined
        )
      }
      yield* Streams.linger(connection)
      const left = { connection, channel: "depth", from: ended.reply.at + 1 }
      yield* Streams.hasNone(left, "after the end of all subscriptions", () => true)
    })
  }),
  always("streams.futures", {
    statement: "Serves the public channels for futures markets, too",
    check: Effect.fnUntraced(function*(world) {
      const market = { name: perpetual }
      yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
      const connection = yield* world.connect
      const all = yield* Effect.forEach(
        yield* StreamMarkets.served(world),
        (kind) => Effect.map(StreamMarkets.listen(connection, kind, market), (listening) => ({ kind, listening }))
      )
      const order = { market: perpetual, price: String(basePrice + 100) }
      for (const [side, amount] of [["sell", "0.02"], ["buy", "0.01"]]) {
        yield* Trading.placeOther(world, yield* world.open(), { ...order, side, amount }, Paths.collateralLimit)
      }
      yield* Streams.pass(world)
      for (const { kind, listening } of all) yield* StreamMarkets.tells(listening, kind, market)
    })
  }),
  always("streams.unsubscribe", {
    statement: "Pushes no messages of a channel after acknowledging the end of the subscription",
    check: Effect.fnUntraced(function*(world) {
      const { market } = yield* StreamMarkets.pair(world)
      const kinds = yield* StreamMarkets.served(world)
      const [connection, witness] = [yield* world.connect, yield* world.connect]
      const seen = yield* Effect.forEach(kinds, (kind) => StreamMarkets.listen(witness, kind, market))
      for (const kind of kinds) yield* StreamMarkets.listen(connection, kind, market)
      yield* Streams.linger(connection)
      const left = yield* Effect.forEach(
        kinds,
        ({ channel }) => Effect.map(Streams.ask(connection, `${channel}_unsubscribe`), ({ reply }) => reply.at + 1)
      )
      yield* StreamMarkets.trade(world, market, 1)
      yield* Streams.pass(world)
      for (const [at, kind] of kinds.entries()) {
        const witnessing = seen[at]
        if (witnessing !== undefined) yield* StreamMarkets.tells(witnessing, kind, market)
      }
      yield* Streams.linger(connection)
      for (const [at, { channel }] of kinds.entries()) {
        const listening = { connection, channel, from: left[at] ?? 0 }
        yield* Streams.hasNone(listening, "after the end of its subscription", () => true)
      }
    })
  }),
  always("streams.unsubscribe.others", {
    statement: "Keeps a connection's subscriptions to other channels when one subscription ends",
    check: Effect.fnUntraced(function*(world) {
      const { market } = yield* StreamMarkets.pair(world)
      const kinds = yield* StreamMarkets.served(world)
      const connection = yield* world.connect
      for (const kind of kinds) yield* StreamMarkets.listen(connection, kind, market)
      for (const [at, { channel }] of kinds.entries()) {
        const { reply } = yield* Streams.ask(connection, `${channel}_unsubscribe`)
        // Each trade changes the last price and the best ask.
        yield* StreamMarkets.trade(world, market, kinds.length - at)
        yield* Streams.pass(world)
        for (const kind of kinds.slice(at + 1)) {
          yield* StreamMarkets.tells({ connection, channel: kind.channel, from: reply.at + 1 }, kind, market)
        }
      }
    })
  }),
  always("streams.connections", {
    statement: "Pushes messages only to the connection that has subscribed to them",
    check: Effect.fnUntraced(function*(world) {
      const { market } = yield* StreamMarkets.pair(world)
      const kinds = yield* StreamMarkets.served(world)
      const [before, connection, after] = [yield* world.connect, yield* world.connect, yield* world.connect]
      const all = yield* Effect.forEach(kinds, (kind) => StreamMarkets.listen(connection, kind, market))
      yield* StreamMarkets.trade(world, market, 1)
      yield* Streams.pass(world)
      for (const [at, kind] of kinds.entries()) {
        const listening = all[at]
        if (listening !== undefined) yield* StreamMarkets.tells(listening, kind, market)
      }
      for (const other of [before, after]) {
        yield* Streams.linger(other)
        for (const { channel } of kinds) {
          yield* Streams.hasNone({ connection: other, channel, from: 0 }, "without a subscription", () => true)
        }
      }
    })
  })
]
