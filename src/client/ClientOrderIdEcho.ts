/**
 * Checks whether the exchange accepted the client order id of a created order. An exchange that does not know the field
 * ignores it silently, and then the order can't be found by it.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { LimitOrders } from "effect-txc"
 *
 * // An order that nobody can find by its client order id is kept by the exchange's own.
 * const place = Effect.fn("place")(function*(request: LimitOrders.Request) {
 *   const orders = yield* LimitOrders.LimitOrders
 *   const { clientOrderIdEcho, orderId, sentClientOrderId } = yield* orders.create(request)
 *   return clientOrderIdEcho === "echoed" ? { clientOrderId: sentClientOrderId } : { orderId }
 * })
 * ```
 */
import type { ClientOrderId } from "../domain/Identifiers.ts"

/**
 * What the answer shows about the submitted client order id:
 *
 * - `echoed`: the answer contains it, so the exchange accepted it.
 * - `missing`: the answer lacks it, so the order may not have it. An answer with another id is not a success: see
 *   `OutcomeUnknown`.
 * - `never-echoed`: this exchange does not return client order ids of such orders, and can't find orders by them.
 *   Whether it accepted the id is unknown.
 *
 * @category models
 */
export type ClientOrderIdEcho = "echoed" | "missing" | "never-echoed"

/**
 * The client order id of a created order, and whether the exchange accepted it.
 *
 * @category models
 */
export interface Echo {
  /** The client order id as sent: yours, or the generated one. */
  readonly sentClientOrderId: ClientOrderId
  /** Whether the answer shows that the exchange accepted it. */
  readonly clientOrderIdEcho: ClientOrderIdEcho
}

/**
 * A created order, the client order id as sent, and whether the exchange accepted it.
 *
 * @category models
 */
export type Created<A> = A & Echo
