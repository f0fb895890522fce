/**
 * Tells which accounts a price move may call or liquidate, without looking at the others. Each account with positions
 * watches every price that its equity depends on, with a bound for each: while all prices are within their bounds, the
 * account's state cannot change. A move beyond a bound only means that the account is checked.
 */
import type { MarketName } from "../../domain/Identifiers.ts"
import { SkipList } from "./SkipList.ts"
import type { Units } from "./Units.ts"

/** A price that accounts watch: the mark price or the index price of a market. */
export type Source = `${"mark" | "index"} ${MarketName}`

/** A watch of one account. */
interface Watch {
  readonly account: string
  readonly list: SkipList<Watch>
  /** The key in the list. */
  readonly key: bigint
}

/** The watches of one price. */
interface Lists {
  /** Those that end when the price falls to their bound, highest bound first. */
  readonly falls: SkipList<Watch>
  /** Those that end when the price rises to their bound, lowest bound first. */
  readonly rises: SkipList<Watch>
}

/** The watches of all accounts, and what the current command has changed. */
export interface Watches {
  /** The watches, by price. */
  readonly bySource: Map<Source, Lists>
  /** The watches of each account. */
  readonly byAccount: Map<string, Array<Watch>>
  /** The accounts whose positions or collateral the current command has changed. Empty between commands. */
  readonly dirty: Set<string>
  /** The markets whose mark or index price the current command may have changed. Empty between commands. */
  readonly moved: Set<MarketName>
  /** Those of them whose price the owner has set. Empty between commands. */
  readonly byOwner: Set<MarketName>
  /** The number of watches so far. It makes keys unique, and has no other effect. */
  count: bigint
}

/** No watches. */
export const make = (): Watches => ({
  bySource: new Map(),
  byAccount: new Map(),
  dirty: new Set(),
  moved: new Set(),
  byOwner: new Set(),
  count: 0n
})

/** Each key is a bound with this many bits for the number of the watch behind it. */
const bits = 64n

/** Adds a watch that ends when a price falls (or rises) to a bound. */
export const add = (
  watches: Watches,
  account: string,
  source: Source,
  end: "falls" | "rises",
  bound: Units
): void => {
  let lists = watches.bySource.get(source)
  if (lists === undefined) watches.bySource.set(source, lists = { falls: new SkipList(), rises: new SkipList() })
  const list = lists[end]
  const key = ((end === "falls" ? -bound : bound) << bits) + watches.count++
  const watch: Watch = { account, list, key }
  list.add(key, watch)
  const own = watches.byAccount.get(account)
  if (own === undefined) watches.byAccount.set(account, [watch])
  else own.push(watch)
}

/** Removes all watches of an account. */
export const clear = ({ byAccount }: Watches, account: string): void => {
  for (const { key, list } of byAccount.get(account) ?? []) list.delete(key)
  byAccount.delete(account)
}

/** Takes the watches up to a bound; all of them without one. */
const takeUpTo = (list: SkipList<Watch>, bound: bigint | undefined, dirty: Set<string>): void => {
  for (;;) {
    const { first } = list
    if (first === undefined || (bound !== undefined && first.key >> bits > bound)) return
    list.delete(first.key)
    dirty.add(first.account)
  }
}

/** Marks the accounts as dirty whose watches end at a price; all that watch it if there is no price any more. */
export const trigger = ({ bySource, dirty }: Watches, source: Source, price: Units | undefined): void => {
  const lists = bySource.get(source)
  if (lists === undefined) return
  takeUpTo(lists.falls, price === undefined ? undefined : -price, dirty)
  takeUpTo(lists.rises, price, dirty)
}
