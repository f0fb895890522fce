/**
 * What open orders have claimed of positions: a reduce-only order all that it may still trade, any other order the part
 * that only closes. Together they claim no more than there is to close.
 */
import type { OrderSide } from "../../domain/Order.ts"
import type { Order } from "./Order.ts"
import { SkipList } from "./SkipList.ts"
import type { Units } from "./Units.ts"

/** An order, and how much its claim counts. */
interface Claim {
  readonly order: Order
  units: Units
}

/** Claims of one kind on one position. */
interface Group {
  readonly claims: SkipList<Claim>
  /** How much they claim together. */
  total: Units
}

/** The claims on the positions of all accounts, by account, market, side and kind. */
export type Claims = Map<string, Group>

/** Whose orders, and of which side. */
interface Claimants {
  readonly account: string
  readonly market: string
  readonly side: OrderSide
}

const keyOf = ({ account, market, side }: Claimants, reduceOnly: boolean): string =>
  `${account}/${market}/${side}/${reduceOnly ? "reduce-only" : "plain"}`

/** Reduce-only orders are looked at from the oldest on, others from the latest on. */
const placeOf = ({ id, reduceOnly }: Order): number => reduceOnly ? Number(id) : -Number(id)

/**
 * Brings the claim of an order to what it is now. `isShared` says that it is the second leg of a pair while both are open:
 * only one of them ever trades, so it has a place here, and counts nothing.
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

/** Drops the claim of an order that has ended. */
export const drop = (claims: Claims, order: Order): void => {
  const key = keyOf(order, order.reduceOnly)
  const group = claims.get(key)
  if (group !== undefined) set(claims, key, group, order, 0n, false)
}

/** How much the orders of a side have claimed together. */
export const total = (claims: Claims, claimants: Claimants): Units =>
  (claims.get(keyOf(claimants, false))?.total ?? 0n) + (claims.get(keyOf(claimants, true))?.total ?? 0n)

/** The reduce-only orders of a side, the oldest first. */
export const reduceOnly = (claims: Claims, claimants: Claimants): ReadonlyArray<Order> => {
  const group = claims.get(keyOf(claimants, true))
  return group === undefined ? [] : Array.from(group.claims, ({ order }) => order)
}

/**
 * The claims of plain orders that go beyond what there is to close, and by how much, the oldest first: older orders keep
 * theirs.
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
