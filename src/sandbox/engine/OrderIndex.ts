/** Looks up open items, such as orders, by identifier, by account and market, and by client order id. */
import type { ClientOrderId, MarketName, OrderId } from "../../domain/Identifiers.ts"
import * as FifoQueue from "./FifoQueue.ts"
import { PagedArray } from "./PagedArray.ts"

/** The properties by which an item can be found: its account, market and client order id. */
export interface Owner {
  /** The account that owns the item. */
  readonly account: string
  /** The item's market. */
  readonly market: MarketName
  /** The client order id, if the item has one. */
  readonly clientOrderId: ClientOrderId | undefined
}

/** An item with an identifier. */
interface Identified {
  readonly id: OrderId
}

/** The items of one account on one market. */
interface Chain<A> {
  /** The items' identifiers as numbers, oldest first. A number is enough to check whether its item is still open. */
  readonly numbers: FifoQueue.FifoQueue<number>
  readonly byClientOrderId: Map<ClientOrderId, Set<A>>
}

/**
 * The open items of all accounts. The collection can be read like a map that is keyed by identifier, with the latest
 * item last. Identifiers always increase, and a removed item is never added again.
 */
export class OrderIndex<A extends Identified> implements Iterable<[OrderId, A]> {
  private readonly items = new PagedArray<A>()
  private readonly accounts = new Map<string, Map<MarketName, Chain<A>>>()
  private readonly ownerOf: (item: A) => Owner
  private readonly isOpen = (number: number): boolean => this.items.get(number) !== undefined

  constructor(ownerOf: (item: A) => Owner) {
    this.ownerOf = ownerOf
  }

  /** The number of items. */
  get size(): number {
    return this.items.size
  }

  /** The item with the given identifier. */
  get(id: OrderId): A | undefined {
    return this.at(Number(id), id)
  }

  private at(number: number, id: OrderId): A | undefined {
    const item = this.items.get(number)
    // A different string, for example one with leading zeros, could convert to the same number, but would not be this
    // item's identifier.
    return item?.id === id ? item : undefined
  }

  /** Whether an item with the given identifier exists. */
  has(id: OrderId): boolean {
    return this.get(id) !== undefined
  }

  /** Adds an item, whose identifier must be the highest so far. Returns the identifier as a number. */
  add(item: A): number {
    const { account, clientOrderId, market } = this.ownerOf(item)
    const chain = this.chainOf(account, market)
    const number = Number(item.id)
    FifoQueue.join(chain.numbers, number)
    this.items.add(number, item)
    if (clientOrderId !== undefined) {
      const named = chain.byClientOrderId.get(clientOrderId)
      if (named === undefined) chain.byClientOrderId.set(clientOrderId, new Set([item]))
      else named.add(item)
    }
    return number
  }

  /** Removes the item with the given identifier. Returns whether there was such an item. */
  delete(id: OrderId): boolean {
    const number = Number(id)
    const item = this.at(number, id)
    if (item === undefined) return false
    this.items.delete(number)
    const { account, clientOrderId, market } = this.ownerOf(item)
    const chain = this.chainOf(account, market)
    FifoQueue.left(chain.numbers)
    const named = clientOrderId === undefined ? undefined : chain.byClientOrderId.get(clientOrderId)
    if (clientOrderId !== undefined && named?.delete(item) === true && named.size === 0) {
      chain.byClientOrderId.delete(clientOrderId)
    }
    return true
  }

  /** An account's items on a market that have this client order id, oldest first. */
  named(account: string, market: MarketName, clientOrderId: ClientOrderId): Iterable<A> {
    return this.accounts.get(account)?.get(market)?.byClientOrderId.get(clientOrderId) ?? []
  }

  /** The markets on which an account has, or has had, an item. */
  marketsOf(account: string): Iterable<MarketName> {
    return this.accounts.get(account)?.keys() ?? []
  }

  /** The number of an account's items, on one market or on all. */
  countOf(account: string, market?: MarketName): number {
    const markets = this.accounts.get(account)
    if (market !== undefined) return markets?.get(market)?.numbers.size ?? 0
    let count = 0
    for (const { numbers } of markets?.values() ?? []) count += numbers.size
    return count
  }

  /**
   * An account's items, on one market or on all, latest first. It is safe to remove the item just yielded during the
   * loop.
   */
  *latest(account: string, market?: MarketName): Generator<A, undefined> {
    const markets = this.accounts.get(account)
    const chains = market === undefined ? [...markets?.values() ?? []] : [markets?.get(market)]
    const latest = chains.flatMap((chain) => chain === undefined ? [] : [FifoQueue.latest(chain.numbers)])
    const heads = latest.map((numbers) => numbers.next().value)
    for (;;) {
      let index = 0
      for (let other = 1; other < heads.length; other++) {
        if ((heads[other] ?? -1) > (heads[index] ?? -1)) index = other
      }
      const number = heads[index]
      if (number === undefined) return
      heads[index] = latest[index]?.next().value
      // The item may have been removed since its number was read.
      const item = this.items.get(number)
      if (item !== undefined) yield item
    }
  }

  /** All items, oldest first. */
  values(): Generator<A, undefined> {
    return this.items[Symbol.iterator]()
  }

  /** All items with their identifiers, oldest first. */
  *[Symbol.iterator](): Generator<[OrderId, A], undefined> {
    for (const item of this.items) yield [item.id, item]
  }

  private chainOf(account: string, market: MarketName): Chain<A> {
    let markets = this.accounts.get(account)
    if (markets === undefined) this.accounts.set(account, markets = new Map())
    let chain = markets.get(market)
    if (chain === undefined)
      markets.set(market, chain = { numbers: FifoQueue.make(this.isOpen), byClientOrderId: new Map() })
    return chain
  }
}
