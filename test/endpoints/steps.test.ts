import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Decimal from "../../src/domain/Decimal.ts"
import * as BulkLimitOrders from "../../src/endpoints/BulkLimitOrders.ts"
import { LimitOrders } from "../../src/endpoints/LimitOrders.ts"
import { OrderBooks } from "../../src/endpoints/OrderBooks.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import { markets } from "../../src/sandbox/engine/Listings.ts"
import * as Venue from "../../src/sandbox/venue/Venue.ts"
import { amount, btcUsdt, failsWith, limit, price, raw, same, traders } from "../support/trading.ts"

type Fields = Readonly<Record<string, string>>

const [tick, step] = [Decimal.price("0.05"), Decimal.amount("0.0005")]

/**
 * Makes the venue's steps coarser than its markets' precision. Copies the listings first, because all venues share
 * them.
 */
const coarsen = Venue.Venue.use(({ state }) =>
  Effect.sync(() => {
    const coarse = markets.map((market) => [market.name, { ...market, tickSize: tick, stepSize: step }] as const)
    Object.assign(state, { markets: new Map(coarse) })
  })
)

const sell = { market: btcUsdt, side: "sell", amount: "0.0105" }
const buy = { ...sell, side: "buy" }
const stop = { ...sell, price: "900", activation_price: "950" }
const oco = { ...sell, price: "1200", activation_price: "950", stop_limit_price: "900" }

/**
 * Every call with fields that must be multiples of a step: its path, a valid order, and the keys of these fields in the
 * request and in the refusal.
 */
const calls: ReadonlyArray<readonly [path: string, order: Fields, bounded: Fields]> = [
  ["/api/v4/order/new", { ...sell, price: "1000" }, { amount: "amount", price: "price" }],
  ["/api/v4/order/market", sell, { amount: "amount" }],
  ["/api/v4/order/stock_market", buy, { amount: "amount" }],
  ["/api/v4/order/stop_limit", stop, { amount: "amount", price: "price", activation_price: "activationPrice" }],
  ["/api/v4/order/stop_market", { ...sell, activation_price: "950" }, {
    amount: "amount",
    activation_price: "activationPrice"
  }],
  ["/api/v4/order/collateral/limit", { ...sell, price: "1000", takeProfit: "900", stopLoss: "1100" }, {
    amount: "amount",
    price: "price",
    takeProfit: "takeProfit",
    stopLoss: "stopLoss"
  }],
  ["/api/v4/order/collateral/market", sell, { amount: "amount" }],
  ["/api/v4/order/collateral/stop-limit", stop, {
    amount: "amount",
    price: "price",
    activation_price: "activationPrice"
  }],
  ["/api/v4/order/collateral/trigger-market", { ...sell, activation_price: "950" }, {
    amount: "amount",
    activation_price: "activationPrice"
  }],
  ["/api/v4/order/collateral/oco", oco, {
    amount: "amount",
    price: "price",
    activation_price: "activationPrice",
    stop_limit_price: "stopLimitPrice"
  }]
]

/** Returns a value within the market's precision that is not a multiple of the market's step. */
const offStep = (key: string, value: string): string => key === "amount" ? "0.0107" : `${value}.02`

const wordsOf = (named: string): string => {
  const label = named.replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)
  return `${label.charAt(0).toUpperCase()}${label.slice(1)} must be a multiple of ${named === "amount" ? step : tick}.`
}

const refusal = (named: string) => ({ code: 1, message: "Validation failed", errors: { [named]: [wordsOf(named)] } })

const ready = Effect.andThen(
  coarsen,
  Control.use((control) => control.movePrice({ market: btcUsdt, price: price("1000") }))
)

describe("market steps in the live sandbox", () => {
  for (const [path, order, bounded] of calls) {
    for (const [key, named] of Object.entries(bounded)) {
      it.live(`the sandbox refuses an order at ${path} if ${key} is not a multiple of its market's step`, () =>
        Effect.gen(function*() {
          yield* ready
          const wrong = { ...order, [key]: offStep(key, order[key] ?? "") }
          same(yield* raw(path, wrong), { status: 422, body: refusal(named) })
          same(yield* Control.use((control) => control.openOrders("alice")), [])
        }).pipe(Effect.provide(traders(Dialect.live))))
    }

    it.live(`the sandbox accepts an order at ${path} if its values are multiples of its market's steps`, () =>
      Effect.gen(function*() {
        yield* ready
        const { body, status } = yield* raw(path, order)
        assert.notInclude(JSON.stringify(body), "a multiple of", `${status}`)
      }).pipe(Effect.provide(traders(Dialect.live))))
  }

  it.live("the sandbox refuses to change an order's price or amount to a value that is off its market's step", () =>
    Effect.gen(function*() {
      yield* ready
      const { orderId } = yield* limit("sell", "1", "2000")
      const change = (fields: object) => raw("/api/v4/order/modify", { market: btcUsdt, orderId, ...fields })
      same(yield* change({ price: "2000.02" }), { status: 422, body: refusal("price") })
      same(yield* change({ amount: "0.0107" }), { status: 422, body: refusal("amount") })
    }).pipe(Effect.provide(traders(Dialect.live))))

  it.live("in a bulk call, the sandbox refuses orders whose price or amount is not a multiple of its step, and places the others", () =>
    Effect.gen(function*() {
      yield* ready
      const { body, status } = yield* raw("/api/v4/order/bulk", {
        orders: [{ ...sell, price: "2000.02" }, { ...sell, price: "2000" }]
      })
      const [wrong, right] = body as ReadonlyArray<{ readonly result: unknown; readonly error: unknown }>
      same([status, wrong], [200, { result: null, error: refusal("price") }])
      assert.isNull(right?.error)
      assert.isNotNull(right?.result)
    }).pipe(Effect.provide(traders(Dialect.live))))

  it.live("the sandbox's counterparty quotes whole steps, and market orders trade in whole steps", () =>
    Effect.gen(function*() {
      yield* coarsen
      yield* Control.use((control) =>
        Effect.andThen(
          control.movePrice({ market: btcUsdt, price: price("1000.07") }),
          control.setCounterparty({ market: btcUsdt })
        )
      )
      const { asks, bids } = yield* OrderBooks.use((books) => books.get(btcUsdt))
      same([asks.length, bids.length], [5, 5])
      for (const { amount, price } of [...asks, ...bids]) {
        assert.isTrue(Decimal.isMultipleOf(price, tick), price)
        assert.isTrue(Decimal.isMultipleOf(amount, step), amount)
      }
      // The amount to spend would buy 0.0206, which is not a multiple of the step.
      const { body } = yield* raw("/api/v4/order/market", { ...buy, amount: "20.62" })
      same((body as Fields)["dealStock"], "0.0205")
    }).pipe(Effect.provide(traders(Dialect.live))))

  it.live("the sandbox does not apply the price step to the quote amount of a market buy", () =>
    Effect.gen(function*() {
      yield* ready
      yield* limit("sell", "1", "1000")
      for (const [path, more] of [["/market", {}], ["/stop_market", { activation_price: "1100" }]] as const) {
        const { body } = yield* raw(`/api/v4/order${path}`, { ...buy, amount: "20.02", ...more })
        assert.notInclude(JSON.stringify(body), "a multiple of")
      }
      same(yield* raw("/api/v4/order/stop_market", { ...buy, amount: "20.02", activation_price: "1100.02" }), {
        status: 422,
        body: refusal("activationPrice")
      })
    }).pipe(Effect.provide(traders(Dialect.live))))
})

describe("market steps in the client", () => {
  it.live("the client refuses an order that is off its market's steps before sending it, in the same way as the exchange", () =>
    Effect.gen(function*() {
      yield* ready
      const wrong = { market: btcUsdt, side: "sell", amount: amount("0.0107"), price: price("2000.02") } as const
      const error = yield* failsWith("ValidationFailed")(LimitOrders.use((orders) => orders.create(wrong)))
      same([error.origin, error.status, error.code], ["local", 422, 1])
      same(error.fields, { amount: [wordsOf("amount")], price: [wordsOf("price")] })
      const many = yield* failsWith("ValidationFailed")(
        BulkLimitOrders.BulkLimitOrders.use((orders) =>
          orders.create({ orders: [{ ...wrong, amount: amount("1"), price: price("2000") }, wrong] })
        )
      )
      same(many.fields, { orders: [`1.amount: ${wordsOf("amount")}`, `1.price: ${wordsOf("price")}`] })
    }).pipe(Effect.provide(traders(Dialect.live))))

  it.live("the client reports a refused off-step price as ValidationFailed, even in a bulk call", () =>
    Effect.gen(function*() {
      yield* ready
      const place = (at: string) => limit("sell", "1", at)
      yield* place("2000")
      // The exchange makes the market's steps coarser after the client has loaded the markets.
      yield* Venue.Venue.use(({ state }) =>
        Effect.sync(() =>
          Object.assign(state, {
            markets: new Map(markets.map((market) => [market.name, { ...market, tickSize: price("10") }]))
          })
        )
      )
      const error = yield* failsWith("ValidationFailed")(place("2005"))
      same([error.origin, error.code, error.fields], ["exchange", 1, { price: ["Price must be a multiple of 10."] }])
      const [outcome] = yield* BulkLimitOrders.BulkLimitOrders.use((orders) =>
        orders.create({ orders: [{ market: btcUsdt, side: "sell", amount: amount("1"), price: price("2005") }] })
      )
      const refused = outcome === undefined || Result.isSuccess(outcome) ? assert.fail("placed") : outcome.failure
      same([refused._tag, "code" in refused ? refused.code : undefined], ["ValidationFailed", 1])
    }).pipe(Effect.provide(traders(Dialect.live))))
})
