/**
 * What a market's numbers are as exact quantities.
 *
 * @since 0.1.0
 */
import type { Market } from "../../domain/Market.ts"
import * as Units from "./Units.ts"

/**
 * The numbers of a market that commands compute with.
 *
 * @category models
 * @since 0.1.0
 */
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

/**
 * The terms of a market. They are read once.
 *
 * @category reading
 * @since 0.1.0
 */
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

/**
 * What a market bounds of an order, as exact quantities. Zero stands for one that has more fractional digits than any
 * market takes.
 *
 * @category models
 * @since 0.1.0
 */
export interface Bounded {
  /** Whether the order needs a market that trades on margin. */
  readonly collateral: boolean
  /** How much is ordered, in units of the base currency. */
  readonly amount: Units.Units
  /** The price at which the order may trade, in units of the quote currency. */
  readonly price: Units.Units
  /** The price that triggers the order, in units of the quote currency, if it has one. */
  readonly trigger?: Units.Units
}

/**
 * Whether an order is sure to fit its market. Most orders are taken: this says so quickly. What is wrong with another one,
 * if anything is, the violations of the market say.
 *
 * @category checks
 * @since 0.1.0
 */
export const fit = (market: Market, { amount, collateral, price, trigger = price }: Bounded): boolean => {
  if (amount === 0n || price === 0n || trigger === 0n || !market.tradesEnabled) return false
  const { maxTotal, minAmount, minTotal, step, tick } = of(market)
  if (amount < minAmount || amount % step !== 0n || price % tick !== 0n || trigger % tick !== 0n) return false
  // The product is rounded down by less than a unit: what is less than the bound before is so after it.
  const total = Units.times(amount, price)
  return total >= minTotal && (maxTotal === 0n || total < maxTotal) && (market.isCollateral || !collateral)
}
