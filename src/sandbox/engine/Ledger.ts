/**
 * The balances of all holders, and the debts of accounts. Every amount that one holder receives is taken from another,
 * so every asset is conserved. Money that enters the exchange comes from `outside`, whose balance is the negative of
 * the sum of all other balances. If an account can't pay a loss or fee in full, the lender pays the rest, which the
 * account then owes to the lender.
 */
import type { Ticker } from "../../domain/Identifiers.ts"
import type { Units } from "./Units.ts"

/** The wallets of an account: `main` for codes and lending, `trade` for spot orders, `collateral` for margin. */
export type Wallet = "main" | "trade" | "collateral"

/**
 * A holder of assets:
 *
 * - an account's wallet: the free part, or the part locked by open orders
 * - `codes`: the codes that have not been applied yet
 * - `plans`: the fixed-term plans
 * - `house`: the exchange itself, which earns the fees
 * - `lender`: the other party to every position
 * - `insurance`: pays the liquidation losses that accounts can't pay
 * - `funding`: the other party to every funding payment; it keeps the rounding differences and settles any imbalance
 *   between longs and shorts
 * - `outside`: everything outside the exchange
 */
export type Holder =
  | { readonly account: string; readonly wallet: Wallet; readonly locked: boolean }
  | "codes"
  | "plans"
  | "house"
  | "lender"
  | "insurance"
  | "funding"
  | "outside"

/** A holder to which accounts pay losses, fees or other amounts. */
export type Creditor = "lender" | "house" | "insurance" | "funding"

/** The free part of an account's wallet. */
export const free = (account: string, wallet: Wallet): Holder => ({ account, wallet, locked: false })

/** The part of an account's wallet that is locked by its open orders. */
export const locked = (account: string, wallet: Wallet): Holder => ({ account, wallet, locked: true })

/** An account's balance of one asset in one wallet. */
export interface Balance {
  /** The account that holds the balance. */
  readonly account: string
  /** The balance's wallet. */
  readonly wallet: Wallet
  /** The balance's asset. */
  readonly ticker: Ticker
  /** The amount that the account can spend. */
  readonly free: Units
  /** The amount that is locked by the account's open orders. */
  readonly locked: Units
}

/** Balances as plain data, keyed by holder and asset. */
export type Balances = ReadonlyMap<string, ReadonlyMap<Ticker, Units>>

/** The amounts that accounts owe the lender, keyed by account and asset. All amounts are above zero. */
export type Debts = ReadonlyMap<string, ReadonlyMap<Ticker, Units>>

/** A holder and all its purses; see {@link Purse}. */
interface Owner {
  /** The holder's key in {@link Balances}. */
  readonly key: string
  /** Whether the holder's balances must stay at or above zero; `false` only for the lender, `funding` and `outside`. */
  readonly isBounded: boolean
  /** Every purse that has been looked up, including empty ones. */
  readonly purses: Array<Purse>
  /** The number of purses that are not empty. */
  size: number
  /** The value of {@link Ledger.filled} when the holder last went from having no balance to having one. */
  since: number
}

/** A holder's balance of one asset. */
export interface Purse {
  /** The current balance, in units of the asset. */
  units: Units
  /** The value of {@link Ledger.filled} when the empty purse was last filled. Balances are saved in this order. */
  since: number
  /** The balance's asset. */
  readonly ticker: Ticker
  /** The balance's holder. */
  readonly owner: Owner
  /** The pair of free and locked purses to which this purse belongs; `undefined` if the holder is not an account. */
  of: Pair | undefined
}

/** An account's free and locked purses for one asset in one wallet. */
export interface Pair {
  /** The account that owns both purses. */
  readonly account: string
  /** The wallet of both purses. */
  readonly wallet: Wallet
  /** The asset of both purses. */
  readonly ticker: Ticker
  /** The purse with the amount that the account can spend. */
  readonly free: Purse
  /** The purse with the amount that is locked by the account's open orders. */
  readonly locked: Purse
  /** The last command that changed either purse, as a value of {@link Ledger.turn}. */
  turn: number
  /** The free amount before the last command that changed either purse. */
  wasFree: Units
  /** The locked amount before the last command that changed either purse. */
  wasLocked: Units
  /** The next pair that the same command changed. */
  next: Pair | undefined
}

/** An account's pairs of purses in one wallet. */
interface Pairs {
  /** The holder of the free purses. */
  readonly free: Owner
  /** The holder of the locked purses. */
  readonly locked: Owner
  /** The account's free and locked purses in this wallet, keyed by asset. */
  readonly byTicker: Map<Ticker, Pair>
}

/** A holder that is not an account. */
export interface Other {
  /** The holder, such as `codes` or `lender`. */
  readonly owner: Owner
  /** The holder's purses, keyed by asset. */
  readonly byTicker: Map<Ticker, Purse>
}

/** The balances of all holders, and the debts of accounts. */
export interface Ledger {
  /** The account wallets that have been looked up. */
  readonly wallets: { readonly [W in Wallet]: Map<string, Pairs> }
  /** The holders that are not accounts. */
  readonly others: { readonly [H in Extract<Holder, string>]: Other }
  /** The amounts that accounts owe the lender, keyed by account and asset. An account without debts has no entry. */
  readonly debts: Map<string, Map<Ticker, Units>>
  /** The accounts whose debts have changed since their margin was last checked. Empty between commands. */
  readonly debtors: Set<string>
  /** The pairs that the current command has changed, as a linked list. Empty between commands. */
  readonly touched: {
    /** The first pair that was changed. */
    first: Pair | undefined
    /** The last pair that was changed. */
    last: Pair | undefined
  }
  /** A counter that increases with every command. */
  turn: number
  /** A counter that increases each time an empty purse is filled. */
  filled: number
}

const ownerOf = (key: string, isBounded = true): Owner => ({ key, isBounded, purses: [], size: 0, since: 0 })

const other = (key: string, isBounded?: boolean): Other => ({ owner: ownerOf(key, isBounded), byTicker: new Map() })

/** The second part of a balance key, after the account. */
const endOf = (wallet: Wallet, locked: boolean): string => `/${wallet}/${locked ? "locked" : "free"}`

const wallets = ["main", "trade", "collateral"] as const

const others = ["codes", "plans", "house", "lender", "insurance", "funding", "outside"] as const

/** The holder that a balance key identifies; `undefined` if the key is invalid. */
const holderOf = (key: string): Holder | undefined => {
  for (const wallet of wallets) {
    for (const locked of [false, true]) {
      const end = endOf(wallet, locked)
      if (key.endsWith(end)) return { account: key.slice(0, -end.length), wallet, locked }
    }
  }
  return others.find((other) => other === key)
}

/** Creates a ledger with these balances and debts; empty by default. */
export const make = (balances: Balances = new Map(), debts: Debts = new Map()): Ledger => {
  const ledger: Ledger = {
    wallets: { main: new Map(), trade: new Map(), collateral: new Map() },
    others: {
      codes: other("codes"),
      plans: other("plans"),
      house: other("house"),
      lender: other("lender", false),
      insurance: other("insurance"),
      funding: other("funding", false),
      outside: other("outside", false)
    },
    debts: new Map(Array.from(debts, ([account, owed]) => [account, new Map(owed)])),
    debtors: new Set(),
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
  // Inlined for speed: a trade looks up wallets several times.
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

/** An account's free and locked purses for an asset in a wallet. */
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

/** The pairs of an account's wallet, in the order in which they were first used. */
export const pairs = (ledger: Ledger, account: string, wallet: Wallet): Iterable<Pair> =>
  ledger.wallets[wallet].get(account)?.byTicker.values() ?? []

/** A purse of a holder that is not an account. */
export const purseOf = ({ byTicker, owner }: Other, ticker: Ticker): Purse => {
  const known = byTicker.get(ticker)
  if (known !== undefined) return known
  const purse = open(owner, ticker)
  byTicker.set(ticker, purse)
  return purse
}

/** A holder's purse for an asset. */
export const purse = (ledger: Ledger, holder: Holder, ticker: Ticker): Purse => {
  if (typeof holder === "string") return purseOf(ledger.others[holder], ticker)
  const { free, locked } = pair(ledger, holder.account, holder.wallet, ticker)
  return holder.locked ? locked : free
}

/** A holder's balance of one asset. */
export const balance = (ledger: Ledger, holder: Holder, ticker: Ticker): Units => purse(ledger, holder, ticker).units

/** Compares purses, or holders, by `since`: the earliest filled comes first. */
const bySince = (one: { readonly since: number }, other: { readonly since: number }): number => one.since - other.since

const balancesOf = ({ purses }: Owner): Map<Ticker, Units> =>
  new Map(
    purses.filter(({ units }) => units !== 0n).toSorted(bySince).map(({ ticker, units }) => [ticker, units])
  )

/** A holder's non-zero balances. */
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
 * Calls `tell` with each account balance that has changed since the previous call of this function, and appends the
 * results to `list`.
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

/** Stores a pair's amounts before a command changes the pair for the first time. */
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
 * Takes an amount out of a purse. The caller must credit the amount elsewhere. Returns `false`, and takes nothing, if
 * the amount is negative, or if the purse holds less than the amount. Only the purses of the lender, `funding` and
 * `outside` may go below zero.
 */
export const take = (ledger: Ledger, from: Purse, units: Units): boolean => {
  if (units < 0n || (from.owner.isBounded && from.units < units)) return false
  if (from.of !== undefined) touch(ledger, from.of)
  put(ledger, from, from.units - units)
  return true
}

/**
 * Adds an amount to a purse. The caller must have debited the amount elsewhere. An amount that becomes free first pays
 * the account's debt in the asset.
 */
export const give = (ledger: Ledger, to: Purse, units: Units): void => {
  if (to.of !== undefined) touch(ledger, to.of)
  const rest = ledger.debts.size > 0 && to.of?.free === to ? settle(ledger, to.of, units) : units
  put(ledger, to, to.units + rest)
}

/**
 * Moves an amount from one purse to another. Returns `false`, and moves nothing, if `from` holds less than the amount,
 * or if the account of `from` has a debt in the asset and `to` is not a free purse. Only the purses of the lender,
 * `funding` and `outside` may go below zero.
 */
export const move = (ledger: Ledger, from: Purse, to: Purse, units: Units): boolean => {
  if (ledger.debts.size > 0 && units > 0n && isPledged(ledger, from) && to.of?.free !== to) return false
  if (!take(ledger, from, units)) return false
  give(ledger, to, units)
  return true
}

/** Moves an amount between holders, under the conditions of {@link move}. */
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

// -----------------------------------------------------------------------------
// Debts
// -----------------------------------------------------------------------------

/** The amount of an asset that an account owes the lender. */
export const debt = ({ debts }: Ledger, account: string, ticker: Ticker): Units => debts.get(account)?.get(ticker) ?? 0n

/** Whether an account owes any asset to the lender. */
export const isInDebt = ({ debts }: Ledger, account: string): boolean => debts.size > 0 && debts.has(account)

const setDebt = ({ debtors, debts }: Ledger, { account, ticker }: Pair, units: Units): void => {
  debtors.add(account)
  const owed = debts.get(account) ?? new Map<Ticker, Units>()
  if (units === 0n) owed.delete(ticker)
  else owed.set(ticker, units)
  if (owed.size === 0) debts.delete(account)
  else debts.set(account, owed)
}

/** Pays an account's debt from an amount that becomes free. Returns the part of the amount that is left. */
const settle = (ledger: Ledger, pair: Pair, units: Units): Units => {
  const owed = debt(ledger, pair.account, pair.ticker)
  if (owed === 0n) return units
  const paid = units < owed ? units : owed
  setDebt(ledger, pair, owed - paid)
  give(ledger, purseOf(ledger.others.lender, pair.ticker), paid)
  return units - paid
}

/**
 * Pays an account's debt from the insurance account, as far as the insurance balance allows. Returns the amount paid.
 */
export const insure = (ledger: Ledger, account: string, ticker: Ticker): Units => {
  const owed = debt(ledger, account, ticker)
  const { insurance, lender } = ledger.others
  const held = purseOf(insurance, ticker).units
  const paid = owed < held ? owed : held
  if (paid === 0n) return 0n
  move(ledger, purseOf(insurance, ticker), purseOf(lender, ticker), paid)
  setDebt(ledger, pair(ledger, account, "collateral", ticker), owed - paid)
  return paid
}

/** Whether a purse belongs to an account that has a debt in the purse's asset. */
const isPledged = (ledger: Ledger, { of, ticker }: Purse): boolean =>
  of !== undefined && debt(ledger, of.account, ticker) > 0n

/**
 * Takes a loss or a fee from the free part of a wallet. The lender pays any shortfall, which becomes the account's
 * debt.
 */
export const charge = (ledger: Ledger, from: Pair, to: Creditor, units: Units): void => {
  const { account, free, ticker } = from
  const { [to]: receiver, lender } = ledger.others
  const paid = free.units < units ? free.units : units
  if (paid > 0n) move(ledger, free, purseOf(receiver, ticker), paid)
  if (paid === units) return
  if (to !== "lender") move(ledger, purseOf(lender, ticker), purseOf(receiver, ticker), units - paid)
  setDebt(ledger, from, debt(ledger, account, ticker) + units - paid)
}
