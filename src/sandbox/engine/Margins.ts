/**
 * Computes the margin of collateral accounts at the current mark prices. All amounts are in the settlement currency, in
 * which every market with margin trading is quoted.
 */
import type { Ticker } from "../../domain/Identifiers.ts"
import * as MarginUnits from "../../domain/MarginUnits.ts"
import * as Ledger from "./Ledger.ts"
import * as Leverage from "./Leverage.ts"
import * as Listings from "./Listings.ts"
import * as MarginRules from "./MarginRules.ts"
import type { Position } from "./Position.ts"
import * as Quotes from "./Quotes.ts"
import * as ReferencePrices from "./ReferencePrices.ts"
import type { State } from "./State.ts"
import * as Units from "./Units.ts"

/** An account's margin values. */
export interface Figures {
  /** The weighted value of the collateral minus the debts, without unrealized profits. */
  readonly equity: Units.Units
  /** The initial margin of positions and orders. */
  readonly margin: Units.Units
  /** The maintenance margin of the positions. */
  readonly maintenance: Units.Units
  /** The unrealized profit of the positions; negative for a loss. */
  readonly pnl: Units.Units
  /** The total value of the positions at their mark prices. */
  readonly value: Units.Units
  /**
   * The margin available to new positions and orders: equity - margin + pnl; negative if the margin is insufficient.
   */
  readonly freeMargin: Units.Units
  /**
   * Costs that have accrued but have not been paid yet. Always zero, because funding and interest are paid as soon as
   * they accrue.
   */
  readonly unrealizedFunding: Units.Units
  /** The account's leverage. */
  readonly leverage: number
}

/**
 * The mark price of a position's market; `undefined` if there is none. Also `undefined` for the counterparty, which
 * never gets a margin call: its positions are valued at cost.
 */
const markOf = (state: State, { account, market }: Position): Units.Units | undefined =>
  account === Quotes.account ? undefined : ReferencePrices.mark(state, market)

/** The price at which a position is valued: its mark price or, if {@link markOf} has none, its entry price. */
export const priceOf = (state: State, position: Position): Units.Units =>
  markOf(state, position) ?? Units.over(position.cost, MarginUnits.abs(position.amount))

/** A position's initial margin, as a fraction of the position's value. */
export const fractionOf = (state: State, { account, cost, market }: Position): MarginUnits.Fraction => {
  const listed = state.markets.get(market)
  return listed === undefined ? { numerator: 1n, denominator: 1n } : Leverage.fractionOf(state, account, listed, cost)
}

/** A position's initial margin. */
export const marginOf = (state: State, position: Position): Units.Units =>
  MarginUnits.initialMargin(position.amount, priceOf(state, position), fractionOf(state, position))

/** A position's unrealized profit; a loss is negative. */
export const pnlOf = (state: State, position: Position): Units.Units => {
  const mark = markOf(state, position)
  return mark === undefined ? 0n : MarginUnits.unrealizedPnl(position.amount, position.cost, mark)
}

/** The weighted value of an amount of a collateral asset; zero if the asset has no price. */
const worthOf = (state: State, ticker: Ticker, units: Units.Units): Units.Units => {
  const weight = state.weights.get(ticker) ?? 0n
  const price = weight === 0n || units === 0n ? undefined : ReferencePrices.ofAsset(state, ticker)
  return price === undefined ? 0n : units * price * weight / Units.one / Units.one
}

/** The weighted value of an account's collateral, minus the account's debts. */
export const equityOf = (state: State, account: string): Units.Units => {
  let equity = 0n
  for (const { free, locked, ticker } of Ledger.pairs(state.ledger, account, "collateral")) {
    equity += worthOf(state, ticker, free.units + locked.units)
  }
  for (const [ticker, owed] of state.ledger.debts.get(account) ?? []) {
    equity -= MarginUnits.ceilOver(owed * (ReferencePrices.ofAsset(state, ticker) ?? 0n), Units.one)
  }
  return equity
}

/** Computes an account's margin values. */
export const of = (state: State, account: string): Figures => {
  const share = MarginRules.of(state.margin).maintenanceShare
  const equity = equityOf(state, account)
  let [margin, maintenance, pnl, value] = [state.reserved.get(account) ?? 0n, 0n, 0n, 0n]
  for (const position of state.positionsOf.get(account) ?? []) {
    const [price, fraction] = [priceOf(state, position), fractionOf(state, position)]
    margin += MarginUnits.initialMargin(position.amount, price, fraction)
    maintenance += MarginUnits.maintenanceMargin(position.amount, price, fraction, share)
    pnl += pnlOf(state, position)
    value += MarginUnits.valueOf(position.amount, price)
  }
  return {
    equity,
    margin,
    maintenance,
    pnl,
    value,
    freeMargin: equity - margin + pnl,
    unrealizedFunding: 0n,
    leverage: Leverage.of(state, account)
  }
}

/** The margin available to an account's new positions and orders; negative if the margin is insufficient. */
export const freeMargin = (state: State, account: string): Units.Units => {
  let free = equityOf(state, account) - (state.reserved.get(account) ?? 0n)
  for (const position of state.positionsOf.get(account) ?? [])
    free += pnlOf(state, position) - marginOf(state, position)
  return free
}

/**
 * The amount of an asset that can leave the collateral wallet. The rest must cover the margin of positions and orders.
 * Unrealized profits are not counted, because they do not belong to the account yet.
 */
export const available = (state: State, account: string, ticker: Ticker): Units.Units => {
  const held = Ledger.balance(state.ledger, Ledger.free(account, "collateral"), ticker)
  const positions = state.positionsOf.get(account)
  if (positions === undefined && (state.reserved.get(account) ?? 0n) === 0n) return held
  let spare = freeMargin(state, account)
  for (const position of positions ?? []) {
    const pnl = pnlOf(state, position)
    if (pnl > 0n) spare -= pnl
  }
  if (worthOf(state, ticker, Units.one) === 0n) return held
  if (spare <= 0n) return 0n
  const weight = state.weights.get(ticker) ?? 0n
  const price = ReferencePrices.ofAsset(state, ticker) ?? Units.one
  const most = spare * Units.one * Units.one / (weight * price)
  return most < held ? most : held
}

/** A collateral account's amounts of one asset. */
export interface AssetBalance {
  /** The asset of these amounts. */
  readonly ticker: Ticker
  /** The free balance in the collateral wallet. */
  readonly balance: Units.Units
  /** The account's debt in the asset, plus its margin positions' borrows in the asset. */
  readonly borrow: Units.Units
  /** The amount that can leave the collateral wallet. */
  readonly availableWithoutBorrow: Units.Units
  /**
   * The maximum cost of a new position: the free margin times the leverage, in units of the asset; zero if there is no
   * free margin or no price.
   */
  readonly availableWithBorrow: Units.Units
}

/**
 * A collateral account's amounts of the asset `only`; by default, of each asset that it holds or owes, and of the
 * settlement currency.
 */
export const assets = (state: State, account: string, only?: Ticker): ReadonlyArray<AssetBalance> => {
  const borrowed = new Map<Ticker, Units.Units>(state.ledger.debts.get(account))
  for (const { borrow } of state.positionsOf.get(account) ?? []) {
    if (borrow !== undefined) borrowed.set(borrow.ticker, (borrowed.get(borrow.ticker) ?? 0n) + borrow.principal)
  }
  const held = new Map(
    Array.from(Ledger.pairs(state.ledger, account, "collateral"), ({ free, ticker }) => [ticker, free.units])
  )
  const tickers = only === undefined ? new Set([Listings.settlement, ...held.keys(), ...borrowed.keys()]) : [only]
  const spare = freeMargin(state, account)
  return [...tickers].map((ticker) => {
    const price = ReferencePrices.ofAsset(state, ticker) ?? 0n
    return {
      ticker,
      balance: held.get(ticker) ?? 0n,
      borrow: borrowed.get(ticker) ?? 0n,
      availableWithoutBorrow: available(state, account, ticker),
      availableWithBorrow: spare <= 0n || price === 0n
        ? 0n
        : Units.over(spare * BigInt(Leverage.of(state, account)), price)
    }
  })
}

/**
 * The mark price, on the position's market, at which the position's account is liquidated if all other prices stay the
 * same; `undefined` if there is no such price.
 */
export const liquidationPrice = (state: State, { account, market }: Position): Units.Units | undefined => {
  const share = MarginRules.of(state.margin).maintenanceShare
  let rest = equityOf(state, account)
  const exposures: Array<MarginUnits.Exposure> = []
  for (const position of state.positionsOf.get(account) ?? []) {
    const fraction = fractionOf(state, position)
    if (position.market === market) exposures.push({ amount: position.amount, cost: position.cost, fraction })
    else {
      rest += pnlOf(state, position) -
        MarginUnits.maintenanceMargin(position.amount, priceOf(state, position), fraction, share)
    }
  }
  return MarginUnits.liquidationPrice(rest, exposures, share)
}
