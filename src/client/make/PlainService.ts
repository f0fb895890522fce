/** Creates services for calls without pages or market rules. */
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Endpoint from "../../protocol/Endpoint.ts"
import * as Call from "../call/Call.ts"
import * as Observation from "../Observation.ts"
import * as ServiceLayer from "./ServiceLayer.ts"

/**
 * Builds the layer for a private endpoint's service. `methods` creates the service from two functions: `call` makes a
 * call, in a span with the endpoint's name, and `takes` returns whether requests in the exchange's dialect have a given
 * field. `checks` are additional checks that some endpoints need.
 */
export const layer = <Identifier, Shape, Q extends object, A, M extends boolean, T extends Endpoint.RefusalTag>(
  service: Context.Service<Identifier, Shape>,
  endpoint: Endpoint.Endpoint<Q, A, "private", M, T>,
  methods: (
    call: (request: Q) => Effect.Effect<A, Endpoint.Failure<Endpoint.Endpoint<Q, A, "private", M, T>>>,
    takes: (field: keyof Q & string) => boolean
  ) => Shape,
  checks?: Call.Checks<Q, A>
): Layer.Layer<Identifier, never, Call.Call> =>
  ServiceLayer.layer(
    service,
    Call.Call.useSync(({ dialect, make }) => {
      const call = make(endpoint, checks)
      return methods(
        (request) => Observation.requested(endpoint.name, call(request)),
        (field) => Object.hasOwn(Endpoint.codec(endpoint, dialect).shape.fields, field)
      )
    })
  )

/** Builds the layer for a public endpoint's service, like {@link layer}. */
export const layerPublic = <Identifier, Shape, Q extends object, A, M extends boolean, T extends Endpoint.RefusalTag>(
  service: Context.Service<Identifier, Shape>,
  endpoint: Endpoint.Endpoint<Q, A, "public", M, T>,
  methods: (
    call: (request: Q) => Effect.Effect<A, Endpoint.Failure<Endpoint.Endpoint<Q, A, "public", M, T>>>
  ) => Shape
): Layer.Layer<Identifier, never, Call.PublicCall> =>
  ServiceLayer.layer(
    service,
    Call.PublicCall.useSync(({ make }) => {
      const call = make(endpoint)
      return methods((request) => Observation.requested(endpoint.name, call(request)))
    })
  )
