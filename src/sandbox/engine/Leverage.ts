/**
 * Computes the leverage of a position: the account's leverage, limited by the market's maximum and by the bracket for
 * the position's size.
 */
import * as MarginUnits from "../../domain/MarginUnits.ts"
import type { Market } from "../../domain/Market.ts"
import * as Listings from "./Listings.ts"
import type { State } from "./State.ts"
import type { Units } from "./Units.ts"

/** Whether positions can be opened on a market. */
export const isLeveraged = ({ isCollateral, type }: Market): boolean => isCollateral || type === "futures"

/** A market's leverage brackets, highest leverage first; empty on margin markets. */
export const bracketsOf = ({ type }: Market): ReadonlyArray<MarginUnits.Bracket> =>
  type === "futures" ? Listings.brackets : []

/** The maximum leverage on a market. */
export const maxOf = ({ margin }: Pick<State, "margin">, market: Market): number =>
  market.type === "futures" ? Number(Listings.brackets[0]?.leverage ?? 1n) : margin.marginMaxLeverage

/** The maximum cost of a position on a market, in units of the quote currency; `undefined` if there is no maximum. */
export const largestOf = (market: Market): Units | undefined => bracketsOf(market).at(-1)?.upTo

/** An account's leverage. */
export const of = ({ accounts, margin }: State, account: string): number =>
  accounts.get(account)?.leverage ?? margin.defaultLeverage

/** The initial margin of a position with this cost, as a fraction of the position's value. */
export const fractionOf = (state: State, account: string, market: Market, cost: Units): MarginUnits.Fraction =>
  MarginUnits.initialFraction(
    cost,
    BigInt(Math.min(of(state, account), maxOf(state, market))),
    bracketsOf(market),
    state.margin.bracketSpan
  )
