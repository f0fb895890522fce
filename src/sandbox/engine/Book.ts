/** A market's order book: resting orders in price-time priority. */
import type { Market } from "../../domain/Market.ts"
import type { OrderSide } from "../../domain/Order.ts"
import * as FifoQueue from "./FifoQueue.ts"
import type { Order } from "./Order.ts"
import { type Key, SkipList } from "./SkipList.ts"
import * as Terms from "./Terms.ts"
import * as Units from "./Units.ts"

const isQueued = ({ queued }: Order): boolean => queued !== undefined

/** The orders at one price. */
export class Level {
  /** The price, in units of the quote currency. */
  readonly price: Units.Units
  /** The orders, oldest first. Orders that have left the book are skipped; their `queued` is `undefined`. */
  readonly orders: FifoQueue.FifoQueue<Order> = FifoQueue.make(isQueued)
  private counted: Units.Units | undefined

  constructor(price: Units.Units) {
    this.price = price
  }

  /**
   * The sum of the orders' remaining amounts, in units of the base currency. The sum is computed on the first read and
   * updated afterwards.
   */
  get left(): Units.Units {
    return this.counted ??= FifoQueue.members(this.orders).reduce((sum, { left }) => sum + left, 0n)
  }

  /**
   * Adds an amount to {@link left}. Does nothing before the sum is first read, because most levels disappear without
   * ever being read.
   */
  more(units: Units.Units): void {
    if (this.counted !== undefined) this.counted += units
  }

  /** Subtracts an amount from {@link left}. Does nothing before the sum is first read. */
  less(units: Units.Units): void {
    if (this.counted !== undefined) this.counted -= units
  }
}

/** The price levels of both sides. */
export interface Sides {
  /** The buy orders, highest price first. */
  readonly bids: SkipList<Level>
  /** The sell orders, lowest price first. */
  readonly asks: SkipList<Level>
}

export interface Book extends Sides {
  /** The `rpi` orders, which trade only against retail orders. Their prices can cross the other side of the book. */
  readonly rpi: Sides
  /** The market's price step. */
  readonly tick: Units.Units
}

/** Creates an empty book. */
export const make = (market: Market): Book => ({
  bids: new SkipList(),
  asks: new SkipList(),
  rpi: { bids: new SkipList(), asks: new SkipList() },
  tick: Terms.of(market).tick
})

/** The levels on one side of the book, best price first. */
export const levels = (book: Sides, side: OrderSide): SkipList<Level> => side === "buy" ? book.bids : book.asks

/** The levels on an order's side of the book; for an `rpi` order, the levels of the `rpi` orders on that side. */
const levelsOf = (book: Book, { rpi, side }: Order): SkipList<Level> => levels(rpi ? book.rpi : book, side)

/**
 * The sort key of a price: the price in ticks, negated for buy orders, so that the best price on each side has the
 * smallest key. Nearly every key fits into a `number`; the others are bigints.
 */
const keyOf = ({ tick }: Book, side: OrderSide, price: Units.Units): Key => {
  const ticks = price / tick
  const number = Number(ticks)
  if (!Number.isSafeInteger(number)) return side === "buy" ? -ticks : ticks
  return side === "buy" ? -number : number
}

/** Adds an order at a price, behind all other orders at that price. */
export const add = (book: Book, order: Order, price: Units.Units): void => {
  const side = levelsOf(book, order)
  const key = keyOf(book, order.side, price)
  let level = side.get(key)
  if (level === undefined) side.add(key, level = new Level(price))
  // All orders at a level share one bigint for their price, which saves memory.
  order.queued = level.price
  FifoQueue.join(level.orders, order)
  level.more(order.left)
}

/**
 * Updates the level at `price` after an order has left it. The caller must set the order's `queued` to `undefined`
 * first.
 */
export const removed = (book: Book, order: Order, price: Units.Units): void => {
  const side = levelsOf(book, order)
  // Most orders that leave have just traded at the best price. Their level needs no search.
  const level = side.first?.price === price ? side.first : side.get(keyOf(book, order.side, price))
  if (level === undefined) return
  FifoQueue.left(level.orders)
  if (level.orders.size === 0) side.delete(keyOf(book, order.side, price))
  else level.less(order.left)
}

/** Subtracts a traded amount from the best level on the order's side. Orders trade only at the best level. */
export const traded = (book: Book, order: Order, amount: Units.Units): void => levelsOf(book, order).first?.less(amount)

/**
 * The order on a side that trades next: the oldest order at the best price. If `retail` is true, `rpi` orders count
 * too; they trade after all other orders at the same price.
 */
export const first = (book: Book, side: OrderSide, retail = false): Order | undefined => {
  const { first: level } = levels(book, side)
  const { first: hidden } = retail ? levels(book.rpi, side) : noLevels
  if (hidden === undefined) return level && FifoQueue.first(level.orders)
  const isBetter = level === undefined || (side === "buy" ? hidden.price > level.price : hidden.price < level.price)
  return FifoQueue.first((isBetter ? hidden : level).orders)
}

const noLevels: Pick<SkipList<Level>, "first"> = { first: undefined }

/** The best price on a side, ignoring `rpi` orders; `undefined` if the side is empty. */
export const best = (book: Book, side: OrderSide): Units.Units | undefined => levels(book, side).first?.price
