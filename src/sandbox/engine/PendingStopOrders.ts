/**
 * The stop orders of a market that have not been triggered. They are triggered in the order in which they were placed.
 *
 * @since 0.1.0
 */
import type { StopOrder } from "./Order.ts"
import * as Units from "./Units.ts"

/**
 * Stop orders, and the bounds within which a price triggers none of them. Only a price beyond a bound makes it
 * necessary to look through the orders.
 *
 * @category models
 * @since 0.1.0
 */
export interface PendingStopOrders {
  /** The orders, the oldest first. */
  readonly orders: Set<StopOrder>
  /** No price below this triggers an order whose condition is `gte`. `undefined` when there is no such order. */
  rising: Units.Units | undefined
  /** No price above this triggers an order whose condition is `lte`. `undefined` when there is no such order. */
  falling: Units.Units | undefined
  /** Whether a trade has reached the activation price of an order that is still here. */
  isReached: boolean
}

/**
 * No stop orders.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (): PendingStopOrders => ({
  orders: new Set(),
  rising: undefined,
  falling: undefined,
  isReached: false
})

const activationPriceOf = ({ stop }: StopOrder): Units.Units => Units.from(stop.price) ?? 0n

const widenBounds = (pending: PendingStopOrders, order: StopOrder): void => {
  const price = activationPriceOf(order)
  if (order.stop.condition === "gte") {
    if (pending.rising === undefined || price < pending.rising) pending.rising = price
  } else if (pending.falling === undefined || price > pending.falling) pending.falling = price
}

/**
 * Adds an order.
 *
 * @category changing
 * @since 0.1.0
 */
export const add = (pending: PendingStopOrders, order: StopOrder): void => {
  pending.orders.add(order)
  widenBounds(pending, order)
}

/**
 * Removes an order, and says whether it was here.
 *
 * @category changing
 * @since 0.1.0
 */
export const remove = (pending: PendingStopOrders, order: StopOrder): boolean => pending.orders.delete(order)

const mayTrigger = ({ falling, rising }: PendingStopOrders, price: Units.Units): boolean =>
  (rising !== undefined && price >= rising) || (falling !== undefined && price <= falling)

const isTriggeredBy = (order: StopOrder, price: Units.Units): boolean =>
  order.stop.condition === "gte" ? price >= activationPriceOf(order) : price <= activationPriceOf(order)

/**
 * Marks the orders that the price of a trade triggers. The taker may move the price on before {@link takeTriggered} is
 * called; the marked orders are triggered nevertheless.
 *
 * @category changing
 * @since 0.1.0
 */
export const markTriggered = (pending: PendingStopOrders, price: Units.Units): void => {
  if (!mayTrigger(pending, price)) return
  for (const order of pending.orders) {
    if (isTriggeredBy(order, price)) {
      order.stop.activated = true
      pending.isReached = true
    }
  }
}

/**
 * Removes and returns the oldest order that is marked, or that this price triggers.
 *
 * @category changing
 * @since 0.1.0
 */
export const takeTriggered = (pending: PendingStopOrders, price: Units.Units): StopOrder | undefined => {
  if (!pending.isReached && !mayTrigger(pending, price)) return undefined
  for (const order of pending.orders) {
    if (!order.stop.activated && !isTriggeredBy(order, price)) continue
    pending.orders.delete(order)
    order.stop.activated = true
    return order
  }
  // The bounds may stem from orders that have ended since. They are computed anew from the orders that are left.
  pending.isReached = false
  pending.rising = undefined
  pending.falling = undefined
  for (const order of pending.orders) widenBounds(pending, order)
  return undefined
}
