import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { TestClock } from "effect/testing"
import { entries } from "../../../src/channels/all.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { type MarketName, marketName } from "../../../src/domain/Identifiers.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { Control } from "../../../src/sandbox/control/Control.ts"
import * as OpenConnections from "../../../src/sandbox/gateway/OpenConnections.ts"
import * as Bounds from "../../../src/sandbox/streams/Bounds.ts"
import * as Streams from "../../../src/sandbox/streams/Streams.ts"
import { Venue } from "../../../src/sandbox/venue/Venue.ts"
import { bob, btcUsdt, inProcess } from "../../support/exchange.ts"
import { authorized, connect, Connections, deaf, durable, limit, paramsOf, token, world } from "./client.ts"

const codeOf = (frame: { readonly error?: unknown } | undefined) =>
  (frame?.error as { readonly code: number } | null | undefined)?.code

describe("requests on a connection", () => {
  it.effect("a subscription to any channel in the contract is acknowledged, and every query gets the response that the contract declares", () =>
    Effect.gen(function*() {
      const client = yield* authorized()
      for (const { channel } of entries) {
        const topics = Result.getOrThrow(channel["~codec"].encodeTopics([channel.example]))
        const [acknowledged, ...pushes] = yield* client.send(channel.subscribe, ...topics)
        assert.deepStrictEqual(acknowledged?.result, { status: "success" }, channel.name)
        for (const { method, params } of pushes) {
          assert.strictEqual(method, channel.pushed)
          Result.getOrThrow(channel["~codec"].decodeMessage(params))
        }
        for (const query of Object.values(channel.queries)) {
          const asked = Result.getOrThrow(query["~codec"].encodeParams(query.example))
          const [answered] = yield* client.send(query.method, ...asked)
          Result.getOrThrow(query["~codec"].decodeResult(answered?.result))
        }
        const [left] = yield* client.send(channel.unsubscribe)
        assert.deepStrictEqual(left?.result, { status: "success" })
      }
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(yield* client.pushed, [])
    }).pipe(Effect.provide(world)))

  it.effect("refusals on a connection have the exchange's codes", () =>
    Effect.gen(function*() {
      const client = yield* authorized()
      const refused = [
        [4, "depth_nope"],
        [1, "depth_subscribe", "BTC_USDT", 25, "0", true],
        [1, "depth_subscribe", "BTC_USDT", 5, "0.5", true],
        [1, "candles_subscribe", "BTC_USDT", 7],
        [1, "premiumIndex_subscribe", "BTC_USDT"],
        [1, "balanceSpot_subscribe", "NOPE"],
        [1, "authorize"],
        [11, "authorize", "not a token", "public"],
        [9, "lastprice_subscribe", "BTC_USDT", "NO_SUCH"],
        [9, "depth_request", "NO_SUCH", 5, "0"],
        [9, "deals_subscribe", ["NO_SUCH"]]
      ] as const
      for (const [code, method, ...params] of refused) {
        assert.strictEqual(codeOf((yield* client.send(method, ...params))[0]), code, method)
      }
      client.client.receive("{\"id\":77,\"method\":\"ping\",\"params\":{}}")
      assert.deepStrictEqual(yield* client.taken, [
        { error: { code: 1, message: "invalid argument" }, result: null, id: 77 }
      ])
      assert.isFalse(client.isOver())
    }).pipe(Effect.provide(world)))

  it.effect("a connection gets responses to 12000 messages in ten seconds, and further messages are refused with code 7", () =>
    Effect.gen(function*() {
      const client = yield* connect()
      for (let sent = 1; sent < Bounds.messages.count; sent++) {
        client.client.receive("{\"id\":1,\"method\":\"ping\",\"params\":[]}")
        if (sent % 1000 === 0) yield* client.taken
      }
      assert.strictEqual((yield* client.send("ping")).at(-1)?.result, "pong")
      assert.strictEqual(codeOf((yield* client.send("ping"))[0]), 7)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* client.send("ping"))[0]?.result, "pong")
    }).pipe(Effect.provide(world)))
})

describe("authorization of connections", () => {
  it.effect("a token can authorize any number of connections during its lifetime", () =>
    Effect.gen(function*() {
      const made = yield* token()
      const authorize = Effect.flatMap(connect(), ({ send }) => send("authorize", made, "anything"))
      assert.isNull((yield* authorize)[0]?.error)
      yield* TestClock.adjust("60 seconds")
      assert.isNull((yield* authorize)[0]?.error)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(codeOf((yield* authorize)[0]), 11)
    }).pipe(Effect.provide(world)))

  it.effect("a token authorizes only one connection if the policy says so", () => {
    const { live } = Dialect
    const dialect = { ...live, policy: { ...live.policy, streamToken: { lifetimeSeconds: 5, singleUse: true } } }
    const strict = Layer.effect(Connections, Effect.flatMap(Venue, Streams.make)).pipe(
      Layer.provideMerge(inProcess(dialect))
    )
    return Effect.gen(function*() {
      const [one, other] = [yield* token(), yield* token()]
      const authorize = (made: string) => Effect.flatMap(connect(), ({ send }) => send("authorize", made))
      assert.isNull((yield* authorize(one))[0]?.error)
      assert.strictEqual(codeOf((yield* authorize(one))[0]), 11)
      assert.isNull((yield* authorize(other))[0]?.error)
    }).pipe(Effect.provide(strict))
  })

  it.effect("a connection stays with the account for which it was authorized", () =>
    Effect.gen(function*() {
      const client = yield* authorized()
      assert.isNull((yield* client.send("authorize", yield* token()))[0]?.error)
      assert.strictEqual(codeOf((yield* client.send("authorize", yield* token(bob)))[0]), 11)
    }).pipe(Effect.provide(world)))
})

describe("how connections end", () => {
  it.effect("a malformed message closes the connection, after the responses to earlier messages", () =>
    Effect.gen(function*() {
      for (const garbage of ["", "no JSON", "[]", "{\"id\":null}", "{\"id\":-1,\"method\":\"ping\",\"params\":[]}"]) {
        const client = yield* connect()
        client.client.receive("{\"id\":5,\"method\":\"ping\",\"params\":[]}")
        client.client.receive(garbage)
        assert.deepStrictEqual((yield* client.taken).map(({ result }) => result), ["pong"])
        assert.isTrue(client.isOver(), garbage)
      }
    }).pipe(Effect.provide(world)))

  it.effect("a connection closes after a minute without a message or ping from the client, whatever is pushed to it", () =>
    Effect.gen(function*() {
      const [silent, alive, pinging] = [yield* connect(), yield* connect(), yield* connect()]
      yield* silent.send("market_subscribe", "BTC_USDT")
      yield* TestClock.adjust("30 seconds")
      yield* alive.send("ping")
      pinging.client.heard()
      yield* TestClock.adjust("29999 millis")
      assert.deepStrictEqual([silent, alive, pinging].map(({ isOver }) => isOver()), [false, false, false])
      yield* TestClock.adjust("1 millis")
      yield* durable
      assert.deepStrictEqual([silent, alive, pinging].map(({ isOver }) => isOver()), [true, false, false])
    }).pipe(Effect.provide(world)))

  it.effect("after the last connection has closed, no timer remains", () =>
    Effect.gen(function*() {
      const clock = yield* Clock.Clock
      let sleeps = 0
      const sleep: Clock.Clock["sleep"] = (duration) => Effect.suspend(() => (sleeps++, clock.sleep(duration)))
      const counting = Object.assign(Object.create(clock) as Clock.Clock, { sleep })
      const streams = yield* Effect.provideService(Effect.flatMap(Venue, Streams.make), Clock.Clock, counting)
      const client = Result.getOrThrow(streams.connect(deaf))
      client.receive("{\"id\":1,\"method\":\"market_subscribe\",\"params\":[\"BTC_USDT\"]}")
      yield* TestClock.adjust("10 seconds")
      const [before] = [sleeps]
      assert.isAbove(before, 9)
      client.end()
      yield* TestClock.adjust("1 hour")
      yield* durable
      assert.isAtMost(sleeps, before + 1)
    }).pipe(Effect.scoped, Effect.provide(world)))

  it.effect("moving the venue's clock closes no connection", () =>
    Effect.gen(function*() {
      const client = yield* connect()
      yield* Control.use((control) => control.advanceClock({ millis: 86_400_000 }))
      yield* TestClock.adjust("1 seconds")
      assert.isFalse(client.isOver())
    }).pipe(Effect.provide(world)))

  it.effect("restoring a state closes all connections, and new connections start from the restored state", () =>
    Effect.gen(function*() {
      const control = yield* Control
      const client = yield* connect()
      yield* client.send("depth_subscribe", "BTC_USDT", 5, "0", true)
      const before = yield* control.snapshot
      yield* limit("sell", "0.5", "100")
      yield* control.restore(before)
      assert.isTrue(client.isOver())
      const next = yield* connect()
      const [, snapshot] = yield* next.send("depth_subscribe", "BTC_USDT", 5, "0", true)
      const [, body] = paramsOf<[boolean, { readonly asks: unknown; readonly update_id: number }]>(snapshot)
      assert.deepStrictEqual([body.asks, body.update_id > before], [[], true])
    }).pipe(Effect.provide(world)))

  it.effect("a client that does not read is disconnected, but other clients are not", () =>
    Effect.gen(function*() {
      const control = yield* Control
      let unread = 0
      const slow = yield* connect({ waiting: () => unread })
      const fast = yield* connect()
      for (const { send } of [slow, fast]) yield* send("bookTicker_subscribe", "BTC_USDT")
      unread = Bounds.maxWaiting
      yield* limit("sell", "0.1", "101")
      yield* control.movePrice({ market: btcUsdt, price: Decimal.Price.make("100") })
      assert.isTrue(slow.isOver())
      assert.lengthOf(yield* slow.taken, 0)
      assert.isFalse(fast.isOver())
      assert.lengthOf(yield* fast.taken, 1)
    }).pipe(Effect.provide(world)))
})

describe("limits for connections", () => {
  /** Connects the given number of clients from an address, all of which the venue must accept. */
  const fill = (connect: Streams.Streams["connect"], from: string, count: number) =>
    Array.from({ length: count }, () => Result.getOrThrow(connect({ ...deaf, from })))

  const kindOf = (connected: Result.Result<unknown, { readonly kind: string }>) =>
    Result.isFailure(connected) ? connected.failure.kind : "connected"

  it.effect("an address with too many connections is refused, while other addresses are accepted until the venue is full", () =>
    Effect.gen(function*() {
      const { connect } = yield* Connections
      const { ofAddress, ofAll } = OpenConnections.most
      const connected = (from: string) => kindOf(connect({ ...deaf, from }))
      const [first] = fill(connect, "a", ofAddress)
      assert.strictEqual(connected("a"), "rateLimited")
      fill(connect, "b", ofAll - ofAddress)
      assert.deepStrictEqual([connected("b"), connected("c")], ["unavailable", "unavailable"])
      first?.end()
      assert.deepStrictEqual([connected("c"), connected("c")], ["connected", "unavailable"])
    }).pipe(Effect.provide(world)))

  it.effect("a key can authorize a limited number of connections, and other keys are not affected", () =>
    Effect.gen(function*() {
      const { connect: connectWire } = yield* Connections
      const [ofAlice, ofBob] = [yield* token(), yield* token(bob)]
      const authorize = (text: string) => JSON.stringify({ id: 1, method: "authorize", params: [text] })
      const held = fill(connectWire, "a", OpenConnections.most.ofKey)
      for (const client of held) client.receive(authorize(ofAlice))
      const client = yield* connect()
      assert.strictEqual(codeOf((yield* client.send("authorize", ofAlice))[0]), 7)
      const other = yield* connect()
      assert.isNull((yield* other.send("authorize", ofBob))[0]?.error)
      held[0]?.end()
      assert.isNull((yield* client.send("authorize", ofAlice))[0]?.error)
    }).pipe(Effect.provide(world)))

  it.effect("a subscription that exceeds a connection's maximum number of topics is refused, and changes nothing", () =>
    Effect.gen(function*() {
      const control = yield* Control
      const { state } = yield* Venue
      const first = state.markets.get(btcUsdt) ?? assert.fail("no market")
      const markets = Array.from({ length: Bounds.maxTopics / 2 + 1 }, (_, n) => marketName(`BTC_X${n}`))
      const listed = state.markets as Map<MarketName, typeof first>
      for (const name of markets) listed.set(name, { ...first, name })
      const client = yield* connect()
      const [lastPrices, ...others] = yield* client.send("lastprice_subscribe", ...markets)
      assert.deepStrictEqual([lastPrices?.error, others], [null, []])
      assert.isNull((yield* client.send("market_subscribe", ...markets.slice(2)))[0]?.error)
      const subscriptions = Effect.map(control.connections, (all) => all.map(({ subscriptions }) => subscriptions))
      const before = yield* subscriptions
      assert.strictEqual(codeOf((yield* client.send("market_subscribe", ...markets))[0]), 7)
      assert.strictEqual(codeOf((yield* client.send("bookTicker_subscribe", markets[0]))[0]), 7)
      assert.deepStrictEqual(yield* subscriptions, before)
    }).pipe(Effect.provide(world)))
})

describe("durability of pushed messages", () => {
  it.effect("no message is sent before the command that caused it is durable", () =>
    Effect.gen(function*() {
      const venue = yield* Venue
      const client = yield* authorized()
      yield* client.send("ordersPending_subscribe", "BTC_USDT")
      const sent: Array<readonly [durable: number, commands: number]> = []
      const streams = yield* Streams.make(venue)
      const watcher = Result.getOrThrow(streams.connect({
        ...deaf,
        send: (text) => {
          if (text.includes("bookTicker_update")) sent.push([venue.journal.sequence(), venue.sequence()])
        }
      }))
      watcher.receive("{\"id\":1,\"method\":\"bookTicker_subscribe\",\"params\":[\"BTC_USDT\"]}")
      const before = venue.sequence()
      yield* Effect.all([limit("sell", "0.1", "103"), limit("sell", "0.1", "102"), limit("sell", "0.1", "101")], {
        concurrency: "unbounded"
      })
      yield* durable
      assert.lengthOf(sent, 4)
      // The three calls are committed as one group, which is durable as a whole or not at all.
      assert.deepStrictEqual(sent.slice(1).map(([committed]) => committed >= before + 3), [true, true, true])
    }).pipe(Effect.scoped, Effect.provide(world)))
})
