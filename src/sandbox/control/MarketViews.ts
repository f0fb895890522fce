/** Markets as the sandbox's owner sees them: prices, depth and trades. */
import * as Schema from "effect/Schema"
import { Decimal } from "../../domain/Decimal.ts"
import { MarketName, Ticker } from "../../domain/Identifiers.ts"
import { OrderSide } from "../../domain/Order.ts"
import type * as Book from "../engine/Book.ts"
import * as Fundings from "../engine/Fundings.ts"
import * as Leverage from "../engine/Leverage.ts"
import * as ReferencePrices from "../engine/ReferencePrices.ts"
import type * as State from "../engine/State.ts"
import * as Units from "../engine/Units.ts"

/** A market, with its prices and its funding. */
export interface MarketSummary {
  /** The market's name, such as `BTC_USDT`. */
  readonly market: MarketName
  /** The base currency, such as `BTC`. */
  readonly stock: Ticker
  /** The quote currency, such as `USDT`. */
  readonly money: Ticker
  /** The number of decimal places in a price. */
  readonly pricePrecision: number
  /** The kind of market: `spot` if trades exchange wallet balances, otherwise `futures`. */
  readonly type: "spot" | "futures"
  /** Whether margin orders can trade on the market. Futures markets always trade on margin. */
  readonly margin: boolean
  /** Whether the counterparty quotes the market. */
  readonly quoted: boolean
  /** The last price, in quote currency; absent until the market has a price. */
  readonly price?: Decimal
  /** The index price, in quote currency; absent on markets without margin, and until there is a price. */
  readonly index?: Decimal
  /** The mark price, in quote currency; absent on markets without margin, and until there is a price. */
  readonly mark?: Decimal
  /** The current funding rate of a futures market, as a ratio; absent on other markets. */
  readonly fundingRate?: Decimal
  /** The time between two funding settlements of a futures market, in minutes; absent on other markets. */
  readonly fundingMinutes?: number
  /**
   * The values that the owner has set: of the index price, the mark price and the funding rate. These values do not
   * follow the market. Absent on markets without margin.
   */
  readonly fixed?: ReadonlyArray<(typeof fixable)[number]>
}

const fixable = ["index", "mark", "fundingRate"] as const

/** The schema of {@link MarketSummary}. */
export const MarketSummary: Schema.Codec<MarketSummary, unknown> = Schema.Struct({
  market: MarketName,
  stock: Ticker,
  money: Ticker,
  pricePrecision: Schema.Int,
  type: Schema.Literals(["spot", "futures"]),
  margin: Schema.Boolean,
  quoted: Schema.Boolean,
  price: Schema.optionalKey(Decimal),
  index: Schema.optionalKey(Decimal),
  mark: Schema.optionalKey(Decimal),
  fundingRate: Schema.optionalKey(Decimal),
  fundingMinutes: Schema.optionalKey(Schema.Int),
  fixed: Schema.optionalKey(Schema.Array(Schema.Literals(fixable)))
})

/** One price level of the order book. */
export interface Level {
  /** The price, in quote currency. */
  readonly price: Decimal
  /** The total amount of the resting orders at this price, in base currency. */
  readonly amount: Decimal
}

/** A trade on a market. */
export interface MarketTrade {
  /** The trade's id, assigned by the exchange. */
  readonly id: number
  /** The time of the trade, in Unix microseconds. */
  readonly at: number
  /** The price, in quote currency. */
  readonly price: Decimal
  /** The amount, in base currency. */
  readonly amount: Decimal
  /** The taker's side. */
  readonly side: OrderSide
}

/** The best price levels of a market's order book, and the market's latest trades. */
export interface Depth {
  /** The bids, highest price first; at most 20 levels. */
  readonly bids: ReadonlyArray<Level>
  /** The asks, lowest price first; at most 20 levels. */
  readonly asks: ReadonlyArray<Level>
  /** The latest trades, latest first; at most 50. */
  readonly trades: ReadonlyArray<MarketTrade>
}

const Level = Schema.Struct({ price: Decimal, amount: Decimal })

/** The schema of {@link Depth}. */
export const Depth: Schema.Codec<Depth, unknown> = Schema.Struct({
  bids: Schema.Array(Level),
  asks: Schema.Array(Level),
  trades: Schema.Array(Schema.Struct({
    id: Schema.Int,
    at: Schema.Int,
    price: Decimal,
    amount: Decimal,
    side: OrderSide
  }))
})

/** All markets and their prices. */
export const markets = (state: State.State): ReadonlyArray<MarketSummary> =>
  [...state.markets.values()].map((market) => {
    const { isCollateral, money, moneyPrecision, name, stock, type } = market
    const last = state.trading.get(name)?.lastPrice
    return {
      market: name,
      stock,
      money,
      pricePrecision: moneyPrecision,
      type: type === "spot" ? "spot" : "futures",
      margin: isCollateral || type === "futures",
      quoted: state.counterparty.markets.get(name)?.settings.enabled ?? false,
      ...(last === undefined ? {} : { price: Units.toDecimal(last) }),
      ...(Leverage.isLeveraged(market) ? referencesOf(state, name) : {})
    }
  })

/** The index price, the mark price and the funding of a market with margin trading. */
const referencesOf = (state: State.State, market: MarketName) => {
  const [index, mark] = [ReferencePrices.index(state, market), ReferencePrices.mark(state, market)]
  const funding = state.funding.get(market)
  const { indexPrice, markPrice } = state.trading.get(market) ?? {}
  const set = { index: indexPrice, mark: markPrice, fundingRate: funding?.rate }
  return {
    fixed: fixable.filter((name) => set[name] !== undefined),
    ...(index === undefined ? {} : { index: Units.toDecimal(index) }),
    ...(mark === undefined ? {} : { mark: Units.toDecimal(mark) }),
    ...(funding === undefined ? {} : {
      fundingRate: Units.toDecimal(Fundings.rateOf(state, market)),
      fundingMinutes: funding.intervalMinutes
    })
  }
}

const levels = (side: Iterable<Book.Level>): ReadonlyArray<Level> =>
  Iterator.from(side).take(20).map(({ left, price }) => ({
    price: Units.toDecimal(price),
    amount: Units.toDecimal(left)
  })).toArray()

/** A market's best price levels and latest trades; `undefined` if the market does not exist. */
export const depth = ({ trading }: State.State, market: MarketName): Depth | undefined => {
  const found = trading.get(market)
  return found && {
    bids: levels(found.book.bids),
    asks: levels(found.book.asks),
    trades: found.trades.slice(-50).toReversed().map(({ amount, at, id, price, side }) => ({
      id,
      at,
      price: Units.toDecimal(price),
      amount: Units.toDecimal(amount),
      side
    }))
  }
}
