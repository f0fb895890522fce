import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ClientOrderId } from "../../src/domain/Identifiers.ts"
import { ActiveOrders } from "../../src/endpoints/ActiveOrders.ts"
import { BulkLimitOrders } from "../../src/endpoints/BulkLimitOrders.ts"
import { endpoint, LimitOrders } from "../../src/endpoints/LimitOrders.ts"
import { OrderDeals } from "../../src/endpoints/OrderDeals.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import {
  amount,
  asBob,
  btc,
  btcUsdt,
  dialects,
  failsWith,
  limit,
  partlyCanceled,
  price,
  raw,
  rawPublic,
  same,
  statuses,
  trade,
  traders,
  usdt
} from "../support/trading.ts"

const open = Effect.map(ActiveOrders.use((orders) => orders.page()), ({ records }) => records)

describe.each(dialects)("limit orders in the $name dialect", (dialect) => {
  it.live("a limit order rests in the book and locks its funds, and the response matches the request", () =>
    Effect.gen(function*() {
      const clientOrderId = ClientOrderId.make("mine-1")
      const { clientOrderIdEcho, orderId, sentClientOrderId, timestamp, ...order } = yield* limit(
        "buy",
        "0.50",
        "1000.00",
        {
          clientOrderId,
          stp: "cancel_both"
        }
      )
      same([clientOrderIdEcho, sentClientOrderId], ["echoed", "mine-1"])
      assert.isAbove(timestamp, 1e9)
      same(order, {
        clientOrderId: "mine-1",
        market: "BTC_USDT",
        side: "buy",
        type: "limit",
        dealMoney: "0",
        dealStock: "0",
        amount: "0.50",
        left: "0.50",
        dealFee: "0",
        price: "1000.00",
        postOnly: false,
        ioc: false,
        status: "NEW",
        stp: "cancel_both",
        rpi: false,
        reduceOnly: false
      })
      same((yield* open).map((found) => found.orderId), [orderId])
      same(yield* trade(usdt), ["99500", "500"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("two crossing orders trade at the maker's price, and both sides pay fees", () =>
    Effect.gen(function*() {
      yield* limit("sell", "1", "1000")
      const taken = yield* asBob(limit("buy", "0.4", "1100"))
      same([taken.status, taken.dealStock, taken.dealMoney, taken.left, taken.dealFee], [
        "FILLED",
        "0.4",
        "400",
        "0",
        "0.0004"
      ])
      const [rest] = yield* open
      same([rest?.status, rest?.left, rest?.dealFee], ["PARTIAL_FILLED", "0.6", "0.4"])
      same(yield* trade(usdt), ["100399.6", "0"])
      same(yield* trade(btc), ["9", "0.6"])
      same(yield* asBob(trade(usdt)), ["99600", "0"])
      same(yield* asBob(trade(btc)), ["10.3996", "0"])
      yield* asBob(limit("buy", "0.6", "1000"))
      same(yield* statuses, ["FILLED"])
      same(yield* asBob(statuses), ["FILLED", "FILLED"])
      same(yield* trade(btc), ["9", "0"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("resting orders trade in price-time priority", () =>
    Effect.gen(function*() {
      const worse = yield* limit("sell", "1", "1001")
      const first = yield* limit("sell", "1", "1000")
      const second = yield* limit("sell", "1", "1000")
      yield* asBob(limit("buy", "1.5", "1002"))
      const left = (yield* open).map((order) => [order.orderId, order.left] as const)
      same(left, [[second.orderId, "0.5"], [worse.orderId, "1"]])
      assert.isFalse(left.some(([id]) => id === first.orderId))
    }).pipe(Effect.provide(traders(dialect))))

  it.live("an immediate-or-cancel order cancels the part that can't trade immediately", () =>
    Effect.gen(function*() {
      yield* asBob(limit("sell", "1", "1000"))
      const part = yield* limit("buy", "3", "1000", { ioc: true })
      same([part.status, part.dealStock, part.ioc], [partlyCanceled(dialect), "1", true])
      const none = yield* limit("buy", "3", "1000", { ioc: true })
      assert.strictEqual(none.status, "CANCELED")
      same(yield* statuses, ["CANCELED", partlyCanceled(dialect)])
      same(yield* trade(usdt), ["99000", "0"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a post-only order is refused if it would trade immediately", () =>
    Effect.gen(function*() {
      yield* asBob(limit("sell", "1", "1000"))
      const error = yield* failsWith("RequestRejected")(limit("buy", "1", "1000", { postOnly: true }))
      same([error.status, error.code], [400, 13])
      same(Object.keys(error.fields), ["postOnly"])
      same(yield* trade(usdt), ["100000", "0"])
      const rests = yield* limit("buy", "1", "999", { postOnly: true })
      same([rests.status, rests.postOnly], ["NEW", true])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("an order that is both post-only and immediate-or-cancel is refused before sending", () =>
    Effect.gen(function*() {
      const error = yield* failsWith("ValidationFailed")(limit("buy", "1", "1000", { postOnly: true, ioc: true }))
      same(
        [error.origin, error.status, error.code],
        dialect === Dialect.document ? ["local", 400, 30] : ["local", 422, 37]
      )
      same(error.fields, { ioc: ["Either ioc or postOnly flag in true state is allowed."] })
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a limit order that breaks its market's rules is refused before sending", () =>
    Effect.gen(function*() {
      const error = yield* failsWith("ValidationFailed")(
        LimitOrders.use((orders) =>
          orders.create({ market: btcUsdt, side: "buy", amount: amount("0.0000001"), price: price("1000.001") })
        )
      )
      assert.strictEqual(error.origin, "local")
      assert.sameMembers(Object.keys(error.fields), ["amount", "price"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a total out of bounds is reported for `total` in the live dialect, and for `amount` in the document's dialect", () =>
    Effect.gen(function*() {
      const order = { market: "BTC_USDT", side: "buy", price: "1000" }
      const key = dialect === Dialect.live ? "total" : "amount"
      for (const [amount, words] of [["0.0001", "is less than 5"], ["100000", "is more than 10000000"]] as const) {
        const { body } = yield* raw(endpoint.path, { ...order, amount })
        same(body, {
          code: 30,
          message: "Validation failed",
          errors: { [key]: [`Total (amount * price) ${words}`] }
        })
      }
    }).pipe(Effect.provide(traders(dialect))))

  it.live("the live dialect refuses a price or activation price that is far from the last price", () =>
    Effect.gen(function*() {
      yield* Control.use((control) => control.movePrice({ market: btcUsdt, price: price("40000") }))
      const order = { market: "BTC_USDT", side: "sell", amount: "0.1" }
      const limit = yield* raw(endpoint.path, { ...order, price: "90000000" })
      const stop = yield* raw("/api/v4/order/stop_market", { ...order, activation_price: "100" })
      if (dialect === Dialect.document) return same([limit.status, stop.status], [200, 200])
      const refusal = (code: number, key: string, words: string) => ({
        status: 422,
        body: { code, message: "Validation failed", errors: { [key]: [words] } }
      })
      same(limit, refusal(250, "price", "The Price should be less than or equal to 200000"))
      same(stop, refusal(251, "activation_price", "The Price should be greater than or equal to 4000"))
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a limit order that exceeds the balance is refused", () =>
    Effect.gen(function*() {
      const error = yield* failsWith("RequestRejected")(limit("sell", "10.5", "1000"))
      same([error.status, error.code], [400, 10])
      same(error.fields, { amount: ["Not enough balance."] })
    }).pipe(Effect.provide(traders(dialect))))

  describe("self-trade prevention", () => {
    const own = (stp: Dialect.Dialect["selfTradePrevention"]["Type"]) =>
      Effect.gen(function*() {
        yield* limit("sell", "1", "1000")
        const { status } = yield* limit("buy", "1", "1000", { stp })
        return [status, (yield* open).map(({ side }) => side)] as const
      }).pipe(Effect.provide(traders(dialect)))

    it.live("without self-trade prevention, two orders of the same account trade with each other", () =>
      Effect.map(own("no"), (found) => same(found, ["FILLED", []])))
    it.live("cancel_both cancels both self-trading orders", () =>
      Effect.map(own("cancel_both"), (found) => same(found, ["CANCELED", []])))
    it.live("cancel_new cancels the newer of two self-trading orders", () =>
      Effect.map(own("cancel_new"), (found) => same(found, ["CANCELED", ["sell"]])))
    it.live("cancel_old cancels the older of two self-trading orders", () =>
      Effect.map(own("cancel_old"), (found) => same(found, ["NEW", ["buy"]])))
  })
})

describe("limit orders that only the live documentation describes", () => {
  const order = { market: "BTC_USDT", side: "sell", amount: "1" }

  const refused = (
    code: number,
    errors: object,
    [status, message] = [422, "Validation failed"] as [number, string]
  ) => ({
    status,
    body: { code, message, errors }
  })

  it.live("a limit order at the best price reports that price, and is refused if the book has no such price", () =>
    Effect.gen(function*() {
      same(
        yield* raw(endpoint.path, { ...order, bboRole: 2 }),
        refused(12, { bboRole: ["Not enough traders."] }, [400, "Inner validation failed"])
      )
      yield* asBob(limit("buy", "0.4", "1000"))
      const placed = yield* LimitOrders.use((orders) =>
        orders.create({ market: btcUsdt, side: "sell", amount: amount("1"), bboRole: "counterparty" })
      )
      same([placed.price, placed.status, placed.dealStock], ["1000", "PARTIAL_FILLED", "0.4"])
      const [item] = yield* BulkLimitOrders.use((orders) =>
        orders.create({ orders: [{ market: btcUsdt, side: "sell", amount: amount("1"), bboRole: "queue" }] })
      )
      const queued = item === undefined ? assert.fail("no answer") : Result.getOrThrow(item)
      same([queued.price, queued.postOnly, queued.status], ["1000", true, "NEW"])
    }).pipe(Effect.provide(traders(Dialect.live))))

  it.live("RPI and retail orders need permission, and can't be combined with each other or with immediate-or-cancel", () =>
    Effect.gen(function*() {
      const answers = yield* Effect.forEach([{ rpi: true }, { retail: true }, { rpi: true, retail: true }, {
        rpi: true,
        ioc: true
      }], (flags) => raw(endpoint.path, { ...order, price: "1000", ...flags }))
      same(answers, [
        refused(43, { rpi: ["api.validation.rpi.not_allowed"] }),
        refused(42, { retail: ["api.validation.retail.not_allowed"] }),
        refused(41, { retail: ["api.tradeErrors.flagsCantBeCombined.rpiRetail"] }),
        refused(40, { ioc: ["Either ioc or rpi flag in true state is allowed."] })
      ])
    }).pipe(Effect.provide(traders(Dialect.live))))

  it.live("only the account itself sees its RPI orders, and their trades with retail orders are marked", () =>
    Effect.gen(function*() {
      const { setAccount } = yield* Control
      yield* setAccount({ account: "alice", rpi: true })
      yield* setAccount({ account: "bob", retail: true })
      const maker = yield* limit("sell", "1", "1000", { rpi: true })
      same([maker.status, maker.rpi, maker.postOnly], ["NEW", true, false])
      same((yield* open).map(({ orderId, rpi }) => [orderId, rpi]), [[maker.orderId, true]])
      const { asks } = (yield* rawPublic("/api/v4/public/orderbook/BTC_USDT")).body as { readonly asks: unknown }
      same(asks, [])
      const taker = yield* asBob(limit("buy", "1", "1001", { retail: true }))
      same([taker.status, taker.retail, taker.dealMoney], ["FILLED", true, "1000"])
      const deals = yield* OrderDeals.use((deals) => deals.page({ orderId: maker.orderId }))
      const trades = (yield* rawPublic("/api/v4/public/trades/BTC_USDT")).body as ReadonlyArray<{ rpi: boolean }>
      same([deals.records.map(({ rpi }) => rpi), trades.map(({ rpi }) => rpi)], [[true], [true]])
    }).pipe(Effect.provide(traders(Dialect.live))))
})
