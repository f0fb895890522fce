/**
 * A market and its bounds: what `minAmount`, `minTotal`, `maxTotal`, `stockPrec` and `moneyPrec` of the document refer
 * to (Endpoints §2 and §3).
 *
 * @since 0.1.0
 */
import type { Constraint } from "./Constraint.ts"
import * as Decimal from "./Decimal.ts"
import type { Amount, Price } from "./Decimal.ts"
import type { MarketName, Ticker } from "./Identifiers.ts"
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
 * What of an order a market has bounds for.
 *
 * - `collateral`: whether it needs a market that trades on margin
 * - `quoteAmount`: whether the amount is in quote currency
 * - `prices`: all its prices, by the names that requests have for them
 * - `tradesAt`: the names of those at which it may trade; amount × each has a least and a greatest total
 *
 * @category models
 * @since 0.1.0
 */
export interface Bounded {
  readonly market: MarketName
  readonly collateral: boolean
  readonly amount: Amount
  readonly quoteAmount?: boolean
  readonly prices: Readonly<Record<string, Price>>
  readonly tradesAt: ReadonlyArray<string>
}

/**
 * What a market bounds of a limit order.
 *
 * @category constructors
 * @since 0.1.0
 */
export const limit = (
  { amount, collateral, market, price }: {
    readonly market: MarketName
    readonly amount: Amount
    readonly price: Price
    readonly collateral: boolean
  }
): Bounded => ({ market, collateral, amount, prices: { price }, tradesAt: ["price"] })

/**
 * What a market bounds of a market order. An amount in quote currency has the bounds of a total.
 *
 * @category constructors
 * @since 0.1.0
 */
export const market = (
  { amount, collateral, quoteAmount, market }: {
    readonly market: MarketName
    readonly amount: Amount
    readonly collateral: boolean
    readonly quoteAmount: boolean
  }
): Bounded => ({ market, collateral, amount, quoteAmount, prices: {}, tradesAt: [] })

/**
 * What a market bounds of a stop-limit order.
 *
 * @category constructors
 * @since 0.1.0
 */
export const stopLimit = (
  { activationPrice, amount, market, price }: {
    readonly market: MarketName
    readonly amount: Amount
    readonly price: Price
    readonly activationPrice: Price
  }
): Bounded => ({ market, collateral: false, amount, prices: { price, activationPrice }, tradesAt: ["price"] })

/**
 * What a market bounds of a collateral OCO order: both legs.
 *
 * @category constructors
 * @since 0.1.0
 */
export const collateralOco = (
  { activationPrice, amount, market, price, stopLimitPrice }: {
    readonly market: MarketName
    readonly amount: Amount
    readonly price: Price
    readonly activationPrice: Price
    readonly stopLimitPrice: Price
  }
): Bounded => ({
  market,
  collateral: true,
  amount,
  prices: { price, activationPrice, stopLimitPrice },
  tradesAt: ["price", "stopLimitPrice"]
})

const stepOf = (digits: number): string => digits === 0 ? "1" : `0.${"0".repeat(digits - 1)}1`

/**
 * Every bound of its market that the order breaks, by field; empty when it may be placed (document, Endpoints §2 and §3:
 * `stockPrec` for amounts, `moneyPrec` for prices, `minAmount`, `minTotal`, `maxTotal`). `market` is `undefined` when
 * there is no market of that name.
 *
 * @category rules
 * @since 0.1.0
 */
export const violations = (
  market: Market | undefined,
  order: Bounded
): ReadonlyArray<readonly [field: string, constraint: Constraint]> => {
  if (market === undefined || !market.tradesEnabled || (order.collateral && !market.isCollateral)) {
    return [["market", { kind: "known" }]]
  }
  const found: Array<readonly [string, Constraint]> = []
  const [precision, least] = order.quoteAmount === true
    ? [market.moneyPrecision, market.minTotal]
    : [market.stockPrecision, market.minAmount]
  if (!Decimal.fitsPrecision(order.amount, precision)) {
    found.push(["amount", { kind: "precision", step: stepOf(precision) }])
  }
  if (Decimal.Order(order.amount, least) < 0) found.push(["amount", { kind: "minAmount", min: least }])
  for (const [field, price] of Object.entries(order.prices)) {
    if (!Decimal.fitsPrecision(price, market.moneyPrecision)) {
      found.push([field, { kind: "precision", step: stepOf(market.moneyPrecision) }])
    }
  }
  const totals = order.tradesAt.flatMap((field) => order.prices[field] ?? [])
  if (totals.some((price) => Decimal.compareProduct(order.amount, price, market.minTotal) < 0)) {
    found.push(["amount", { kind: "minTotal", min: market.minTotal }])
  }
  if (
    !Decimal.isZero(market.maxTotal) &&
    totals.some((price) => Decimal.compareProduct(order.amount, price, market.maxTotal) > 0)
  ) found.push(["amount", { kind: "maxTotal", max: market.maxTotal }])
  return found
}
