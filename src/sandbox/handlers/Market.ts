/**
 * Markets, currencies and their data, and the server itself.
 *
 * @since 0.1.0
 */
import * as Decimal from "../../domain/Decimal.ts"
import { type MarketName, TradeId } from "../../domain/Identifiers.ts"
import * as Time from "../../domain/Time.ts"
import type * as Assets from "../../endpoints/Assets.ts"
import * as OrderBooks from "../../endpoints/OrderBooks.ts"
import type * as PublicTrades from "../../endpoints/PublicTrades.ts"
import type * as Tickers from "../../endpoints/Tickers.ts"
import type * as Book from "../engine/Book.ts"
import type { Currency } from "../engine/Listings.ts"
import type { Trade } from "../engine/Trade.ts"
import * as Units from "../engine/Units.ts"
import { type Context, group } from "./Handler.ts"
import * as KnownMarket from "./KnownMarket.ts"

/** A day in microseconds. */
const day = 24 * 60 * 60 * 1e6

const sum = (trades: ReadonlyArray<Trade>, of: (trade: Trade) => Units.Units): Decimal.Decimal =>
  Units.toDecimal(trades.reduce((total, trade) => total + of(trade), 0n))

/** The change from one price to another in percent, to two digits. */
const changeBetween = (from: Units.Units | undefined, to: Units.Units | undefined): Decimal.Decimal =>
  from === undefined || to === undefined || from === 0n
    ? Decimal.zero
    : Units.toDecimal((to - from) * 10_000n / from * 10n ** BigInt(Units.scale - 2))

const totalOf = ({ amount, price }: Trade): Units.Units => Units.times(amount, price)

/**
 * The ticker of the last day. Only the latest trades are kept: a market with more trades in a day shows too little
 * volume.
 */
const tickerOf = ({ at, state }: Context, market: MarketName): Tickers.Ticker => {
  const trading = state.trading.get(market)
  const trades = (trading?.trades ?? []).filter((trade) => trade.at > at - day)
  const last = trading?.lastPrice
  return {
    baseId: 0,
    quoteId: 0,
    lastPrice: last === undefined ? Decimal.zero : Units.toDecimal(last),
    quoteVolume: sum(trades, totalOf),
    baseVolume: sum(trades, ({ amount }) => amount),
    isFrozen: state.markets.get(market)?.tradesEnabled !== true,
    change: changeBetween(trades[0]?.price, last)
  }
}

const seconds = (at: number): Time.UnixSeconds => Time.UnixSeconds.make(Math.floor(at / 1e6))

/** The greatest level of aggregation. */
const coarsest = 10

/** A price, and what is left of the orders at it. */
type Level = Pick<Book.Level, "price" | "left">

/**
 * A side of a book whose prices are rounded away from the other side, to ten times the market's step for each level of
 * aggregation. The exchange does not say how coarse its levels are.
 */
const aggregated = function*(
  levels: Iterable<Book.Level>,
  side: "asks" | "bids",
  step: Units.Units
): Generator<Level, undefined> {
  let last: Level | undefined
  for (const { left, price } of levels) {
    const coarse = (price + (side === "asks" ? step - 1n : 0n)) / step * step
    if (last !== undefined && last.price !== coarse) yield last
    last = { price: coarse, left: last?.price === coarse ? last.left + left : left }
  }
  if (last !== undefined) yield last
}

const levelOf = ({ left, price }: Level): OrderBooks.Level => ({
  price: Units.toDecimal(price),
  amount: Units.toDecimal(left)
})

const publicTrade = (trade: Trade): PublicTrades.PublicTrade => ({
  tradeId: TradeId.make(trade.id.toString()),
  price: Units.toDecimal(trade.price),
  amount: Units.toDecimal(trade.amount),
  total: Units.toDecimal(totalOf(trade)),
  timestamp: seconds(trade.at),
  side: trade.side,
  rpi: false
})

/** What assets state as their trading fees, in percent. Markets have their own. */
const assetFee = Decimal.of("0.1")

const assetOf = ({ canDeposit, canWithdraw, deposit, name, withdraw }: Currency): Assets.Asset => ({
  name,
  unifiedCryptoassetId: 0,
  canWithdraw,
  canDeposit,
  minWithdraw: withdraw.minAmount,
  maxWithdraw: withdraw.maxAmount,
  makerFee: assetFee,
  takerFee: assetFee,
  minDeposit: deposit.minAmount,
  maxDeposit: deposit.maxAmount,
  currencyPrecision: Units.scale,
  isMemo: false
})

/**
 * The handlers of markets, currencies and the server.
 *
 * @category handlers
 * @since 0.1.0
 */
export const market = group({
  Fees: { answer: (_request, { state }) => [...state.currencies] },
  ServerStatus: { answer: () => ["pong"] },
  Markets: { answer: (_request, { state }) => [...state.markets.values()] },
  Tickers: {
    answer: (_request, context) =>
      new Map([...context.state.markets.keys()].map((market) => [market, tickerOf(context, market)]))
  },
  OrderBooks: {
    check: KnownMarket.check,
    answer: ({ level = 0, limit = 0, market }, { at, state }) => {
      const book = state.trading.get(market)?.book
      const most = limit === 0 ? OrderBooks.maxLevels : limit
      const coarseness = Math.min(Math.max(level, 0), coarsest)
      const digits = Units.scale - (state.markets.get(market)?.moneyPrecision ?? 0)
      const sideOf = (side: "asks" | "bids") => {
        const exact = book?.[side] ?? []
        const levels = coarseness === 0 ? exact : aggregated(exact, side, 10n ** BigInt(digits + coarseness))
        return Iterator.from(levels).take(most).map(levelOf).toArray()
      }
      return { market, timestamp: seconds(at), asks: sideOf("asks"), bids: sideOf("bids") }
    }
  },
  PublicTrades: {
    check: KnownMarket.check,
    answer: ({ market, side }, { state }) =>
      (state.trading.get(market)?.trades ?? []).filter((trade) => side === undefined || trade.side === side)
        .slice(-100).toReversed().map(publicTrade)
  },
  Assets: {
    answer: (_request, { state }) => new Map(state.currencies.map((currency) => [currency.ticker, assetOf(currency)]))
  },
  TradingFees: {
    answer: (_request, { state: { markets } }) => ({
      error: null,
      maker: assetFee,
      taker: assetFee,
      futuresMaker: assetFee,
      futuresTaker: assetFee,
      rpiMakerPremium: null,
      futuresRpiMakerPremium: null,
      // Here every market has fees of its own.
      customFees: new Map(
        [...markets.values()].map(({ makerFee: maker, name, takerFee: taker }) => [name, { maker, taker }])
      )
    })
  },
  ServerTime: { answer: (_request, { serverTime }) => ({ time: seconds(serverTime) }) }
})
