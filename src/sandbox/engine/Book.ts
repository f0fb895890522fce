/**
 * The resting orders of a market, by price. Orders at the same price stand in the order in which they came.
 *
 * @since 0.1.0
 */
import type { OrderSide } from "../../domain/Order.ts"
import type { Order } from "./Order.ts"
import type { Units } from "./Units.ts"

/**
 * The orders at one price.
 *
 * @category models
 * @since 0.1.0
 */
export interface Level {
  /** The price, in units of the quote currency. */
  readonly price: Units
  /** The orders, the oldest first. */
  readonly orders: Array<Order>
}

/**
 * Both sides of a market.
 *
 * @category models
 * @since 0.1.0
 */
export interface Book {
  /** What buyers offer, the highest price first. */
  readonly bids: Array<Level>
  /** What sellers ask, the lowest price first. */
  readonly asks: Array<Level>
}

/**
 * An empty book.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (): Book => ({ bids: [], asks: [] })

/**
 * The levels of a side, the best first.
 *
 * @category reading
 * @since 0.1.0
 */
export const levels = (book: Book, side: OrderSide): Array<Level> => side === "buy" ? book.bids : book.asks

/** Where a price is, or would be, among the levels of a side. */
const indexOf = (levels: ReadonlyArray<Level>, side: OrderSide, price: Units): number => {
  let low = 0
  let high = levels.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const found = levels[middle]
    const isBetter = found !== undefined && (side === "buy" ? found.price > price : found.price < price)
    if (isBetter) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Adds an order, behind all others at its price.
 *
 * @category changing
 * @since 0.1.0
 */
export const add = (book: Book, order: Order, price: Units): void => {
  const side = levels(book, order.side)
  const index = indexOf(side, order.side, price)
  const level = side[index]
  if (level !== undefined && level.price === price) level.orders.push(order)
  else side.splice(index, 0, { price, orders: [order] })
}

/**
 * Removes an order. An order that is not in the book changes nothing.
 *
 * @category changing
 * @since 0.1.0
 */
export const remove = (book: Book, order: Order, price: Units): void => {
  const side = levels(book, order.side)
  const index = indexOf(side, order.side, price)
  const level = side[index]
  if (level === undefined || level.price !== price) return
  const place = level.orders.indexOf(order)
  if (place === -1) return
  level.orders.splice(place, 1)
  if (level.orders.length === 0) side.splice(index, 1)
}

/**
 * The best price of a side.
 *
 * @category reading
 * @since 0.1.0
 */
export const best = (book: Book, side: OrderSide): Units | undefined => levels(book, side)[0]?.price
