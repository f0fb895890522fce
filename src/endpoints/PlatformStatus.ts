/**
 * Whether the exchange is operational or in maintenance. Public.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { PlatformStatus } from "effect-txc"
 *
 * const isOpen = Effect.gen(function*() {
 *   const status = yield* PlatformStatus.PlatformStatus
 *   return (yield* status.get) === "operational"
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import * as Unrecognised from "../domain/Unrecognised.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

const request = () => Wire.struct({})

/**
 * The schema of a {@link Status}.
 *
 * @category schemas
 */
export const Status = Unrecognised.open(Schema.Literals(["operational", "maintenance"]))

/**
 * The exchange's state. An unlisted value is returned as an `Unrecognised`.
 *
 * @category models
 */
export type Status = typeof Status.Type

const written = { operational: "system operational", maintenance: "system maintenance" }

const status = Wire.renamed(Status, {
  [written.operational]: "operational",
  [written.maintenance]: "maintenance",
  // The values that the exchange used before 2026.
  "1": "operational",
  "0": "maintenance"
}, written)

const response = () => Wire.inside("status", status)

/**
 * The endpoint `GET /api/v4/public/platform/status`. Source: the live exchange's documentation, Public HTTP API V4,
 * "Maintenance status".
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "PlatformStatus.get",
  path: "/api/v4/public/platform/status",
  access: "public",
  mutates: false,
  refusals: [],
  request,
  response,
  example: () => ({})
})

/**
 * Errors that can occur when reading the platform status.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads whether the exchange is operational.
 *
 * @category services
 */
export class PlatformStatus extends Context.Service<PlatformStatus, {
  /** Reads the exchange's state. Most other calls fail during maintenance. */
  readonly get: Effect.Effect<Status, Failure>
}>()("effect-txc/endpoints/PlatformStatus") {
  /** Provides this service. Requires `PublicCall`. */
  static readonly layer: Layer.Layer<PlatformStatus, never, Call.PublicCall> = PlainService.layerPublic(
    PlatformStatus,
    endpoint,
    (call) => ({ get: call({}) })
  )
}
