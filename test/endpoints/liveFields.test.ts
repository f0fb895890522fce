import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { ClientOrderId, ticker } from "../../src/domain/Identifiers.ts"
import { UnixSeconds } from "../../src/domain/Time.ts"
import { ActiveOrders } from "../../src/endpoints/ActiveOrders.ts"
import { CancelAllOrders } from "../../src/endpoints/CancelAllOrders.ts"
import { CancelOcoOrder } from "../../src/endpoints/CancelOcoOrder.ts"
import { CollateralBalance } from "../../src/endpoints/CollateralBalance.ts"
import { CollateralOcoOrders } from "../../src/endpoints/CollateralOcoOrders.ts"
import { Fills } from "../../src/endpoints/Fills.ts"
import { MainBalance } from "../../src/endpoints/MainBalance.ts"
import { OrderBooks } from "../../src/endpoints/OrderBooks.ts"
import { OrderHistory, type Status } from "../../src/endpoints/OrderHistory.ts"
import { StopLimitOrders } from "../../src/endpoints/StopLimitOrders.ts"
import { TradeBalance } from "../../src/endpoints/TradeBalance.ts"
import { document, live } from "../../src/protocol/Dialect.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import {
  amount,
  asBob,
  btc,
  btcPerp,
  btcUsdt,
  dialects,
  failsWith,
  limit,
  perp,
  price,
  raw,
  rawPublic,
  same,
  type Traders,
  traders,
  usdt
} from "../support/trading.ts"

/** Defines a test of a field that only the live dialect has. */
const inLive = <A, E>(title: string, effect: Effect.Effect<A, E, Traders>) =>
  it.live(title, () => Effect.provide(effect, traders(live)))

const moveTo = (to: string, market = btcPerp) =>
  Control.use((control) => control.movePrice({ market, price: price(to) }))

const openIds = Effect.map(
  ActiveOrders.use((orders) => orders.page()),
  ({ records }) => records.map(({ orderId }) => orderId)
)

const unknown = ticker("NONE")

describe("the balance of a single asset", () => {
  inLive(
    "a balance request with a ticker returns a single balance",
    Effect.gen(function*() {
      const read = (account: string, of: string) =>
        Effect.map(raw(`/api/v4/${account}-account/balance`, { ticker: of }), ({ body, status }) => [status, body])
      same(yield* read("main", "USDT"), [200, { main_balance: "1000" }])
      same(yield* read("main", "NONE"), [200, { main_balance: "0" }])
      same(yield* read("trade", "BTC"), [200, { available: "10", freeze: "0" }])
      same(yield* read("trade", "ETH"), [200, { available: "0", freeze: "0" }])
      same((yield* read("trade", "NONE"))[0], 422)
      same(yield* read("collateral", "USDT"), [200, { USDT: "100000" }])
      same((yield* read("collateral", "NONE"))[0], 422)
    })
  )

  for (const dialect of dialects) {
    it.live(`${dialect.name}: a balance service reads the balance of a single asset`, () =>
      Effect.gen(function*() {
        same(yield* MainBalance.use(({ of }) => of(usdt)), "1000")
        same(yield* MainBalance.use(({ of }) => of(unknown)), "0")
        same(yield* TradeBalance.use(({ of }) => of(btc)), { available: "10", freeze: "0" })
        same(yield* CollateralBalance.use(({ of }) => of(usdt)), "100000")
        const strange = yield* Effect.result(TradeBalance.use(({ of }) => of(unknown)))
        same(strange._tag, dialect === live ? "Failure" : "Success")
      }).pipe(Effect.provide(traders(dialect))))
  }
})

describe("decimals in requests", () => {
  inLive(
    "live: decimals in requests may be numbers",
    Effect.gen(function*() {
      const order = { market: "BTC_USDT", side: "sell", amount: 0.001, price: 60000 }
      const { body, status } = yield* raw("/api/v4/order/new", order)
      same([status, (body as { amount: string }).amount, (body as { price: string }).price], [200, "0.001", "60000"])
    })
  )

  it.live("document: decimals in requests must be strings", () =>
    Effect.gen(function*() {
      const { status } = yield* raw("/api/v4/order/new", {
        market: "BTC_USDT",
        side: "sell",
        amount: 1,
        price: "60000"
      })
      same(status, 400)
    }).pipe(Effect.provide(traders(document))))
})

describe("the aggregation level of an order book", () => {
  inLive(
    "price grouping rounds bids down and asks up, and sums the amounts at each price",
    Effect.gen(function*() {
      yield* limit("sell", "1", "1000.01")
      yield* limit("sell", "2", "1000.09")
      yield* limit("sell", "4", "1000.11")
      yield* limit("buy", "0.5", "999.99")
      yield* limit("buy", "0.25", "999.91")
      const book = (level: number) =>
        Effect.map(
          OrderBooks.use((books) => books.get(btcUsdt, { level })),
          ({ asks, bids }) => [asks, bids].map((side) => side.map(({ amount, price }) => `${amount} at ${price}`))
        )
      same(yield* book(0), [["1 at 1000.01", "2 at 1000.09", "4 at 1000.11"], ["0.5 at 999.99", "0.25 at 999.91"]])
      same(yield* book(1), [["3 at 1000.1", "4 at 1000.2"], ["0.75 at 999.9"]])
      same(yield* book(-3), yield* book(0))
      same(yield* book(11), yield* book(10))
      same((yield* rawPublic("/api/v4/public/orderbook/BTC_USDT", "level=x")).status, 422)
    })
  )
})

describe("time ranges in histories", () => {
  inLive(
    "the order history can be filtered by status, but the filter is ignored for a single order",
    Effect.gen(function*() {
      const filled = yield* limit("sell", "1", "1000")
      yield* asBob(limit("buy", "1", "1000"))
      const partly = yield* limit("sell", "2", "1000", { ioc: true })
      const canceled = yield* limit("sell", "1", "1000")
      yield* asBob(limit("buy", "0.25", "1000"))
      const rested = yield* limit("sell", "3", "1100")
      yield* CancelAllOrders.use((orders) => orders.cancel())
      const of = (status: Status) =>
        Effect.map(
          OrderHistory.use((history) => history.page({ status })),
          ({ records }) => records.map(({ orderId }) => orderId)
        )
      assert.sameMembers(yield* of("ALL"), [filled, partly, canceled, rested].map(({ orderId }) => orderId))
      same(yield* of("FILLED"), [filled.orderId])
      assert.sameMembers(yield* of("CANCELED"), [partly, canceled, rested].map(({ orderId }) => orderId))
      same(yield* of("PARTIAL_FILLED"), [canceled.orderId])
      const one = OrderHistory.use((history) => history.page({ status: "FILLED", orderId: rested.orderId }))
      same((yield* one).records.length, 1)
    })
  )

  it.effect("order history and fills can be limited to a time range in seconds", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_900_000_000_000)
      yield* limit("sell", "1", "1000")
      yield* asBob(limit("buy", "1", "1000"))
      yield* TestClock.adjust("100 seconds")
      yield* limit("sell", "2", "1000")
      yield* asBob(limit("buy", "2", "1000"))
      const between = (from?: number, to?: number) => {
        const dates = {
          ...(from === undefined ? {} : { startDate: UnixSeconds.make(from) }),
          ...(to === undefined ? {} : { endDate: UnixSeconds.make(to) })
        }
        return Effect.all([
          Effect.map(
            OrderHistory.use((history) => history.page(dates)),
            ({ records }) => records.map(({ amount }) => amount)
          ),
          Effect.map(Fills.use((fills) => fills.page(dates)), ({ records }) => records.map(({ amount }) => amount))
        ])
      }
      same(yield* between(), [["2", "1"], ["2", "1"]])
      same(yield* between(1_900_000_001), [["2"], ["2"]])
      same(yield* between(undefined, 1_900_000_099), [["1"], ["1"]])
      same(yield* between(1_900_000_000, 1_900_000_100), [["2", "1"], ["2", "1"]])
      same(yield* between(1_900_000_001, 1_900_000_099), [[], []])
    }).pipe(Effect.provide(traders(live))))
})

const oco = (more: object = {}) =>
  CollateralOcoOrders.use((orders) =>
    orders.create({
      market: btcPerp,
      side: "sell",
      amount: amount("1"),
      price: price("1100"),
      activationPrice: price("900"),
      stopLimitPrice: price("890"),
      ...more
    })
  )

describe("an order's position side", () => {
  inLive(
    "cancel-all with a position side cancels only that side's orders on a futures market",
    Effect.gen(function*() {
      yield* moveTo("1000")
      const spot = yield* limit("sell", "1", "1100")
      const plain = yield* perp("sell", "1", "1200")
      const { positionSide } = plain
      const cancel = (side: "BOTH" | "LONG" | "SHORT", market = btcPerp) =>
        CancelAllOrders.use((orders) => orders.cancel({ market, positionSide: side }))
      for (const side of ["BOTH", "LONG", "SHORT"] as const) if (side !== positionSide) yield* cancel(side)
      same((yield* openIds).toSorted(), [spot.orderId, plain.orderId].toSorted())
      assert.strictEqual(positionSide, "BOTH")
      yield* cancel("BOTH")
      same(yield* openIds, [spot.orderId])
      const refused = yield* failsWith("ValidationFailed")(cancel("BOTH", btcUsdt))
      same(Object.keys(refused.fields), ["positionSide"])
      const { status } = yield* raw("/api/v4/order/cancel/all", { positionSide: "both" })
      same(status, 422)
      same(yield* openIds, [spot.orderId])
    })
  )

  inLive(
    "an order's position side has no effect in one-way mode",
    Effect.gen(function*() {
      const order = yield* perp("sell", "1", "1200", { positionSide: "LONG" })
      same(order.positionSide, "BOTH")
    })
  )
})

describe("live-only fields of an OCO order", () => {
  inLive(
    "a client order id cancels an OCO order only on the order's own market",
    Effect.gen(function*() {
      yield* moveTo("1000")
      const clientOrderId = ClientOrderId.make("pair")
      const { id } = yield* oco({ clientOrderId })
      const cancel = (market: typeof btcPerp, name = clientOrderId) =>
        CancelOcoOrder.use((orders) => orders.cancel({ market, clientOrderId: name }))
      yield* failsWith("RequestRejected")(cancel(btcUsdt))
      yield* failsWith("RequestRejected")(cancel(btcPerp, ClientOrderId.make("another")))
      same((yield* cancel(btcPerp)).id, id)
      same(yield* openIds, [])
    })
  )

  inLive(
    "an OCO order applies the requested self-trade prevention",
    Effect.gen(function*() {
      yield* moveTo("1000")
      const { stopLoss, takeProfit } = yield* oco({ stp: "cancel_new" })
      same([stopLoss.stp, takeProfit.stp], ["cancel_new", "cancel_new"])
    })
  )
})

describe("live-only fields of a stop-limit order", () => {
  const stop = { market: "BTC_USDT", side: "buy", amount: "1", activation_price: "1000" }

  inLive(
    "a stop-limit order at the best bid or offer needs no limit price",
    Effect.gen(function*() {
      yield* moveTo("900", btcUsdt)
      yield* asBob(limit("sell", "1", "999"))
      const { orderId } = yield* StopLimitOrders.use((orders) =>
        orders.create({
          market: btcUsdt,
          side: "buy",
          amount: amount("1"),
          activationPrice: price("950"),
          bboRole: "counterparty"
        })
      )
      const { body } = yield* raw("/api/v4/order/stop_limit", stop)
      same((body as { errors: object }).errors, { price: ["Price field is required."] })
      same(yield* openIds, [orderId])
    })
  )

  inLive(
    "a stop-limit order is refused if its activation price is the last price",
    Effect.gen(function*() {
      yield* moveTo("1000", btcUsdt)
      const refusal = {
        status: 422,
        body: {
          code: 101,
          message: "Validation failed",
          errors: { activation_price: ["Activation price should not be equal to the last price."] }
        }
      }
      same(yield* raw("/api/v4/order/stop_limit", { ...stop, price: "1010" }), refusal)
      same(
        (yield* raw("/api/v4/order/stop_limit", { ...stop, activation_price: "1000.01", price: "1010" })).status,
        200
      )
      yield* moveTo("1000")
      const pair = { market: "BTC_PERP", side: "sell", amount: "1", price: "1100", stop_limit_price: "990" }
      same(yield* raw("/api/v4/order/collateral/oco", { ...pair, activation_price: "1000" }), refusal)
    })
  )
})

describe("an order's type on margin", () => {
  inLive(
    "the order type marks a margin order, and is the same for all market orders on margin",
    Effect.gen(function*() {
      yield* asBob(perp("sell", "1", "1000"))
      const order = { market: "BTC_PERP", side: "buy", amount: "0.5" }
      const types = Effect.forEach(["limit", "market"], (kind) =>
        Effect.map(
          raw(`/api/v4/order/collateral/${kind}`, { ...order, ...(kind === "limit" ? { price: "1000" } : {}) }),
          ({ body }) => (body as { type: string }).type
        ))
      same(yield* types, ["margin limit", "margin market"])
      const { records } = yield* OrderHistory.use((history) => history.page())
      same(records.map(({ margin, type }) => [type, margin]), [["market", true], ["limit", true]])
    })
  )
})
