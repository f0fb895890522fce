/**
 * Switches the collateral account between one-way mode and hedge mode.
 *
 * @example
 * ```ts
 * import { HedgeModeUpdate } from "effect-txc"
 *
 * const hedge = HedgeModeUpdate.HedgeModeUpdate.use(({ set }) => set({ hedgeMode: true }))
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import { Flag } from "../domain/Text.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"
import * as HedgeMode from "./HedgeMode.ts"

/**
 * The position mode to set.
 *
 * @category models
 */
export interface Request {
  /** `true` for hedge mode, `false` for one-way mode. */
  readonly hedgeMode: boolean
}

const request = () => Wire.struct<Request>({ hedgeMode: Flag })

/**
 * The position mode after the change. The live exchange's documentation does not show this response; captured responses
 * repeat the mode.
 *
 * @category models
 */
export interface Applied {
  /** Whether hedge mode is on. Absent when the exchange only confirms the change. */
  readonly hedgeMode?: boolean
}

const empty = Schema.Tuple([])

/** An empty list, which only confirms the change. */
const confirmed = empty.annotate(Wire.describedBy(() => empty)).pipe(
  Schema.decodeTo(Schema.toType(Wire.answer<Applied>({ hedgeMode: Schema.optionalKey(Schema.Boolean) }).schema), {
    decode: SchemaGetter.transform((): Applied => ({})),
    encode: SchemaGetter.transform((): readonly [] => [])
  })
)

/**
 * The endpoint `POST /api/v4/collateral-account/hedge-mode/update`. Source: the live exchange's documentation, "Update
 * Collateral Account Hedge Mode".
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "HedgeModeUpdate.set",
  path: "/api/v4/collateral-account/hedge-mode/update",
  access: "private",
  mutates: true,
  places: "nothing",
  rateLimit: { calls: 1000, perSeconds: 10 },
  refusals: ["ValidationFailed"],
  request,
  response: () => Schema.Union([HedgeMode.Mode, confirmed]),
  example: (): Request => ({ hedgeMode: true })
})

/**
 * Errors that can occur when switching the position mode.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/** Describes how the mode in the response differs from the requested mode; `undefined` if it is the same. */
const contradiction = ({ hedgeMode }: Request, answer: Applied): string | undefined =>
  (answer.hedgeMode ?? hedgeMode) === hedgeMode
    ? undefined
    : `hedge mode is ${hedgeMode ? "still off" : "still on"}`

/**
 * Switches the collateral account's position mode.
 *
 * @category services
 */
export class HedgeModeUpdate extends Context.Service<HedgeModeUpdate, {
  /**
   * Switches the position mode. Setting the current mode again is harmless, so a call with an unknown outcome can be
   * repeated.
   *
   * Fails with:
   *
   * - `RequestRejected`, code 113, while there are open futures positions or orders
   * - `OutcomeUnknown` when the response is lost
   */
  readonly set: (request: Request) => Effect.Effect<void, Failure>
}>()("effect-txc/endpoints/HedgeModeUpdate") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<HedgeModeUpdate, never, Call.Call> = PlainService.layer(
    HedgeModeUpdate,
    endpoint,
    (call) => ({ set: (request) => Effect.asVoid(call(request)) }),
    { contradiction }
  )
}
