/** Compares the client order id in a response with the id that was sent. */
import * as Effect from "effect/Effect"
import type { ClientOrderId } from "../domain/Identifiers.ts"
import type { ClientOrderIdEcho, Created } from "./ClientOrderIdEcho.ts"

/**
 * Compares the submitted client order id with the ids in the response (one per leg). Logs a warning if an id is
 * missing. With `echoes: false`, missing ids are expected, because the exchange returns no client order ids for this
 * kind of order.
 */
export const check = <A extends object>(
  endpoint: string,
  order: A,
  sentClientOrderId: ClientOrderId,
  received: ReadonlyArray<ClientOrderId | undefined>,
  echoes = true
): Effect.Effect<Created<A>> => {
  const created = (clientOrderIdEcho: ClientOrderIdEcho) => ({ ...order, sentClientOrderId, clientOrderIdEcho })
  if (received.every((id) => id === sentClientOrderId)) return Effect.succeed(created("echoed"))
  if (!echoes && received.every((id) => id === undefined)) return Effect.succeed(created("never-echoed"))
  return Effect.as(
    Effect.logWarning(
      `${endpoint}: the exchange did not echo client order id ${sentClientOrderId}; the order might not have it`
    ),
    created("missing")
  )
}
