/**
 * The client order ids of orders that you place without one. An order whose answer is lost can be found only by its
 * client order id, so every order gets one.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import { ClientOrderIds, Exchange, Identifiers } from "effect-txc"
 *
 * let count = 0
 *
 * // Ids that name the program; provided to the layer of the exchange.
 * const ids = ClientOrderIds.layer(Effect.sync(() => Identifiers.ClientOrderId.make(`desk-7-${++count}`)))
 *
 * const exchange = Exchange.layerConfig.pipe(Layer.provide(ids))
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import { ClientOrderId } from "../domain/Identifiers.ts"

/**
 * A request that may have a client order id.
 *
 * @category models
 * @since 0.1.0
 */
export interface Unassigned {
  /** Your own identifier of the order. */
  readonly clientOrderId?: ClientOrderId
}

/**
 * A request that has a client order id.
 *
 * @category models
 * @since 0.1.0
 */
export interface Assigned {
  /** The identifier of the order: your own, or the generated one. */
  readonly clientOrderId: ClientOrderId
}

/**
 * What gives requests their client order ids.
 *
 * @category models
 * @since 0.1.0
 */
export interface Service {
  /** The request with the client order id that it has, or with a new one when it has none. */
  readonly assign: <Q extends Unassigned>(request: Q) => Effect.Effect<Q & Assigned>
}

/**
 * The service over an effect that generates ids. Each of them must be new to the account.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (next: Effect.Effect<ClientOrderId>): Service => ({
  assign: <Q extends Unassigned>(request: Q) => {
    const withId = (clientOrderId: ClientOrderId): Q & Assigned => ({ ...request, clientOrderId })
    return request.clientOrderId === undefined
      ? Effect.map(next, withId)
      : Effect.succeed(withId(request.clientOrderId))
  }
})

/** How many ids are drawn at once: a draw of the secure source costs as much as ten ids. */
const drawn = 64

/** 128 random bits of a secure source, as 32 hexadecimal digits: no two processes generate the same id. */
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
 * What gives an exchange's orders their client order ids: random ones by default. The layer of an exchange reads it
 * when it is built, so provide another one to that layer.
 *
 * @category services
 * @since 0.1.0
 */
export const ClientOrderIds = Context.Reference<Service>("effect-txc/client/ClientOrderIds", {
  defaultValue: () => make(random())
})

/**
 * Takes the ids from an effect of your own. Each of them must be new to the account.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (next: Effect.Effect<ClientOrderId>): Layer.Layer<never> =>
  Layer.succeed(ClientOrderIds, make(next))

/**
 * Counts the ids: `prefix-1`, `prefix-2` and so on. For tests: a second process would use the same ids again.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerCounting = (prefix: string): Layer.Layer<never> =>
  Layer.suspend(() => {
    let count = 0
    return layer(Effect.sync(() => ClientOrderId.make(`${prefix}-${++count}`)))
  })
