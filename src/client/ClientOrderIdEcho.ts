/**
 * Whether the exchange took the client order id of a created order. An exchange that does not know the field drops it
 * without a word, and then the order can't be found by it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { ClientOrderId } from "../domain/Identifiers.ts"

/**
 * - `echoed`: the answer has the one that was sent
 * - `missing`: the answer does not have it
 * - `not-told`: this exchange never answers such an order with one, so it can't be known; nor can the order be found by it
 *
 * @category models
 * @since 0.1.0
 */
export type ClientOrderIdEcho = "echoed" | "missing" | "not-told"

/**
 * A created order, the client order id that it was sent with, and whether that was taken.
 *
 * @category models
 * @since 0.1.0
 */
export type Created<A> = A & {
  readonly sentClientOrderId: ClientOrderId
  readonly clientOrderIdEcho: ClientOrderIdEcho
}

/**
 * Compares what was sent with what came back; logs a warning when it is missing. `told`: whether this exchange answers
 * such an order with its client order id.
 *
 * @category checks
 * @since 0.1.0
 */
export const check = <A extends object>(
  endpoint: string,
  order: A,
  sentClientOrderId: ClientOrderId,
  received: ReadonlyArray<ClientOrderId | undefined>,
  told = true
): Effect.Effect<Created<A>> => {
  const created = (clientOrderIdEcho: ClientOrderIdEcho) => ({ ...order, sentClientOrderId, clientOrderIdEcho })
  if (received.every((id) => id === sentClientOrderId)) return Effect.succeed(created("echoed"))
  if (!told && received.every((id) => id === undefined)) return Effect.succeed(created("not-told"))
  return Effect.as(
    Effect.logWarning(
      `${endpoint}: the exchange did not echo client order id ${sentClientOrderId}; the order may not have it`
    ),
    created("missing")
  )
}
