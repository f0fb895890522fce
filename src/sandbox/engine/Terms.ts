/** The steps, bounds and fees of a market as exact quantities. */
import * as Decimal from "../../domain/Decimal.ts"
import type { Market } from "../../domain/Market.ts"
import * as Units from "./Units.ts"

/** The numbers of a market that commands compute with. */
export interface Terms {
  /** The smallest step of amounts, in units of the base currency. */
  readonly step: Units.Units
  /** The smallest step of prices, in units of the quote currency. */
  readonly tick: Units.Units
  /** The minimum amount of an order, in units of the base currency. */
  readonly minAmount: Units.Units
  /** The minimum total of an order, in units of the quote currency. */
  readonly minTotal: Units.Units
  /** The maximum total of an order, in units of the quote currency; zero for no bound. */
  readonly maxTotal: Units.Units
  /** The maker fee, as a ratio. */
  readonly makerFee: Units.Units
  /** The taker fee, as a ratio. */
  readonly takerFee: Units.Units
}

const known = new WeakMap<Market, Terms>()

/** The terms of a market, computed once. */
export const of = (market: Market): Terms => {
  const found = known.get(market)
  if (found !== undefined) return found
  const terms: Terms = {
    step: Units.stepOf(market.stockPrecision),
    tick: Units.stepOf(market.moneyPrecision),
    minAmount: Units.from(market.minAmount) ?? 0n,
    minTotal: Units.from(market.minTotal) ?? 0n,
    maxTotal: Units.from(market.maxTotal) ?? 0n,
    makerFee: Units.ofPercent(market.makerFee),
    takerFee: Units.ofPercent(market.takerFee)
  }
  known.set(market, terms)
  return terms
}

/** The parts of an order that its market bounds, as the caller wrote them. */
export interface Bounded {
  /** Whether the order needs a market that trades on margin. */
  readonly collateral: boolean
  /** The amount, in units of the base currency. */
  readonly amount: Decimal.Decimal
  /** The price at which the order may trade, in units of the quote currency. */
  readonly price: Decimal.Decimal
  /** The price that triggers the order, in units of the quote currency, if it has one. */
  readonly activationPrice?: Decimal.Decimal
}

/**
 * Whether an order certainly respects the bounds of its market. `quantity` is the value of its amount, and `total` that
 * of amount × price. This is a fast check, which most orders pass; for any other order, the violations of the market
 * say what is wrong, if anything.
 */
export const fit = (
  market: Market,
  { activationPrice, amount, collateral, price }: Bounded,
  quantity: Units.Units,
  total: Units.Units
): boolean => {
  const { moneyPrecision, stockPrecision } = market
  if (!market.tradesEnabled || (collateral && !market.isCollateral)) return false
  // A text without too many digits can't be too fine for the step.
  if (Decimal.writtenScale(amount) > stockPrecision || Decimal.writtenScale(price) > moneyPrecision) return false
  if (activationPrice !== undefined && Decimal.writtenScale(activationPrice) > moneyPrecision) return false
  const { maxTotal, minAmount, minTotal } = of(market)
  // `total` is rounded down by less than one unit, so it is below a bound exactly if the true product is.
  return quantity >= minAmount && total >= minTotal && (maxTotal === 0n || total < maxTotal)
}
