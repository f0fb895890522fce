/**
 * Who holds what. Every movement is a transfer between two holders, so no asset appears or vanishes: what enters the
 * exchange comes from `outside`, whose balance is the negative of all that is held.
 *
 * @since 0.1.0
 */
import type { Ticker } from "../../domain/Identifiers.ts"
import type { Units } from "./Units.ts"

/**
 * The wallets of an account: `main` for codes and lending, `trade` for spot orders, `collateral` for margin.
 *
 * @category models
 * @since 0.1.0
 */
export type Wallet = "main" | "trade" | "collateral"

/**
 * Where an amount can be: free in a wallet, locked by open orders, in a code that is not applied yet, in a plan, with the house
 * (which earns the fees), with the lender (who stands behind positions), or outside.
 *
 * @category models
 * @since 0.1.0
 */
export type Holder =
  | { readonly account: string; readonly wallet: Wallet; readonly locked: boolean }
  | "codes"
  | "plans"
  | "house"
  | "lender"
  | "outside"

const keyOf = (holder: Holder): string =>
  typeof holder === "string" ? holder : `${holder.account}/${holder.wallet}/${holder.locked ? "locked" : "free"}`

/**
 * What an account has of an asset in a wallet.
 *
 * @category models
 * @since 0.1.0
 */
export interface Balance {
  readonly account: string
  readonly wallet: Wallet
  readonly ticker: Ticker
  readonly free: Units
  readonly locked: Units
}

/**
 * A ledger. Balances that are zero are not kept. `touched` holds what balances were before the command that is being
 * carried out moved them; it is empty between commands.
 *
 * @category models
 * @since 0.1.0
 */
export interface Ledger {
  readonly balances: Map<string, Map<Ticker, Units>>
  readonly touched: Map<string, Balance>
}

/** @category constructors */
export const make = (): Ledger => ({ balances: new Map(), touched: new Map() })

/**
 * The balance of one asset.
 *
 * @category reading
 * @since 0.1.0
 */
export const balance = (ledger: Ledger, holder: Holder, ticker: Ticker): Units =>
  ledger.balances.get(keyOf(holder))?.get(ticker) ?? 0n

/**
 * All balances of a holder that are not zero.
 *
 * @category reading
 * @since 0.1.0
 */
export const balances = (ledger: Ledger, holder: Holder): ReadonlyMap<Ticker, Units> =>
  ledger.balances.get(keyOf(holder)) ?? new Map()

const current = (ledger: Ledger, account: string, wallet: Wallet, ticker: Ticker): Balance => ({
  account,
  wallet,
  ticker,
  free: balance(ledger, { account, wallet, locked: false }, ticker),
  locked: balance(ledger, { account, wallet, locked: true }, ticker)
})

/**
 * The balances of accounts that have changed since this was last asked, as they are now.
 *
 * @category reading
 * @since 0.1.0
 */
export const changes = (ledger: Ledger): ReadonlyArray<Balance> => {
  const changed: Array<Balance> = []
  for (const before of ledger.touched.values()) {
    const now = current(ledger, before.account, before.wallet, before.ticker)
    if (now.free !== before.free || now.locked !== before.locked) changed.push(now)
  }
  ledger.touched.clear()
  return changed
}

const add = (ledger: Ledger, holder: Holder, ticker: Ticker, units: Units): void => {
  const key = keyOf(holder)
  if (typeof holder !== "string") {
    const id = `${holder.account}/${holder.wallet}/${ticker}`
    if (!ledger.touched.has(id)) ledger.touched.set(id, current(ledger, holder.account, holder.wallet, ticker))
  }
  const held = ledger.balances.get(key) ?? new Map<Ticker, Units>()
  const after = (held.get(ticker) ?? 0n) + units
  if (after === 0n) held.delete(ticker)
  else held.set(ticker, after)
  if (held.size === 0) ledger.balances.delete(key)
  else ledger.balances.set(key, held)
}

/**
 * Moves an amount. `false`, and nothing is moved, when the holder does not have it; only the lender and `outside` may go below zero.
 *
 * @category moving
 * @since 0.1.0
 */
export const transfer = (ledger: Ledger, from: Holder, to: Holder, ticker: Ticker, units: Units): boolean => {
  if (units < 0n || (from !== "outside" && from !== "lender" && balance(ledger, from, ticker) < units)) return false
  add(ledger, from, ticker, -units)
  add(ledger, to, ticker, units)
  return true
}

/**
 * The sum of every asset over all holders: zero, always.
 *
 * @category invariants
 * @since 0.1.0
 */
export const totals = (ledger: Ledger): ReadonlyMap<Ticker, Units> => {
  const sums = new Map<Ticker, Units>()
  for (const held of ledger.balances.values()) {
    for (const [ticker, units] of held) sums.set(ticker, (sums.get(ticker) ?? 0n) + units)
  }
  return sums
}
