/**
 * Checks whether the server is reachable (the document, Endpoints §8). Public.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { ServerStatus } from "effect-txc"
 *
 * const isUp = Effect.gen(function*() {
 *   const status = yield* ServerStatus.ServerStatus
 *   return yield* Effect.isSuccess(status.ping)
 * })
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

const request = () => Wire.struct({})

/** A list with the single string `pong`. */
const response = () => Schema.Tuple([Schema.Literal("pong")])

/**
 * The endpoint `GET /api/v4/public/ping` (the document, Endpoints §8).
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "ServerStatus.ping",
  clause: "Endpoints §8",
  path: "/api/v4/public/ping",
  access: "public",
  mutates: false,
  refusals: [],
  request,
  response,
  example: () => ({})
})

/**
 * Errors that can occur when pinging the server.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Checks whether the server is reachable.
 *
 * @category services
 */
export class ServerStatus extends Context.Service<ServerStatus, {
  /** Succeeds with `pong` when the server responds. Fails with `ExchangeUnreachable` when no connection can be made. */
  readonly ping: Effect.Effect<"pong", Failure>
}>()("effect-txc/endpoints/ServerStatus") {
  /** Provides this service. Requires `PublicCall`. */
  static readonly layer: Layer.Layer<ServerStatus, never, Call.PublicCall> = PlainService.layerPublic(
    ServerStatus,
    endpoint,
    (call) => ({ ping: Effect.map(call({}), ([pong]) => pong) })
  )
}
