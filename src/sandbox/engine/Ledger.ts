/**
 * Who holds what. Every movement is a transfer between two holders, so no asset appears or vanishes. What enters the
 * exchange comes from `outside`, whose balance is the negative of all other balances.
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
 * Who can hold an amount:
 *
 * - an account, in a wallet: free, or locked by open orders
 * - `codes`: the codes that are not applied yet
 * - `plans`: the fixed-term plans
 * - `house`: the exchange, which earns the fees
 * - `lender`: the other party of every position
 * - `outside`: the rest of the world
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

/**
 * What an account can spend from a wallet.
 *
 * @category holders
 * @since 0.1.0
 */
export const free = (account: string, wallet: Wallet): Holder => ({ account, wallet, locked: false })

/**
 * What the open orders of an account have locked in a wallet.
 *
 * @category holders
 * @since 0.1.0
 */
export const locked = (account: string, wallet: Wallet): Holder => ({ account, wallet, locked: true })

const keyOf = (holder: Holder): string =>
  typeof holder === "string" ? holder : `${holder.account}/${holder.wallet}/${holder.locked ? "locked" : "free"}`

/**
 * What an account has of an asset in a wallet.
 *
 * @category models
 * @since 0.1.0
 */
export interface Balance {
  /** The account. */
  readonly account: string
  /** The wallet. */
  readonly wallet: Wallet
  /** The asset. */
  readonly ticker: Ticker
  /** How much the account can spend. */
  readonly free: Units
  /** How much its open orders have locked. */
  readonly locked: Units
}

/**
 * All balances.
 *
 * @category models
 * @since 0.1.0
 */
export interface Ledger {
  /** The balances that are not zero, by holder and asset. */
  readonly balances: Map<string, Map<Ticker, Units>>
  /** The balances that the current command has changed, as they were before it. Empty between commands. */
  readonly touched: Map<string, Balance>
}

/**
 * An empty ledger.
 *
 * @category constructors
 * @since 0.1.0
 */
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
 * The balances of accounts that have changed since the last call of this function, as they are now.
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
 * Moves an amount. Returns `false`, and moves nothing, when the holder does not have it. Only the lender and `outside`
 * may go below zero.
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
