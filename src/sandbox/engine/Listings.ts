/** The markets and currencies that a new exchange lists. */
import * as Decimal from "../../domain/Decimal.ts"
import { marketName, type Ticker, ticker } from "../../domain/Identifiers.ts"
import type * as MarginUnits from "../../domain/MarginUnits.ts"
import type { Market } from "../../domain/Market.ts"
import * as Units from "./Units.ts"

/**
 * The fees and limits of a currency's deposits or withdrawals. A value of zero means that there is no such fee or
 * limit. The values are only displayed, because this exchange has no deposits or withdrawals.
 */
export interface TransferTerms {
  /** The minimum flexible fee, in units of the currency. */
  readonly minFlex: Decimal.Decimal
  /** The maximum flexible fee, in units of the currency. */
  readonly maxFlex: Decimal.Decimal
  /** The flexible fee, as a percentage of the amount. */
  readonly percentFlex: Decimal.Decimal
  /** The fixed fee, in units of the currency. */
  readonly fixed: Decimal.Decimal
  /** The minimum amount of a deposit or withdrawal, in units of the currency. */
  readonly minAmount: Decimal.Decimal
  /** The maximum amount of a deposit or withdrawal, in units of the currency. */
  readonly maxAmount: Decimal.Decimal
}

/** A currency that the exchange lists. */
export interface Currency {
  /** The currency's ticker. */
  readonly ticker: Ticker
  /** The currency's full name. */
  readonly name: string
  /** Whether the currency can be deposited. */
  readonly canDeposit: boolean
  /** Whether the currency can be withdrawn. */
  readonly canWithdraw: boolean
  /** The fees and limits of deposits. */
  readonly deposit: TransferTerms
  /** The fees and limits of withdrawals. */
  readonly withdraw: TransferTerms
}

/** A network for deposits and withdrawals. The exchange only displays it. */
export interface Network {
  /** The network's name. */
  readonly name: string
  /** The number of confirmations that a deposit needs. */
  readonly confirmations: number
}

const bitcoin: Network = { name: "BTC", confirmations: 2 }
const ethereum: Network = { name: "ERC20", confirmations: 20 }

/** The only network of a currency: Bitcoin for BTC, Ethereum for every other currency. */
export const networkOf = (currency: Ticker): Network => currency === ticker("BTC") ? bitcoin : ethereum

const noTerms: TransferTerms = {
  minFlex: Decimal.zero,
  maxFlex: Decimal.zero,
  percentFlex: Decimal.zero,
  fixed: Decimal.zero,
  minAmount: Decimal.zero,
  maxAmount: Decimal.zero
}

/** The currencies that a new exchange lists. */
export const currencies: ReadonlyArray<Currency> = [
  {
    ticker: ticker("BTC"),
    name: "Bitcoin",
    canDeposit: true,
    canWithdraw: true,
    deposit: { ...noTerms, minAmount: Decimal.of("0.0001") },
    withdraw: { ...noTerms, fixed: Decimal.of("0.0004"), minAmount: Decimal.of("0.001"), maxAmount: Decimal.of("3") }
  },
  {
    ticker: ticker("ETH"),
    name: "Ethereum",
    canDeposit: true,
    canWithdraw: true,
    deposit: { ...noTerms, minAmount: Decimal.of("0.001") },
    withdraw: { ...noTerms, fixed: Decimal.of("0.0025"), minAmount: Decimal.of("0.01"), maxAmount: Decimal.of("50") }
  },
  {
    ticker: ticker("USDT"),
    name: "Tether US",
    canDeposit: true,
    canWithdraw: true,
    deposit: { ...noTerms, minAmount: Decimal.of("5") },
    withdraw: { ...noTerms, fixed: Decimal.of("1"), minAmount: Decimal.of("10"), maxAmount: Decimal.of("1000000") }
  },
  {
    ticker: ticker("SHIB"),
    name: "Shiba Inu",
    canDeposit: true,
    canWithdraw: true,
    deposit: { ...noTerms, minAmount: Decimal.of("10000") },
    withdraw: { ...noTerms, fixed: Decimal.of("120000"), minAmount: Decimal.of("250000"), maxAmount: Decimal.of("0") }
  }
]

/** The markets that a new exchange lists. */
export const markets: ReadonlyArray<Market> = [
  {
    name: marketName("BTC_USDT"),
    stock: ticker("BTC"),
    money: ticker("USDT"),
    stockPrecision: 6,
    moneyPrecision: 2,
    tickSize: Decimal.price("0.01"),
    stepSize: Decimal.amount("0.000001"),
    feePrecision: 4,
    makerFee: Decimal.of("0.1"),
    takerFee: Decimal.of("0.1"),
    minAmount: Decimal.of("0.00001"),
    minTotal: Decimal.of("5"),
    maxTotal: Decimal.of("10000000"),
    tradesEnabled: true,
    isCollateral: true,
    type: "spot",
    isTradFiFutures: false
  },
  {
    name: marketName("ETH_USDT"),
    stock: ticker("ETH"),
    money: ticker("USDT"),
    stockPrecision: 5,
    moneyPrecision: 2,
    tickSize: Decimal.price("0.01"),
    stepSize: Decimal.amount("0.00001"),
    feePrecision: 4,
    makerFee: Decimal.of("0.1"),
    takerFee: Decimal.of("0.1"),
    minAmount: Decimal.of("0.001"),
    minTotal: Decimal.of("5"),
    maxTotal: Decimal.of("10000000"),
    tradesEnabled: true,
    isCollateral: true,
    type: "spot",
    isTradFiFutures: false
  },
  {
    name: marketName("ETH_BTC"),
    stock: ticker("ETH"),
    money: ticker("BTC"),
    stockPrecision: 4,
    moneyPrecision: 6,
    tickSize: Decimal.price("0.000001"),
    stepSize: Decimal.amount("0.0001"),
    feePrecision: 4,
    makerFee: Decimal.of("0.1"),
    takerFee: Decimal.of("0.1"),
    minAmount: Decimal.of("0.001"),
    minTotal: Decimal.of("0.0001"),
    maxTotal: Decimal.of("0"),
    tradesEnabled: true,
    isCollateral: false,
    type: "spot",
    isTradFiFutures: false
  },
  {
    name: marketName("BTC_PERP"),
    stock: ticker("BTC"),
    money: ticker("USDT"),
    stockPrecision: 3,
    moneyPrecision: 1,
    tickSize: Decimal.price("0.1"),
    stepSize: Decimal.amount("0.001"),
    feePrecision: 4,
    makerFee: Decimal.of("0.01"),
    takerFee: Decimal.of("0.055"),
    minAmount: Decimal.of("0.001"),
    minTotal: Decimal.of("5"),
    maxTotal: Decimal.of("10000000"),
    tradesEnabled: true,
    isCollateral: true,
    type: "futures",
    isTradFiFutures: false
  },
  {
    name: marketName("SHIB_USDT"),
    stock: ticker("SHIB"),
    money: ticker("USDT"),
    stockPrecision: 0,
    moneyPrecision: 10,
    tickSize: Decimal.price("0.0000000001"),
    stepSize: Decimal.amount("1"),
    feePrecision: 4,
    makerFee: Decimal.of("0.1"),
    takerFee: Decimal.of("0.1"),
    minAmount: Decimal.of("1000"),
    minTotal: Decimal.of("5"),
    maxTotal: Decimal.of("1000000"),
    tradesEnabled: true,
    isCollateral: false,
    type: "spot",
    isTradFiFutures: false
  }
]

/**
 * The settlement currency, in which positions' profits, losses and fees are paid. Every market with margin trading is
 * quoted in this currency.
 */
export const settlement = ticker("USDT")

/**
 * The weights of collateral assets, as ratios. No call to the live exchange returns the weights; the exchange's help
 * pages give examples.
 */
export const weights: ReadonlyArray<readonly [Ticker, Units.Units]> = [
  [ticker("USDT"), Units.one],
  [ticker("BTC"), 95n * Units.one / 100n],
  [ticker("ETH"), 95n * Units.one / 100n]
]

/** The initial funding settings of a futures market. */
export const funding = {
  intervalMinutes: 480,
  cap: 375n * Units.one / 100_000n,
  floor: -375n * Units.one / 100_000n
}

const bracket = (leverage: bigint, thousands?: bigint): MarginUnits.Bracket => ({
  leverage,
  upTo: thousands === undefined ? undefined : thousands * 1000n * Units.one
})

/**
 * The leverage brackets of futures markets: the cost, in quote currency, up to which a position can have each leverage.
 * The live exchange's brackets differ between markets.
 */
export const brackets: ReadonlyArray<MarginUnits.Bracket> = [
  bracket(100n, 50n),
  bracket(50n, 250n),
  bracket(20n, 1000n),
  bracket(10n, 5000n),
  bracket(5n, 10_000n),
  bracket(3n, 20_000n),
  bracket(2n, 50_000n),
  bracket(1n, 100_000n)
]
