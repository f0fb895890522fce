/** Pushes markets' prices, statistics, candles and trades. */
import * as Result from "effect/Result"
import * as CandlesChannel from "../../channels/CandlesChannel.ts"
import * as LastPriceChannel from "../../channels/LastPriceChannel.ts"
import * as MarketStatisticsChannel from "../../channels/MarketStatisticsChannel.ts"
import * as MarketTodayChannel from "../../channels/MarketTodayChannel.ts"
import type * as TradesChannel from "../../channels/TradesChannel.ts"
import { type MarketName, TradeId } from "../../domain/Identifiers.ts"
import * as Time from "../../domain/Time.ts"
import { maxCandles } from "../../endpoints/Candles.ts"
import * as Candles from "../engine/Candles.ts"
import type { Trading } from "../engine/State.ts"
import type { Trade } from "../engine/Trade.ts"
import * as Units from "../engine/Units.ts"
import * as MarketData from "../handlers/MarketData.ts"
import * as MarketFigures from "../handlers/MarketFigures.ts"
import * as Changes from "./Changes.ts"
import * as Pace from "./Pace.ts"
import { type Context, group, type Outlet, type Subscription } from "./Source.ts"

const daySeconds = 86_400

const marketsOf = (topics: ReadonlyArray<{ readonly market: MarketName }>): ReadonlySet<MarketName> =>
  new Set(topics.map(({ market }) => market))

/** The markets to which topics subscribe. A topic without a market subscribes to all markets. */
export const anyMarketsOf = (
  topics: ReadonlyArray<{ readonly market?: MarketName }>,
  { state }: Pick<Context, "state">
): ReadonlySet<MarketName> =>
  new Set(topics.flatMap(({ market }) => market === undefined ? [...state.markets.keys()] : [market]))

/**
 * A market's statistics since the given Unix second. Without trades or price moves since then, the open, high and low
 * equal the last price.
 */
const since = ({ state }: Context, market: MarketName, from: number) => {
  const trading = state.trading.get(market)
  const last = trading?.lastPrice ?? 0n
  const found = trading && Candles.since(trading.candles, from)
  const { high, low, open, total, volume } = found ?? { open: last, high: last, low: last, volume: 0n, total: 0n }
  return {
    last: Units.toDecimal(last),
    open: Units.toDecimal(open),
    high: Units.toDecimal(high),
    low: Units.toDecimal(low),
    volume: Units.toDecimal(volume),
    total: Units.toDecimal(total)
  }
}

const statisticsOf = (context: Context, market: MarketName, period: number): MarketStatisticsChannel.Statistics => {
  const figures = since(context, market, MarketFigures.seconds(context.at) - period + 1)
  return { ...figures, close: figures.last, period }
}

/** The beginning of the UTC day that contains a time. Both are in Unix microseconds. */
const midnight = (at: number): number => at - at % (daySeconds * 1e6)

const todayOf = (context: Context, market: MarketName): MarketTodayChannel.Statistics =>
  since(context, market, midnight(context.at) / 1e6)

const lastPriceOf = ({ state }: Context, market: MarketName) => {
  const last = state.trading.get(market)?.lastPrice
  return last === undefined ? undefined : { market, price: Units.toDecimal(last) }
}

/** Pushes each market's value in a message of its own. */
const perMarket = <Topic extends { readonly market: MarketName }, Value>(
  outlet: Outlet<Value>,
  values: Pick<Changes.Values<Topic, MarketName, Value>, "pushes" | "valueOf">
): Subscription<Topic> =>
  Changes.make(outlet, {
    ...values,
    keysOf: marketsOf,
    isChangedBy: Changes.isAbout,
    push: (changed) => {
      for (const value of changed.values()) outlet.push(value)
    }
  })

const candlesOf = (
  trading: Trading | undefined,
  market: MarketName,
  interval: CandlesChannel.Interval,
  from: number,
  to: number
): ReadonlyArray<CandlesChannel.Candle> =>
  Candles.between(trading?.candles ?? [], MarketData.intervalOf(interval).division, from, to)
    .map((candle) => ({ ...MarketData.candleAnswer(candle), market }))

const pushCandles = (outlet: Outlet<ReadonlyArray<CandlesChannel.Candle>>): Subscription<CandlesChannel.Topic> => {
  const pace = Pace.make(CandlesChannel.channel.pushes, outlet)
  let topic: CandlesChannel.Topic | undefined
  /** The time of the first change that has not been pushed yet, in Unix seconds. */
  let changedAt: number | undefined
  return {
    listen: ([only]) => {
      topic = only
      changedAt = undefined
    },
    applied: ({ markets }) => {
      if (topic === undefined || !markets.has(topic.market)) return
      changedAt ??= MarketFigures.seconds(outlet.context().at)
      pace.changed()
    },
    woken: (at) => {
      if (!pace.isDue(at) || topic === undefined || changedAt === undefined) return
      const { interval, market } = topic
      // Starts with the interval of the first change. If that interval is over by now, its candle is pushed one last
      // time.
      const from = MarketData.intervalOf(interval).division.beginningOf(changedAt)
      changedAt = undefined
      const candles = candlesOf(outlet.context().state.trading.get(market), market, interval, from, Infinity)
      if (candles.length > 0) outlet.push(candles)
    }
  }
}

const tradeAnswer = ({ amount, at, id, price, rpi, side }: Trade): TradesChannel.Trade => ({
  tradeId: TradeId.make(id.toString()),
  timestamp: Time.fromMicros(at),
  price: Units.toDecimal(price),
  amount: Units.toDecimal(amount),
  side,
  rpi
})

/** The maximum number of trades in the first message about a market. */
const snapshotTrades = 100

const latestTrades = ({ state }: Context, market: MarketName, count: number): ReadonlyArray<TradesChannel.Trade> =>
  (state.trading.get(market)?.trades ?? []).slice(-count).toReversed().map(tradeAnswer)

const pushTrades = (outlet: Outlet<TradesChannel.MarketTrades>): Subscription<{ readonly market?: MarketName }> => {
  let markets: ReadonlySet<MarketName> = new Set()
  return {
    listen: (topics, asked) => {
      const context = outlet.context()
      markets = anyMarketsOf(topics, context)
      for (const market of anyMarketsOf(asked, context)) {
        outlet.push({ market, trades: latestTrades(context, market, snapshotTrades) }, market)
      }
    },
    applied: ({ events }) => {
      const counts = new Map<MarketName, number>()
      for (const event of events) {
        if (event._tag !== "Traded" || !markets.has(event.market)) continue
        counts.set(event.market, (counts.get(event.market) ?? 0) + 1)
      }
      const context = outlet.context()
      for (const [market, count] of counts) {
        const trades = latestTrades(context, market, count)
        // A single command can make more trades than the exchange stores. In that case some trades are lost, so the
        // connection is closed.
        if (trades.length < count) return outlet.end()
        outlet.push({ market, trades })
      }
    }
  }
}

/** The sources for prices, statistics, candles and trades. */
export const marketSources = group({
  LastPriceChannel: {
    open: (outlet) =>
      perMarket(outlet, {
        pushes: LastPriceChannel.channel.pushes,
        valueOf: (market, context) => lastPriceOf(context, market)
      }),
    queries: {
      get: ({ market }, { state }) => Result.succeed(Units.toDecimal(state.trading.get(market)?.lastPrice ?? 0n))
    }
  },
  MarketStatisticsChannel: {
    open: (outlet) =>
      perMarket(outlet, {
        pushes: MarketStatisticsChannel.channel.pushes,
        valueOf: (market, context) => ({
          market,
          ...statisticsOf(context, market, MarketStatisticsChannel.pushedPeriod)
        })
      }),
    queries: { get: ({ market, period }, context) => Result.succeed(statisticsOf(context, market, period)) }
  },
  MarketTodayChannel: {
    open: (outlet) =>
      perMarket(outlet, {
        pushes: MarketTodayChannel.channel.pushes,
        valueOf: (market, context) => ({ market, ...todayOf(context, market) })
      }),
    queries: { get: ({ market }, context) => Result.succeed(todayOf(context, market)) }
  },
  CandlesChannel: {
    open: pushCandles,
    queries: {
      list: ({ end, interval, market, start }, { state }) =>
        Result.succeed(candlesOf(state.trading.get(market), market, interval, start, end + 1).slice(-maxCandles))
    }
  },
  TradesChannel: {
    open: pushTrades,
    queries: {
      list: ({ from, limit, market }, { state }) => {
        const trades = state.trading.get(market)?.trades ?? []
        const until = from === undefined ? trades : trades.filter(({ id }) => id <= Number(from))
        return Result.succeed(until.slice(-Number(limit)).toReversed().map(tradeAnswer))
      }
    }
  }
})
