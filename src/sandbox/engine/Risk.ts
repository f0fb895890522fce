/**
 * Whether an account is called or liquidated, and the prices at which that may change. While equity and profit exceed the
 * level of the margin call, the account is at ease; at or below that level it is called; once they no longer exceed the
 * maintenance margin, it is liquidated.
 */
import * as MarginUnits from "../../domain/MarginUnits.ts"
import * as Ledger from "./Ledger.ts"
import * as Listings from "./Listings.ts"
import * as MarginRules from "./MarginRules.ts"
import * as Margins from "./Margins.ts"
import * as Quotes from "./Quotes.ts"
import * as ReferencePrices from "./ReferencePrices.ts"
import type { State } from "./State.ts"
import * as Units from "./Units.ts"
import * as Watches from "./Watches.ts"

/** The level of an account's equity and profit. */
export type Level = "ease" | "call" | "liquidation"

/** The margin of an account's positions at the call and at the liquidation. */
interface Bounds {
  /** Equity and profit. */
  readonly worth: Units.Units
  /** The worth at which the account is called. */
  readonly call: Units.Units
  /** The worth at which it is liquidated. */
  readonly liquidation: Units.Units
}

const boundsOf = (state: State, account: string): Bounds => {
  const { callShare, maintenanceShare } = MarginRules.of(state.margin)
  let [worth, call, liquidation] = [Margins.equityOf(state, account), 0n, 0n]
  for (const position of state.positionsOf.get(account) ?? []) {
    const [price, fraction] = [Margins.priceOf(state, position), Margins.fractionOf(state, position)]
    worth += Margins.pnlOf(state, position)
    call += MarginUnits.maintenanceMargin(position.amount, price, fraction, callShare)
    liquidation += MarginUnits.maintenanceMargin(position.amount, price, fraction, maintenanceShare)
  }
  return { worth, call, liquidation }
}

const levelIn = ({ call, liquidation, worth }: Bounds): Level =>
  worth <= liquidation ? "liquidation" : worth <= call ? "call" : "ease"

/** The level of an account. One without positions is at ease, and so is the counterparty, which is not called. */
export const levelOf = (state: State, account: string): Level =>
  account === Quotes.account || !state.positionsOf.has(account) ? "ease" : levelIn(boundsOf(state, account))

/** A price that an account's worth depends on. */
interface Exposure {
  readonly source: Watches.Source
  /** The current price; `undefined` if there is none. */
  readonly price: Units.Units | undefined
  /** The change of the account's worth above a bound, per unit of price, at the bound's share of the initial margin. */
  readonly slope: Units.Units
}

/** How the worth of an account above a bound depends on prices. */
const exposuresOf = (state: State, account: string, share: Units.Units): ReadonlyArray<Exposure> => {
  const slopes = new Map<Watches.Source, { readonly price: Units.Units | undefined; slope: Units.Units }>()
  for (const position of state.positionsOf.get(account) ?? []) {
    const { amount, market } = position
    const { denominator, numerator } = Margins.fractionOf(state, position)
    const required = MarginUnits.ceilOver(MarginUnits.abs(amount) * numerator * share, denominator * Units.one)
    const source = `mark ${market}` as const
    const known = slopes.get(source)
    if (known === undefined)
      slopes.set(source, { price: ReferencePrices.mark(state, market), slope: amount - required })
    else known.slope += amount - required
  }
  for (const { free, locked, ticker } of Ledger.pairs(state.ledger, account, "collateral")) {
    const market = ReferencePrices.assetMarket(ticker)
    const weight = state.weights.get(ticker) ?? 0n
    const held = free.units + locked.units
    if (market === undefined || weight === 0n || held === 0n || ticker === Listings.settlement) continue
    const slope = MarginUnits.ceilOver(held * weight, Units.one)
    slopes.set(`index ${market}`, { price: ReferencePrices.index(state, market), slope })
  }
  return Array.from(slopes, ([source, { price, slope }]) => ({ source, price, slope }))
}

/** What the roundings of an account's worth add up to at most, per position or asset. */
const rounding = 4n

/** Watches each price up to where it alone would use up its share of the distance to a bound. */
const watch = (state: State, account: string, share: Units.Units, distance: Units.Units, isLoss: boolean): void => {
  const { watches } = state
  const exposures = exposuresOf(state, account, share)
  const spare = distance - rounding * BigInt(exposures.length + 2)
  for (const { price, slope, source } of exposures) {
    if (price === undefined) {
      // The first price of a market may be any.
      Watches.add(watches, account, source, "rises", 0n)
      continue
    }
    if (slope === 0n) continue
    // A slope is rounded by less than two units, which the divisor allows for.
    const steepest = MarginUnits.abs(slope) + 2n
    const part = spare <= 0n ? 0n : spare * Units.one / (BigInt(exposures.length) * steepest)
    if ((slope > 0n) === isLoss) {
      if (price > part) Watches.add(watches, account, source, "falls", price - part)
    } else Watches.add(watches, account, source, "rises", price + part)
  }
}

/** Renews the watches of an account: on the prices at which its level may change. */
export const renew = (state: State, account: string): void => {
  Watches.clear(state.watches, account)
  if (account === Quotes.account || !state.positionsOf.has(account)) return
  const { callShare, maintenanceShare } = MarginRules.of(state.margin)
  const bounds = boundsOf(state, account)
  const level = levelIn(bounds)
  const { call, liquidation, worth } = bounds
  if (level === "ease") return watch(state, account, callShare, worth - call, true)
  watch(state, account, maintenanceShare, worth - liquidation, true)
  // Also in liquidation: a rise may end it, even if nobody takes the positions.
  if (level === "liquidation") watch(state, account, maintenanceShare, liquidation - worth, false)
  else watch(state, account, callShare, call - worth, false)
}
