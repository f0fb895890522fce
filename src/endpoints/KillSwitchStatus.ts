/**
 * The account's armed kill switches.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { KillSwitchStatus } from "effect-txc"
 *
 * const armed = Effect.gen(function*() {
 *   const status = yield* KillSwitchStatus.KillSwitchStatus
 *   const timers = yield* status.list()
 *   return timers.map(({ cancellationTime, market }) => [market, cancellationTime])
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import { MarketName, marketName } from "../domain/Identifiers.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"
import * as KillSwitch from "./KillSwitch.ts"

/**
 * The kill switches to read.
 *
 * @category models
 */
export interface Request {
  /** Only this market's kill switch. Default: all markets. */
  readonly market?: MarketName
}

const request = () => Wire.struct<Request>({ market: Schema.optionalKey(MarketName) })

const response = () => Schema.Array(KillSwitch.Timer)

/**
 * The endpoint `POST /api/v4/order/kill-switch/status`. Source: the live exchange's documentation, 2026.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "KillSwitchStatus.list",
  path: "/api/v4/order/kill-switch/status",
  access: "private",
  mutates: false,
  refusals: ["ValidationFailed"],
  request,
  response,
  example: (): Request => ({ market: marketName("BTC_USDT") })
})

/**
 * Errors that can occur when reading kill switches.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the armed kill switches.
 *
 * @category services
 */
export class KillSwitchStatus extends Context.Service<KillSwitchStatus, {
  /**
   * Reads the armed kill switches. A kill switch is no longer armed once it has canceled the orders.
   *
   * Fails with `ValidationFailed` when the market is unknown.
   */
  readonly list: (request?: Request) => Effect.Effect<ReadonlyArray<KillSwitch.Timer>, Failure>
}>()("effect-txc/endpoints/KillSwitchStatus") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<KillSwitchStatus, never, Call.Call> = PlainService.layer(
    KillSwitchStatus,
    endpoint,
    (list) => ({ list: (request = {}) => list(request) })
  )
}
