/**
 * What accounts have open: it is found by its identifier, and by its account, market and client order id.
 *
 * @since 0.1.0
 */
import type { ClientOrderId, MarketName, OrderId } from "../../domain/Identifiers.ts"

/**
 * Whose something is, and where.
 *
 * @category models
 * @since 0.1.0
 */
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

/** A link of a chain. */
interface Link<A> {
  readonly item: A
  /** The link that came before it. */
  older: Link<A> | undefined
  /** The link that came after it. */
  newer: Link<A> | undefined
}

/** What an account has on a market. */
interface Chain<A> {
  newest: Link<A> | undefined
  readonly byClientOrderId: Map<ClientOrderId, Set<A>>
}

/** Everything is by id, in the order in which it came. */
const numberOf = <A extends Identified>(link: Link<A> | undefined): number => Number(link?.item.id ?? -1)

/**
 * What accounts have open. It is read as a map by identifier, in which the latest comes last. Identifiers rise.
 *
 * @category models
 * @since 0.1.0
 */
export class Owned<A extends Identified> implements Iterable<[OrderId, A]> {
  private readonly links = new Map<OrderId, Link<A>>()
  private readonly accounts = new Map<string, Map<MarketName, Chain<A>>>()
  private readonly ownerOf: (item: A) => Owner

  constructor(ownerOf: (item: A) => Owner) {
    this.ownerOf = ownerOf
  }

  /** How many there are. */
  get size(): number {
    return this.links.size
  }

  /** The one of an identifier. */
  get(id: OrderId): A | undefined {
    return this.links.get(id)?.item
  }

  /** Whether there is one of an identifier. */
  has(id: OrderId): boolean {
    return this.links.has(id)
  }

  /** Adds one, which is the latest from now on. */
  add(item: A): void {
    const { account, clientOrderId, market } = this.ownerOf(item)
    const chain = this.chainOf(account, market)
    const link: Link<A> = { item, older: chain.newest, newer: undefined }
    if (chain.newest !== undefined) chain.newest.newer = link
    chain.newest = link
    this.links.set(item.id, link)
    if (clientOrderId === undefined) return
    const named = chain.byClientOrderId.get(clientOrderId)
    if (named === undefined) chain.byClientOrderId.set(clientOrderId, new Set([item]))
    else named.add(item)
  }

  /** Removes the one of an identifier, and says whether there was one. */
  delete(id: OrderId): boolean {
    const link = this.links.get(id)
    if (link === undefined) return false
    this.links.delete(id)
    const { account, clientOrderId, market } = this.ownerOf(link.item)
    const chain = this.chainOf(account, market)
    if (link.older !== undefined) link.older.newer = link.newer
    if (link.newer === undefined) chain.newest = link.older
    else link.newer.older = link.older
    const named = clientOrderId === undefined ? undefined : chain.byClientOrderId.get(clientOrderId)
    if (clientOrderId !== undefined && named?.delete(link.item) === true && named.size === 0) {
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

  /** Those of an account, on one market or on all of them, the latest first. The one given last may be removed meanwhile. */
  *latest(account: string, market?: MarketName): Generator<A, undefined> {
    const markets = this.accounts.get(account)
    const chains = market === undefined ? [...markets?.values() ?? []] : [markets?.get(market)]
    const heads = chains.map((chain) => chain?.newest)
    for (;;) {
      let latest = 0
      for (let index = 1; index < heads.length; index++) {
        if (numberOf(heads[index]) > numberOf(heads[latest])) latest = index
      }
      const head = heads[latest]
      if (head === undefined) return
      heads[latest] = head.older
      yield head.item
    }
  }

  /** All of them, the latest last. */
  *values(): Generator<A, undefined> {
    for (const { item } of this.links.values()) yield item
  }

  /** All of them with their identifiers, the latest last. */
  *[Symbol.iterator](): Generator<[OrderId, A], undefined> {
    for (const [id, { item }] of this.links) yield [id, item]
  }

  private chainOf(account: string, market: MarketName): Chain<A> {
    let markets = this.accounts.get(account)
    if (markets === undefined) this.accounts.set(account, markets = new Map())
    let chain = markets.get(market)
    if (chain === undefined) markets.set(market, chain = { newest: undefined, byClientOrderId: new Map() })
    return chain
  }
}
