/**
 * The exchange's clock. Public.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Call from "../client/call/Call.ts"
import { UnixSeconds } from "../domain/Time.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

const request = Wire.struct({})

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

const response = Wire.struct({ time: UnixSeconds })

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "ServerTime.get",
  clause: "not in the document",
  method: "GET",
  path: "/api/v4/public/time",
  access: "public",
  b2b: false,
  mutates: false,
  rateLimit: { calls: 2000, perSeconds: 10 },
  envelope: "none",
  errorFamily: "account",
  refusals: [],
  request: () => request,
  response: () => response.schema
})

/** @category errors */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * - `get`: what time it is there, in Unix seconds
 *
 * @category services
 * @since 0.1.0
 */
export class ServerTime extends Context.Service<ServerTime, {
  readonly get: Effect.Effect<UnixSeconds, Failure>
}>()("effect-txc/endpoints/ServerTime") {
  static readonly layer: Layer.Layer<ServerTime, never, Call.PublicCall> = Layer.effect(
    ServerTime,
    Effect.gen(function*() {
      const call = (yield* Call.PublicCall).make(endpoint)
      return { get: Effect.withSpan(Effect.map(call({}), ({ time }) => time), "ServerTime.get") }
    })
  )
}
