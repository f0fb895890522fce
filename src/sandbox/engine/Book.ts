/** The order book of a market: resting orders by price, and by time at the same price. */
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
  /** The orders, oldest first. An order counts as long as its `queued` is set. */
  readonly orders: FifoQueue.FifoQueue<Order> = FifoQueue.make(isQueued)
  private counted: Units.Units | undefined

  constructor(price: Units.Units) {
    this.price = price
  }

  /**
   * The total left of these orders, in units of the base currency. Computed on the first read, then kept up to date.
   */
  get left(): Units.Units {
    return this.counted ??= FifoQueue.members(this.orders).reduce((sum, { left }) => sum + left, 0n)
  }

  /** Adds to the total left. Most levels disappear before anyone reads it, so an unread total stays uncomputed. */
  more(units: Units.Units): void {
    if (this.counted !== undefined) this.counted += units
  }

  /** Subtracts from the total left. */
  less(units: Units.Units): void {
    if (this.counted !== undefined) this.counted -= units
  }
}

export interface Book {
  /** The buy orders, highest price first. */
  readonly bids: SkipList<Level>
  /** The sell orders, lowest price first. */
  readonly asks: SkipList<Level>
  /** The price step of the market. */
  readonly tick: Units.Units
}

/** An empty book. */
export const make = (market: Market): Book => ({
  bids: new SkipList(),
  asks: new SkipList(),
  tick: Terms.of(market).tick
})

/** The levels of a side, best first. */
export const levels = (book: Book, side: OrderSide): SkipList<Level> => side === "buy" ? book.bids : book.asks

/** A price in ticks, signed so that the best price of a side is the smallest. Nearly every price fits into a `number`. */
const keyOf = ({ tick }: Book, side: OrderSide, price: Units.Units): Key => {
  const ticks = price / tick
  const number = Number(ticks)
  if (!Number.isSafeInteger(number)) return side === "buy" ? -ticks : ticks
  return side === "buy" ? -number : number
}

/** Adds an order at a price, behind all others of that price. */
export const add = (book: Book, order: Order, price: Units.Units): void => {
  const side = levels(book, order.side)
  const key = keyOf(book, order.side, price)
  let level = side.get(key)
  if (level === undefined) side.add(key, level = new Level(price))
  // All orders of a level share one price.
  order.queued = level.price
  FifoQueue.join(level.orders, order)
  level.more(order.left)
}

/** Updates the book after an order at this price has left it. The order's `queued` must be cleared first. */
export const removed = (book: Book, order: Order, price: Units.Units): void => {
  const side = levels(book, order.side)
  // An order that trades is at the best price.
  const level = side.first?.price === price ? side.first : side.get(keyOf(book, order.side, price))
  if (level === undefined) return
  FifoQueue.left(level.orders)
  if (level.orders.size === 0) side.delete(keyOf(book, order.side, price))
  else level.less(order.left)
}

/** Records that the first order of a side has traded an amount. */
export const traded = (book: Book, side: OrderSide, amount: Units.Units): void => levels(book, side).first?.less(amount)

/** The first order of a side to trade: the oldest at the best price. */
export const first = (book: Book, side: OrderSide): Order | undefined => {
  const { first: level } = levels(book, side)
  return level && FifoQueue.first(level.orders)
}

/** The best price of a side. */
export const best = (book: Book, side: OrderSide): Units.Units | undefined => levels(book, side).first?.price
