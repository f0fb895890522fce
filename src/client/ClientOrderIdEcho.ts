/**
 * Whether the exchange took the client order id of a created order. An exchange that does not know the field drops it
 * without a word, and then the order can't be found by it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { ClientOrderId } from "../domain/Identifiers.ts"

/**
 * - `not-sent`: the request had none
 * - `echoed`: the answer has the one that was sent
 * - `missing`: it was sent, and the answer does not have it
 *
 * @category models
 * @since 0.1.0
 */
export type ClientOrderIdEcho = "not-sent" | "echoed" | "missing"

/**
 * A created order, and whether its client order id was taken.
 *
 * @category models
 * @since 0.1.0
 */
export type Created<A> = A & { readonly clientOrderIdEcho: ClientOrderIdEcho }

/**
 * Compares what was sent with what came back; logs a warning when it is missing.
 *
 * @category checks
 * @since 0.1.0
 */
export const check = <A extends object>(
  endpoint: string,
  order: A,
  sent: ClientOrderId | undefined,
  received: ReadonlyArray<ClientOrderId | undefined>
): Effect.Effect<Created<A>> => {
  if (sent === undefined) return Effect.succeed({ ...order, clientOrderIdEcho: "not-sent" })
  if (received.every((id) => id === sent)) return Effect.succeed({ ...order, clientOrderIdEcho: "echoed" })
  return Effect.as(
    Effect.logWarning(`${endpoint}: the exchange did not echo client order id ${sent}; the order may not have it`),
    { ...order, clientOrderIdEcho: "missing" }
  )
}
