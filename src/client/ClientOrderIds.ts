/**
 * Generates client order ids for orders that are placed without an id. If the response to an order is lost, the order
 * can only be found by its client order id, so every order gets one.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import { ClientOrderIds, Exchange, Identifiers } from "effect-txc"
 *
 * let count = 0
 *
 * // Generates ids that contain the program's name. Provide this layer to the exchange's layer.
 * const ids = ClientOrderIds.layer(Effect.sync(() => Identifiers.ClientOrderId.make(`desk-7-${++count}`)))
 *
 * const exchange = Exchange.layerConfig.pipe(Layer.provide(ids))
 * ```
 */
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import { ClientOrderId } from "../domain/Identifiers.ts"

/**
 * A request with an optional client order id.
 *
 * @category models
 */
export interface Unassigned {
  /** Your own identifier for the order. */
  readonly clientOrderId?: ClientOrderId
}

/**
 * A request with a client order id.
 *
 * @category models
 */
export interface Assigned {
  /** The order's client order id: your own id, or the generated id. */
  readonly clientOrderId: ClientOrderId
}

/**
 * Assigns client order ids to requests.
 *
 * @category models
 */
export interface Service {
  /** Keeps a request's client order id, or adds a new id if the request has no id. */
  readonly assign: <Q extends Unassigned>(request: Q) => Effect.Effect<Q & Assigned>
}

/**
 * Creates the service from an effect that generates ids. Each id must be unique within the account.
 *
 * @category constructors
 */
export const make = (next: Effect.Effect<ClientOrderId>): Service => ({
  assign: <Q extends Unassigned>(request: Q) => {
    const withId = (clientOrderId: ClientOrderId): Q & Assigned => ({ ...request, clientOrderId })
    return request.clientOrderId === undefined
      ? Effect.map(next, withId)
      : Effect.succeed(withId(request.clientOrderId))
  }
})

/**
 * The number of ids to generate in one batch. Ids are generated in batches because each read of the secure random
 * source costs as much as generating ten ids.
 */
const drawn = 64

/**
 * Generates ids from 128 secure random bits, as 32 hexadecimal digits, so that no two processes generate the same id.
 */
const random = (): Effect.Effect<ClientOrderId> => {
  let digits = ""
  let used = 0
  return Effect.sync(() => {
    if (used === digits.length) {
      digits = Hex.encode(SecureRandom.randomBytesUnsafe(16 * drawn))
      used = 0
    }
    return ClientOrderId.make(digits.slice(used, used += 32))
  })
}

/**
 * Assigns client order ids to an exchange's orders; by default the ids are random. An exchange's layer reads this
 * service when the layer is built, so provide a replacement to that layer.
 *
 * @category services
 */
export const ClientOrderIds = Context.Reference<Service>("effect-txc/client/ClientOrderIds", {
  defaultValue: () => make(random())
})

/**
 * Generates ids with your own effect. Each id must be unique within the account.
 *
 * @category layers
 */
export const layer = (next: Effect.Effect<ClientOrderId>): Layer.Layer<never> =>
  Layer.succeed(ClientOrderIds, make(next))

/**
 * Generates `prefix-1`, `prefix-2` and so on. Use this layer only in tests, because a second process would generate the
 * same ids.
 *
 * @category layers
 */
export const layerCounting = (prefix: string): Layer.Layer<never> =>
  Layer.suspend(() => {
    let count = 0
    return layer(Effect.sync(() => ClientOrderId.make(`${prefix}-${++count}`)))
  })
