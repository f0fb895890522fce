/** A market's steps, bounds and fees as exact quantities. */
import * as Decimal from "../../domain/Decimal.ts"
import * as Market from "../../domain/Market.ts"
import * as Units from "./Units.ts"

/** A market's terms: its steps, bounds and fees, as exact quantities. */
export interface Terms {
  /** The step of amounts, in units of the base currency. */
  readonly step: Units.Units
  /**
   * The number of decimal places up to which every amount is a multiple of the step; -1 if the decimal places alone
   * can't show that.
   */
  readonly stepDigits: number
  /** The step of prices, in units of the quote currency. */
  readonly tick: Units.Units
  /**
   * The number of decimal places up to which every price is a multiple of the step; -1 if the decimal places alone
   * can't show that.
   */
  readonly tickDigits: number
  /** The minimum amount of an order, in units of the base currency. */
  readonly minAmount: Units.Units
  /** The minimum total of an order, in units of the quote currency. */
  readonly minTotal: Units.Units
  /** The maximum total of an order, in units of the quote currency; zero if there is no maximum. */
  readonly maxTotal: Units.Units
  /** The maker fee, as a ratio. */
  readonly makerFee: Units.Units
  /** The taker fee, as a ratio. */
  readonly takerFee: Units.Units
}

const known = new WeakMap<Market.Market, Terms>()

/**
 * The number of fractional digits of a step that is 1 or a negative power of ten, such as 0.01; -1 for any other step,
 * such as 0.05 or 100.
 */
const digitsOf = (step: Decimal.Decimal): number => /^(?:1|0\.0*1)$/u.test(step) ? Decimal.writtenScale(step) : -1

/** A market's terms, computed only once for each market. */
export const of = (market: Market.Market): Terms => {
  const found = known.get(market)
  if (found !== undefined) return found
  const [step, tick] = [Market.amountStep(market), Market.priceStep(market)]
  const terms: Terms = {
    step: Units.from(step) ?? 1n,
    stepDigits: digitsOf(step),
    tick: Units.from(tick) ?? 1n,
    tickDigits: digitsOf(tick),
    minAmount: Units.from(market.minAmount) ?? 0n,
    minTotal: Units.from(market.minTotal) ?? 0n,
    maxTotal: Units.from(market.maxTotal) ?? 0n,
    makerFee: Units.ofPercent(market.makerFee),
    takerFee: Units.ofPercent(market.takerFee)
  }
  known.set(market, terms)
  return terms
}

/** The order fields that a market's rules restrict, as the caller wrote them. */
export interface Bounded {
  /** Whether the order requires a market with margin trading. */
  readonly collateral: boolean
  /** The amount, in units of the base currency. */
  readonly amount: Decimal.Decimal
  /** The order's limit price, in units of the quote currency. */
  readonly price: Decimal.Decimal
  /** The price that triggers the order, in units of the quote currency; absent if the order has no trigger. */
  readonly activationPrice?: Decimal.Decimal
}

/**
 * Whether an order certainly respects its market's bounds. `quantity` is the value of the order's amount, and `total`
 * is amount × price. Most orders pass this fast check. An order that fails may still be valid: the caller must then
 * make the full check, which finds the violations, if any.
 */
export const fit = (
  market: Market.Market,
  { activationPrice, amount, collateral, price }: Bounded,
  quantity: Units.Units,
  total: Units.Units
): boolean => {
  const { maxTotal, minAmount, minTotal, stepDigits, tickDigits } = of(market)
  if (!market.tradesEnabled || (collateral && !market.isCollateral)) return false
  // If the step is a power of ten, a number that has no more decimal places than the step is a multiple of the step.
  // For any other step, the number of digits is -1, so this fast check fails.
  if (Decimal.writtenScale(amount) > stepDigits || Decimal.writtenScale(price) > tickDigits) return false
  if (activationPrice !== undefined && Decimal.writtenScale(activationPrice) > tickDigits) return false
  // `total` is rounded down by less than one unit, so it is below a bound if and only if the exact product is below
  // that bound.
  return quantity >= minAmount && total >= minTotal && (maxTotal === 0n || total < maxTotal)
}
