/** Computes the prices and amounts that the counterparty quotes, from the owner's price, the settings and a seed. */
import * as Decimal from "../../domain/Decimal.ts"
import type { MarketName, OrderId, Ticker } from "../../domain/Identifiers.ts"
import type { Market } from "../../domain/Market.ts"
import type { OrderSide } from "../../domain/Order.ts"
import type { CounterpartyOptions } from "./SetCounterparty.ts"
import * as Terms from "./Terms.ts"
import * as Units from "./Units.ts"

/** The counterparty's account name. No caller can open this account, and it has no API key. */
export const account = "counterparty"

/** The settings of the counterparty on a market, documented at `CounterpartyOptions`. */
export interface Settings extends Required<Omit<CounterpartyOptions, "amount">>, Pick<CounterpartyOptions, "amount"> {}

/** The default settings. */
export const defaults: Settings = {
  enabled: true,
  spread: Decimal.of("0.1"),
  levels: 5,
  step: Decimal.of("0.05"),
  variation: Decimal.of("50"),
  refill: true,
  credit: true,
  seed: 0
}

/** A price level that the counterparty quotes on one side of a market. */
export interface Quote {
  /** Whether the quote buys or sells. */
  readonly side: OrderSide
  /** The price, in units of the quote currency. */
  readonly price: Units.Units
  /** The amount, in units of the base currency. */
  readonly amount: Units.Units
  /**
   * The quote's order. `undefined` if the order could not be placed, for example because it would have traded
   * immediately or violated a market rule.
   */
  order: OrderId | undefined
}

/** The counterparty's quotes on a market. */
export interface Quoting {
  /** The settings with which the counterparty quotes the market. */
  settings: Settings
  /**
   * The price around which the counterparty quotes: the latest price that the venue's owner has set. Until the owner
   * sets one, the market's last price at the time when the counterparty was configured; `undefined` if the market had
   * no price.
   */
  price: Units.Units | undefined
  /** The state of the random generator. */
  random: number
  /** The quotes, bids before asks, best first. */
  quotes: ReadonlyArray<Quote>
}

/** The state of the counterparty on all markets. */
export interface Counterparty {
  /** The markets that the counterparty quotes or has quoted. */
  readonly markets: Map<MarketName, Quoting>
  /** The total amount of each asset credited from outside, by the owner's `Fund` actions and automatically. */
  readonly credited: Map<Ticker, Units.Units>
  /**
   * The markets on which, in the current command, orders of the counterparty have traded, or were closed because they
   * could not trade. Empty between commands.
   */
  readonly hit: Set<MarketName>
}

/** A counterparty that quotes no markets. */
export const make = (): Counterparty => ({ markets: new Map(), credited: new Map(), hit: new Set() })

/** Draws a random whole number from 0 to 2 ** 32 - 1 (mulberry32). */
const draw = (quoting: Quoting): number => {
  const next = quoting.random = (quoting.random + 0x6d2b79f5) >>> 0
  const mixed = Math.imul(next ^ next >>> 15, next | 1)
  const again = mixed ^ (mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61))
  return (again ^ again >>> 14) >>> 0
}

/** The default amount of a level, as a multiple of the market's minimum total. */
const usualTotals = 1000n

/** The mean amount of a quote, in units of the base currency. */
const meanOf = (market: Market, { amount }: Settings, price: Units.Units): Units.Units =>
  (amount === undefined ? undefined : Units.from(amount)) ??
    Units.over(usualTotals * Terms.of(market).minTotal, price)

/**
 * Draws an amount that differs from the mean by at most the variation, rounded down to whole steps, but not below the
 * market's minimum.
 */
const amountOf = (market: Market, quoting: Quoting, mean: Units.Units): Units.Units => {
  const { minAmount, step } = Terms.of(market)
  const most = Units.times(mean, Units.ofPercent(quoting.settings.variation))
  const drawn = most === 0n ? mean : mean - most + ((2n * most * BigInt(draw(quoting))) >> 32n)
  const whole = drawn - drawn % step
  return whole < minAmount ? minAmount : whole
}

/**
 * The prices on one side, best first. The parameter `price` is the mid. No price equals the mid, and each price is at
 * least one tick further from the mid than the previous one.
 */
const pricesOf = (market: Market, { levels, spread, step }: Settings, price: Units.Units, side: OrderSide) => {
  const { tick } = Terms.of(market)
  const half = Units.times(price, Units.ofPercent(spread)) / 2n
  const further = Units.times(price, Units.ofPercent(step))
  const prices: Array<Units.Units> = []
  for (let level = 0n; level < levels; level++) {
    const away = half + level * further
    const last = prices.at(-1) ?? price
    if (side === "buy") {
      const rounded = (price - away) / tick * tick
      const next = rounded < last ? rounded : (last - 1n) / tick * tick
      if (next <= 0n) break
      prices.push(next)
    } else {
      const rounded = (price + away + tick - 1n) / tick * tick
      prices.push(rounded > last ? rounded : (last / tick + 1n) * tick)
    }
  }
  return prices
}

/** The quotes around a price, with random amounts. */
export const around = (market: Market, quoting: Quoting, price: Units.Units): ReadonlyArray<Quote> => {
  const mean = meanOf(market, quoting.settings, price)
  return (["buy", "sell"] as const).flatMap((side) =>
    pricesOf(market, quoting.settings, price, side).map((price): Quote => ({
      side,
      price,
      amount: amountOf(market, quoting, mean),
      order: undefined
    }))
  )
}
