/** Checks whether an account's free margin covers a trade that opens or increases a position. */
import * as MarginUnits from "../../domain/MarginUnits.ts"
import type { Market } from "../../domain/Market.ts"
import * as Leverage from "./Leverage.ts"
import * as Margins from "./Margins.ts"
import * as Positions from "./Positions.ts"
import * as Quotes from "./Quotes.ts"
import * as ReferencePrices from "./ReferencePrices.ts"
import type { State } from "./State.ts"
import * as Units from "./Units.ts"

/** A possible trade. */
export interface Intended {
  /** The amount, in units of the base currency. */
  readonly quantity: Units.Units
  /** The price, in units of the quote currency. */
  readonly price: Units.Units
  /** The fee, in units of the quote currency. Defaults to 0. */
  readonly fee?: Units.Units
  /** The part of the order's reserved margin that the trade releases, in units of the quote currency. Defaults to 0. */
  readonly released?: Units.Units
}

/**
 * Whether the account's free margin covers a trade. The part of the trade that closes a position needs no margin, but
 * the loss on that part, and the fee, can use up the margin that the opening part needs. The opening part must be
 * covered both at the mark price and at the trade's price, because the trade can move the mark price. For the
 * counterparty, only the trade's price counts.
 */
export const isCovered = (
  state: State,
  trader: Positions.Trader,
  market: Market,
  { fee = 0n, price, quantity, released = 0n }: Intended
): boolean => {
  const closed = Positions.reducible(state, trader)
  const opened = quantity - closed
  if (opened <= 0n) return true
  const { account, side } = trader
  const position = Positions.of(state, trader)
  const mark = position === undefined
    ? ReferencePrices.mark(state, market.name) ?? price
    : Margins.priceOf(state, position)
  const before = position === undefined ? 0n : Margins.marginOf(state, position)
  const sign = side === "buy" ? 1n : -1n
  const gain = sign * closed * (mark - price) / Units.one
  // A trade that flips a position first closes it completely.
  const [kept, cost] = closed > 0n || position === undefined
    ? [0n, 0n]
    : [MarginUnits.abs(position.amount), position.cost]
  const fraction = Leverage.fractionOf(state, account, market, cost + Units.times(opened, price))
  const required = (at: Units.Units): Units.Units =>
    MarginUnits.initialMargin(kept, mark, fraction) + MarginUnits.initialMargin(opened, at, fraction)
  const spare = Margins.freeMargin(state, account) + before + released + gain - fee
  if (account === Quotes.account) return spare >= required(price)
  const valued = MarginUnits.floorOver(sign * opened * (mark - price), Units.one)
  return spare + valued >= required(mark) && spare >= required(price)
}
