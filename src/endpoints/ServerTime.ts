/**
 * The exchange's clock. Public.
 *
 * @example
 * ```ts
 * import * as Clock from "effect/Clock"
 * import * as Effect from "effect/Effect"
 * import { ServerTime } from "effect-txc"
 *
 * // How many seconds the exchange's clock is ahead of the local clock.
 * const ahead = Effect.gen(function*() {
 *   const serverTime = yield* ServerTime.ServerTime
 *   return (yield* serverTime.get) - (yield* Clock.currentTimeMillis) / 1000
 * })
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import { UnixSeconds } from "../domain/Time.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

const request = () => Wire.struct({})

/**
 * The exchange's current time.
 *
 * @category models
 */
export interface CurrentTime {
  /** The time, in Unix seconds. */
  readonly time: UnixSeconds
}

const currentTime = () => Wire.answer<CurrentTime>({ time: UnixSeconds })

/**
 * The endpoint `GET /api/v4/public/time`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "ServerTime.get",
  path: "/api/v4/public/time",
  access: "public",
  mutates: false,
  refusals: [],
  request,
  response: () => currentTime().schema,
  example: () => ({})
})

/**
 * Errors that can occur when reading the exchange's clock.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the exchange's clock.
 *
 * @category services
 */
export class ServerTime extends Context.Service<ServerTime, {
  /** Reads the exchange's time, in Unix seconds. */
  readonly get: Effect.Effect<UnixSeconds, Failure>
}>()("effect-txc/endpoints/ServerTime") {
  /** Provides this service. Requires `PublicCall`. */
  static readonly layer: Layer.Layer<ServerTime, never, Call.PublicCall> = PlainService.layerPublic(
    ServerTime,
    endpoint,
    (call) => ({ get: Effect.map(call({}), ({ time }) => time) })
  )
}
