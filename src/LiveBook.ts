/**
 * Keeps a market's order book up to date. The book is sorted, and never crossed. This view needs no credentials.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Identifiers, LiveBook } from "effect-txc"
 *
 * export const program = Effect.scoped(Effect.gen(function*() {
 *   const view = yield* LiveBook.make({ market: Identifiers.marketName("BTC_USDT"), limit: 100, priceStep: "0" })
 *   const { ask, bid } = LiveBook.best(yield* view.whole)
 *   yield* Effect.log(`${bid?.price} to ${ask?.price}`)
 * }))
 * ```
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as DepthChannel from "./channels/DepthChannel.ts"
import type * as StreamErrors from "./client/session/StreamErrors.ts"
import * as Decimal from "./domain/Decimal.ts"
import type { MarketName } from "./domain/Identifiers.ts"
import type { UnixTime } from "./domain/Time.ts"
import * as LiveView from "./LiveView.ts"

/**
 * An order book with at least the requested number of levels on each side, if the market has that many.
 *
 * @category models
 */
export interface Book {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
  /** The sequence number of this state of the book. It never decreases as long as the view is whole. */
  readonly updateId: number
  /** The time of the book's last change, by the exchange's clock, in Unix seconds with a fraction. */
  readonly timestamp: UnixTime
  /** The asks, lowest price first. */
  readonly asks: ReadonlyArray<DepthChannel.Level>
  /** The bids, highest price first. */
  readonly bids: ReadonlyArray<DepthChannel.Level>
}

/**
 * A live order book.
 *
 * @category models
 */
export type LiveBook = LiveView.LiveView<Book, StreamErrors.PublicFailure>

/**
 * The best level of each side; absent for a side without levels.
 *
 * @category models
 */
export interface Best {
  /** The best ask: the level with the lowest price. */
  readonly ask?: DepthChannel.Level
  /** The best bid: the level with the highest price. */
  readonly bid?: DepthChannel.Level
}

/**
 * Returns the best level of each side.
 *
 * @category accessors
 */
export const best = ({ asks: [ask], bids: [bid] }: Book): Best => ({
  ...(ask === undefined ? {} : { ask }),
  ...(bid === undefined ? {} : { bid })
})

/**
 * Returns the book with only its best `count` levels on each side.
 *
 * @category accessors
 */
export const top = (book: Book, count: number): Book => ({
  ...book,
  asks: book.asks.slice(0, count),
  bids: book.bids.slice(0, count)
})

/** A side of a book. */
type SideName = "asks" | "bids"

/** Compares two prices: -1 if the first price is better, 0 if the prices are equal, 1 if the second price is better. */
const comparing = {
  asks: Decimal.Order,
  bids: (one: Decimal.Decimal, other: Decimal.Decimal) => Decimal.Order(other, one)
}

/**
 * Returns the amount at a price, in the base currency; zero if there is no such level. Prices are compared by value, so
 * `"1.50"` finds `"1.5"`.
 *
 * @category accessors
 */
export const amountAt = (book: Book, side: SideName, price: Decimal.Decimal): Decimal.Decimal => {
  const levels = book[side]
  const compare = comparing[side]
  let low = 0
  let high = levels.length
  while (low < high) {
    const middle = (low + high) >> 1
    const level = levels[middle]
    const order = level === undefined ? 0 : compare(level.price, price)
    if (order === 0) return level?.amount ?? Decimal.zero
    if (order < 0) low = middle + 1
    else high = middle
  }
  return Decimal.zero
}

/** Inserts a number at an index. `Array.splice` takes several times as long, because it also creates an array. */
const insertAt = (list: Array<number>, at: number, item: number): void => {
  list.push(item)
  for (let index = list.length - 1; index > at; index--) list[index] = list[index - 1] ?? 0
  list[at] = item
}

/** Removes the number at an index. */
const removeAt = (list: Array<number>, at: number): void => {
  for (let index = at + 1; index < list.length; index++) list[index - 1] = list[index] ?? 0
  list.pop()
}

/**
 * A side's levels, best first. Each price is converted to a floating-point number once. Rounding does not change the
 * order of prices, so only prices that round to the same number have to be compared exactly.
 *
 * Each level stays in its slot when a better level is added or removed; only the slot numbers in {@link #order} move.
 * Moving the level objects would take twice as long, because V8 reports each moved object to its garbage collector.
 */
class Side {
  readonly #name: SideName
  readonly #sign: 1 | -1
  /** The rounded prices, in ascending order; the prices of bids are negated. */
  readonly #keys: Array<number> = []
  /** The slot of each level in {@link #slots}, in the same order as {@link #keys}. */
  readonly #order: Array<number> = []
  readonly #slots: Array<DepthChannel.Level> = []
  /** The slots whose levels were removed; new levels reuse them. */
  readonly #free: Array<number> = []

  constructor(name: SideName) {
    this.#name = name
    this.#sign = name === "asks" ? 1 : -1
  }

  /** The level at this position; the best level is at 0. */
  #at(position: number): DepthChannel.Level | undefined {
    const slot = this.#order[position]
    return slot === undefined ? undefined : this.#slots[slot]
  }

  get best(): DepthChannel.Level | undefined {
    return this.#at(0)
  }

  /** The rounded price of the best level. */
  get bestPrice(): number {
    return (this.#keys[0] ?? Infinity) * this.#sign
  }

  toArray(): ReadonlyArray<DepthChannel.Level> {
    const levels: Array<DepthChannel.Level> = []
    for (const slot of this.#order) {
      const level = this.#slots[slot]
      if (level !== undefined) levels.push(level)
    }
    return levels
  }

  begin(levels: ReadonlyArray<DepthChannel.Level> = []): void {
    for (const list of [this.#keys, this.#order, this.#slots, this.#free]) list.length = 0
    this.change(levels)
  }

  change(levels: ReadonlyArray<DepthChannel.Level> = []): void {
    for (const level of levels) {
      const key = Number(level.price) * this.#sign
      const at = this.#find(key, level.price)
      const slot = this.#order[at]
      const found = this.#at(at)
      const isKnown = found !== undefined && this.#keys[at] === key && Decimal.Equivalence(found.price, level.price)
      if (slot !== undefined && isKnown) {
        if (Decimal.isZero(level.amount)) this.#remove(at, slot)
        else this.#slots[slot] = level
      } else if (!Decimal.isZero(level.amount)) this.#insert(at, key, level)
    }
  }

  #insert(at: number, key: number, level: DepthChannel.Level): void {
    const slot = this.#free.pop() ?? this.#slots.length
    this.#slots[slot] = level
    insertAt(this.#keys, at, key)
    insertAt(this.#order, at, slot)
  }

  #remove(at: number, slot: number): void {
    removeAt(this.#keys, at)
    removeAt(this.#order, at)
    this.#free.push(slot)
  }

  /** The position of the first level that is not better than this price. */
  #find(key: number, price: Decimal.Decimal): number {
    const keys = this.#keys
    let low = 0
    let high = keys.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((keys[middle] ?? 0) < key) low = middle + 1
      else high = middle
    }
    for (let level = this.#at(low); level !== undefined && keys[low] === key; level = this.#at(low)) {
      if (comparing[this.#name](level.price, price) >= 0) break
      low++
    }
    return low
  }
}

const model = (market: MarketName): LiveView.Model<DepthChannel.DepthMessage, DepthChannel.DepthMessage, Book> => {
  const asks = new Side("asks")
  const bids = new Side("bids")
  let last: Pick<Book, "timestamp" | "updateId"> | undefined
  /**
   * Whether the best bid is at or below the best ask; if not, the book is crossed. The two prices may be equal, because
   * with a `priceStep` the exchange might round both to the same value.
   */
  const isSound = (): boolean => {
    if (asks.best === undefined || bids.best === undefined || bids.bestPrice < asks.bestPrice) return true
    return Decimal.Order(bids.best.price, asks.best.price) <= 0
  }
  return {
    begin: (book) => {
      asks.begin(book.asks)
      bids.begin(book.bids)
      last = book
      return isSound()
    },
    apply: (change) => {
      asks.change(change.asks)
      bids.change(change.bids)
      last = change
      return isSound()
    },
    value: () => {
      const { timestamp = 0, updateId = 0 } = last ?? {}
      return { market, updateId, timestamp, asks: asks.toArray(), bids: bids.toArray() } as Book
    }
  }
}

/**
 * Creates a live book. The view lasts as long as its scope.
 *
 * Each update contains the sequence number of the previous update, so the view notices a missing update when the next
 * update arrives, or when the exchange repeats the complete book after ten seconds without an update. The view is then
 * incomplete until it receives another complete book.
 *
 * All views of one topic share a subscription. A book of the same market with a different `limit` or `priceStep` needs
 * its own connection.
 *
 * @category constructors
 */
export const make: (
  topic: DepthChannel.Topic
) => Effect.Effect<LiveBook, never, DepthChannel.DepthChannel | Scope.Scope> = Effect.fn("LiveBook.make")(
  function*(topic) {
    const { stream } = yield* DepthChannel.DepthChannel
    return yield* LiveView.make(stream(topic), model(topic.market))
  }
)
