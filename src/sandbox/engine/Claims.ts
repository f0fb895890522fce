/**
 * Tracks the part of each position that the open orders would close. A reduce-only order claims its entire remaining
 * amount; any other order claims only the part that closes the position. Together, the claims of orders that are not
 * reduce-only never exceed the position's size.
 */
import type { OrderSide } from "../../domain/Order.ts"
import type { Order } from "./Order.ts"
import { SkipList } from "./SkipList.ts"
import type { Units } from "./Units.ts"

/** An order and the size of its claim. */
interface Claim {
  readonly order: Order
  units: Units
}

/** The claims on one position by one kind of order: reduce-only orders, or all others. */
interface Group {
  readonly claims: SkipList<Claim>
  /** The sum of the claims, in units of the base currency. */
  total: Units
}

/** The claims on all accounts' positions, keyed by account, market, side and kind. */
export type Claims = Map<string, Group>

/** Identifies an account's orders on one side of a market. */
interface Claimants {
  readonly account: string
  readonly market: string
  readonly side: OrderSide
}

const keyOf = ({ account, market, side }: Claimants, reduceOnly: boolean): string =>
  `${account}/${market}/${side}/${reduceOnly ? "reduce-only" : "plain"}`

/** An order's sort key within its group: reduce-only orders are sorted oldest first, all other orders newest first. */
const placeOf = ({ id, reduceOnly }: Order): number => reduceOnly ? Number(id) : -Number(id)

/**
 * Updates the claim of an order. `isShared` marks the second leg of an OCO pair while both legs are open. Only one of
 * the legs can trade, so the second leg is listed with a claim of zero.
 */
export const update = (claims: Claims, order: Order, isShared: boolean): void => {
  const claimed = order.reduceOnly ? order.left : order.closing
  const key = keyOf(order, order.reduceOnly)
  const group = claims.get(key)
  if (group === undefined && claimed === 0n) return
  set(claims, key, group ?? { claims: new SkipList(), total: 0n }, order, claimed, isShared)
}

const set = (claims: Claims, key: string, group: Group, order: Order, claimed: Units, isShared: boolean): void => {
  claims.set(key, group)
  const place = placeOf(order)
  const claim = group.claims.get(place)
  const units = isShared ? 0n : claimed
  group.total += units - (claim?.units ?? 0n)
  if (claimed === 0n) group.claims.delete(place)
  else if (claim === undefined) group.claims.add(place, { order, units })
  else claim.units = units
  if (group.claims.size === 0) claims.delete(key)
}

/** Removes a closed order's claim. */
export const drop = (claims: Claims, order: Order): void => {
  const key = keyOf(order, order.reduceOnly)
  const group = claims.get(key)
  if (group !== undefined) set(claims, key, group, order, 0n, false)
}

/** The sum of the claims by an account's orders on one side of a market. */
export const total = (claims: Claims, claimants: Claimants): Units =>
  (claims.get(keyOf(claimants, false))?.total ?? 0n) + (claims.get(keyOf(claimants, true))?.total ?? 0n)

/** An account's reduce-only orders on one side of a market, oldest first. */
export const reduceOnly = (claims: Claims, claimants: Claimants): ReadonlyArray<Order> => {
  const group = claims.get(keyOf(claimants, true))
  return group === undefined ? [] : Array.from(group.claims, ({ order }) => order)
}

/**
 * If the claims of all orders that are not reduce-only together exceed `closable`, returns the orders whose claims must
 * shrink, oldest first, each with the amount by which its claim must shrink. The newest orders lose their claims first.
 */
export const excess = (
  claims: Claims,
  claimants: Claimants,
  closable: Units
): ReadonlyArray<readonly [order: Order, units: Units]> => {
  const group = claims.get(keyOf(claimants, false))
  const found: Array<readonly [Order, Units]> = []
  let left = (group?.total ?? 0n) - closable
  if (group === undefined || left <= 0n) return found
  for (const { order, units } of group.claims) {
    if (units === 0n) continue
    const part = units < left ? units : left
    found.push([order, part])
    left -= part
    if (left === 0n) break
  }
  return found.toReversed()
}
