/**
 * Determines whether an account gets a margin call or is liquidated, and the prices at which that can change. An
 * account's value is its equity plus its unrealized profit. While its value is above the margin call level, the account
 * is safe. At or below that level, it has a margin call. At or below the maintenance margin, it is liquidated.
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

/** An account's risk level: safe (`ease`), with a margin call, or in liquidation. */
export type Level = "ease" | "call" | "liquidation"

/** An account's value, and the values at or below which the account gets a margin call or is liquidated. */
export interface Bounds {
  /** The account's value: its equity plus its unrealized profit. */
  readonly worth: Units.Units
  /** At or below this account value, the account gets a margin call. */
  readonly call: Units.Units
  /** At or below this account value, the account is liquidated. */
  readonly liquidation: Units.Units
}

/** An account's bounds at the current prices. */
export const boundsOf = (state: State, account: string): Bounds => {
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

/**
 * An account's risk level. An account without positions is safe, and so is the counterparty, which never gets a margin
 * call.
 */
export const levelOf = (state: State, account: string): Level =>
  account === Quotes.account || !state.positionsOf.has(account) ? "ease" : levelIn(boundsOf(state, account))

/** A price on which an account's value depends. */
interface Exposure {
  readonly source: Watches.Source
  /** The current price; `undefined` if there is no price yet. */
  readonly price: Units.Units | undefined
  /**
   * How much the distance between the account's value and a bound changes if the price rises by one unit. The bound
   * can change too, because it is a fraction of the initial margin.
   */
  readonly slope: Units.Units
}

/** The prices on which the distance between an account's value and a bound depends. */
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

/** An upper bound on the rounding error in an account's value, for each position or asset. */
const rounding = 4n

/**
 * Watches each price on which an account's value depends. The distance to a bound is divided equally among these
 * prices. Each watch ends at the price at which that price's move alone would use up its share of the distance.
 */
const watch = (state: State, account: string, share: Units.Units, distance: Units.Units, isLoss: boolean): void => {
  const { watches } = state
  const exposures = exposuresOf(state, account, share)
  const spare = distance - rounding * BigInt(exposures.length + 2)
  for (const { price, slope, source } of exposures) {
    if (price === undefined) {
      // The market has no price yet, and its first price may be anything, so the bound is zero.
      Watches.add(watches, account, source, "rises", 0n)
      continue
    }
    if (slope === 0n) continue
    // The rounding error of a slope is less than two units. The divisor allows for it.
    const steepest = MarginUnits.abs(slope) + 2n
    const part = spare <= 0n ? 0n : spare * Units.one / (BigInt(exposures.length) * steepest)
    if ((slope > 0n) === isLoss) {
      if (price > part) Watches.add(watches, account, source, "falls", price - part)
    } else Watches.add(watches, account, source, "rises", price + part)
  }
}

/**
 * Watches for any move of each price, because each move is another chance to liquidate positions that could not be
 * closed before. Wider bounds would depend on when the account was last checked, which a saved state does not contain.
 */
const watchMoves = (state: State, account: string, share: Units.Units): void => {
  const { watches } = state
  for (const { price, source } of exposuresOf(state, account, share)) {
    if (price !== undefined) Watches.add(watches, account, source, "falls", price - 1n)
    Watches.add(watches, account, source, "rises", price === undefined ? 0n : price + 1n)
  }
}

/**
 * Replaces an account's watches with watches for the prices at which the account's risk level can change. Returns the
 * current level.
 */
export const renew = (state: State, account: string): Level => {
  Watches.clear(state.watches, account)
  if (account === Quotes.account || !state.positionsOf.has(account)) return "ease"
  const { callShare, maintenanceShare } = MarginRules.of(state.margin)
  const bounds = boundsOf(state, account)
  const level = levelIn(bounds)
  const { call, liquidation, worth } = bounds
  if (level === "liquidation") watchMoves(state, account, maintenanceShare)
  else if (level === "ease") watch(state, account, callShare, worth - call, true)
  else {
    watch(state, account, maintenanceShare, worth - liquidation, true)
    watch(state, account, callShare, call - worth, false)
  }
  return level
}
