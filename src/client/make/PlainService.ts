/**
 * Makes the service of a call that needs nothing but to be made.
 *
 * @since 0.1.0
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Endpoint from "../../protocol/Endpoint.ts"
import * as Call from "../call/Call.ts"

/**
 * The layer of a service of a private endpoint. `methods` gets the call, in a span of the endpoint's name.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <Identifier, Shape, Q extends object, A, M extends boolean, T extends Endpoint.RefusalTag>(
  service: Context.Service<Identifier, Shape>,
  endpoint: Endpoint.Endpoint<Q, A, "private", M, T>,
  methods: (
    call: (request: Q) => Effect.Effect<A, Endpoint.Failure<Endpoint.Endpoint<Q, A, "private", M, T>>>
  ) => Shape
): Layer.Layer<Identifier, never, Call.Call> =>
  Layer.effect(service, Call.Call.useSync(({ make }) => methods(Effect.fn(endpoint.name)(make(endpoint)))))

/**
 * The same for a public endpoint.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerPublic = <Identifier, Shape, Q extends object, A, M extends boolean, T extends Endpoint.RefusalTag>(
  service: Context.Service<Identifier, Shape>,
  endpoint: Endpoint.Endpoint<Q, A, "public", M, T>,
  methods: (
    call: (request: Q) => Effect.Effect<A, Endpoint.Failure<Endpoint.Endpoint<Q, A, "public", M, T>>>
  ) => Shape
): Layer.Layer<Identifier, never, Call.PublicCall> =>
  Layer.effect(service, Call.PublicCall.useSync(({ make }) => methods(Effect.fn(endpoint.name)(make(endpoint)))))
