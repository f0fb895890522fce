/**
 * The collateral account's position mode: one position per market (one-way mode), or a long and a short position on
 * each futures market (hedge mode).
 *
 * @example
 * ```ts
 * import { HedgeMode } from "effect-txc"
 *
 * const isHedging = HedgeMode.HedgeMode.use(({ get }) => get)
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

/**
 * The position mode.
 *
 * @category models
 */
export interface Mode {
  /** Whether hedge mode is on. */
  readonly hedgeMode: boolean
}

/**
 * The schema of {@link Mode}.
 *
 * @category schemas
 */
export const Mode: Schema.Codec<Mode, unknown> = Wire.answer<Mode>({ hedgeMode: Schema.Boolean }).schema

/**
 * The endpoint `POST /api/v4/collateral-account/hedge-mode`. Source: the live exchange's documentation, "Collateral
 * Account Hedge Mode".
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "HedgeMode.get",
  path: "/api/v4/collateral-account/hedge-mode",
  access: "private",
  mutates: false,
  rateLimit: { calls: 12000, perSeconds: 10 },
  refusals: [],
  request,
  response: () => Mode,
  example: () => ({})
})

/**
 * Errors that can occur when reading the position mode.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the collateral account's position mode.
 *
 * @category services
 */
export class HedgeMode extends Context.Service<HedgeMode, {
  /** Reads whether hedge mode is on. */
  readonly get: Effect.Effect<boolean, Failure>
}>()("effect-txc/endpoints/HedgeMode") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<HedgeMode, never, Call.Call> = PlainService.layer(
    HedgeMode,
    endpoint,
    (get) => ({ get: Effect.map(get({}), ({ hedgeMode }) => hedgeMode) })
  )
}
