import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as Credentials from "../../src/client/Credentials.ts"
import * as MarketRules from "../../src/client/MarketRules.ts"
import * as Nonce from "../../src/client/Nonce.ts"
import * as RateLimits from "../../src/client/RateLimits.ts"
import * as Region from "../../src/client/Region.ts"
import * as Signer from "../../src/client/Signer.ts"
import * as HttpClientTransport from "../../src/client/transport/HttpClientTransport.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import { type MarketName, marketName } from "../../src/domain/Identifiers.ts"
import * as Market from "../../src/domain/Market.ts"
import { StopLimitOrders } from "../../src/endpoints/StopLimitOrders.ts"
import * as Exchange from "../../src/Exchange.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import type { Violation } from "../../src/protocol/Violation.ts"
import * as Listings from "../../src/sandbox/engine/Listings.ts"
import { alice, btcUsdt, credentialsOf, exchange, inProcess, Place, stopLimit } from "../support/exchange.ts"
import { failsWith } from "../support/fails.ts"
import { privateCalls, Recorder } from "../support/http.ts"
import { logsInto } from "../support/logs.ts"

const [listed = assert.fail("no market")] = Listings.markets

/** A second market, in addition to BTC_USDT. */
const newcomer = marketName("NEW_USDT")

const order = (market: MarketName = btcUsdt, amount = Decimal.amount("0.5")) =>
  Market.stopLimit({ ...stopLimit, market, amount })

const check = (bounded: Market.Bounded = order()) => MarketRules.MarketRules.use((rules) => rules.check(bounded))

const unknown: ReadonlyArray<Violation> = [{ field: "market", constraint: { kind: "known" } }]

/**
 * An exchange's markets, which take half a second to load. Through `state`, tests change the markets or make loading
 * fail.
 */
const source = () => {
  const state = { loads: 0, markets: [listed] as ReadonlyArray<Market.Market>, broken: false }
  const load = Effect.delay(
    Effect.suspend(() => {
      state.loads++
      return state.broken ? Effect.fail(new Error("the exchange is down")) : Effect.succeed(state.markets)
    }),
    "500 millis"
  )
  return { state, load }
}

/** Runs an effect while the clock advances by half a second. */
const waited = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(effect)
    yield* TestClock.adjust("500 millis")
    return yield* Fiber.join(fiber)
  })

/** Asserts that an effect completes immediately, without any waiting. */
const atOnce = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(effect)
    yield* TestClock.adjust(0)
    assert.isDefined(fiber.pollUnsafe(), "it had to wait")
    return yield* Fiber.join(fiber)
  })

describe("MarketRules.layerCached", () => {
  it.effect("layerCached loads markets when the first order needs them, and only once for parallel orders", () => {
    const { load, state } = source()
    return Effect.gen(function*() {
      assert.strictEqual(state.loads, 0)
      const found = yield* waited(
        Effect.forEach(Array.from({ length: 100 }), () => check(), { concurrency: "unbounded" })
      )
      assert.deepStrictEqual(found, Array.from({ length: 100 }, () => []))
      assert.strictEqual(state.loads, 1)
      assert.deepStrictEqual(yield* atOnce(check(order(btcUsdt, Decimal.amount("0.0000001")))), [
        { field: "amount", constraint: { kind: "step", step: "0.000001" } },
        { field: "amount", constraint: { kind: "minAmount", min: "0.00001" } },
        { field: "amount", constraint: { kind: "minTotal", min: "5" } }
      ])
      assert.strictEqual(state.loads, 1)
    }).pipe(Effect.provide(MarketRules.layerCached(load)))
  })

  it.effect("layerCached refreshes markets in the background after five minutes, without delaying orders", () => {
    const { load, state } = source()
    return Effect.gen(function*() {
      yield* waited(check())
      state.markets = [{ ...listed, tradesEnabled: false }]
      yield* TestClock.adjust("4 minutes")
      yield* atOnce(check())
      yield* TestClock.adjust("1 second")
      assert.strictEqual(state.loads, 1)

      yield* TestClock.adjust("1 minute")
      const before = yield* atOnce(Effect.forEach([1, 2, 3], () => check(), { concurrency: "unbounded" }))
      assert.deepStrictEqual(before, [[], [], []], "still the old ones")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(state.loads, 2, "one refresh for all")
      assert.deepStrictEqual(yield* atOnce(check()), unknown, "now the new ones")
    }).pipe(Effect.provide(MarketRules.layerCached(load)))
  })

  it.effect("a failed refresh is logged, and the old markets stay in use until a refresh succeeds", () => {
    const { load, state } = source()
    const logged: Array<string> = []
    return Effect.gen(function*() {
      yield* waited(check())
      state.broken = true
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* waited(check()), [])
      assert.strictEqual(state.loads, 2)
      assert.match(logged.join("\n"), /level=WARN.*the exchange is down/u)
      state.broken = false
      assert.deepStrictEqual(yield* waited(check()), [])
      assert.strictEqual(state.loads, 3)
      assert.strictEqual(logged.length, 1)
    }).pipe(Effect.provide([MarketRules.layerCached(load, { timeToLive: "10 seconds" }), logsInto(logged)]))
  })

  it.effect("no order waits for markets beyond its time limit, even when another order is loading the markets", () => {
    let loads = 0
    const hanging = Effect.suspend(() => {
      loads++
      return Effect.never
    })
    return Effect.gen(function*() {
      const first = yield* Effect.forkChild(Effect.flip(check()))
      yield* TestClock.adjust("1 second")
      const second = yield* Effect.forkChild(Effect.flip(check()))
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual([first.pollUnsafe(), second.pollUnsafe(), loads], [undefined, undefined, 1])
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(first)).reason, "the markets were not loaded within 5000 ms")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(second)).reason, "the markets were not loaded within 5000 ms")
    }).pipe(Effect.provide(MarketRules.layerCached(hanging, { timeout: "5 seconds" })))
  })

  it.effect("parallel orders share one refresh, even if it fails", () => {
    const { load, state } = source()
    return Effect.gen(function*() {
      yield* waited(check())
      state.broken = true
      yield* TestClock.adjust("5 minutes")
      yield* atOnce(Effect.forEach(Array.from({ length: 20 }), () => check(), { concurrency: "unbounded" }))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(state.loads, 2)
    }).pipe(Effect.provide([MarketRules.layerCached(load), logsInto([])]))
  })

  it.effect("an order for an unknown market reloads the markets immediately", () => {
    const { load, state } = source()
    return Effect.gen(function*() {
      yield* waited(check())
      state.markets = [listed, { ...listed, name: newcomer }]
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* waited(check(order(newcomer))), [])
      assert.strictEqual(state.loads, 2)
      assert.deepStrictEqual(yield* atOnce(check(order(newcomer))), [])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* waited(check(order(marketName("NO_SUCH")))), unknown)
    }).pipe(Effect.provide(MarketRules.layerCached(load)))
  })

  it.effect("parallel orders for a new market reload the markets once", () => {
    const { load, state } = source()
    return Effect.gen(function*() {
      yield* waited(check())
      state.markets = [{ ...listed, name: newcomer }]
      yield* TestClock.adjust("1 second")
      yield* waited(
        Effect.forEach(Array.from({ length: 50 }), () => check(order(newcomer)), { concurrency: "unbounded" })
      )
      assert.strictEqual(state.loads, 2)
    }).pipe(Effect.provide(MarketRules.layerCached(load)))
  })

  it.effect("an order fails if the markets can't be loaded, and the next order tries again", () => {
    const { load, state } = source()
    return Effect.gen(function*() {
      state.broken = true
      for (const attempt of [1, 2]) {
        const error = yield* waited(failsWith("MarketRulesUnavailable")(check()))
        assert.strictEqual(error.reason, "the exchange is down")
        assert.strictEqual(state.loads, attempt)
      }
      state.broken = false
      assert.deepStrictEqual(yield* waited(check()), [])
    }).pipe(Effect.provide(MarketRules.layerCached(load)))
  })

  it.effect("interrupting one order does not stop other orders from loading the markets", () => {
    const { load, state } = source()
    return Effect.gen(function*() {
      const first = yield* Effect.forkChild(check())
      const second = yield* Effect.forkChild(check())
      yield* TestClock.adjust("100 millis")
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual(yield* Fiber.join(second), [])
      assert.strictEqual(state.loads, 1)
    }).pipe(Effect.provide(MarketRules.layerCached(load)))
  })
})

describe("MarketRules.layerFixed", () => {
  it.effect("layerFixed checks orders against the given markets", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* check(), [])
      assert.deepStrictEqual(yield* check(order(newcomer)), unknown)
    }).pipe(Effect.provide(MarketRules.layerFixed([listed]))))
})

describe("MarketRules.layerNone", () => {
  /** Alice's sandbox client with the given market rules. */
  const clientWith = (rules: Layer.Layer<MarketRules.MarketRules>) =>
    Exchange.layerServices.pipe(
      Layer.provide([HttpClientTransport.layer, Signer.layerNode, Nonce.layerWindow, RateLimits.layerNone, rules]),
      Layer.provide([Credentials.layer(credentialsOf(alice)), Layer.unwrap(Effect.map(Place, Region.layer))]),
      Layer.provideMerge(inProcess(Dialect.document))
    )
  const tooFine = StopLimitOrders.use((orders) => orders.create({ ...stopLimit, amount: Decimal.amount("0.0100001") }))

  it.effect("layerNone leaves it to the exchange to check orders", () =>
    Effect.gen(function*() {
      const error = yield* failsWith("ValidationFailed")(tooFine)
      assert.strictEqual(error.origin, "exchange")
      assert.strictEqual((yield* privateCalls).length, 1)
    }).pipe(Effect.provide(clientWith(MarketRules.layerNone))))

  it.effect("layerFixed rejects an invalid order before sending anything", () =>
    Effect.gen(function*() {
      const error = yield* failsWith("ValidationFailed")(tooFine)
      assert.strictEqual(error.origin, "local")
      assert.deepStrictEqual(yield* Recorder, [])
    }).pipe(Effect.provide(clientWith(MarketRules.layerFixed(Listings.markets)))))
})

describe("the default market rules", () => {
  it.effect("by default, a client loads the markets once for many orders", () =>
    Effect.gen(function*() {
      const orders = yield* StopLimitOrders
      yield* Effect.forEach(Array.from({ length: 20 }), () =>
        orders.create({ ...stopLimit, amount: Decimal.amount("0.01") }), {
        concurrency: "unbounded"
      })
      const sent = yield* Recorder
      assert.strictEqual(
        sent.filter(({ path }) =>
          path === "/api/v4/public/markets"
        ).length,
        1
      )
      assert.strictEqual((yield* privateCalls).length, 20)
    }).pipe(Effect.provide(exchange(inProcess(Dialect.document)))))
})
