/** The handlers for market data: statistics of the last 24 hours, candles, trades, depth and futures. */
import * as DateTime from "effect/DateTime"
import { type MarketName, TradeId } from "../../domain/Identifiers.ts"
import type { Market } from "../../domain/Market.ts"
import { maxLimit } from "../../domain/Paging.ts"
import * as Time from "../../domain/Time.ts"
import * as CandlesEndpoint from "../../endpoints/Candles.ts"
import type * as FuturesMarkets from "../../endpoints/FuturesMarkets.ts"
import * as OrderBookDepth from "../../endpoints/OrderBookDepth.ts"
import type * as OrderBooks from "../../endpoints/OrderBooks.ts"
import * as TradeHistory from "../../endpoints/TradeHistory.ts"
import type * as Book from "../engine/Book.ts"
import * as Candles from "../engine/Candles.ts"
import * as Fundings from "../engine/Fundings.ts"
import * as Leverage from "../engine/Leverage.ts"
import * as Positions from "../engine/Positions.ts"
import * as ReferencePrices from "../engine/ReferencePrices.ts"
import type { Violations } from "../engine/Reply.ts"
import * as Units from "../engine/Units.ts"
import { type Context, group } from "./Handler.ts"
import * as KnownMarket from "./KnownMarket.ts"
import * as MarketFigures from "./MarketFigures.ts"
import * as Records from "./Records.ts"

const byMarket = <A>({ state }: Context, of: (market: MarketName) => A): ReadonlyMap<MarketName, A> =>
  new Map([...state.markets.keys()].map((market) => [market, of(market)]))

const day = 86_400

/**
 * For each unit of time, its length and the default period that a response covers, in seconds. A month is treated as 31
 * days.
 */
const unitsOfTime = {
  s: { length: 1, window: 600 },
  m: { length: 60, window: day },
  h: { length: 3600, window: 7 * day },
  d: { length: day, window: 30 * day },
  w: { length: 7 * day, window: 30 * day },
  M: { length: 31 * day, window: 365 * day }
} as const

/** The first Monday of Unix time, in Unix seconds. */
const monday = 4 * day

const months: Candles.Intervals = {
  level: Candles.lengths.length - 1,
  beginningOf: (at) => DateTime.toEpochMillis(DateTime.startOf(DateTime.makeUnsafe(at * 1000), "month")) / 1000
}

/**
 * An interval's length and default period, in seconds, and how it divides time. Weeks begin on Monday; all times are
 * UTC.
 */
export const intervalOf = (name: `${number}${keyof typeof unitsOfTime}`) => {
  // Every interval name is a count followed by a unit, so the cast is safe.
  const unit = name.slice(-1) as keyof typeof unitsOfTime
  const { length, window } = unitsOfTime[unit]
  const every = Number(name.slice(0, -1)) * length
  const division = unit === "M" ? months : Candles.every(every, unit === "w" ? monday : 0)
  return { length: every, window, division }
}

const checkCandles = (request: CandlesEndpoint.Request, context: Context): Violations => {
  const { end, start } = request
  const now = MarketFigures.seconds(context.at)
  const isLate = (time: number | undefined) => time !== undefined && time > now
  return [
    ...KnownMarket.check(request, context),
    ...(isLate(end) ? [["end", { kind: "max", max: now }] as const] : []),
    ...(isLate(start) ? [["start", { kind: "max", max: now }] as const] : [])
  ]
}

const candlesOf = (
  { end, interval = "1h", limit, market, start }: CandlesEndpoint.Request,
  { at, state }: Context
): ReadonlyArray<CandlesEndpoint.Candle> => {
  const { division, length, window } = intervalOf(interval)
  // By default, the current interval is included.
  const to = end ?? MarketFigures.seconds(at) + 1
  const count = limit ?? CandlesEndpoint.maxCandles
  const earliest = to - count * length
  const from = Math.max(start ?? (limit === undefined ? to - window : earliest), earliest)
  const found = Candles.between(state.trading.get(market)?.candles ?? [], division, from, to)
  return found.slice(-count).map(candleAnswer)
}

/** A candle, in the form used by responses. */
export const candleAnswer = (
  { at, close, high, low, open, total, volume }: Readonly<Candles.Candle>
): CandlesEndpoint.Candle => ({
  time: Time.UnixSeconds.make(at),
  open: Units.toDecimal(open),
  close: Units.toDecimal(close),
  high: Units.toDecimal(high),
  low: Units.toDecimal(low),
  volume: Units.toDecimal(volume),
  total: Units.toDecimal(total)
})

const tradesOf = (
  { after, limit = TradeHistory.defaultLimit, market }: TradeHistory.Request,
  { state }: Context
): ReadonlyArray<TradeHistory.PastTrade> => {
  const last = BigInt(after)
  const trades = state.trading.get(market)?.trades ?? []
  return trades.filter(({ id }) => BigInt(id) > last).slice(-limit).toReversed()
    .map(({ amount, at, id, price, side }) => ({
      tradeId: TradeId.make(id.toString()),
      timestamp: Time.fromMicros(at),
      price: Units.toDecimal(price),
      amount: Units.toDecimal(amount),
      side
    }))
}

/**
 * The levels of a side that are within `depthPercent` of the last price. Levels are sorted, so the search ends at the
 * first level that is too far from the last price.
 */
const closeTo = (last: Units.Units, levels: Iterable<Book.Level>, side: "asks" | "bids"): Array<OrderBooks.Level> => {
  const width = last * BigInt(OrderBookDepth.depthPercent) / 100n
  const found: Array<OrderBooks.Level> = []
  for (const level of levels) {
    const behind = side === "asks" ? level.price - last : last - level.price
    if (behind > width) break
    if (behind >= -width) found.push(MarketFigures.levelOf(level))
  }
  return found
}

const futuresOf = (context: Context, market: Market): FuturesMarkets.FuturesMarket => {
  const { at, state } = context
  const { money, name, stock } = market
  const { ask, bid, high, last, low, total, volume } = MarketFigures.of(context, name)
  const funding = state.funding.get(name)
  const mark = ReferencePrices.mark(state, name)
  return {
    market: name,
    stock,
    money,
    lastPrice: last,
    stockVolume: volume,
    moneyVolume: total,
    bid,
    ask,
    high,
    low,
    productType: "Perpetual",
    openInterest: Units.toDecimal(Positions.openInterest(state, name)),
    indexPrice: Units.toDecimal(ReferencePrices.index(state, name) ?? 0n),
    ...(mark === undefined ? {} : { markPrice: Units.toDecimal(mark) }),
    indexName: state.currencies.find(({ ticker }) => ticker === stock)?.name ?? stock,
    indexCurrency: stock,
    fundingRate: Units.toDecimal(Fundings.rateOf(state, name)),
    fundingCap: Units.toDecimal(funding?.cap ?? 0n),
    fundingFloor: Units.toDecimal(funding?.floor ?? 0n),
    nextFundingTime: Time.fromMicros(Fundings.nextAt(state, name, at) ?? at),
    brackets: new Map(
      Leverage.bracketsOf(market).map(({ leverage, upTo = 0n }) => [leverage.toString(), Units.toDecimal(upTo)])
    ),
    maxLeverage: Leverage.maxOf(state, market),
    fundingIntervalMinutes: funding?.intervalMinutes ?? 0
  }
}

const isFunded = ({ isCollateral, type }: Market): boolean => isCollateral || type === "futures"

/** The handlers for market data. */
export const marketData = group({
  Tickers: {
    answer: (_request, context) =>
      byMarket(context, (market) => {
        const { change, last, total, volume } = MarketFigures.of(context, market)
        return {
          baseId: 0,
          quoteId: 0,
          lastPrice: last,
          quoteVolume: total,
          baseVolume: volume,
          isFrozen: context.state.markets.get(market)?.tradesEnabled !== true,
          change
        }
      })
  },
  MarketSummary: { check: KnownMarket.check, answer: ({ market }, context) => MarketFigures.of(context, market) },
  MarketSummaries: {
    answer: (_request, context) =>
      byMarket(context, (market) => {
        const { open: _, ...figures } = MarketFigures.of(context, market)
        return { ...figures, at: MarketFigures.seconds(context.at) }
      })
  },
  Candles: { check: checkCandles, answer: candlesOf },
  TradeHistory: { check: KnownMarket.check, answer: tradesOf },
  OrderBookDepth: {
    check: KnownMarket.check,
    answer: ({ market }, { at, state }) => {
      const trading = state.trading.get(market)
      const sideOf = (side: "asks" | "bids") => closeTo(trading?.lastPrice ?? 0n, trading?.book[side] ?? [], side)
      return { market, timestamp: MarketFigures.seconds(at), asks: sideOf("asks"), bids: sideOf("bids") }
    }
  },
  FuturesMarkets: {
    answer: (_request, context) =>
      [...context.state.markets.values()].filter(({ type }) => type === "futures")
        .map((market) => futuresOf(context, market))
  },
  FundingRates: {
    check: ({ market }, { state }) => {
      const found = state.markets.get(market)
      return found !== undefined && isFunded(found) ? [] : [["market", { kind: "known" }]]
    },
    answer: ({ limit = maxLimit, market, offset = 0, ...window }, { state }) => {
      const { intervalMinutes = 0, settled = [] } = state.funding.get(market) ?? {}
      return Records.latest(settled, ({ at }) => at, window).drop(offset).take(limit).map(({ at, price, rate }) => ({
        fundingTime: MarketFigures.seconds(at),
        fundingRate: Units.toDecimal(rate),
        market,
        settlementPrice: Units.toDecimal(price),
        rateCalculatedTime: MarketFigures.seconds(at - intervalMinutes * 60e6)
      })).toArray()
    }
  }
})
