/**
 * Whether the exchange took the client order id of a created order. An exchange that does not know the field ignores it
 * silently, and then nobody can find the order by it.
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
 *
 * @since 0.1.0
 */
import type { ClientOrderId } from "../domain/Identifiers.ts"

/**
 * What an answer says about the client order id that was sent:
 *
 * - `echoed`: the answer has it, so the exchange took it.
 * - `missing`: the answer lacks it. The order may not have it. An answer with another one is no success: see `OutcomeUnknown`.
 * - `never-echoed`: this exchange answers no order of this kind with its client order id, and finds none by it. Nobody
 *   can know whether it took the id.
 *
 * @category models
 * @since 0.1.0
 */
export type ClientOrderIdEcho = "echoed" | "missing" | "never-echoed"

/**
 * What is known of the client order id of a created order.
 *
 * @category models
 * @since 0.1.0
 */
export interface Echo {
  /** The client order id that the order was sent with: yours, or the generated one. */
  readonly sentClientOrderId: ClientOrderId
  /** Whether the answer says that the exchange took it. */
  readonly clientOrderIdEcho: ClientOrderIdEcho
}

/**
 * A created order, the client order id that it was sent with, and whether the exchange took it.
 *
 * @category models
 * @since 0.1.0
 */
export type Created<A> = A & Echo
