/** Checks that an order's prices are near its market's last price. */
import type { Price } from "../../domain/Decimal.ts"
import type { Market } from "../../domain/Market.ts"
import * as Quotes from "./Quotes.ts"
import type { Violations } from "./Reply.ts"
import type { State } from "./State.ts"
import * as Terms from "./Terms.ts"
import * as Units from "./Units.ts"

/** The prices of an order that must be within the band. An absent price is not checked. */
export interface Prices {
  /** The order's limit price. */
  readonly price?: Price | undefined
  /** The price that triggers the order. */
  readonly activationPrice?: Price | undefined
  /** The limit price of an OCO order's stop-loss. */
  readonly stopLimitPrice?: Price | undefined
}

/**
 * An order's prices that are outside the band, each with the bound that it violates. A market without a last price has
 * no band, and the counterparty may quote any price.
 */
export const violations = (
  { policy: { priceBand }, trading }: State,
  account: string,
  market: Market,
  prices: Prices
): Violations => {
  const last = trading.get(market.name)?.lastPrice
  if (priceBand === undefined || last === undefined || account === Quotes.account) return []
  const { tick } = Terms.of(market)
  // Both bounds are rounded to whole ticks, towards the inside of the band.
  const highest = last * BigInt(100 + priceBand.above) / 100n / tick * tick
  const lowest = (last * BigInt(100 - priceBand.below) / 100n + tick - 1n) / tick * tick
  return (["price", "activationPrice", "stopLimitPrice"] as const).flatMap((field) => {
    const text = prices[field]
    const price = text === undefined ? undefined : Units.from(text)
    if (price === undefined || (price <= highest && price >= lowest)) return []
    const [side, bound] = price > highest ? ["above", highest] as const : ["below", lowest] as const
    return [[field, { kind: "priceBand", side, bound: Units.toDecimal(bound) }] as const]
  })
}
