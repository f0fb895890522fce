/** Checks that the prices of an order are near the last price of its market. */
import type { Price } from "../../domain/Decimal.ts"
import type { Market } from "../../domain/Market.ts"
import * as Quotes from "./Quotes.ts"
import type { Violations } from "./Reply.ts"
import type { State } from "./State.ts"
import * as Terms from "./Terms.ts"
import * as Units from "./Units.ts"

/** The prices of an order that must be in the band. An absent price is not checked. */
export interface Prices {
  /** The limit price of the order. */
  readonly price?: Price | undefined
  /** The price that triggers the order. */
  readonly activationPrice?: Price | undefined
  /** The limit of the stop-loss of an OCO order. */
  readonly stopLimitPrice?: Price | undefined
}

/**
 * The prices of an order that are outside the band, with the bound that each exceeds. A market without a last price has
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
  // Both bounds are prices that the market accepts.
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
