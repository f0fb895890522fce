/**
 * The markets and currencies that a new exchange lists.
 *
 * @since 0.1.0
 */
import * as Decimal from "../../domain/Decimal.ts"
import { marketName, type Ticker, ticker } from "../../domain/Identifiers.ts"
import type { Market } from "../../domain/Market.ts"

/**
 * A currency. All amounts are in units of it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Currency {
  /** Its ticker. */
  readonly ticker: Ticker
  /** Its full name. */
  readonly name: string
  /** The smallest deposit. */
  readonly depositMinimum: Decimal.Decimal
  /** The fee of a withdrawal. */
  readonly withdrawFee: Decimal.Decimal
  /** The smallest withdrawal. */
  readonly withdrawMinimum: Decimal.Decimal
  /** The greatest withdrawal; zero is no bound. */
  readonly withdrawMaximum: Decimal.Decimal
}

/**
 * The currencies.
 *
 * @category listings
 * @since 0.1.0
 */
export const currencies: ReadonlyArray<Currency> = [
  {
    ticker: ticker("BTC"),
    name: "Bitcoin",
    depositMinimum: Decimal.of("0.0001"),
    withdrawFee: Decimal.of("0.0004"),
    withdrawMinimum: Decimal.of("0.001"),
    withdrawMaximum: Decimal.of("3")
  },
  {
    ticker: ticker("ETH"),
    name: "Ethereum",
    depositMinimum: Decimal.of("0.001"),
    withdrawFee: Decimal.of("0.0025"),
    withdrawMinimum: Decimal.of("0.01"),
    withdrawMaximum: Decimal.of("50")
  },
  {
    ticker: ticker("USDT"),
    name: "Tether US",
    depositMinimum: Decimal.of("5"),
    withdrawFee: Decimal.of("1"),
    withdrawMinimum: Decimal.of("10"),
    withdrawMaximum: Decimal.of("1000000")
  },
  {
    ticker: ticker("SHIB"),
    name: "Shiba Inu",
    depositMinimum: Decimal.of("10000"),
    withdrawFee: Decimal.of("120000"),
    withdrawMinimum: Decimal.of("250000"),
    withdrawMaximum: Decimal.of("0")
  }
]

/**
 * The markets.
 *
 * @category listings
 * @since 0.1.0
 */
export const markets: ReadonlyArray<Market> = [
  {
    name: marketName("BTC_USDT"),
    stock: ticker("BTC"),
    money: ticker("USDT"),
    stockPrecision: 6,
    moneyPrecision: 2,
    feePrecision: 4,
    makerFee: Decimal.of("0.1"),
    takerFee: Decimal.of("0.1"),
    minAmount: Decimal.of("0.00001"),
    minTotal: Decimal.of("5"),
    maxTotal: Decimal.of("10000000"),
    tradesEnabled: true,
    isCollateral: true,
    type: "spot"
  },
  {
    name: marketName("ETH_USDT"),
    stock: ticker("ETH"),
    money: ticker("USDT"),
    stockPrecision: 5,
    moneyPrecision: 2,
    feePrecision: 4,
    makerFee: Decimal.of("0.1"),
    takerFee: Decimal.of("0.1"),
    minAmount: Decimal.of("0.001"),
    minTotal: Decimal.of("5"),
    maxTotal: Decimal.of("10000000"),
    tradesEnabled: true,
    isCollateral: true,
    type: "spot"
  },
  {
    name: marketName("ETH_BTC"),
    stock: ticker("ETH"),
    money: ticker("BTC"),
    stockPrecision: 4,
    moneyPrecision: 6,
    feePrecision: 4,
    makerFee: Decimal.of("0.1"),
    takerFee: Decimal.of("0.1"),
    minAmount: Decimal.of("0.001"),
    minTotal: Decimal.of("0.0001"),
    maxTotal: Decimal.of("0"),
    tradesEnabled: true,
    isCollateral: false,
    type: "spot"
  },
  {
    name: marketName("BTC_PERP"),
    stock: ticker("BTC"),
    money: ticker("USDT"),
    stockPrecision: 3,
    moneyPrecision: 1,
    feePrecision: 4,
    makerFee: Decimal.of("0.01"),
    takerFee: Decimal.of("0.055"),
    minAmount: Decimal.of("0.001"),
    minTotal: Decimal.of("5"),
    maxTotal: Decimal.of("10000000"),
    tradesEnabled: true,
    isCollateral: true,
    type: "futures"
  },
  {
    name: marketName("SHIB_USDT"),
    stock: ticker("SHIB"),
    money: ticker("USDT"),
    stockPrecision: 0,
    moneyPrecision: 10,
    feePrecision: 4,
    makerFee: Decimal.of("0.1"),
    takerFee: Decimal.of("0.1"),
    minAmount: Decimal.of("1000"),
    minTotal: Decimal.of("5"),
    maxTotal: Decimal.of("1000000"),
    tradesEnabled: true,
    isCollateral: false,
    type: "spot"
  }
]
