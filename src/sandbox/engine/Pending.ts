/**
 * Tracks the value of the open orders that would open or increase each futures position. The market's brackets limit
 * the sum of this value and the position's cost.
 */
import type { OrderId } from "../../domain/Identifiers.ts"
import type { OrderSide } from "../../domain/Order.ts"
import type { Units } from "./Units.ts"

/**
 * The orders of an account on one side of a market. None of these orders is reduce-only, so they all affect the same
 * position.
 */
interface Group {
  /** The values of the orders, in units of the quote currency. No value is zero. */
  readonly values: Map<OrderId, Units>
  /** The sum of the orders' values. */
  total: Units
}

/** The order values of all accounts, keyed by account, market and side. */
export type Pending = Map<string, Group>

/** Identifies an account's orders on one side of a market. */
interface Side {
  readonly account: string
  readonly market: string
  readonly side: OrderSide
}

const keyOf = ({ account, market, side }: Side): string => `${account}/${market}/${side}`

/** Sets the value of an order; zero removes it. */
export const set = (pending: Pending, order: Side & { readonly id: OrderId }, value: Units): void => {
  const key = keyOf(order)
  let group = pending.get(key)
  if (group === undefined) {
    if (value === 0n) return
    pending.set(key, group = { values: new Map(), total: 0n })
  }
  group.total += value - (group.values.get(order.id) ?? 0n)
  if (value !== 0n) group.values.set(order.id, value)
  else if (group.values.delete(order.id) && group.values.size === 0) pending.delete(key)
}

/** The total value of an account's orders on one side, excluding the order `without`, if given. */
export const total = (pending: Pending, side: Side, without?: OrderId): Units => {
  const group = pending.get(keyOf(side))
  if (group === undefined) return 0n
  return group.total - (without === undefined ? 0n : group.values.get(without) ?? 0n)
}
