/** The handlers for markets, currencies and their data, and for the server itself. */
import * as Decimal from "../../domain/Decimal.ts"
import { TradeId } from "../../domain/Identifiers.ts"
import type * as Assets from "../../endpoints/Assets.ts"
import * as OrderBooks from "../../endpoints/OrderBooks.ts"
import type * as PublicFees from "../../endpoints/PublicFees.ts"
import type * as PublicTrades from "../../endpoints/PublicTrades.ts"
import type * as Book from "../engine/Book.ts"
import { type Currency, type Network, networkOf, type TransferTerms } from "../engine/Listings.ts"
import type { Trade } from "../engine/Trade.ts"
import * as Units from "../engine/Units.ts"
import { group } from "./Handler.ts"
import * as KnownMarket from "./KnownMarket.ts"
import * as MarketFigures from "./MarketFigures.ts"

/** The maximum level of aggregation. */
const coarsest = 10

/**
 * One side of a book, with each price rounded away from the other side to a multiple of `step`. Each level of
 * aggregation is ten times coarser than the previous one; the exchange does not document its levels of aggregation.
 */
export const aggregated = function*(
  levels: Iterable<Book.Level>,
  side: "asks" | "bids",
  step: Units.Units
): Generator<MarketFigures.Level, undefined> {
  let last: MarketFigures.Level | undefined
  for (const { left, price } of levels) {
    const coarse = (price + (side === "asks" ? step - 1n : 0n)) / step * step
    if (last !== undefined && last.price !== coarse) yield last
    last = { price: coarse, left: last?.price === coarse ? last.left + left : left }
  }
  if (last !== undefined) yield last
}

const publicTrade = (trade: Trade): PublicTrades.PublicTrade => ({
  tradeId: TradeId.make(trade.id.toString()),
  price: Units.toDecimal(trade.price),
  amount: Units.toDecimal(trade.amount),
  total: Units.toDecimal(Units.times(trade.amount, trade.price)),
  timestamp: MarketFigures.seconds(trade.at),
  side: trade.side,
  rpi: trade.rpi
})

/** The trading fees shown for assets, in percent. Markets have their own fees. */
const assetFee = Decimal.of("0.1")

/** A setting as a field of the response. A setting of zero, which means "off", is left out. */
const unlessOff = <K extends string>(key: K, setting: Decimal.Decimal) =>
  Decimal.isZero(setting) ? {} : { [key]: setting } as { readonly [_ in K]: Decimal.Decimal }

const limitsOf = ({ name }: Network, { maxAmount, minAmount }: TransferTerms): ReadonlyMap<string, Assets.Bounds> =>
  new Map([[name, { min: minAmount, ...unlessOff("max", maxAmount) }]])

const assetOf = (
  { canDeposit, canWithdraw, deposit, name, ticker, withdraw }: Currency,
  network = networkOf(ticker)
): Assets.Asset => ({
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
  isMemo: false,
  memo: { deposit: false, withdraw: false },
  networks: {
    deposits: canDeposit ? [network.name] : [],
    withdraws: canWithdraw ? [network.name] : [],
    default: network.name
  },
  limits: { deposit: limitsOf(network, deposit), withdraw: limitsOf(network, withdraw) },
  confirmations: new Map([[network.name, network.confirmations]])
})

const directionOf = ({ fixed, maxAmount, maxFlex, minAmount, minFlex, percentFlex }: TransferTerms) => ({
  _tag: "Asset" as const,
  terms: {
    minAmount,
    maxAmount,
    ...unlessOff("fixed", fixed),
    ...(Decimal.isZero(percentFlex) ? {} : { flexible: { percent: percentFlex, min: minFlex, max: maxFlex } })
  }
})

const publicFeeOf = ({ canDeposit, canWithdraw, deposit, name, ticker, withdraw }: Currency): PublicFees.PublicFee => ({
  ticker,
  name,
  providers: [],
  canDeposit,
  canWithdraw,
  canDepositByCall: canDeposit,
  canWithdrawByCall: canWithdraw,
  deposit: directionOf(deposit),
  withdraw: directionOf(withdraw)
})

/** The handlers for markets, currencies and the server. */
export const market = group({
  Fees: { answer: (_request, { state }) => [...state.currencies] },
  ServerStatus: { answer: () => ["pong"] },
  Markets: { answer: (_request, { state }) => [...state.markets.values()] },
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
        return Iterator.from(levels).take(most).map(MarketFigures.levelOf).toArray()
      }
      return { market, timestamp: MarketFigures.seconds(at), asks: sideOf("asks"), bids: sideOf("bids") }
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
      // Every market has its own fees, so all markets are listed.
      customFees: new Map(
        [...markets.values()].map(({ makerFee: maker, name, takerFee: taker }) => [name, { maker, taker }])
      )
    })
  },
  PublicFees: {
    answer: (_request, { state }) =>
      new Map(state.currencies.map((currency) => [currency.ticker, publicFeeOf(currency)]))
  },
  // A halted exchange refuses every call, so no other status is ever sent.
  PlatformStatus: { answer: () => "operational" },
  CollateralMarkets: {
    answer: (_request, { state }) =>
      [...state.markets.values()].filter(({ isCollateral }) => isCollateral).map(({ name }) => name)
  },
  ServerTime: { answer: (_request, { serverTime }) => ({ time: MarketFigures.seconds(serverTime) }) }
})
