/**
 * The channels that this package supports, one per line. No other file repeats this list.
 *
 * The services of `Streams`, the sandbox's pushed messages, the AsyncAPI document, the channel table and the test
 * fixtures must cover every name listed here; the compiler reports a missing channel.
 *
 * Each module exports the channel's value as `channel`, and its service under the name listed here.
 */

// Public
export * as CandlesChannel from "./CandlesChannel.ts"
export * as LastPriceChannel from "./LastPriceChannel.ts"
export * as MarketStatisticsChannel from "./MarketStatisticsChannel.ts"
export * as MarketTodayChannel from "./MarketTodayChannel.ts"
export * as TradesChannel from "./TradesChannel.ts"
export * as DepthChannel from "./DepthChannel.ts"
export * as BookTickerChannel from "./BookTickerChannel.ts"
export * as PremiumIndexChannel from "./PremiumIndexChannel.ts"

// Private
export * as SpotBalanceChannel from "./SpotBalanceChannel.ts"
export * as MarginBalanceChannel from "./MarginBalanceChannel.ts"
export * as PendingOrdersChannel from "./PendingOrdersChannel.ts"
export * as ExecutedOrdersChannel from "./ExecutedOrdersChannel.ts"
export * as DealsChannel from "./DealsChannel.ts"
export * as PositionsChannel from "./PositionsChannel.ts"
export * as PositionEventsChannel from "./PositionEventsChannel.ts"
export * as BorrowsChannel from "./BorrowsChannel.ts"
export * as BorrowEventsChannel from "./BorrowEventsChannel.ts"
export * as AdlQuantileChannel from "./AdlQuantileChannel.ts"
