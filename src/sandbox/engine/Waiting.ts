/**
 * The stop orders of a market: they wait for their price, and wake in the order in which they were placed.
 *
 * @since 0.1.0
 */
import type { StopOrder } from "./State.ts"
import * as Units from "./Units.ts"

/**
 * - `rising`, `falling`: no order wakes below the one and above the other; what lies beyond has to be looked through
 * - `isReached`: a trade has reached an order that has not woken yet
 *
 * @category models
 * @since 0.1.0
 */
export interface Waiting {
  readonly orders: Set<StopOrder>
  rising: Units.Units | undefined
  falling: Units.Units | undefined
  isReached: boolean
}

/** @category constructors */
export const make = (): Waiting => ({ orders: new Set(), rising: undefined, falling: undefined, isReached: false })

const priceOf = ({ stop }: StopOrder): Units.Units => Units.from(stop.price) ?? 0n

const widen = (waiting: Waiting, order: StopOrder): void => {
  const price = priceOf(order)
  if (order.stop.condition === "gte") {
    if (waiting.rising === undefined || price < waiting.rising) waiting.rising = price
  } else if (waiting.falling === undefined || price > waiting.falling) waiting.falling = price
}

/**
 * Lets an order wait.
 *
 * @category changing
 * @since 0.1.0
 */
export const add = (waiting: Waiting, order: StopOrder): void => {
  waiting.orders.add(order)
  widen(waiting, order)
}

/**
 * Ends the waiting of an order, and says whether it waited.
 *
 * @category changing
 * @since 0.1.0
 */
export const remove = (waiting: Waiting, order: StopOrder): boolean => waiting.orders.delete(order)

const mayReach = ({ falling, rising }: Waiting, price: Units.Units): boolean =>
  (rising !== undefined && price >= rising) || (falling !== undefined && price <= falling)

const isReachedBy = (order: StopOrder, price: Units.Units): boolean =>
  order.stop.condition === "gte" ? price >= priceOf(order) : price <= priceOf(order)

/**
 * Notes whom the price of a trade reaches: a taker may move the price on before they wake, and they wake all the same.
 *
 * @category changing
 * @since 0.1.0
 */
export const reach = (waiting: Waiting, price: Units.Units): void => {
  if (!mayReach(waiting, price)) return
  for (const order of waiting.orders) {
    if (isReachedBy(order, price)) {
      order.stop.activated = true
      waiting.isReached = true
    }
  }
}

/**
 * The next order to wake at this price, or that a trade has reached; it waits no more.
 *
 * @category changing
 * @since 0.1.0
 */
export const wake = (waiting: Waiting, price: Units.Units): StopOrder | undefined => {
  if (!waiting.isReached && !mayReach(waiting, price)) return undefined
  for (const order of waiting.orders) {
    if (!order.stop.activated && !isReachedBy(order, price)) continue
    waiting.orders.delete(order)
    order.stop.activated = true
    return order
  }
  // Orders that have ended since may have been the first to wake: the bounds are those of who is left.
  waiting.isReached = false
  waiting.rising = undefined
  waiting.falling = undefined
  for (const order of waiting.orders) widen(waiting, order)
  return undefined
}
