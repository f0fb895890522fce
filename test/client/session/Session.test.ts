import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { DepthChannel } from "../../../src/channels/DepthChannel.ts"
import { LastPriceChannel } from "../../../src/channels/LastPriceChannel.ts"
import { PendingOrdersChannel } from "../../../src/channels/PendingOrdersChannel.ts"
import { SpotBalanceChannel } from "../../../src/channels/SpotBalanceChannel.ts"
import { TradesChannel } from "../../../src/channels/TradesChannel.ts"
import * as Session from "../../../src/client/session/Session.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { marketName } from "../../../src/domain/Identifiers.ts"
import * as Errors from "../../../src/protocol/Errors.ts"
import { Exchange } from "./exchange.ts"
import { layer, listen, market, settled } from "./streams.ts"

const prompt = () => {
  const exchange = new Exchange()
  exchange.isPrompt = true
  return exchange
}

/** Returns the connection that was opened last. */
const last = (exchange: Exchange) => {
  const link = exchange.opened.at(-1)
  assert.isDefined(link)
  return link
}

const tags = (items: ReadonlyArray<{ readonly _tag: string }>) => items.map(({ _tag }) => _tag)

const depth = { market, limit: 100, priceStep: "0" } as const

describe("a session's connections and streams", () => {
  it.effect("a session opens its connection for the first subscriber, and closes it soon after the last one has left", () => {
    const exchange = prompt()
    return Effect.gen(function*() {
      const { stream } = yield* LastPriceChannel
      yield* settled
      assert.strictEqual(exchange.opened.length, 0)
      const one = yield* listen(stream({ market }))
      const other = yield* listen(stream({ market: marketName("ETH_USDT") }))
      assert.strictEqual(exchange.opened.length, 1)
      assert.deepStrictEqual(last(exchange).sets.get("lastprice"), ["BTC_USDT", "ETH_USDT"])
      yield* one.stop
      yield* settled
      assert.deepStrictEqual(last(exchange).sets.get("lastprice"), ["ETH_USDT"])
      yield* other.stop
      yield* settled
      assert.isFalse(last(exchange).sets.has("lastprice"))
      assert.isTrue(last(exchange).isOpen)
      yield* TestClock.adjust("5 seconds")
      assert.isFalse(last(exchange).isOpen)
      yield* listen(stream({ market }))
      assert.strictEqual(exchange.opened.length, 2)
    }).pipe(Effect.provide(layer(exchange)), Effect.scoped)
  })

  it.effect("a stream begins with the current value and continues with changes", () => {
    const exchange = prompt()
    return Effect.gen(function*() {
      const { get, stream } = yield* LastPriceChannel
      exchange.price = 40_000
      const { items } = yield* listen(stream({ market }))
      exchange.happens.price()
      yield* settled
      assert.deepStrictEqual(tags(items), ["Snapshot", "Event"])
      assert.deepInclude(items[0], { state: { market, price: Decimal.price("40000") } })
      assert.strictEqual(yield* get({ market }), "40001")
    }).pipe(Effect.provide(layer(exchange)), Effect.scoped)
  })

  it.effect("a session fails only the subscriber whose subscription is refused", () => {
    const exchange = prompt()
    return Effect.gen(function*() {
      const { stream } = yield* TradesChannel
      exchange.happens.trades()
      const good = yield* listen(stream({ market }))
      const bad = yield* listen(stream({ market: marketName("NO_SUCH") }))
      const exit = yield* Fiber.await(bad.fiber)
      assert.isTrue(Exit.isFailure(exit) && /code 9: market NO_SUCH does not exist/u.test(String(exit.cause)))
      assert.deepStrictEqual(last(exchange).sets.get("trades"), ["BTC_USDT"])
      exchange.happens.trades()
      yield* settled
      // The repeated trades prove that nothing was missed.
      assert.deepStrictEqual(tags(good.items), ["Snapshot", "Event"])
    }).pipe(Effect.provide(layer(exchange)), Effect.scoped)
  })

  it.effect("a session reconnects with a fresh token, and authorizes before it sends any private request", () => {
    const exchange = prompt()
    return Effect.gen(function*() {
      const { stream } = yield* SpotBalanceChannel
      const { items } = yield* listen(stream())
      last(exchange).cut()
      yield* settled
      assert.deepStrictEqual(tags(items), ["Snapshot", "Interrupted"])
      exchange.happens.balance()
      yield* TestClock.adjust("1 second")
      yield* settled
      assert.deepStrictEqual(tags(items), ["Snapshot", "Interrupted", "Snapshot"])
      assert.strictEqual(exchange.tokens, 2)
      assert.deepStrictEqual([...exchange.used], ["token-1", "token-2"])
      assert.deepStrictEqual(last(exchange).methods.slice(0, 2), ["authorize", "balanceSpot_subscribe"])
      assert.deepStrictEqual(exchange.faults, [])
    }).pipe(Effect.provide(layer(exchange)), Effect.scoped)
  })

  it.effect("a session fails its streams when the token is refused, and the error hides the token", () => {
    const exchange = prompt()
    exchange.refuses.set("token", 11)
    const create = Effect.succeed(Redacted.make("$2y$10$0123456789abcdef"))
    return Effect.gen(function*() {
      const { stream } = yield* SpotBalanceChannel
      const error = yield* Effect.flip(Stream.runDrain(stream()))
      assert.strictEqual(error._tag, "AuthorizationRefused")
      assert.include(error.message, "unknown token <redacted>")
      assert.strictEqual(exchange.opened.length, 1)
    }).pipe(Effect.provide(layer(exchange, create)), Effect.scoped)
  })

  it.effect("a session fails its streams if the key is refused, but retries a token request that gets no response", () => {
    const exchange = prompt()
    let calls = 0
    const unreachable = new Errors.ExchangeUnreachable({ endpoint: "token", why: "timeout", reason: "no answer" })
    const unauthorized = new Errors.NotAuthorized({
      endpoint: "token",
      why: "unauthenticated",
      status: 401,
      reason: "wrong key",
      body: ""
    })
    const create = Effect.suspend(() => Effect.fail(calls++ < 3 ? unreachable : unauthorized))
    return Effect.gen(function*() {
      const { stream } = yield* SpotBalanceChannel
      const { fiber, items } = yield* listen(stream())
      assert.deepStrictEqual(tags(items), ["Interrupted"])
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(calls, 4)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && String(exit.cause).includes("NotAuthorized"))
    }).pipe(Effect.provide(layer(exchange, create)), Effect.scoped)
  })

  it.effect("a session detects a silent connection by its missing pong", () => {
    const exchange = prompt()
    return Effect.gen(function*() {
      const { stream } = yield* DepthChannel
      const { items } = yield* listen(stream(depth))
      yield* TestClock.adjust("29 seconds")
      exchange.isPrompt = false
      const link = last(exchange)
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(link.methods, ["depth_subscribe", "ping"])
      exchange.isPrompt = true
      yield* TestClock.adjust("10 seconds")
      yield* settled
      assert.isFalse(link.isOpen)
      yield* TestClock.adjust("1 second")
      yield* settled
      assert.deepStrictEqual(tags(items), ["Snapshot", "Interrupted", "Snapshot"])
    }).pipe(Effect.provide(layer(exchange)), Effect.scoped)
  })

  it.effect("a session waits twice as long after each failed connection attempt, up to 30 seconds", () => {
    const exchange = prompt()
    exchange.isReachable = false
    let dials = 0
    const { dial } = exchange.dialer
    const counted = Object.assign(exchange, { dialer: { dial: Effect.tap(dial, () => Effect.sync(() => dials++)) } })
    return Effect.gen(function*() {
      const { stream } = yield* LastPriceChannel
      yield* listen(stream({ market }))
      const counts: Array<number> = []
      for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
        yield* TestClock.adjust(`${seconds} seconds`)
        counts.push(dials)
      }
      const [, ...more] = counts
      assert.isAtLeast(counts[0] ?? 0, 2)
      assert.isTrue(more.every((count, at) => count - (counts[at] ?? 0) >= 1 && count - (counts[at] ?? 0) <= 2))
    }).pipe(Effect.provide(layer(counted)), Effect.scoped)
  })

  it.effect("a session opens a separate connection for each limit of a market's book, up to a maximum number", () => {
    const exchange = prompt()
    return Effect.gen(function*() {
      const { stream } = yield* DepthChannel
      yield* listen(stream(depth))
      yield* listen(stream(depth))
      assert.strictEqual(exchange.opened.length, 1)
      yield* listen(stream({ ...depth, limit: 5 }))
      assert.strictEqual(exchange.opened.length, 2)
      const error = yield* Effect.flip(Stream.runDrain(stream({ ...depth, limit: 10 })))
      assert.strictEqual(error._tag, "TooManyConnections")
    }).pipe(Effect.provide(layer(exchange)), Effect.provideService(Session.MaxConnections, 2), Effect.scoped)
  })

  it.effect("a second subscriber to a book receives a complete book, and the first subscriber is not interrupted", () => {
    const exchange = prompt()
    return Effect.gen(function*() {
      const { stream } = yield* DepthChannel
      const one = yield* listen(stream(depth))
      exchange.happens.depth()
      const other = yield* listen(stream(depth))
      exchange.happens.depth()
      yield* settled
      assert.deepStrictEqual(tags(one.items), ["Snapshot", "Event", "Event"])
      assert.deepStrictEqual(tags(other.items), ["Snapshot", "Event"])
    }).pipe(Effect.provide(layer(exchange)), Effect.scoped)
  })

  it.effect("a gap in a book's changes causes an interruption, and a new book follows", () => {
    const exchange = prompt()
    return Effect.gen(function*() {
      const { stream } = yield* DepthChannel
      const { items } = yield* listen(stream(depth))
      exchange.updateId = 50
      exchange.happens.depth()
      yield* settled
      assert.deepStrictEqual(tags(items), ["Snapshot", "Interrupted", "Snapshot"])
      assert.strictEqual(items[1]?._tag === "Interrupted" && items[1].reason, "gap")
    }).pipe(Effect.provide(layer(exchange)), Effect.scoped)
  })

  it.effect("missed trades are emitted as events if possible, and otherwise the stream is interrupted", () => {
    const exchange = prompt()
    return Effect.gen(function*() {
      const { stream } = yield* TradesChannel
      exchange.happens.trades()
      const { items } = yield* listen(stream({ market }))
      for (const missed of [99, 100]) {
        last(exchange).cut()
        for (let trade = 0; trade < missed; trade++) exchange.happens.trades()
        yield* TestClock.adjust("2 seconds")
        yield* settled
      }
      const [first, ...more] = items
      assert.strictEqual(first?._tag, "Snapshot")
      const events = more.flatMap((item) => item._tag === "Event" ? [item.event.tradeId] : [])
      assert.deepStrictEqual(events, Array.from({ length: 99 }, (_, at) => `${at + 2}`))
      assert.deepStrictEqual(tags(more.slice(99)), ["Interrupted", "Snapshot"])
    }).pipe(Effect.provide(layer(exchange)), Effect.scoped)
  })

  it.effect("a subscriber that stops reading is interrupted, and other subscribers are not affected", () => {
    const exchange = prompt()
    return Effect.gen(function*() {
      const { stream } = yield* TradesChannel
      const fast = yield* listen(stream({ market }))
      const stopped = yield* Stream.toPull(stream({ market }))
      exchange.happens.trades()
      yield* Effect.forkScoped(stopped)
      yield* settled
      for (let trade = 0; trade < 20; trade++) exchange.happens.trades()
      yield* settled
      assert.strictEqual(fast.items.length, 21)
      const items: Array<string> = []
      for (let read = 0; read < 7; read++) {
        if (read === 6) exchange.happens.trades()
        const [item] = yield* stopped
        items.push(item._tag)
        yield* settled
      }
      assert.deepStrictEqual(items, ["Event", "Event", "Event", "Event", "Interrupted", "Snapshot", "Event"])
    }).pipe(Effect.provide(layer(exchange)), Effect.provideService(Session.MaxWaiting, 4), Effect.scoped)
  })

  it.effect("order changes that arrive during a read of the open orders are merged with the read's response", () => {
    const exchange = prompt()
    return Effect.gen(function*() {
      const { stream } = yield* PendingOrdersChannel
      exchange.happens.orders(1)
      exchange.isPrompt = false
      const { items } = yield* listen(stream({ market }))
      const link = last(exchange)
      const deliver = (count: number) => Effect.andThen(Effect.sync(() => link.deliver(count)), settled)
      link.handle(1)
      yield* deliver(1)
      link.handle(1)
      yield* deliver(1)
      link.handle(1)
      // The response is older than the changes pushed before it arrives.
      exchange.happens.orders(0)
      exchange.happens.orders(1)
      yield* deliver(2)
      link.reply(1)
      yield* deliver(1)
      assert.deepStrictEqual(tags(items), ["Snapshot", "Event", "Event"])
      assert.deepStrictEqual(exchange.faults, [])
    }).pipe(Effect.provide(layer(exchange)), Effect.scoped)
  })

  it.effect("an invalid topic is rejected before anything is sent", () => {
    const exchange = prompt()
    return Effect.gen(function*() {
      const { stream } = yield* DepthChannel
      const error = yield* Effect.flip(Stream.runDrain(stream({ ...depth, limit: 25 as 20 })))
      assert.isTrue(error._tag === "StreamRefused" && error.origin === "local")
      assert.strictEqual(exchange.opened.length, 0)
    }).pipe(Effect.provide(layer(exchange)), Effect.scoped)
  })
})
