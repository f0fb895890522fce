/**
 * The client order ids of orders that were given none. Without one an order whose answer is lost can't be found again.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import { ClientOrderId } from "../domain/Identifiers.ts"

/** A request as far as it matters here. */
interface Named {
  readonly clientOrderId?: ClientOrderId
}

/**
 * - `named`: the request with its own client order id, or with a new one when it has none
 *
 * @category models
 * @since 0.1.0
 */
export interface Service {
  readonly named: <Q extends Named>(request: Q) => Effect.Effect<Q & Required<Named>>
}

/**
 * From an effect that makes identifiers, each of which must be new to the account.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (next: Effect.Effect<ClientOrderId>): Service => ({
  named: <Q extends Named>(request: Q) => {
    const { clientOrderId: own } = request
    return Effect.map(
      own === undefined ? next : Effect.succeed(own),
      (clientOrderId): Q & Required<Named> => ({ ...request, clientOrderId })
    )
  }
})

/** 128 random bits of a secure source, as 32 hexadecimal digits: no two processes make the same. */
const random: Effect.Effect<ClientOrderId> = Effect.sync(() =>
  ClientOrderId.make(Hex.encode(SecureRandom.randomBytesUnsafe(16)))
)

/**
 * Random unless provided otherwise. Read when an exchange's layer is built: provide another to that layer.
 *
 * @category services
 * @since 0.1.0
 */
export const ClientOrderIds = Context.Reference<Service>("effect-txc/client/ClientOrderIds", {
  defaultValue: () => make(random)
})

/**
 * Makes identifiers by an effect of your own.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (next: Effect.Effect<ClientOrderId>): Layer.Layer<never> =>
  Layer.succeed(ClientOrderIds, make(next))

/**
 * `prefix-1`, `prefix-2` and so on: for tests.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerCounting = (prefix: string): Layer.Layer<never> =>
  Layer.suspend(() => {
    let count = 0
    return layer(Effect.sync(() => ClientOrderId.make(`${prefix}-${++count}`)))
  })
