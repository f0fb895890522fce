/** The view of every channel of the contract. */
import type * as Stream from "effect/Stream"
import type { AdlQuantile } from "../../channels/AdlQuantileChannel.ts"
import type * as Contract from "../../channels/all.ts"
import type { Borrow } from "../../channels/BorrowsChannel.ts"
import type { Candle } from "../../channels/CandlesChannel.ts"
import type { Deal } from "../../channels/DealsChannel.ts"
import type * as DepthChannel from "../../channels/DepthChannel.ts"
import type { ExecutedOrder } from "../../channels/ExecutedOrdersChannel.ts"
import type { PendingOrder } from "../../channels/orders.ts"
import type { Position } from "../../channels/PositionsChannel.ts"
import type { Trade } from "../../channels/TradesChannel.ts"
import type * as Item from "../../client/session/Item.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { Row } from "../Answer.ts"
import * as View from "./View.ts"

/** The shape of a channel's service. */
type Service<K extends Contract.Name> = Contract.Contract[K] extends
  { readonly [S in K]: { readonly Service: infer Shape } } ? Shape
  : never

/** The type of a stream's items. `S` is the stream, or a function that returns the stream. */
type Items<S> = S extends Stream.Stream<infer I, infer _E> ? I
  : S extends (...args: infer _Args) => Stream.Stream<infer I, infer _E> ? I
  : never

type ItemOf<K extends Contract.Name> = Service<K> extends { readonly stream: infer S } ? Items<S> : never

type ViewOf<I> = View.View<Extract<I, Item.Event<unknown>>["event"], Extract<I, Item.Snapshot<unknown>>["state"]>

const market = ({ market }: { readonly market: string }): string => market

const timestamp = ({ timestamp }: { readonly timestamp: number }): number => timestamp

const entries = <V extends object>(balances: ReadonlyMap<string, V>): ReadonlyArray<V & { readonly ticker: string }> =>
  [...balances].map(([ticker, balance]) => ({ ticker, ...balance }))

const ticker = ({ ticker }: { readonly ticker: string }): string => ticker

const levels = ({ asks = [], bids = [] }: DepthChannel.DepthMessage): ReadonlyArray<View.Level> => [
  ...asks.map((level) => ({ side: "ask" as const, ...level })),
  ...bids.map((level) => ({ side: "bid" as const, ...level }))
]

type Order = Pick<PendingOrder, "orderId" | "timestamp" | "side" | "type" | "amount"> & {
  readonly price?: string
  readonly left?: string
  readonly activationPrice?: string
  readonly status?: string
}

const order = ({ activationPrice, amount, left, orderId, price, side, status, timestamp, type }: Order): Row => ({
  id: orderId,
  time: timestamp,
  side,
  type,
  amount,
  left,
  price,
  stop: activationPrice,
  ...(status === undefined ? {} : { status })
})

const position = (
  { amount, basePrice, leverage, liquidationPrice, market, positionId, unrealizedPnl }: Position
): Row => ({ id: positionId, market, amount, basePrice, liquidationPrice, leverage, unrealizedPnl })

const borrow = ({ amount, liquidationPrice, openDate, ticker, unrealizedFunding }: Borrow): Row => ({
  ticker,
  amount,
  since: openDate,
  liquidationPrice,
  unrealizedFunding
})

/** The view of each channel. */
export const views: { readonly [K in Contract.Name]: ViewOf<ItemOf<K>> } = {
  CandlesChannel: View.records<Candle>({
    command: "candles",
    summary: "Candles of a market, latest first",
    keyOf: ({ time }) => String(time),
    sorted: View.latestFirst(({ time }: { readonly time: number }) => time),
    row: ({ close, high, low, open, time, volume }) => ({ time, open, high, low, close, volume }),
    defaults: { interval: "1m" }
  }),
  LastPriceChannel: View.perMarket(
    "last-price",
    "The last price of a market",
    ({ market, price }) => ({ market, price })
  ),
  MarketStatisticsChannel: View.perMarket(
    "market-statistics",
    "Prices and volume of a market in the last day",
    ({ high, last, low, market, open, total, volume }) => ({ market, last, open, high, low, volume, total })
  ),
  MarketTodayChannel: View.perMarket(
    "market-today",
    "Prices and volume of a market since midnight UTC",
    ({ high, last, low, market, open, total, volume }) => ({ market, last, open, high, low, volume, total })
  ),
  TradesChannel: View.records<Trade>({
    command: "trades",
    summary: "Trades of a market, latest first",
    keyOf: ({ tradeId }) => String(tradeId),
    sorted: View.latestFirst(timestamp),
    row: ({ amount, price, side, timestamp, tradeId }) => ({ id: tradeId, time: timestamp, side, price, amount }),
    isOfOneMarket: true
  }),
  DepthChannel: View.make({
    command: "book",
    summary: "The order book of a market",
    ofEvent: levels,
    ofState: levels,
    whole: "states",
    keyOf: ({ price, side }) => `${side} ${Decimal.normalize(price)}`,
    isGone: ({ amount }) => Decimal.isZero(amount),
    sorted: View.book,
    row: ({ amount, price, side }) => ({ side, price, amount }),
    defaults: { limit: 10, priceStep: "0" }
  }),
  BookTickerChannel: View.perMarket(
    "book-ticker",
    "The best bid and ask of a market, or of all markets",
    ({ ask, askAmount, bid, bidAmount, market, timestamp }) => ({
      market,
      bid,
      bidAmount,
      ask,
      askAmount,
      time: timestamp
    })
  ),
  PremiumIndexChannel: View.perMarket(
    "premium-index",
    "Mark price, index price and funding rate of a futures market, or of all futures markets",
    ({ fundingRate, indexPrice, markPrice, market, nextFundingTime }) => ({
      market,
      markPrice,
      indexPrice,
      fundingRate,
      nextFundingTime
    })
  ),
  SpotBalanceChannel: View.make({
    command: "balances",
    summary: "Balances in the trade wallet",
    ofEvent: entries,
    ofState: entries,
    whole: "states",
    keyOf: ticker,
    sorted: View.by(ticker),
    row: (balance) => ({ ...balance })
  }),
  MarginBalanceChannel: View.make({
    command: "margin-balances",
    summary: "Balances in the collateral wallet",
    ofEvent: entries,
    ofState: entries,
    whole: "states",
    keyOf: ticker,
    sorted: View.by(ticker),
    row: (balance) => ({ ...balance })
  }),
  PendingOrdersChannel: View.make({
    command: "orders",
    summary: "Your open orders on a market, latest first",
    ofEvent: ({ event, order }) => [{ ...order, isFinished: event === "finished" }],
    ofState: (orders) => orders.map((order) => ({ ...order, isFinished: false })),
    whole: "states",
    keyOf: ({ orderId }) => orderId,
    isGone: ({ isFinished }) => isFinished,
    sorted: View.latestFirst(timestamp),
    row: order
  }),
  ExecutedOrdersChannel: View.records<ExecutedOrder>({
    command: "executed-orders",
    summary: "Your closed orders on a market, latest first",
    keyOf: ({ orderId }) => orderId,
    sorted: View.latestFirst(timestamp),
    row: order
  }),
  DealsChannel: View.records<Deal>({
    command: "deals",
    summary: "Your trades on a market, latest first",
    keyOf: ({ tradeId }) => String(tradeId),
    sorted: View.latestFirst(timestamp),
    row: ({ amount, fee, orderId, price, role, side, timestamp, tradeId }) => ({
      id: tradeId,
      time: timestamp,
      order: orderId,
      side,
      role,
      price,
      amount,
      fee
    }),
    isOfOneMarket: true
  }),
  PositionsChannel: View.lists<Position>({
    command: "positions",
    summary: "Your open positions",
    keyOf: ({ positionId }) => String(positionId),
    row: position
  }),
  PositionEventsChannel: View.make({
    command: "position-events",
    summary: "Liquidations of your positions, and margin calls on them",
    ofEvent: ({ event, position }) => [{ event: String(event), position }],
    ofState: (positions) => positions.map((position) => ({ event: "open", position })),
    whole: "states",
    keyOf: ({ position }) => String(position.positionId),
    row: ({ event, position: value }) => ({ event, ...position(value) })
  }),
  BorrowsChannel: View.lists<Borrow>({
    command: "borrows",
    summary: "Assets that you have borrowed",
    keyOf: ticker,
    row: borrow
  }),
  BorrowEventsChannel: View.make({
    command: "borrow-events",
    summary: "Liquidations of your borrows, and margin calls on them",
    ofEvent: ({ borrow, event }) => [{ event: String(event), borrow }],
    ofState: (borrows) => borrows.map((borrow) => ({ event: "open", borrow })),
    whole: "states",
    keyOf: ({ borrow }) => borrow.ticker,
    row: ({ borrow: value, event }) => ({ event, ...borrow(value) })
  }),
  AdlQuantileChannel: View.lists<AdlQuantile>({
    command: "adl-quantile",
    summary: "Your positions' places in the auto-deleveraging queue",
    keyOf: market,
    sorted: View.by(market),
    row: ({ long, market, short }) => ({ market, long, short })
  })
}
