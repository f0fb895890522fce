/**
 * Shows whether the exchange accepted the client order id of a created order. An exchange that does not support
 * client order ids ignores the field silently, so the order can't be found by its client order id.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { LimitOrders } from "effect-txc"
 *
 * // Returns the exchange's order id if the order might not be findable by its client order id.
 * const place = Effect.fn("place")(function*(request: LimitOrders.Request) {
 *   const orders = yield* LimitOrders.LimitOrders
 *   const { clientOrderIdEcho, orderId, sentClientOrderId } = yield* orders.create(request)
 *   return clientOrderIdEcho === "echoed" ? { clientOrderId: sentClientOrderId } : { orderId }
 * })
 * ```
 */
import type { ClientOrderId } from "../domain/Identifiers.ts"

/**
 * Whether the response echoes the submitted client order id:
 *
 * - `echoed`: the response contains the id, so the exchange accepted it.
 * - `missing`: the response does not contain the id, so the order might not have it. A response with a different id is
 *   not treated as a success: see `OutcomeUnknown`.
 * - `never-echoed`: this exchange does not return client order ids for this kind of order, and can't find such orders
 *   by client order id. It is unknown whether the exchange accepted the id.
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
  /** The client order id as sent: your own id, or the generated id. */
  readonly sentClientOrderId: ClientOrderId
  /** Whether the response shows that the exchange accepted the id. */
  readonly clientOrderIdEcho: ClientOrderIdEcho
}

/**
 * A created order, the client order id as sent, and whether the exchange accepted it.
 *
 * @category models
 */
export type Created<A> = A & Echo
