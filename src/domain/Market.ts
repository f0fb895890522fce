/**
 * Markets and their order limits: `minAmount`, `minTotal`, `maxTotal`, `stockPrec` and `moneyPrec` (the document,
 * Endpoints §2 and §3).
 *
 * @example
 * ```ts
 * import { Market } from "effect-txc"
 *
 * // The fields of an order that break the market's limits, with the kind of limit.
 * const wrongFields = (market: Market.Market, order: Market.Bounded) =>
 *   Market.violations(market, order).map(([field, { kind }]) => `${field}: ${kind}`)
 * ```
 */
import type { Constraint } from "./Constraint.ts"
import * as Decimal from "./Decimal.ts"
import type { Amount, Price } from "./Decimal.ts"
import type { MarketName, Ticker } from "./Identifiers.ts"
import type { UnixSeconds } from "./Time.ts"
import type { Unrecognised } from "./Unrecognised.ts"

/**
 * A market, as described by the exchange.
 *
 * @category models
 */
export interface Market {
  /** The market's name, `BASE_QUOTE`. */
  readonly name: MarketName
  /** The base currency, which is traded. */
  readonly stock: Ticker
  /** The quote currency, in which prices are given. */
  readonly money: Ticker
  /**
   * The maximum number of fractional digits of an amount in the base currency. If negative, amounts are multiples of a
   * power of ten, such as 1000 for -3. Only the live exchange has such markets.
   */
  readonly stockPrecision: number
  /** The maximum number of fractional digits of a price, and of an amount in the quote currency. */
  readonly moneyPrecision: number
  /**
   * The price step, in the quote currency: every price is a multiple of this step. If absent, the step is one unit of
   * the last digit of `moneyPrecision`. Live dialect only.
   */
  readonly tickSize?: Price
  /**
   * The amount step, in the base currency: every amount in the base currency is a multiple of this step. If absent, the
   * step is one unit of the last digit of `stockPrecision`. Live dialect only.
   */
  readonly stepSize?: Amount
  /** The number of fractional digits of fees. */
  readonly feePrecision: number
  /** The maker fee, in percent: `"0.1"` is 0.1 %. */
  readonly makerFee: Decimal.Decimal
  /** The taker fee, in percent: `"0.1"` is 0.1 %. */
  readonly takerFee: Decimal.Decimal
  /** An order's minimum amount, in the base currency. */
  readonly minAmount: Decimal.Decimal
  /** An order's minimum total (amount × price), in the quote currency. */
  readonly minTotal: Decimal.Decimal
  /** An order's maximum total (amount × price), in the quote currency. Zero means no maximum. */
  readonly maxTotal: Decimal.Decimal
  /** Whether the market accepts orders. */
  readonly tradesEnabled: boolean
  /** Whether the market is a margin market, on which margin orders can be placed. */
  readonly isCollateral: boolean
  /**
   * Spot, futures, or traditional-finance futures, which only the live exchange has. An unknown value is returned as an
   * `Unrecognised`.
   */
  readonly type: "spot" | "futures" | "tradfiFutures" | Unrecognised
  /**
   * Whether the market is a traditional-finance futures market, such as a market for share futures. An account needs
   * permission to place orders on such a market; without permission, the exchange refuses the orders with code 10011.
   * Live dialect only.
   */
  readonly isTradFiFutures?: boolean
  /**
   * The time when the market will be delisted, in Unix seconds. Absent when no delisting is planned. Live dialect only.
   */
  readonly delistedAt?: UnixSeconds
}

/**
 * The terms of an order that are subject to its market's limits, in the form that {@link violations} checks.
 *
 * @category models
 */
export interface Bounded {
  /** The order's market. */
  readonly market: MarketName
  /** Whether the order can only be placed on a margin market. */
  readonly collateral: boolean
  /**
   * The ordered amount, in the base currency, or in the quote currency if `quoteAmount` is set. Absent when a
   * modification does not change the amount.
   */
  readonly amount?: Amount
  /** Whether the amount is in the quote currency. Default `false`. */
  readonly quoteAmount?: boolean
  /** The new total of a modified order, in the quote currency. Absent when the total does not change. */
  readonly total?: Amount
  /** The order's prices, in the quote currency, keyed by their field names in the request. */
  readonly prices: Readonly<Record<string, Price>>
  /**
   * The field names of the prices at which the order may trade. Amount × price must be within the market's limits at
   * each of these prices.
   */
  readonly tradesAt: ReadonlyArray<string>
}

/**
 * The terms that all types of new orders have, and that are subject to the market's limits.
 *
 * @category models
 */
export interface Terms {
  /** The order's market. */
  readonly market: MarketName
  /** The ordered amount, in the base currency unless `quoteAmount` of {@link MarketTerms} is set. */
  readonly amount: Amount
  /** The price of the take-profit that the exchange places when the order is filled, in the quote currency. */
  readonly takeProfit?: Price
  /** The price of the stop-loss that the exchange places when the order is filled, in the quote currency. */
  readonly stopLoss?: Price
}

/**
 * The terms of a limit order that are subject to its market's limits.
 *
 * @category models
 */
export interface LimitTerms extends Terms {
  /** The limit price, in the quote currency. Absent when the order trades at the best bid or offer. */
  readonly price?: Price
  /** Whether the order can only be placed on a margin market. */
  readonly collateral: boolean
}

/**
 * The terms of a market order that are subject to its market's limits.
 *
 * @category models
 */
export interface MarketTerms extends Terms {
  /** Whether the order can only be placed on a margin market. */
  readonly collateral: boolean
  /** Whether the amount is in the quote currency. */
  readonly quoteAmount: boolean
}

/**
 * The terms of a stop-limit order that are subject to its market's limits.
 *
 * @category models
 */
export interface StopLimitTerms extends Terms {
  /**
   * The limit price once the order is triggered, in the quote currency. Absent when the order trades at the best bid or
   * offer.
   */
  readonly price?: Price
  /** The price that triggers the order, in the quote currency. */
  readonly activationPrice: Price
  /** Whether the order can only be placed on a margin market. Default `false`. */
  readonly collateral?: boolean
}

/**
 * The terms of a stop-market order that are subject to its market's limits.
 *
 * @category models
 */
export interface StopMarketTerms extends MarketTerms {
  /** The price that triggers the order, in the quote currency. */
  readonly activationPrice: Price
}

/**
 * The new terms of a modified order. Absent terms do not change.
 *
 * @category models
 */
export interface ChangedTerms {
  /** The order's market. */
  readonly market: MarketName
  /** The ordered amount, in the base currency. */
  readonly amount?: Amount
  /** The amount that the order spends, in the quote currency. */
  readonly total?: Amount
  /** The limit price, in the quote currency. */
  readonly price?: Price
  /** The price that triggers the order, in the quote currency. */
  readonly activationPrice?: Price
}

/**
 * The terms of a collateral OCO order that are subject to its market's limits.
 *
 * @category models
 */
export interface OcoTerms extends Terms {
  /** The take-profit's limit price, in the quote currency. */
  readonly price: Price
  /** The price that triggers the stop-loss, in the quote currency. */
  readonly activationPrice: Price
  /** The limit price of the stop-loss once it is triggered, in the quote currency. */
  readonly stopLimitPrice: Price
}

/** Adds the prices of an order's take-profit and stop-loss, if it has them. */
const withExit = (prices: Bounded["prices"], { stopLoss, takeProfit }: Terms): Bounded["prices"] =>
  takeProfit === undefined && stopLoss === undefined ? prices : {
    ...prices,
    ...(takeProfit === undefined ? {} : { takeProfit }),
    ...(stopLoss === undefined ? {} : { stopLoss })
  }

/**
 * Converts a limit order's terms to the form that {@link violations} checks.
 *
 * @category constructors
 */
export const limit = (terms: LimitTerms): Bounded => {
  const { amount, collateral, market, price } = terms
  return {
    market,
    collateral,
    amount,
    prices: withExit(price === undefined ? {} : { price }, terms),
    tradesAt: ["price"]
  }
}

/**
 * Converts a market order's terms to the form that {@link violations} checks. An amount in the quote currency is
 * checked against the market's minimum total.
 *
 * @category constructors
 */
export const market = (terms: MarketTerms): Bounded => {
  const { amount, collateral, market, quoteAmount } = terms
  return { market, collateral, amount, quoteAmount, prices: withExit({}, terms), tradesAt: [] }
}

/**
 * Converts a stop-limit order's terms to the form that {@link violations} checks.
 *
 * @category constructors
 */
export const stopLimit = (terms: StopLimitTerms): Bounded => {
  const { activationPrice, amount, collateral = false, market, price } = terms
  return {
    market,
    collateral,
    amount,
    prices: withExit({ ...(price === undefined ? {} : { price }), activationPrice }, terms),
    tradesAt: ["price"]
  }
}

/**
 * Converts a stop-market order's terms to the form that {@link violations} checks. An amount in the quote currency is
 * checked against the market's minimum total.
 *
 * @category constructors
 */
export const stopMarket = (terms: StopMarketTerms): Bounded => {
  const { activationPrice, amount, collateral, market, quoteAmount } = terms
  return { market, collateral, amount, quoteAmount, prices: withExit({ activationPrice }, terms), tradesAt: [] }
}

/**
 * Converts the terms of both legs of a collateral OCO order to the form that {@link violations} checks.
 *
 * @category constructors
 */
export const collateralOco = ({ activationPrice, amount, market, price, stopLimitPrice }: OcoTerms): Bounded => ({
  market,
  collateral: true,
  amount,
  prices: { price, activationPrice, stopLimitPrice },
  tradesAt: ["price", "stopLimitPrice"]
})

/**
 * Converts a modified order's new terms to the form that {@link violations} checks. Amount × price is checked only if
 * both are given.
 *
 * @category constructors
 */
export const changed = ({ activationPrice, amount, market, price, total }: ChangedTerms): Bounded => ({
  market,
  collateral: false,
  ...(amount === undefined ? {} : { amount }),
  ...(total === undefined ? {} : { total }),
  prices: { ...(price === undefined ? {} : { price }), ...(activationPrice === undefined ? {} : { activationPrice }) },
  tradesAt: ["price"]
})

const units = new Map<number, Amount>()

/** The step that corresponds to a number of fractional digits: 0.01 for 2, 1000 for -3. */
const unitOf = (digits: number): Amount => {
  const known = units.get(digits)
  if (known !== undefined) return known
  const unit = Decimal.Amount.make(digits > 0 ? `0.${"0".repeat(digits - 1)}1` : `1${"0".repeat(-digits)}`)
  units.set(digits, unit)
  return unit
}

/**
 * The step of a market's prices, in the quote currency: its `tickSize`, or one unit of the last digit of its
 * `moneyPrecision`.
 *
 * @category steps
 */
export const priceStep = ({ moneyPrecision, tickSize }: Market): Amount | Price => tickSize ?? unitOf(moneyPrecision)

/**
 * The step of a market's amounts, in the base currency: its `stepSize`, or one unit of the last digit of its
 * `stockPrecision`.
 *
 * @category steps
 */
export const amountStep = ({ stepSize, stockPrecision }: Market): Amount => stepSize ?? unitOf(stockPrecision)

/**
 * Returns the market limits that an order breaks, each with the field that breaks it; empty if the order may be placed.
 * The document's limits (Endpoints §2 and §3) are `stockPrec` for amounts, `moneyPrec` for prices, `minAmount`,
 * `minTotal` and `maxTotal`. The live exchange also has `stepSize` and `tickSize`. The field `market` breaks the
 * constraint `known` if the market is unknown (`undefined`), does not accept orders, or is not a margin market when
 * the order requires one.
 *
 * @category checks
 */
export const violations = (
  market: Market | undefined,
  order: Bounded
): ReadonlyArray<readonly [field: string, constraint: Constraint]> => {
  if (market === undefined || !market.tradesEnabled || (order.collateral && !market.isCollateral)) {
    return [["market", { kind: "known" }]]
  }
  const found: Array<readonly [string, Constraint]> = []
  const { amount, total } = order
  const steps = (field: string, value: Decimal.Decimal, step: Amount | Price) => {
    if (!Decimal.isMultipleOf(value, step)) found.push([field, { kind: "step", step }])
  }
  // An amount in the quote currency has the same precision as prices, but need not be a multiple of the price step.
  const money = (field: string, value: Amount) => {
    const { minTotal, moneyPrecision } = market
    const step = unitOf(moneyPrecision)
    if (!Decimal.isMultipleOf(value, step)) found.push([field, { kind: "precision", step }])
    if (Decimal.Order(value, minTotal) < 0) found.push([field, { kind: "minAmount", min: minTotal }])
  }
  if (amount !== undefined && order.quoteAmount === true) money("amount", amount)
  else if (amount !== undefined) {
    steps("amount", amount, amountStep(market))
    if (Decimal.Order(amount, market.minAmount) < 0)
      found.push(["amount", { kind: "minAmount", min: market.minAmount }])
  }
  if (total !== undefined) money("total", total)
  for (const [field, price] of Object.entries(order.prices)) steps(field, price, priceStep(market))
  if (amount === undefined) return found
  const totals = order.tradesAt.flatMap((field) => order.prices[field] ?? [])
  if (totals.some((price) => Decimal.compareProduct(amount, price, market.minTotal) < 0)) {
    found.push(["amount", { kind: "minTotal", min: market.minTotal }])
  }
  if (
    !Decimal.isZero(market.maxTotal) &&
    totals.some((price) => Decimal.compareProduct(amount, price, market.maxTotal) > 0)
  ) found.push(["amount", { kind: "maxTotal", max: market.maxTotal }])
  return found
}
