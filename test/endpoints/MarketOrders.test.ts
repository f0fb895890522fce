import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { OrderSide } from "../../src/domain/Order.ts"
import { CancelAllOrders } from "../../src/endpoints/CancelAllOrders.ts"
import { CollateralMarketOrders } from "../../src/endpoints/CollateralMarketOrders.ts"
import { MarketOrders } from "../../src/endpoints/MarketOrders.ts"
import { OrderHistory } from "../../src/endpoints/OrderHistory.ts"
import { StockMarketOrders } from "../../src/endpoints/StockMarketOrders.ts"
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

const market = (side: OrderSide, of: string) =>
  MarketOrders.use((orders) => orders.create({ market: btcUsdt, side, amount: amount(of) }))

const stockMarket = (side: OrderSide, of: string) =>
  StockMarketOrders.use((orders) => orders.create({ market: btcUsdt, side, amount: amount(of) }))

describe.each(dialects)("market orders in the $name dialect", (dialect) => {
  it.live("a market buy's amount is the quote currency to spend", () =>
    Effect.gen(function*() {
      yield* asBob(limit("sell", "1", "1000"))
      yield* asBob(limit("sell", "1", "1010"))
      const { dealMoney, dealStock, left, status, type, ...order } = yield* market("buy", "1505")
      same([type, status, dealStock, dealMoney, left], ["market", "FILLED", "1.5", "1505", "0"])
      same(Object.hasOwn(order, "price"), false)
      same(yield* trade(usdt), ["98495", "0"])
      same(yield* trade(btc), ["11.4985", "0"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a market sell's amount is the base currency to sell", () =>
    Effect.gen(function*() {
      yield* asBob(limit("buy", "3", "1000"))
      const { dealMoney, dealStock, status, type } = yield* market("sell", "2")
      same([type, status, dealStock, dealMoney], ["market", "FILLED", "2", "2000"])
      same(yield* trade(usdt), ["101998", "0"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("the part of a market order beyond the taker band is canceled", () =>
    Effect.gen(function*() {
      yield* asBob(limit("sell", "1", "1000"))
      yield* asBob(limit("sell", "1", "1100"))
      yield* asBob(limit("sell", "1", "1101"))
      const order = yield* stockMarket("buy", "3")
      same([order.type, order.status, order.dealStock, order.left], ["stock market", "CANCELED_TAKER_BAND", "2", "1"])
      same(yield* statuses, ["CANCELED_TAKER_BAND"])
      same(yield* trade(usdt), ["97900", "0"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a market order's remainder is canceled once the book is empty", () =>
    Effect.gen(function*() {
      yield* asBob(limit("sell", "1", "1000"))
      const part = yield* stockMarket("buy", "3")
      const none = yield* stockMarket("buy", "3")
      same([part.status, none.status], [partlyCanceled(dialect), "CANCELED"])
      same(yield* trade(usdt), ["99000", "0"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("the quote amount of a market buy must respect the market's limits for totals", () =>
    Effect.gen(function*() {
      const error = yield* failsWith("ValidationFailed")(market("buy", "4.99"))
      same([error.origin, Object.keys(error.fields)], ["local", ["amount"]])
      const answer = yield* raw("/api/v4/order/market", { market: "BTC_USDT", side: "buy", amount: "4.99" })
      same((answer.body as { readonly errors: unknown }).errors, error.fields)
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a market order that exceeds the balance is refused, even if only a small part of it could trade", () =>
    Effect.gen(function*() {
      const refused = failsWith("RequestRejected")
      const onMargin = (side: OrderSide, of: string) =>
        CollateralMarketOrders.use((orders) => orders.create({ market: btcPerp, side, amount: amount(of) }))
      for (const side of ["buy", "sell"] as const) {
        const opposite = side === "buy" ? "sell" : "buy"
        yield* asBob(limit(opposite, "1", "1000"))
        yield* asBob(perp(opposite, "1", "1000"))
        const errors = [
          yield* refused(market(side, "100001")),
          yield* refused(stockMarket(side, "101")),
          yield* refused(onMargin(side, "1001"))
        ]
        for (const { code, fields, status } of errors) {
          same([status, code, fields], [400, 10, { amount: ["Not enough balance."] }])
        }
        // Nothing was traded, so the offer is still in the book.
        yield* asBob(CancelAllOrders.use((orders) => orders.cancel()))
      }
      // Without an offer in the book, the funds that the order needs depend on the last price.
      yield* Control.use((control) => control.movePrice({ market: btcUsdt, price: price("1000") }))
      same((yield* refused(stockMarket("buy", "101"))).code, 10)
      same((yield* OrderHistory.use((history) => history.page())).records, [])
      same([yield* trade(usdt), yield* trade(btc)], [["100000", "0"], ["10", "0"]])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a market order that exceeds the balance is refused and not recorded", () =>
    Effect.gen(function*() {
      yield* asBob(limit("sell", "10", "50000"))
      const refused = failsWith("RequestRejected")
      const errors = [
        yield* refused(market("buy", "100001")),
        yield* refused(stockMarket("buy", "3")),
        yield* refused(market("sell", "10.5"))
      ]
      for (const { code, status } of errors) same([status, code], [400, 10])
      same((yield* OrderHistory.use((history) => history.page())).records, [])
    }).pipe(Effect.provide(traders(dialect))))
})
