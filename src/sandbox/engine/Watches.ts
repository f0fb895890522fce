/**
 * Finds the accounts that might get a margin call or be liquidated because of a price move, without evaluating the
 * other accounts. Each account with positions watches every price on which its value depends, with a bound for each
 * price. While all prices are within their bounds, the account's risk level can't change. When a price reaches a bound,
 * the account is only checked: its risk level may be unchanged.
 */
import type { MarketName } from "../../domain/Identifiers.ts"
import { SkipList } from "./SkipList.ts"
import type { Units } from "./Units.ts"

/** A price that accounts watch: a market's mark price or index price. */
export type Source = `${"mark" | "index"} ${MarketName}`

/** One account's watch on one price. The account is checked once the price reaches the watch's bound. */
interface Watch {
  readonly account: string
  readonly list: SkipList<Watch>
  /** The watch's sort key in `list`. */
  readonly key: bigint
}

/** The watches on one price. */
interface Lists {
  /** The watches that end when the price falls to their bound, highest bound first. */
  readonly falls: SkipList<Watch>
  /** The watches that end when the price rises to their bound, lowest bound first. */
  readonly rises: SkipList<Watch>
}

/** All accounts' watches, and the current command's changes that require checks. */
export interface Watches {
  /** The watches, keyed by the price that they watch. */
  readonly bySource: Map<Source, Lists>
  /** The watches of each account. */
  readonly byAccount: Map<string, Array<Watch>>
  /** The accounts to check, for example because their collateral has changed. Empty between commands. */
  readonly dirty: Set<string>
  /** The markets whose mark or index price the current command may have changed. Empty between commands. */
  readonly moved: Set<MarketName>
  /**
   * The markets whose mark or index price the venue's owner has moved in the current command. Empty between commands.
   */
  readonly byOwner: Set<MarketName>
  /** The number of watches added so far. This number makes keys unique, and has no other effect. */
  count: bigint
}

/** An empty set of watches. */
export const make = (): Watches => ({
  bySource: new Map(),
  byAccount: new Map(),
  dirty: new Set(),
  moved: new Set(),
  byOwner: new Set(),
  count: 0n
})

/** The number of bits in a key that hold the watch's number: the lowest ones. The other bits hold the bound. */
const bits = 64n

/** Adds a watch that ends when a price falls to a bound or, if `end` is `rises`, when it rises to the bound. */
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

/** Removes all of an account's watches. */
export const clear = ({ byAccount }: Watches, account: string): void => {
  for (const { key, list } of byAccount.get(account) ?? []) list.delete(key)
  byAccount.delete(account)
}

/**
 * Removes the watches up to a bound and marks their accounts as needing a check. Without a bound, removes all watches.
 */
const takeUpTo = (list: SkipList<Watch>, bound: bigint | undefined, dirty: Set<string>): void => {
  for (;;) {
    const { first } = list
    if (first === undefined || (bound !== undefined && first.key >> bits > bound)) return
    list.delete(first.key)
    dirty.add(first.account)
  }
}

/**
 * Marks the accounts whose watches end at the current price, because they need a check. If the price no longer exists,
 * marks all accounts that watch it.
 */
export const trigger = ({ bySource, dirty }: Watches, source: Source, price: Units | undefined): void => {
  const lists = bySource.get(source)
  if (lists === undefined) return
  takeUpTo(lists.falls, price === undefined ? undefined : -price, dirty)
  takeUpTo(lists.rises, price, dirty)
}
