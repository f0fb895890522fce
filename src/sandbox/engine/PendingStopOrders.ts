/**
 * A market's stop orders that have not been triggered. Orders that are triggered together are executed in the sequence
 * in which they were placed.
 */
import type { StopOrder } from "./Order.ts"
import { SkipList } from "./SkipList.ts"
import * as Units from "./Units.ts"

/** Stop orders, keyed by activation price. The order that the price reaches first comes first. */
type ByTrigger = SkipList<Set<StopOrder>>

/** Stop orders, sorted so that a price move finds exactly the orders that it triggers. */
export interface PendingStopOrders {
  /** Orders that wait for the price to rise. */
  readonly rising: ByTrigger
  /** Orders that wait for the price to fall. */
  readonly falling: ByTrigger
  /** The orders triggered by the current price, oldest first. Empty between commands. */
  readonly reached: SkipList<StopOrder>
  /**
   * The orders triggered by a trade's price, oldest first. They stay in this list even if the price moves again. Empty
   * between commands.
   */
  readonly marked: SkipList<StopOrder>
}

/** An empty collection of stop orders. */
export const make = (): PendingStopOrders => ({
  rising: new SkipList(),
  falling: new SkipList(),
  reached: new SkipList(),
  marked: new SkipList()
})

const activationPriceOf = ({ stop }: StopOrder): Units.Units => Units.from(stop.price) ?? 0n

/** The list to which an order belongs, and the order's key in that list. */
const placeOf = ({ falling, rising }: PendingStopOrders, order: StopOrder): readonly [ByTrigger, Units.Units] => {
  const price = activationPriceOf(order)
  return order.stop.condition === "gte" ? [rising, price] : [falling, -price]
}

/** Adds a stop order that has not been triggered. */
export const add = (pending: PendingStopOrders, order: StopOrder): void => {
  const [orders, key] = placeOf(pending, order)
  const same = orders.get(key)
  if (same === undefined) orders.add(key, new Set([order]))
  else same.add(order)
}

/** Removes an order. Returns whether the order was in the collection. */
export const remove = (pending: PendingStopOrders, order: StopOrder): boolean => {
  const age = Number(order.id)
  for (const triggered of [pending.marked, pending.reached]) {
    if (triggered.get(age) !== order) continue
    triggered.delete(age)
    return true
  }
  const [orders, key] = placeOf(pending, order)
  const same = orders.get(key)
  if (same === undefined || !same.delete(order)) return false
  if (same.size === 0) orders.delete(key)
  return true
}

/** Moves the orders triggered by a price into another list. */
const collect = ({ falling, rising }: PendingStopOrders, price: Units.Units, to: SkipList<StopOrder>): void => {
  collectUpTo(rising, price, to)
  if (falling.size > 0) collectUpTo(falling, -price, to)
}

const collectUpTo = (orders: ByTrigger, bound: Units.Units, to: SkipList<StopOrder>): void => {
  while (orders.firstKey !== undefined && orders.firstKey <= bound) {
    const triggered = orders.first ?? []
    orders.delete(orders.firstKey)
    for (const order of triggered) to.add(Number(order.id), order)
  }
}

/**
 * Marks the orders triggered by a trade's price. Marked orders stay triggered even if the taker moves the price further
 * before {@link takeTriggered} is called.
 */
export const markTriggered = (pending: PendingStopOrders, price: Units.Units): void => {
  // The price has changed, so the orders reached by the old price wait again unless the new price also triggers them.
  // Usually, there are no such orders.
  if (pending.reached.size > 0) {
    for (const order of pending.reached) {
      pending.reached.delete(Number(order.id))
      add(pending, order)
    }
  }
  collect(pending, price, pending.marked)
}

/** Removes and returns the oldest order that is marked or triggered by this price; `undefined` if there is none. */
export const takeTriggered = (pending: PendingStopOrders, price: Units.Units): StopOrder | undefined => {
  collect(pending, price, pending.reached)
  const { first: marked } = pending.marked
  const { first: reached } = pending.reached
  const isMarkedOlder = marked !== undefined && (reached === undefined || Number(marked.id) < Number(reached.id))
  const order = isMarkedOlder ? marked : reached
  if (order === undefined) return undefined
  remove(pending, order)
  order.stop.activated = true
  return order
}

/** All orders, unsorted. */
export const all = ({ falling, marked, reached, rising }: PendingStopOrders): ReadonlyArray<StopOrder> => [
  ...[...rising, ...falling].flatMap((same) => [...same]),
  ...reached,
  ...marked
]
