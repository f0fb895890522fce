/** What accounts have open: it is found by its identifier, and by its account, market and client order id. */
import type { ClientOrderId, MarketName, OrderId } from "../../domain/Identifiers.ts"
import * as FifoQueue from "./FifoQueue.ts"
import { PagedArray } from "./PagedArray.ts"

/** Whose something is, and where. */
export interface Owner {
  /** The account that it belongs to. */
  readonly account: string
  /** The market that it is on. */
  readonly market: MarketName
  /** What its account calls it. */
  readonly clientOrderId: ClientOrderId | undefined
}

/** Something with an identifier. */
interface Identified {
  readonly id: OrderId
}

/** What an account has on a market. */
interface Chain<A> {
  /** The numbers of all of it, the latest last. Whether one is open is known without a look at the item. */
  readonly numbers: FifoQueue.FifoQueue<number>
  readonly byClientOrderId: Map<ClientOrderId, Set<A>>
}

/**
 * What accounts have open. It is read as a map by identifier, in which the latest comes last. Identifiers rise, and what
 * was removed never comes back.
 */
export class OrderIndex<A extends Identified> implements Iterable<[OrderId, A]> {
  private readonly items = new PagedArray<A>()
  private readonly accounts = new Map<string, Map<MarketName, Chain<A>>>()
  private readonly ownerOf: (item: A) => Owner
  private readonly isOpen = (number: number): boolean => this.items.get(number) !== undefined

  constructor(ownerOf: (item: A) => Owner) {
    this.ownerOf = ownerOf
  }

  /** How many there are. */
  get size(): number {
    return this.items.size
  }

  /** The one of an identifier. */
  get(id: OrderId): A | undefined {
    return this.at(Number(id), id)
  }

  private at(number: number, id: OrderId): A | undefined {
    const item = this.items.get(number)
    // Callers may spell the number in another way: then it is not the identifier.
    return item?.id === id ? item : undefined
  }

  /** Whether there is one of an identifier. */
  has(id: OrderId): boolean {
    return this.get(id) !== undefined
  }

  /** Adds one, which is the latest from now on. Gives its number. */
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

  /** Removes the one of an identifier, and says whether there was one. */
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

  /** Those of an account on a market that it has given this client order id, the oldest first. */
  named(account: string, market: MarketName, clientOrderId: ClientOrderId): Iterable<A> {
    return this.accounts.get(account)?.get(market)?.byClientOrderId.get(clientOrderId) ?? []
  }

  /** The markets on which an account has, or has had, something. */
  marketsOf(account: string): Iterable<MarketName> {
    return this.accounts.get(account)?.keys() ?? []
  }

  /** How many an account has, on one market or on all of them. */
  countOf(account: string, market?: MarketName): number {
    const markets = this.accounts.get(account)
    if (market !== undefined) return markets?.get(market)?.numbers.size ?? 0
    let count = 0
    for (const { numbers } of markets?.values() ?? []) count += numbers.size
    return count
  }

  /** Those of an account, on one market or on all of them, the latest first. The one given last may be removed meanwhile. */
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
      // It may have been removed since it was the next of its market.
      const item = this.items.get(number)
      if (item !== undefined) yield item
    }
  }

  /** All of them, the latest last. */
  values(): Generator<A, undefined> {
    return this.items[Symbol.iterator]()
  }

  /** All of them with their identifiers, the latest last. */
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
