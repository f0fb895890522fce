import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ClientOrderId, OrderId } from "../../src/domain/Identifiers.ts"
import { ActiveOrders } from "../../src/endpoints/ActiveOrders.ts"
import { type Changes, ModifyOrder } from "../../src/endpoints/ModifyOrder.ts"
import { OrderHistory } from "../../src/endpoints/OrderHistory.ts"
import { StopMarketOrders } from "../../src/endpoints/StopMarketOrders.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import { answered } from "../support/exchange.ts"
import {
  amount,
  asBob,
  btcUsdt,
  dialects,
  failsWith,
  limit,
  partlyCanceled,
  price,
  raw,
  same,
  trade,
  traders,
  usdt
} from "../support/trading.ts"
import { entryOf } from "./fixtures/all.ts"

const modify = (orderId: OrderId, changes: Changes) =>
  ModifyOrder.use((orders) => orders.modify({ market: btcUsdt, orderId, ...changes }))

const open = Effect.map(
  ActiveOrders.use((orders) => orders.page()),
  ({ records }) => records.map(({ amount, orderId, price }) => [orderId, amount, price])
)

const ended = Effect.map(
  OrderHistory.use((history) => history.page()),
  ({ records }) => records.map(({ orderId, status }) => [orderId, status])
)

describe.each(dialects)("modifying orders in the $name dialect", (dialect) => {
  it.live("a modified order gets a new order id, but keeps its client order id and its other terms", () =>
    Effect.gen(function*() {
      const clientOrderId = ClientOrderId.make("quote-1")
      const order = yield* limit("buy", "2", "900", { clientOrderId, stp: "cancel_new" })
      const next = yield* modify(order.orderId, { price: price("950") })
      same([next.orderId === order.orderId, next.clientOrderId, next.amount, next.price, next.stp, next.status], [
        false,
        "quote-1",
        "2",
        "950",
        "cancel_new",
        "NEW"
      ])
      same([yield* open, yield* ended], [[[next.orderId, "2", "950"]], [[order.orderId, "CANCELED"]]])
      same(yield* trade(usdt), ["98100", "1900"])
      const again = yield* ModifyOrder.use((orders) =>
        orders.modify({ market: btcUsdt, clientOrderId, amount: amount("1") })
      )
      same(yield* open, [[again.orderId, "1", "950"]])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("the filled part of the old order counts towards the replacement order's amount", () =>
    Effect.gen(function*() {
      const order = yield* limit("sell", "3", "1000")
      yield* asBob(limit("buy", "1", "1000"))
      const next = yield* modify(order.orderId, { amount: amount("4") })
      same([next.amount, next.left, next.dealStock], ["3", "3", "0"])
      same(yield* ended, [[order.orderId, partlyCanceled(dialect)]])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a refused modification does not change the order", () =>
    Effect.gen(function*() {
      const order = yield* limit("sell", "3", "1000")
      yield* asBob(limit("buy", "1", "1000"))
      const refused = (changes: Changes, orderId = order.orderId) =>
        Effect.map(Effect.flip(modify(orderId, changes)), (error) => [
          error._tag === "RequestRejected" || error._tag === "ValidationFailed" ? [error.status, error.code] : error,
          "fields" in error ? Object.keys(error.fields) : []
        ])
      const isLive = dialect === Dialect.live
      const is = (status: number, code: number) => isLive ? [status, code] : [400, 30]
      same(yield* refused({ price: price("1") }, OrderId.make("424242")), [[400, 2], ["orderId"]])
      same(yield* refused({ activationPrice: price("1") }), [is(400, 158), ["activationPrice"]])
      same(yield* refused({ total: amount("100") }), [is(422, 162), ["total"]])
      same(yield* refused({ amount: amount("1") }), [is(422, 157), ["amount"]])
      same(yield* refused({ amount: amount("11") }), [isLive ? [422, 10] : [400, 10], ["amount"]])
      same(yield* refused({ price: price("1000.001") }), [is(422, 1), ["price"]])
      same(yield* open, [[order.orderId, "3", "1000"]])
      const stop = yield* StopMarketOrders.use((orders) =>
        orders.create({ market: btcUsdt, side: "buy", amount: amount("220"), activationPrice: price("1100") })
      )
      same(yield* refused({ price: price("1") }, stop.orderId), [is(422, 159), ["price"]])
      same(yield* refused({ amount: amount("1") }, stop.orderId), [is(422, 163), ["amount"]])
      const next = yield* modify(stop.orderId, { total: amount("330"), activationPrice: price("1200") })
      same([next.type, next.amount, next.activationPrice], ["stop market", "330", "1200"])
    }).pipe(Effect.provide(traders(dialect))))
})

describe("modification errors that the live exchange documents", () => {
  it.live("the sandbox refuses an invalid modification with the documented errors", () =>
    Effect.gen(function*() {
      yield* Control.use((control) => control.movePrice({ market: btcUsdt, price: price("1000") }))
      const order = yield* limit("sell", "1", "2000")
      const change = (fields: object) => raw("/api/v4/order/modify", { market: "BTC_USDT", ...fields })
      same(yield* change({ orderId: 424242, price: "1500" }), {
        status: 400,
        body: {
          code: 2,
          message: "Inner validation failed",
          errors: { orderId: ["Unexecuted order was not found."] }
        }
      })
      same(yield* change({ orderId: Number(order.orderId), amount: "11" }), {
        status: 422,
        body: { code: 10, message: "Validation failed", errors: { amount: ["Not enough balance."] } }
      })
    }).pipe(Effect.provide(traders(Dialect.live))))

  it.live("an error about a modification can call the activation price `activation_price`", () =>
    Effect.gen(function*() {
      const errors = { activation_price: ["Activation price can't be set for a limit order."] }
      const body = JSON.stringify({ code: 158, message: "Validation failed", errors })
      const error = yield* modify(OrderId.make("7"), { activationPrice: price("1") }).pipe(
        failsWith("RequestRejected"),
        Effect.provide(answered(() => new Response(body, { status: 400 }), Dialect.live))
      )
      same([error.code, error.fields, error.otherFields], [158, { activationPrice: errors.activation_price }, {}])
    }))

  it.live("a modification's outcome is unknown when the response contradicts the requested terms", () =>
    Effect.gen(function*() {
      const { golden } = entryOf("ModifyOrder")
      const answer = golden.wire.live.response as object
      const asked = { amount: amount("1"), price: price("58900"), activationPrice: price("59000") }
      const changed = (more: object) =>
        modify(OrderId.make("7"), asked).pipe(
          Effect.provide(answered(() => new Response(JSON.stringify({ ...answer, ...more })), Dialect.live))
        )
      for (const more of [{}, { amount: "0.4" }, { price: "58900.00" }]) yield* changed(more)
      for (const more of [{ market: "ETH_USDT" }, { amount: "2" }, { price: "58901" }, { activation_price: "59001" }]) {
        const error = yield* failsWith("OutcomeUnknown")(changed(more))
        same([error.why, error.orderId], ["contradictory-answer", "7"])
      }
    }))
})
