import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { OrderSide } from "../../src/domain/Order.ts"
import { ActiveOrders } from "../../src/endpoints/ActiveOrders.ts"
import { CollateralStopLimitOrders } from "../../src/endpoints/CollateralStopLimitOrders.ts"
import { CollateralTriggerMarketOrders } from "../../src/endpoints/CollateralTriggerMarketOrders.ts"
import { OpenPositions } from "../../src/endpoints/OpenPositions.ts"
import { OrderHistory } from "../../src/endpoints/OrderHistory.ts"
import { StopMarketOrders } from "../../src/endpoints/StopMarketOrders.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import {
  amount,
  asBob,
  btc,
  btcPerp,
  btcUsdt,
  collateral,
  dialects,
  failsWith,
  limit,
  partlyCanceled,
  perp,
  price,
  raw,
  same,
  statuses,
  trade,
  traders,
  usdt
} from "../support/trading.ts"

const stop = (side: OrderSide, of: string, activation: string, more: object = {}) =>
  StopMarketOrders.use((orders) =>
    orders.create({ market: btcUsdt, side, amount: amount(of), activationPrice: price(activation), ...more })
  )

const margin = { market: btcPerp, side: "sell", amount: amount("2"), activationPrice: price("900") } as const

const move = (to: string, market = btcUsdt) => Control.use((control) => control.movePrice({ market, price: price(to) }))

const open = Effect.map(
  ActiveOrders.use((orders) => orders.page()),
  ({ records }) => records.map(({ activated, left, type }) => [type, activated, left])
)

const ended = Effect.map(OrderHistory.use((history) => history.page()), ({ records: [record] }) => record)

describe.each(dialects)("stop-market orders in the $name dialect", (dialect) => {
  it.live("a stop-market order locks its funds and trades when the sandbox's owner moves the price", () =>
    Effect.gen(function*() {
      yield* move("1000")
      const order = yield* stop("buy", "220", "1100")
      same([order.type, order.status, order.price, order.activated, order.activationCondition], [
        "stop market",
        "NEW",
        undefined,
        false,
        "gte"
      ])
      same([order.amount, order.left, order.activationPrice, order.clientOrderIdEcho], ["220", "220", "1100", "echoed"])
      same([yield* open, yield* trade(usdt)], [[["stop market", false, "220"]], ["99780", "220"]])
      yield* move("1100")
      same([yield* open, yield* statuses], [[], ["FILLED"]])
      same([yield* trade(btc), yield* trade(usdt)], [["10.1998", "0"], ["99780", "0"]])
      const filled = yield* ended
      same([filled?.orderId, filled?.type, filled?.price, filled?.dealStock], [
        order.orderId,
        "stop market",
        undefined,
        "0.2"
      ])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a stop-market order triggered by a trade fills within the taker band, and the remainder is canceled", () =>
    Effect.gen(function*() {
      yield* move("1000")
      yield* stop("sell", "2", "950")
      for (const at of ["950", "940", "800"]) yield* asBob(limit("buy", "1", at))
      yield* asBob(limit("sell", "1", "950"))
      const taken = yield* ended
      same([taken?.status, taken?.dealStock, taken?.dealMoney], ["CANCELED_TAKER_BAND", "1", "940"])
      same(yield* open, [])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a stop-market order is refused when it exceeds the balance or is on a futures market", () =>
    Effect.gen(function*() {
      const poor = yield* failsWith("RequestRejected")(stop("sell", "10.5", "900"))
      same([poor.code, poor.fields], [10, { amount: ["Not enough balance."] }])
      const futures = yield* failsWith("ValidationFailed")(stop("sell", "1", "900", { market: btcPerp }))
      same([futures.origin, futures.fields], ["exchange", { market: ["Market is not available."] }])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("stop orders on margin open, reduce and close positions", () =>
    Effect.gen(function*() {
      yield* move("1000", btcPerp)
      const positions = Effect.map(
        OpenPositions.use((positions) => positions.list()),
        (all) => all.map(({ amount }) => amount)
      )
      const entry = yield* CollateralStopLimitOrders.use((orders) =>
        orders.create({ ...margin, side: "buy", price: price("1120"), activationPrice: price("1100") })
      )
      same([entry.type, entry.price, entry.positionSide, entry.reduceOnly], ["stop limit", "1120", "BOTH", false])
      yield* move("1100", btcPerp)
      same(yield* positions, ["2"])
      const exit = yield* CollateralTriggerMarketOrders.use((orders) =>
        orders.create({ ...margin, amount: amount("5"), reduceOnly: true })
      )
      // The reduce-only amount is reduced to the position's size.
      same([exit.type, exit.amount, exit.reduceOnly], ["stop market", "2", true])
      same(exit.margin, dialect === Dialect.live ? true : undefined)
      yield* move("900", btcPerp)
      same([yield* positions, yield* statuses], [[], ["FILLED", "FILLED"]])
      // The account bought 2 BTC at 1100 and sold them at 900. The taker fees are 0.055 % of 4000 in total.
      same(yield* collateral, "99597.8")
      const nothing = CollateralTriggerMarketOrders.use((orders) =>
        orders.create({ ...margin, activationPrice: price("800"), reduceOnly: true })
      )
      same((yield* failsWith("ReduceOnlyRejected")(nothing)).code, 116)
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a stop-limit order on margin triggered by a trade fills within its limit, and the remainder stays in the book", () =>
    Effect.gen(function*() {
      yield* move("1000", btcPerp)
      yield* CollateralStopLimitOrders.use((orders) => orders.create({ ...margin, price: price("890") }))
      for (const at of ["900", "895", "880"]) yield* asBob(perp("buy", "1", at))
      yield* asBob(perp("sell", "1", "900"))
      same(yield* open, [["stop limit", true, "1"]])
      yield* ActiveOrders.use((orders) => orders.page()).pipe(
        Effect.map(({ records: [order] }) => same([order?.dealStock, order?.dealMoney], ["1", "895"]))
      )
    }).pipe(Effect.provide(traders(dialect))))
})

describe("the wire format of the live dialect", () => {
  it.live("a stop-market order is sent without a price, and has a distinct type on margin", () =>
    Effect.gen(function*() {
      yield* move("1000")
      const fields = { market: "BTC_USDT", side: "sell", amount: "0.1", activation_price: "900" }
      const spot = yield* raw("/api/v4/order/stop_market", fields)
      same(spot.status, 200)
      const body = spot.body as Readonly<Record<string, unknown>>
      same([body["type"], body["price"], body["activated"], body["activationCondition"]], [
        "stop market",
        undefined,
        0,
        "lte"
      ])
      const onMargin = yield* raw("/api/v4/order/collateral/trigger-market", fields)
      same((onMargin.body as typeof body)["type"], "trigger margin market")
      const atLast = yield* raw("/api/v4/order/stop_market", { ...fields, activation_price: "1000" })
      same([atLast.status, atLast.body], [422, {
        code: 101,
        message: "Validation failed",
        errors: { activation_price: ["Activation price should not be equal to the last price."] }
      }])
    }).pipe(Effect.provide(traders(Dialect.live))))

  it.live("a stop-market order whose remainder was canceled has the dialect's status for that case", () =>
    Effect.gen(function*() {
      yield* move("1000")
      yield* stop("sell", "2", "950")
      yield* asBob(limit("buy", "1", "950"))
      yield* asBob(limit("buy", "1", "949"))
      yield* asBob(limit("sell", "1", "950"))
      same((yield* ended)?.status, partlyCanceled(Dialect.live))
    }).pipe(Effect.provide(traders(Dialect.live))))
})
