/**
 * A market and its bounds: what `minAmount`, `minTotal`, `maxTotal`, `stockPrec` and `moneyPrec` of the document refer
 * to (Endpoints §2 and §3).
 *
 * @since 0.1.0
 */
import * as Decimal from "./Decimal.ts"
import type { Amount, Price } from "./Decimal.ts"
import type { MarketName, Ticker } from "./Identifiers.ts"
import type { Rule } from "./Rule.ts"
import type { Unrecognised } from "./Unrecognised.ts"

/**
 * One market as the exchange describes it.
 *
 * - `name`: `BASE_QUOTE`
 * - `stock`, `money`: tickers of the base and the quote currency
 * - `stockPrecision`: the most fractional digits of an amount, in units of the base currency
 * - `moneyPrecision`: the most fractional digits of a price, in units of the quote currency
 * - `feePrecision`: the fractional digits of a fee
 * - `makerFee`, `takerFee`: in percent (`"0.1"` is 0.1 %)
 * - `minAmount`: the least amount of an order, in units of the base currency
 * - `minTotal`, `maxTotal`: bounds of amount × price, in units of the quote currency; a zero maximum is no bound
 * - `tradesEnabled`: whether orders are accepted
 * - `isCollateral`: whether it trades on margin
 *
 * @category models
 * @since 0.1.0
 */
export interface Market {
  readonly name: MarketName
  readonly stock: Ticker
  readonly money: Ticker
  readonly stockPrecision: number
  readonly moneyPrecision: number
  readonly feePrecision: number
  readonly makerFee: Decimal.Decimal
  readonly takerFee: Decimal.Decimal
  readonly minAmount: Decimal.Decimal
  readonly minTotal: Decimal.Decimal
  readonly maxTotal: Decimal.Decimal
  readonly tradesEnabled: boolean
  readonly isCollateral: boolean
  readonly type: "spot" | "futures" | Unrecognised
}

/**
 * What of an order a market has bounds for. Prices are named as the request names them.
 *
 * @category models
 * @since 0.1.0
 */
export interface Bounded {
  readonly amount: Amount
  readonly prices: Readonly<Record<string, Price>>
  /** The names of the prices at which the order may trade: amount × each has a least and a greatest total. */
  readonly tradesAt: ReadonlyArray<string>
}

const stepOf = (digits: number): string => digits === 0 ? "1" : `0.${"0".repeat(digits - 1)}1`

/**
 * Every bound of the market that the order breaks, by field; empty when it may be placed (document, Endpoints §3:
 * `stockPrec` for amounts, `moneyPrec` for prices, `minAmount`, `minTotal`, `maxTotal`).
 *
 * @category rules
 * @since 0.1.0
 */
export const violations = (market: Market, order: Bounded): ReadonlyArray<readonly [field: string, rule: Rule]> => {
  const found: Array<readonly [string, Rule]> = []
  if (!market.tradesEnabled) found.push(["market", { rule: "known" }])
  if (!Decimal.fitsPrecision(order.amount, market.stockPrecision)) {
    found.push(["amount", { rule: "precision", step: stepOf(market.stockPrecision) }])
  }
  if (Decimal.Order(order.amount, market.minAmount) < 0) {
    found.push(["amount", { rule: "minAmount", min: market.minAmount }])
  }
  for (const [field, price] of Object.entries(order.prices)) {
    if (!Decimal.fitsPrecision(price, market.moneyPrecision)) {
      found.push([field, { rule: "precision", step: stepOf(market.moneyPrecision) }])
    }
  }
  const totals = order.tradesAt.flatMap((field) => order.prices[field] ?? [])
  if (totals.some((price) => Decimal.compareProduct(order.amount, price, market.minTotal) < 0)) {
    found.push(["amount", { rule: "minTotal", min: market.minTotal }])
  }
  if (
    !Decimal.isZero(market.maxTotal) &&
    totals.some((price) => Decimal.compareProduct(order.amount, price, market.maxTotal) > 0)
  ) found.push(["amount", { rule: "maxTotal", max: market.maxTotal }])
  return found
}
