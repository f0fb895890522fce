/** Rules about subscriptions to public channels: a connection gets the messages of its subscriptions, and no others. */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as StreamMarkets from "../world/StreamMarkets.ts"
import * as Streams from "../world/Streams.ts"

const { always } = Streams.documented("Overview")

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
      yield* StreamMarkets.trade(world, market, 1)
      yield* StreamMarkets.trade(world, other, 2)
      yield* Streams.pass(world)
      for (const [at, kind] of kinds.entries()) {
        const [listening, witnessing] = [after[at], before[at]]
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
      const all = yield* Effect.forEach(
        kinds,
        ({ channel }) => Streams.subscribe(connection, channel, market.name, other.name)
      )
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
