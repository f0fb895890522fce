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

/** What a holder has. */
interface Purse {
  /** The holder, as the key of its balances. */
  readonly key: string
  readonly held: Map<Ticker, Units>
  /** The wallet of an account that it is a part of. */
  of: Purses | undefined
}

/** Both parts of an account's wallet. */
interface Purses {
  readonly account: string
  readonly wallet: Wallet
  readonly free: Purse
  readonly locked: Purse
  /** The last turn in which an asset was moved. */
  readonly touched: Map<Ticker, number>
}

/** A balance as it was before the current command. */
interface Touched {
  readonly purses: Purses
  readonly ticker: Ticker
  readonly free: Units
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
  /** The wallets of accounts that have been asked for. Derived. */
  readonly wallets: { readonly [W in Wallet]: Map<string, Purses> }
  /** The holders that are no accounts. Derived. */
  readonly others: Map<string, Purse>
  /** The balances that the current command has moved, as they were before it. Empty between commands. */
  readonly touched: Array<Touched>
  /** Rises with every command. */
  turn: number
}

/**
 * A ledger of these balances; empty without any.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (balances: Ledger["balances"] = new Map()): Ledger => ({
  balances,
  wallets: { main: new Map(), trade: new Map(), collateral: new Map() },
  others: new Map(),
  touched: [],
  turn: 0
})

const open = ({ balances }: Ledger, key: string): Purse => ({
  key,
  held: balances.get(key) ?? new Map(),
  of: undefined
})

const pursesOf = (ledger: Ledger, account: string, wallet: Wallet): Purses => {
  const known = ledger.wallets[wallet].get(account)
  if (known !== undefined) return known
  const free = open(ledger, `${account}/${wallet}/free`)
  const locked = open(ledger, `${account}/${wallet}/locked`)
  const purses: Purses = { account, wallet, free, locked, touched: new Map() }
  free.of = locked.of = purses
  ledger.wallets[wallet].set(account, purses)
  return purses
}

const purseOf = (ledger: Ledger, holder: Holder): Purse => {
  if (typeof holder !== "string") {
    const purses = pursesOf(ledger, holder.account, holder.wallet)
    return holder.locked ? purses.locked : purses.free
  }
  const known = ledger.others.get(holder)
  if (known !== undefined) return known
  const purse = open(ledger, holder)
  ledger.others.set(holder, purse)
  return purse
}

/**
 * The balance of one asset.
 *
 * @category reading
 * @since 0.1.0
 */
export const balance = (ledger: Ledger, holder: Holder, ticker: Ticker): Units =>
  purseOf(ledger, holder).held.get(ticker) ?? 0n

/**
 * All balances of a holder that are not zero.
 *
 * @category reading
 * @since 0.1.0
 */
export const balances = (ledger: Ledger, holder: Holder): ReadonlyMap<Ticker, Units> => purseOf(ledger, holder).held

/**
 * The balances of accounts that have changed since the last call of this function, as they are now.
 *
 * @category reading
 * @since 0.1.0
 */
export const changes = (ledger: Ledger): ReadonlyArray<Balance> => {
  const changed: Array<Balance> = []
  for (const { free, locked, purses, ticker } of ledger.touched) {
    const { account, wallet } = purses
    const now = {
      account,
      wallet,
      ticker,
      free: purses.free.held.get(ticker) ?? 0n,
      locked: purses.locked.held.get(ticker) ?? 0n
    }
    if (now.free !== free || now.locked !== locked) changed.push(now)
  }
  ledger.touched.length = 0
  ledger.turn++
  return changed
}

/** Remembers what a wallet holds of an asset, before it is moved for the first time in a command. */
const touch = ({ touched, turn }: Ledger, purses: Purses, ticker: Ticker): void => {
  if (purses.touched.get(ticker) === turn) return
  purses.touched.set(ticker, turn)
  const free = purses.free.held.get(ticker) ?? 0n
  touched.push({ purses, ticker, free, locked: purses.locked.held.get(ticker) ?? 0n })
}

const add = (ledger: Ledger, { held, key, of }: Purse, ticker: Ticker, units: Units): void => {
  if (of !== undefined) touch(ledger, of, ticker)
  const after = (held.get(ticker) ?? 0n) + units
  if (after !== 0n) {
    if (held.size === 0) ledger.balances.set(key, held)
    held.set(ticker, after)
  } else if (held.delete(ticker) && held.size === 0) ledger.balances.delete(key)
}

/**
 * Moves an amount. Returns `false`, and moves nothing, when the holder does not have it. Only the lender and `outside`
 * may go below zero.
 *
 * @category moving
 * @since 0.1.0
 */
export const transfer = (ledger: Ledger, from: Holder, to: Holder, ticker: Ticker, units: Units): boolean => {
  const payer = purseOf(ledger, from)
  const isBounded = from !== "outside" && from !== "lender"
  if (units < 0n || (isBounded && (payer.held.get(ticker) ?? 0n) < units)) return false
  add(ledger, payer, ticker, -units)
  add(ledger, purseOf(ledger, to), ticker, units)
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
