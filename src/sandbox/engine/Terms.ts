/** What a market's numbers are as exact quantities. */
import * as Decimal from "../../domain/Decimal.ts"
import type { Market } from "../../domain/Market.ts"
import * as Units from "./Units.ts"

/** The numbers of a market that commands compute with. */
export interface Terms {
  /** The smallest step of amounts, in units of the base currency. */
  readonly step: Units.Units
  /** The smallest step of prices, in units of the quote currency. */
  readonly tick: Units.Units
  /** The least amount of an order, in units of the base currency. */
  readonly minAmount: Units.Units
  /** The least total of an order, in units of the quote currency. */
  readonly minTotal: Units.Units
  /** The greatest total of an order, in units of the quote currency. Zero means that there is no bound. */
  readonly maxTotal: Units.Units
  /** The fee of a trade as a maker, as a ratio. */
  readonly makerFee: Units.Units
  /** The fee of a trade as a taker, as a ratio. */
  readonly takerFee: Units.Units
}

const known = new WeakMap<Market, Terms>()

/** The terms of a market. They are read once. */
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

/** What a market bounds of an order, as its caller wrote it. */
export interface Bounded {
  /** Whether the order needs a market that trades on margin. */
  readonly collateral: boolean
  /** How much is ordered, in units of the base currency. */
  readonly amount: Decimal.Decimal
  /** The price at which the order may trade, in units of the quote currency. */
  readonly price: Decimal.Decimal
  /** The price that triggers the order, in units of the quote currency, if it has one. */
  readonly activationPrice?: Decimal.Decimal
}

/**
 * Whether an order is sure to fit its market, when `quantity` is the value of its amount and `total` that of its amount ×
 * price. Most orders are taken: this says so quickly. What is wrong with another one, if anything is, the violations of
 * the market say.
 */
export const fit = (
  market: Market,
  { activationPrice, amount, collateral, price }: Bounded,
  quantity: Units.Units,
  total: Units.Units
): boolean => {
  const { moneyPrecision, stockPrecision } = market
  if (!market.tradesEnabled || (collateral && !market.isCollateral)) return false
  // Whoever writes no more digits than there may be has no finer step than there may be.
  if (Decimal.writtenScale(amount) > stockPrecision || Decimal.writtenScale(price) > moneyPrecision) return false
  if (activationPrice !== undefined && Decimal.writtenScale(activationPrice) > moneyPrecision) return false
  const { maxTotal, minAmount, minTotal } = of(market)
  // The product is rounded down by less than a unit: what is less than the bound before is so after it.
  return quantity >= minAmount && total >= minTotal && (maxTotal === 0n || total < maxTotal)
}
