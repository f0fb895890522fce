/**
 * Checks whether the exchange accepted the client order id of a created order. An exchange that does not support the
 * field silently ignores it, and the order can't be found by its client order id.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { LimitOrders } from "effect-txc"
 *
 * // Keeps the exchange's order id if the order may not be found by its client order id.
 * const place = Effect.fn("place")(function*(request: LimitOrders.Request) {
 *   const orders = yield* LimitOrders.LimitOrders
 *   const { clientOrderIdEcho, orderId, sentClientOrderId } = yield* orders.create(request)
 *   return clientOrderIdEcho === "echoed" ? { clientOrderId: sentClientOrderId } : { orderId }
 * })
 * ```
 */
import type { ClientOrderId } from "../domain/Identifiers.ts"

/**
 * The submitted client order id's state in the response:
 *
 * - `echoed`: the response contains it, so the exchange accepted it.
 * - `missing`: the response lacks it, so the order might not have it. A response with a different id is not a success:
 *   see `OutcomeUnknown`.
 * - `never-echoed`: this exchange does not return client order ids for this kind of order, and can't find such orders
 *   by them. It is unknown whether it accepted the id.
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
  /** Whether the response shows that the exchange accepted it. */
  readonly clientOrderIdEcho: ClientOrderIdEcho
}

/**
 * A created order, the client order id as sent, and whether the exchange accepted it.
 *
 * @category models
 */
export type Created<A> = A & Echo
