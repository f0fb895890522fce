import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { Control } from "../../../src/sandbox/control/Control.ts"
import { bob, btcPerp, btcUsdt, usdt } from "../../support/exchange.ts"
import { authorized, call, connect, durable, limit, paramsOf, world } from "./client.ts"

const success = { status: "success" }

/** Advances the test clock, and waits until everything that is pushed has arrived. */
const adjust = (time: `${number} ${"millis" | "seconds"}`) => Effect.andThen(TestClock.adjust(time), durable)

/** Returns the event and the id of each push about an order. */
const ordersOf = (pushes: ReadonlyArray<readonly [method: string | undefined, params: unknown]>) =>
  pushes.flatMap(([method, params]) => {
    const [event, order] = params as [number, { readonly id: number; readonly status: string }]
    return method === "ordersPending_update" ? [[event, order.id, order.status] as const] : []
  })

const movePrice = (price: string, market = btcUsdt) =>
  Control.use((control) => control.movePrice({ market, price: Decimal.Price.make(price) }))

const fundBob = Control.use((control) =>
  control.fund({ account: bob.account, wallet: "trade", ticker: usdt, amount: Decimal.amount("1000000") })
)

describe("order book channel", () => {
  it.effect("each order book update names the previous update, and contains exactly the changed levels of its window", () =>
    Effect.gen(function*() {
      const client = yield* connect()
      yield* limit("sell", "0.1", "101")
      yield* limit("sell", "0.2", "102")
      const [ack, snapshot] = yield* client.send("depth_subscribe", "BTC_USDT", 1, "0", true)
      assert.deepStrictEqual(ack?.result, success)
      const [isWhole, first] = paramsOf<[boolean, { readonly update_id: number; readonly asks: unknown }]>(snapshot)
      assert.deepStrictEqual([isWhole, first.asks], [true, [["101", "0.1"]]])
      yield* limit("sell", "0.3", "100")
      yield* limit("sell", "0.5", "103")
      assert.deepStrictEqual(yield* client.pushed, [])
      yield* adjust("100 millis")
      const [[, params] = []] = yield* client.pushed
      const [isSnapshot, { timestamp: _, ...change }] = params as [boolean, Record<string, unknown>]
      // The level at 101 has left the window, so it is removed. The update omits the unchanged side.
      assert.deepStrictEqual([isSnapshot, change], [false, {
        asks: [["100", "0.3"], ["101", "0"]],
        update_id: first.update_id + 2,
        past_update_id: first.update_id,
        event_time: 0.1
      }])
      yield* adjust("9900 millis")
      assert.deepStrictEqual(yield* client.pushed, [])
      yield* adjust("100 millis")
      const [[, repeated] = []] = yield* client.pushed
      assert.deepInclude((repeated as ReadonlyArray<unknown>)[1], {
        asks: [["100", "0.3"]],
        bids: [],
        update_id: first.update_id + 2
      })
    }).pipe(Effect.provide(world)))

  it.effect("levels within a price step are merged, and best prices are pushed immediately", () =>
    Effect.gen(function*() {
      const client = yield* connect()
      yield* limit("sell", "0.1", "101.01")
      yield* limit("sell", "0.2", "101.09")
      yield* client.send("bookTicker_subscribe", "BTC_USDT")
      const [, snapshot] = yield* client.send("depth_subscribe", "BTC_USDT", 5, "0.1", true)
      const [, body] = paramsOf<[boolean, { readonly asks: unknown }]>(snapshot)
      assert.deepStrictEqual(body.asks, [["101.1", "0.3"]])
      yield* limit("sell", "0.4", "105")
      assert.deepStrictEqual(yield* client.pushed, [])
      yield* limit("buy", "4", "100")
      const [[method, params] = []] = yield* client.pushed
      assert.strictEqual(method, "bookTicker_update")
      assert.deepStrictEqual((params as ReadonlyArray<ReadonlyArray<unknown>>)[0]?.slice(4), [
        "100",
        "4",
        "101.01",
        "0.1"
      ])
    }).pipe(Effect.provide(world)))

  it.effect("a depth subscription adds a market or replaces the other markets, and a single market can be unsubscribed", () =>
    Effect.gen(function*() {
      const client = yield* connect()
      const marketsAfter = (sent: ReadonlyArray<{ readonly params?: unknown }>) =>
        sent.flatMap(({ params }) => params === undefined ? [] : [(params as ReadonlyArray<unknown>)[2]])
      yield* client.send("depth_subscribe", "BTC_USDT", 1, "0", true)
      yield* client.send("depth_subscribe", "ETH_USDT", 1, "0", true)
      yield* adjust("10 seconds")
      assert.deepStrictEqual(marketsAfter(yield* client.taken), ["BTC_USDT", "ETH_USDT"])
      yield* client.send("depth_unsubscribe", "BTC_USDT")
      yield* adjust("10 seconds")
      assert.deepStrictEqual(marketsAfter(yield* client.taken), ["ETH_USDT"])
      yield* client.send("depth_subscribe", "BTC_USDT", 1, "0", false)
      yield* adjust("10 seconds")
      assert.deepStrictEqual(marketsAfter(yield* client.taken), ["BTC_USDT"])
    }).pipe(Effect.provide(world)))
})

describe("order channels", () => {
  it.effect("an order is pushed as new, changed and finished, and an order that is filled immediately is pushed only as finished", () =>
    Effect.gen(function*() {
      yield* fundBob
      const client = yield* authorized()
      yield* client.send("ordersPending_subscribe", "BTC_USDT")
      const id = yield* limit("sell", "1", "100")
      yield* limit("buy", "0.25", "100", { account: bob })
      assert.deepStrictEqual(ordersOf(yield* client.pushed), [[1, id, "OPEN"], [2, id, "PARTIALLY_FILLED"]])
      yield* limit("buy", "0.75", "100", { account: bob })
      assert.deepStrictEqual(ordersOf(yield* client.pushed), [[3, id, "FILLED"]])
      yield* limit("buy", "1", "90", { account: bob })
      const at = yield* limit("sell", "1", "90")
      assert.deepStrictEqual(ordersOf(yield* client.pushed), [[3, at, "FILLED"]])
    }).pipe(Effect.provide(world)))

  it.effect("a modified order is pushed as finished and its replacement as new, and a triggered stop order is pushed as new again", () =>
    Effect.gen(function*() {
      const client = yield* authorized()
      yield* movePrice("100")
      yield* client.send("ordersPending_subscribe", "BTC_USDT")
      const old = yield* limit("sell", "1", "110")
      const { json } = yield* call("/api/v4/order/modify", { market: "BTC_USDT", orderId: old, price: "120" })
      const id = Number(json["orderId"])
      assert.deepStrictEqual(ordersOf(yield* client.pushed), [[1, old, "OPEN"], [3, old, "CANCELED"], [1, id, "OPEN"]])
      const stop = yield* call("/api/v4/order/stop_limit", {
        market: "BTC_USDT",
        side: "sell",
        amount: "1",
        price: "118",
        activation_price: "105"
      })
      const stopId = Number(stop.json["orderId"])
      yield* limit("sell", "0.1", "105")
      yield* limit("buy", "0.1", "105", { account: bob })
      yield* client.taken
      yield* movePrice("106")
      const events = ordersOf(yield* client.pushed)
      assert.deepInclude(events, [1, stopId, "OPEN"])
    }).pipe(Effect.provide(world)))

  it.effect("no private data is pushed before authorization, and no data about other accounts is ever pushed", () =>
    Effect.gen(function*() {
      yield* fundBob
      const stranger = yield* connect()
      for (const method of ["ordersPending_subscribe", "balanceSpot_request", "positionsMargin_subscribe"]) {
        const [refused] = yield* stranger.send(method)
        assert.deepStrictEqual(refused?.error, { code: 6, message: "require authentication" }, method)
      }
      const client = yield* authorized(bob)
      yield* client.send("ordersPending_subscribe", "BTC_USDT")
      yield* client.send("deals_subscribe", [])
      yield* client.send("balanceSpot_subscribe")
      yield* limit("sell", "1", "100")
      yield* adjust("2 seconds")
      assert.deepStrictEqual(yield* client.pushed, [])
    }).pipe(Effect.provide(world)))
})

describe("balance, position and price channels", () => {
  it.effect("only balances that have changed are pushed, at most once a second, with the same amounts as calls return", () =>
    Effect.gen(function*() {
      const client = yield* authorized()
      yield* client.send("balanceSpot_subscribe")
      yield* limit("sell", "0.5", "200")
      yield* limit("sell", "0.25", "200")
      yield* adjust("999 millis")
      assert.deepStrictEqual(yield* client.pushed, [])
      yield* adjust("1 millis")
      const { json } = yield* call("/api/v4/trade-account/balance", { ticker: "BTC" })
      assert.deepStrictEqual(yield* client.pushed, [["balanceSpot_update", [{ BTC: json }]]])
      yield* adjust("10 seconds")
      assert.deepStrictEqual(yield* client.pushed, [])
    }).pipe(Effect.provide(world)))

  it.effect("all of an account's positions are pushed every second", () =>
    Effect.gen(function*() {
      const client = yield* authorized()
      yield* movePrice("100", btcPerp)
      yield* client.send("positionsMargin_subscribe")
      yield* adjust("1 seconds")
      assert.deepStrictEqual(yield* client.pushed, [["positionsMargin_update", { total: 0, records: [] }]])
      yield* call("/api/v4/order/collateral/limit", { market: "BTC_PERP", side: "sell", amount: "2", price: "90" })
      yield* movePrice("95", btcPerp)
      yield* adjust("2 seconds")
      const pushes = yield* client.pushed
      assert.strictEqual(pushes.length, 2)
      const { records: [position] } = paramsOf<{ readonly records: ReadonlyArray<Record<string, unknown>> }>({
        params: pushes[1]?.[1]
      })
      assert.deepInclude(position, { market: "BTC_PERP", amount: "-2", position_side: "BOTH" })
      assert.isString(position?.["liq_price"])
    }).pipe(Effect.provide(world)))

  it.effect("a second subscription to a channel replaces its markets without losing a change", () =>
    Effect.gen(function*() {
      const client = yield* connect()
      yield* client.send("lastprice_subscribe", "BTC_USDT")
      yield* movePrice("100")
      yield* client.send("lastprice_subscribe", "BTC_USDT", "BTC_PERP")
      yield* adjust("1 seconds")
      assert.deepStrictEqual(yield* client.pushed, [["lastprice_update", ["BTC_USDT", "100"]]])
      yield* client.send("lastprice_subscribe", "BTC_PERP")
      yield* movePrice("101")
      yield* movePrice("102", btcPerp)
      yield* adjust("1 seconds")
      assert.deepStrictEqual(yield* client.pushed, [["lastprice_update", ["BTC_PERP", "102"]]])
    }).pipe(Effect.provide(world)))

  it.effect("each channel of a connection has its own push interval", () =>
    Effect.gen(function*() {
      const client = yield* authorized()
      yield* client.send("depth_subscribe", "BTC_USDT", 1, "0", true)
      yield* client.send("lastprice_subscribe", "BTC_USDT")
      yield* client.send("candles_subscribe", "BTC_USDT", 60)
      yield* client.send("balanceMargin_subscribe", "USDT")
      yield* limit("sell", "1", "100")
      yield* movePrice("90")
      yield* Control.use((control) =>
        control.fund({ account: "alice", wallet: "collateral", ticker: usdt, amount: Decimal.amount("1") })
      )
      const seen: Array<string | undefined> = []
      for (let step = 0; step < 16; step++) {
        yield* adjust("100 millis")
        for (const [method] of yield* client.pushed) seen.push(`${(step + 1) * 100} ${method}`)
      }
      assert.deepStrictEqual(seen, [
        "100 depth_update",
        "500 candles_update",
        "1000 lastprice_update",
        "1500 balanceMargin_update"
      ])
    }).pipe(Effect.provide(world)))

  it.effect("nothing is pushed at intervals while the clock is frozen, and advancing it pushes each channel once", () =>
    Effect.gen(function*() {
      const control = yield* Control
      const client = yield* connect()
      yield* control.freezeClock
      yield* client.send("market_subscribe", "BTC_USDT")
      yield* client.send("lastprice_subscribe", "BTC_USDT")
      yield* movePrice("100")
      yield* adjust("59 seconds")
      assert.deepStrictEqual(yield* client.pushed, [])
      yield* control.advanceClock({ millis: 86_400_000 })
      assert.deepStrictEqual((yield* client.pushed).map(([method]) => method), ["market_update", "lastprice_update"])
    }).pipe(Effect.provide(world)))

  it.effect("today's statistics are pushed every second, even without a change", () =>
    Effect.gen(function*() {
      const client = yield* connect()
      yield* client.send("marketToday_subscribe", "BTC_USDT")
      for (let second = 0; second < 3; second++) {
        yield* adjust("1 seconds")
        assert.deepStrictEqual((yield* client.pushed).map(([method]) => method), ["marketToday_update"])
      }
    }).pipe(Effect.provide(world)))

  it.effect("today's statistics start again at midnight", () =>
    Effect.gen(function*() {
      const control = yield* Control
      const client = yield* connect()
      yield* limit("sell", "1", "100")
      yield* limit("buy", "1", "100", { stp: "no" })
      yield* client.send("marketToday_subscribe", "BTC_USDT")
      yield* control.freezeClock
      yield* control.advanceClock({ millis: 86_400_000 + 1000 })
      const pushes = yield* client.pushed
      assert.deepInclude(paramsOf<ReadonlyArray<unknown>>({ params: pushes[0]?.[1] })[1], { last: "100", volume: "0" })
    }).pipe(Effect.provide(world)))
})

describe("trade channel", () => {
  it.effect("the first message about trades contains the latest trades, latest first, and each later message contains new trades", () =>
    Effect.gen(function*() {
      yield* fundBob
      const trade = (amount: string) =>
        Effect.andThen(limit("sell", amount, "100"), limit("buy", amount, "100", { account: bob }))
      yield* trade("0.1")
      yield* trade("0.2")
      const client = yield* connect()
      const amountsOf = (params: unknown) =>
        (params as [string, ReadonlyArray<{ readonly amount: string }>])[1].map(({ amount }) => amount)
      const [, first] = yield* client.send("trades_subscribe", "BTC_USDT")
      assert.deepStrictEqual(amountsOf(first?.params), ["0.2", "0.1"])
      yield* trade("0.3")
      const [[, params] = []] = yield* client.pushed
      assert.deepStrictEqual(amountsOf(params), ["0.3"])
    }).pipe(Effect.provide(world)))
})
