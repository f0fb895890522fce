/** The tour's chapters on spot trading: orders that rest, match, are canceled or trigger. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Decimal from "../../domain/Decimal.ts"
import { ActiveOrders } from "../../endpoints/ActiveOrders.ts"
import { CancelOrder } from "../../endpoints/CancelOrder.ts"
import { Fills } from "../../endpoints/Fills.ts"
import { LimitOrders } from "../../endpoints/LimitOrders.ts"
import { MarketOrders } from "../../endpoints/MarketOrders.ts"
import { OrderBooks } from "../../endpoints/OrderBooks.ts"
import { OrderHistory } from "../../endpoints/OrderHistory.ts"
import { PublicTrades } from "../../endpoints/PublicTrades.ts"
import { StockMarketOrders } from "../../endpoints/StockMarketOrders.ts"
import { StopLimitOrders } from "../../endpoints/StopLimitOrders.ts"
import { Tickers } from "../../endpoints/Tickers.ts"
import { Control } from "../../sandbox/control/Control.ts"
import { clientOrderId, is, market, order } from "./Fixture.ts"
import { fails, succeeds } from "./Row.ts"

/** The tour's calls for a resting limit order, and for a market order that trades with it. */
export const matching = Effect.gen(function*() {
  const limit = yield* LimitOrders
  const marketOrders = yield* MarketOrders
  const books = yield* OrderBooks
  const trades = yield* PublicTrades
  const tickers = yield* Tickers
  const active = yield* ActiveOrders
  const cancel = yield* CancelOrder
  const selling = { market, side: "sell", amount: Decimal.amount("0.1"), price: Decimal.price("41000") } as const

  return [
    succeeds(
      "LimitOrders.create",
      "sell 0.1 BTC at 41000",
      limit.create({ ...selling, clientOrderId }),
      ({ status }) => status === "NEW" ? status : undefined
    ),
    fails(
      "LimitOrders.create",
      "post-only and immediate-or-cancel together",
      limit.create({ ...selling, postOnly: true, ioc: true }),
      "ValidationFailed"
    ),
    succeeds(
      "OrderBooks.get",
      "BTC_USDT",
      books.get(market),
      ({ asks }) =>
        asks.length === 1 ? asks.map(({ amount, price }) => `${amount} asked at ${price}`).join() : undefined
    ),
    succeeds(
      "MarketOrders.create",
      "buy for 2050 USDT",
      marketOrders.create({ market, side: "buy", amount: Decimal.amount("2050") }),
      ({ dealStock, status }) =>
        status === "FILLED" && is("0.05", dealStock) ? `${status}, ${dealStock} BTC` : undefined
    ),
    succeeds(
      "PublicTrades.list",
      "BTC_USDT",
      trades.list(market),
      (all) =>
        all.length === 1 ? all.map(({ amount, price, side }) => `${side} ${amount} at ${price}`).join() : undefined
    ),
    succeeds(
      "Tickers.get",
      "BTC_USDT",
      tickers.get(market),
      (found) => Option.match(found, { onNone: () => undefined, onSome: ({ lastPrice }) => `last price ${lastPrice}` })
    ),
    succeeds(
      "ActiveOrders.page",
      "",
      active.page(),
      ({ records }) =>
        records.length === 1 ? records.map(({ left, status }) => `${status}, ${left} left`).join() : undefined
    ),
    succeeds(
      "CancelOrder.cancel",
      "by client order id",
      cancel.cancel({ market, clientOrderId }),
      // The live exchange's status shows only that the order is canceled, not that it was partially filled.
      ({ status }) => status === "PARTIAL_CANCELED" || status === "CANCELED" ? status : undefined
    ),
    fails("CancelOrder.cancel", "a second time", cancel.cancel({ market, clientOrderId }), "RequestRejected")
  ] as const
})

/** The tour's calls for the order history and fills, and for a stop order that triggers and fills. */
export const ended = Effect.gen(function*() {
  const history = yield* OrderHistory
  const fills = yield* Fills
  const stockMarket = yield* StockMarketOrders
  const stopLimit = yield* StopLimitOrders
  const control = yield* Control
  const latest = Effect.map(history.page({ market }), ({ records }) => records[0]?.status)
  const movedTo = (price: Decimal.Price) => control.movePrice({ market, price }).pipe(Effect.orDie)

  return [
    succeeds("OrderHistory.stream", "all pages", history.stream().pipe(Stream.runCount), (count) => `${count} orders`),
    succeeds(
      "Fills.page",
      "the fills of the canceled order",
      fills.page({ market, clientOrderId }),
      ({ records }) =>
        records.length === 1
          ? records.map(({ amount, fee, feeAsset, price, role }) =>
            `${role}, ${amount} at ${price}, ${fee} ${feeAsset}`
          )
            .join()
          : undefined
    ),
    succeeds(
      "StockMarketOrders.create",
      "buy 0.01 BTC from an empty book",
      stockMarket.create({ market, side: "buy", amount: Decimal.amount("0.01") }),
      ({ status }) => status === "CANCELED" ? status : undefined
    ),
    succeeds(
      "StopLimitOrders.create",
      "triggered and filled by a price move",
      stopLimit.create({ ...order, price: Decimal.price("43000"), activationPrice: Decimal.price("42000") }).pipe(
        Effect.andThen(movedTo(Decimal.price("42500"))),
        Effect.andThen(latest)
      ),
      (status) => status === "FILLED" ? status : undefined
    )
  ] as const
})
