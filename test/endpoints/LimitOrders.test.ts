import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ClientOrderId } from "../../src/domain/Identifiers.ts"
import { ActiveOrders } from "../../src/endpoints/ActiveOrders.ts"
import { LimitOrders } from "../../src/endpoints/LimitOrders.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
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
  same,
  statuses,
  trade,
  traders,
  usdt
} from "../support/trading.ts"

const open = Effect.map(ActiveOrders.use((orders) => orders.page()), ({ records }) => records)

describe.each(dialects)("in the $name dialect", (dialect) => {
  it.live("a limit order rests, is answered as requested, and locks its funds", () =>
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

  it.live("two crossing orders trade at the maker's price, and both pay fees", () =>
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

  it.live("the better price trades first, then the older order", () =>
    Effect.gen(function*() {
      const worse = yield* limit("sell", "1", "1001")
      const first = yield* limit("sell", "1", "1000")
      const second = yield* limit("sell", "1", "1000")
      yield* asBob(limit("buy", "1.5", "1002"))
      const left = (yield* open).map((order) => [order.orderId, order.left] as const)
      same(left, [[second.orderId, "0.5"], [worse.orderId, "1"]])
      assert.isFalse(left.some(([id]) => id === first.orderId))
    }).pipe(Effect.provide(traders(dialect))))

  it.live("an immediate-or-cancel order cancels what can't trade at once", () =>
    Effect.gen(function*() {
      yield* asBob(limit("sell", "1", "1000"))
      const part = yield* limit("buy", "3", "1000", { ioc: true })
      same([part.status, part.dealStock, part.ioc], [partlyCanceled(dialect), "1", true])
      const none = yield* limit("buy", "3", "1000", { ioc: true })
      assert.strictEqual(none.status, "CANCELED")
      same(yield* statuses, ["CANCELED", partlyCanceled(dialect)])
      same(yield* trade(usdt), ["99000", "0"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a post-only order is refused if it would trade at once", () =>
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

  it.live("an order that breaks the market's rules is refused before sending", () =>
    Effect.gen(function*() {
      const error = yield* failsWith("ValidationFailed")(
        LimitOrders.use((orders) =>
          orders.create({ market: btcUsdt, side: "buy", amount: amount("0.0000001"), price: price("1000.001") })
        )
      )
      assert.strictEqual(error.origin, "local")
      assert.sameMembers(Object.keys(error.fields), ["amount", "price"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("an order beyond the balance is refused", () =>
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

    it.live("without self-trade prevention both orders trade", () =>
      Effect.map(own("no"), (found) => same(found, ["FILLED", []])))
    it.live("cancel_both cancels both orders", () =>
      Effect.map(own("cancel_both"), (found) => same(found, ["CANCELED", []])))
    it.live("cancel_new cancels the new order", () =>
      Effect.map(own("cancel_new"), (found) => same(found, ["CANCELED", ["sell"]])))
    it.live("cancel_old cancels the old order", () =>
      Effect.map(own("cancel_old"), (found) => same(found, ["NEW", ["buy"]])))
  })
})
