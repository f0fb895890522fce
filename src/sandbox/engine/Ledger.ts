/**
 * The balances of all holders. Every amount that one holder receives is taken from another, so no asset appears or
 * vanishes. Deposits come from `outside`, whose balance is the negative of all other balances.
 */
import type { Ticker } from "../../domain/Identifiers.ts"
import type { Units } from "./Units.ts"

/** The wallets of an account: `main` for codes and lending, `trade` for spot orders, `collateral` for margin. */
export type Wallet = "main" | "trade" | "collateral"

/**
 * A holder of assets:
 *
 * - an account, in a wallet: free, or locked by open orders
 * - `codes`: the codes that are not applied yet
 * - `plans`: the fixed-term plans
 * - `house`: the exchange, which earns the fees
 * - `lender`: the other party of every position
 * - `outside`: the rest of the world
 */
export type Holder =
  | { readonly account: string; readonly wallet: Wallet; readonly locked: boolean }
  | "codes"
  | "plans"
  | "house"
  | "lender"
  | "outside"

/** The free part of an account's wallet. */
export const free = (account: string, wallet: Wallet): Holder => ({ account, wallet, locked: false })

/** The part of an account's wallet that its open orders have locked. */
export const locked = (account: string, wallet: Wallet): Holder => ({ account, wallet, locked: true })

/** The balance of an account in one asset and wallet. */
export interface Balance {
  /** The account. */
  readonly account: string
  /** The wallet. */
  readonly wallet: Wallet
  /** The asset. */
  readonly ticker: Ticker
  /** The amount that the account can spend. */
  readonly free: Units
  /** The amount that its open orders have locked. */
  readonly locked: Units
}

/** Balances as plain data, by holder and asset. */
export type Balances = ReadonlyMap<string, ReadonlyMap<Ticker, Units>>

/** A holder, with all its purses. */
interface Owner {
  /** The key of its balances. */
  readonly key: string
  /** Whether its balances must not be negative: all but those of the lender and `outside`. */
  readonly isBounded: boolean
  /** Every purse that has been looked up, empty or not. */
  readonly purses: Array<Purse>
  /** The number of purses that are not empty. */
  size: number
  /** The least `since` of its purses that are not empty; see {@link Purse}. */
  since: number
}

/** The balance of a holder in one asset. */
export interface Purse {
  /** The balance. */
  units: Units
  /** A counter value from when it was last filled from empty. Balances are saved in this order. */
  since: number
  /** The asset. */
  readonly ticker: Ticker
  /** The holder. */
  readonly owner: Owner
  /** The free and locked pair that the purse is a part of. `undefined` if the holder is not an account. */
  of: Pair | undefined
}

/** The free and the locked purse of an account in one asset and wallet. */
export interface Pair {
  /** The account. */
  readonly account: string
  /** The wallet. */
  readonly wallet: Wallet
  /** The asset. */
  readonly ticker: Ticker
  /** The amount that the account can spend. */
  readonly free: Purse
  /** The amount that its open orders have locked. */
  readonly locked: Purse
  /** The last command that changed a part, as a value of {@link Ledger.turn}. */
  turn: number
  /** The free amount before that command. */
  wasFree: Units
  /** The locked amount before that command. */
  wasLocked: Units
  /** The next pair that the command changed. */
  next: Pair | undefined
}

/** The pairs of an account in one wallet. */
interface Pairs {
  /** The holder of the free purses. */
  readonly free: Owner
  /** The holder of the locked purses. */
  readonly locked: Owner
  /** The pairs, by asset. */
  readonly byTicker: Map<Ticker, Pair>
}

/** A holder that is not an account. */
export interface Other {
  /** The holder. */
  readonly owner: Owner
  /** Its purses, by asset. */
  readonly byTicker: Map<Ticker, Purse>
}

/** All balances. */
export interface Ledger {
  /** The wallets of accounts that have been looked up. */
  readonly wallets: { readonly [W in Wallet]: Map<string, Pairs> }
  /** The holders that are not accounts. */
  readonly others: { readonly [H in Extract<Holder, string>]: Other }
  /** The pairs that the current command has changed, as a linked list. Empty between commands. */
  readonly touched: {
    /** The first pair that was changed. */
    first: Pair | undefined
    /** The last pair that was changed. */
    last: Pair | undefined
  }
  /** Rises with every command. */
  turn: number
  /** Rises each time an empty purse is filled. */
  filled: number
}

const ownerOf = (key: string, isBounded = true): Owner => ({ key, isBounded, purses: [], size: 0, since: 0 })

const other = (key: string, isBounded?: boolean): Other => ({ owner: ownerOf(key, isBounded), byTicker: new Map() })

/** The suffix of the key of an account's balances, after the account. */
const endOf = (wallet: Wallet, locked: boolean): string => `/${wallet}/${locked ? "locked" : "free"}`

const wallets = ["main", "trade", "collateral"] as const

const others = ["codes", "plans", "house", "lender", "outside"] as const

/** The holder that a key of balances stands for. */
const holderOf = (key: string): Holder | undefined => {
  for (const wallet of wallets) {
    for (const locked of [false, true]) {
      const end = endOf(wallet, locked)
      if (key.endsWith(end)) return { account: key.slice(0, -end.length), wallet, locked }
    }
  }
  return others.find((other) => other === key)
}

/** A ledger with these balances, by default empty. */
export const make = (balances: Balances = new Map()): Ledger => {
  const ledger: Ledger = {
    wallets: { main: new Map(), trade: new Map(), collateral: new Map() },
    others: {
      codes: other("codes"),
      plans: other("plans"),
      house: other("house"),
      lender: other("lender", false),
      outside: other("outside", false)
    },
    touched: { first: undefined, last: undefined },
    turn: 0,
    filled: 0
  }
  for (const [key, held] of balances) {
    const holder = holderOf(key)
    if (holder === undefined) continue
    for (const [ticker, units] of held) put(ledger, purse(ledger, holder, ticker), units)
  }
  return ledger
}

const open = (owner: Owner, ticker: Ticker): Purse => {
  const purse: Purse = { units: 0n, since: 0, ticker, owner, of: undefined }
  owner.purses.push(purse)
  return purse
}

const pairsOf = ({ wallets }: Ledger, account: string, wallet: Wallet): Pairs => {
  // Written out for speed: a trade looks wallets up several times.
  const byAccount = wallet === "trade" ? wallets.trade : wallet === "collateral" ? wallets.collateral : wallets.main
  const known = byAccount.get(account)
  if (known !== undefined) return known
  const pairs: Pairs = {
    free: ownerOf(account + endOf(wallet, false)),
    locked: ownerOf(account + endOf(wallet, true)),
    byTicker: new Map()
  }
  byAccount.set(account, pairs)
  return pairs
}

/** The free and the locked purse of an account for an asset in a wallet. */
export const pair = (ledger: Ledger, account: string, wallet: Wallet, ticker: Ticker): Pair => {
  const pairs = pairsOf(ledger, account, wallet)
  const known = pairs.byTicker.get(ticker)
  if (known !== undefined) return known
  const [free, locked] = [open(pairs.free, ticker), open(pairs.locked, ticker)]
  const made: Pair = { account, wallet, ticker, free, locked, turn: -1, wasFree: 0n, wasLocked: 0n, next: undefined }
  free.of = locked.of = made
  pairs.byTicker.set(ticker, made)
  return made
}

/** The purse of a holder that is not an account. */
export const purseOf = ({ byTicker, owner }: Other, ticker: Ticker): Purse => {
  const known = byTicker.get(ticker)
  if (known !== undefined) return known
  const purse = open(owner, ticker)
  byTicker.set(ticker, purse)
  return purse
}

/** The purse of a holder for an asset. */
export const purse = (ledger: Ledger, holder: Holder, ticker: Ticker): Purse => {
  if (typeof holder === "string") return purseOf(ledger.others[holder], ticker)
  const { free, locked } = pair(ledger, holder.account, holder.wallet, ticker)
  return holder.locked ? locked : free
}

/** The balance of one asset. */
export const balance = (ledger: Ledger, holder: Holder, ticker: Ticker): Units => purse(ledger, holder, ticker).units

/** Sorts by the time of filling, oldest first. */
const bySince = (one: { readonly since: number }, other: { readonly since: number }): number => one.since - other.since

const balancesOf = ({ purses }: Owner): Map<Ticker, Units> =>
  new Map(
    purses.filter(({ units }) => units !== 0n).toSorted(bySince).map(({ ticker, units }) => [ticker, units])
  )

/** The non-zero balances of a holder. */
export const balances = (ledger: Ledger, holder: Holder): ReadonlyMap<Ticker, Units> => {
  if (typeof holder === "string") return balancesOf(ledger.others[holder].owner)
  const { free, locked } = pairsOf(ledger, holder.account, holder.wallet)
  return balancesOf(holder.locked ? locked : free)
}

/** All non-zero balances, as plain data. */
export const save = ({ others, wallets }: Ledger): Balances => {
  const owners = [
    ...Object.values(others).map(({ owner }) => owner),
    ...Object.values(wallets).flatMap((byAccount) =>
      [...byAccount.values()].flatMap(({ free, locked }) => [free, locked])
    )
  ]
  return new Map(owners.filter(({ size }) => size > 0).toSorted(bySince).map((owner) => [owner.key, balancesOf(owner)]))
}

/**
 * Appends `tell` of each account balance that has changed since the last call of this function, with its current
 * amounts, to `list`.
 */
export const takeChanges = <A>(ledger: Ledger, tell: (balance: Balance) => A, list: Array<A>): void => {
  for (let pair = ledger.touched.first; pair !== undefined; pair = pair.next) {
    const { account, free, locked, ticker, wallet, wasFree, wasLocked } = pair
    if (free.units === wasFree && locked.units === wasLocked) continue
    list.push(tell({ account, wallet, ticker, free: free.units, locked: locked.units }))
  }
  ledger.touched.first = undefined
  ledger.turn++
}

/** Remembers the amounts of a pair before a command changes it for the first time. */
const touch = ({ touched, turn }: Ledger, pair: Pair): void => {
  if (pair.turn === turn) return
  pair.turn = turn
  pair.wasFree = pair.free.units
  pair.wasLocked = pair.locked.units
  pair.next = undefined
  if (touched.first === undefined || touched.last === undefined) touched.first = pair
  else touched.last.next = pair
  touched.last = pair
}

/** Sets the balance of a purse. */
const put = (ledger: Ledger, purse: Purse, units: Units): void => {
  const { owner } = purse
  if (purse.units === 0n) {
    if (units === 0n) return
    purse.since = ++ledger.filled
    if (owner.size++ === 0) owner.since = purse.since
  } else if (units === 0n) owner.size--
  purse.units = units
}

/**
 * Takes an amount out of a purse, for the caller to give to others. Returns `false`, and takes nothing, if the purse
 * holds less. Only the lender and `outside` may go below zero.
 */
export const take = (ledger: Ledger, from: Purse, units: Units): boolean => {
  if (units < 0n || (from.owner.isBounded && from.units < units)) return false
  if (from.of !== undefined) touch(ledger, from.of)
  put(ledger, from, from.units - units)
  return true
}

/** Adds an amount to a purse, which the caller has taken from others. */
export const give = (ledger: Ledger, to: Purse, units: Units): void => {
  if (to.of !== undefined) touch(ledger, to.of)
  put(ledger, to, to.units + units)
}

/**
 * Moves an amount from one purse to another. Returns `false`, and moves nothing, if the purse holds less. Only the
 * lender and `outside` may go below zero.
 */
export const move = (ledger: Ledger, from: Purse, to: Purse, units: Units): boolean => {
  if (!take(ledger, from, units)) return false
  give(ledger, to, units)
  return true
}

/**
 * Moves an amount. Returns `false`, and moves nothing, if the holder has less. Only the lender and `outside` may go
 * below zero.
 */
export const transfer = (ledger: Ledger, from: Holder, to: Holder, ticker: Ticker, units: Units): boolean =>
  move(ledger, purse(ledger, from, ticker), purse(ledger, to, ticker), units)

/** The sum of each asset over all holders, which is always zero. */
export const totals = (ledger: Ledger): ReadonlyMap<Ticker, Units> => {
  const sums = new Map<Ticker, Units>()
  for (const held of save(ledger).values()) {
    for (const [ticker, units] of held) sums.set(ticker, (sums.get(ticker) ?? 0n) + units)
  }
  return sums
}
