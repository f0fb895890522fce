/**
 * Whether the server answers (document, Endpoints §8). Public.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Call from "../client/call/Call.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

const request = Wire.struct({})

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

/** A list that holds the single text `pong`. */
const response = Schema.Tuple([Schema.Literal("pong")])

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "ServerStatus.ping",
  clause: "Endpoints §8",
  method: "GET",
  path: "/api/v4/public/ping",
  access: "public",
  b2b: false,
  mutates: false,
  rateLimit: { calls: 2000, perSeconds: 10 },
  envelope: "none",
  errorFamily: "account",
  refusals: [],
  request: () => request,
  response: () => response
})

/** @category errors */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * - `ping`: succeeds with `pong` when the server answers
 *
 * @category services
 * @since 0.1.0
 */
export class ServerStatus extends Context.Service<ServerStatus, {
  readonly ping: Effect.Effect<"pong", Failure>
}>()("effect-txc/endpoints/ServerStatus") {
  static readonly layer: Layer.Layer<ServerStatus, never, Call.PublicCall> = Layer.effect(
    ServerStatus,
    Effect.gen(function*() {
      const call = (yield* Call.PublicCall).make(endpoint)
      return { ping: Effect.withSpan(Effect.map(call({}), ([pong]) => pong), "ServerStatus.ping") }
    })
  )
}
