/** The resting orders of a market, by price. Orders at the same price stand in the order in which they came. */
import type { Market } from "../../domain/Market.ts"
import type { OrderSide } from "../../domain/Order.ts"
import * as FifoQueue from "./FifoQueue.ts"
import type { Order } from "./Order.ts"
import { type Key, SkipList } from "./SkipList.ts"
import * as Units from "./Units.ts"

const isQueued = ({ queued }: Order): boolean => queued !== undefined

/** The orders at one price. */
export class Level {
  /** The price, in units of the quote currency. */
  readonly price: Units.Units
  /** The orders, the oldest first. An order waits here as long as it says that it is queued. */
  readonly orders: FifoQueue.FifoQueue<Order> = FifoQueue.make(isQueued)
  private counted: Units.Units | undefined

  constructor(price: Units.Units) {
    this.price = price
  }

  /** What is left of all of them, in units of the base currency. Counted once somebody asks, and kept from then on. */
  get left(): Units.Units {
    return this.counted ??= FifoQueue.members(this.orders).reduce((sum, { left }) => sum + left, 0n)
  }

  /** Says that so much more is left of them. Most levels come and go before somebody asks. */
  more(units: Units.Units): void {
    if (this.counted !== undefined) this.counted += units
  }

  /** Says that so much less is left of them. */
  less(units: Units.Units): void {
    if (this.counted !== undefined) this.counted -= units
  }
}

/** Both sides of a market. */
export interface Book {
  /** What buyers offer, the highest price first. */
  readonly bids: SkipList<Level>
  /** What sellers ask, the lowest price first. */
  readonly asks: SkipList<Level>
  /** The step of the market's prices. */
  readonly tick: Units.Units
}

/** An empty book. */
export const make = ({ moneyPrecision }: Market): Book => ({
  bids: new SkipList(),
  asks: new SkipList(),
  tick: Units.stepOf(moneyPrecision)
})

/** The levels of a side, the best first. */
export const levels = (book: Book, side: OrderSide): SkipList<Level> => side === "buy" ? book.bids : book.asks

/** A price in ticks, so that the best price of a side is the least. Hardly any has more digits than a number can hold. */
const keyOf = ({ tick }: Book, side: OrderSide, price: Units.Units): Key => {
  const ticks = price / tick
  const number = Number(ticks)
  if (!Number.isSafeInteger(number)) return side === "buy" ? -ticks : ticks
  return side === "buy" ? -number : number
}

/** Queues an order at a price, behind all others. */
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

/** Says that an order, which was in the book at this price, is queued no more. */
export const removed = (book: Book, order: Order, price: Units.Units): void => {
  const side = levels(book, order.side)
  // Who trades is at the best price.
  const level = side.first?.price === price ? side.first : side.get(keyOf(book, order.side, price))
  if (level === undefined) return
  FifoQueue.left(level.orders)
  if (level.orders.size === 0) side.delete(keyOf(book, order.side, price))
  else level.less(order.left)
}

/** Says that the first order of a side has traded an amount. */
export const traded = (book: Book, side: OrderSide, amount: Units.Units): void => levels(book, side).first?.less(amount)

/** The order of a side whose turn it is: the oldest at the best price. */
export const first = (book: Book, side: OrderSide): Order | undefined => {
  const { first: level } = levels(book, side)
  return level && FifoQueue.first(level.orders)
}

/** The best price of a side. */
export const best = (book: Book, side: OrderSide): Units.Units | undefined => levels(book, side).first?.price
