/** The steps, bounds and fees of a market as exact quantities. */
import * as Decimal from "../../domain/Decimal.ts"
import * as Market from "../../domain/Market.ts"
import * as Units from "./Units.ts"

/** The terms of a market: its steps, bounds and fees, as exact quantities. */
export interface Terms {
  /** The step of amounts, in units of the base currency. */
  readonly step: Units.Units
  /**
   * The number of decimal places up to which every amount is a multiple of the step; -1 if the decimal places alone do
   * not show that.
   */
  readonly stepDigits: number
  /** The step of prices, in units of the quote currency. */
  readonly tick: Units.Units
  /**
   * The number of decimal places up to which every price is a multiple of the step; -1 if the decimal places alone do
   * not show that.
   */
  readonly tickDigits: number
  /** The minimum amount of an order, in units of the base currency. */
  readonly minAmount: Units.Units
  /** The minimum total of an order, in units of the quote currency. */
  readonly minTotal: Units.Units
  /** The maximum total of an order, in units of the quote currency; zero if there is none. */
  readonly maxTotal: Units.Units
  /** The maker fee, as a ratio. */
  readonly makerFee: Units.Units
  /** The taker fee, as a ratio. */
  readonly takerFee: Units.Units
}

const known = new WeakMap<Market.Market, Terms>()

/** The fractional digits of a step such as 0.01; -1 for any other, such as 0.05 or 100. */
const digitsOf = (step: Decimal.Decimal): number => /^(?:1|0\.0*1)$/u.test(step) ? Decimal.writtenScale(step) : -1

/** The terms of a market, computed once. */
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

/** The fields of an order that its market's rules restrict, as the caller wrote them. */
export interface Bounded {
  /** Whether the order needs a market that trades on margin. */
  readonly collateral: boolean
  /** The amount, in units of the base currency. */
  readonly amount: Decimal.Decimal
  /** The price at which the order may trade, in units of the quote currency. */
  readonly price: Decimal.Decimal
  /** The price that triggers the order, in units of the quote currency; absent if the order has no trigger. */
  readonly activationPrice?: Decimal.Decimal
}

/**
 * Whether an order certainly respects the bounds of its market. `quantity` is the value of its amount, and `total` that
 * of amount × price. This is a fast check, which most orders pass. For any other order, a full check finds the
 * violations, if there are any.
 */
export const fit = (
  market: Market.Market,
  { activationPrice, amount, collateral, price }: Bounded,
  quantity: Units.Units,
  total: Units.Units
): boolean => {
  const { maxTotal, minAmount, minTotal, stepDigits, tickDigits } = of(market)
  if (!market.tradesEnabled || (collateral && !market.isCollateral)) return false
  // Steps are powers of ten: a number without more decimal places than the step is a multiple of it.
  if (Decimal.writtenScale(amount) > stepDigits || Decimal.writtenScale(price) > tickDigits) return false
  if (activationPrice !== undefined && Decimal.writtenScale(activationPrice) > tickDigits) return false
  // `total` is rounded down by less than one unit, so it is below a bound if and only if the exact product is.
  return quantity >= minAmount && total >= minTotal && (maxTotal === 0n || total < maxTotal)
}
