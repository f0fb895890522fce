/**
 * Changes the collateral account's leverage, which applies to all margin and futures positions.
 *
 * @example
 * ```ts
 * import { CollateralLeverage } from "effect-txc"
 *
 * const five = CollateralLeverage.CollateralLeverage.use(({ set }) => set({ leverage: 5 }))
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import * as Constraint from "../domain/Constraint.ts"
import { leverages } from "../domain/Margin.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * A leverage that can be set for an account: 1, 2, 3, 5, 10, 20, 50 or 100.
 *
 * @category models
 */
export type Leverage = typeof Leverage.Type

/**
 * The schema of a {@link Leverage}.
 *
 * @category schemas
 */
export const Leverage = Schema.Literals(leverages).annotate({
  ...Constraint.annotation({ kind: "oneOf", values: leverages }),
  identifier: "Leverage"
})

/**
 * The leverage to set.
 *
 * @category models
 */
export interface Request {
  /** The leverage: 1, 2, 3, 5, 10, 20, 50 or 100. */
  readonly leverage: Leverage
}

const request = () => Wire.struct<Request>({ leverage: Leverage })

/**
 * The leverage that applies after the change.
 *
 * @category models
 */
export interface Applied {
  /** The account's leverage. */
  readonly leverage: number
}

const applied = () => Wire.answer<Applied>({ leverage: Schema.Int })

/**
 * The endpoint `POST /api/v4/collateral-account/leverage`. Source: the live exchange's documentation, "Change
 * Collateral Account Leverage".
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "CollateralLeverage.set",
  path: "/api/v4/collateral-account/leverage",
  access: "private",
  mutates: true,
  places: "nothing",
  rateLimit: { calls: 1000, perSeconds: 10 },
  refusals: ["ValidationFailed"],
  request,
  response: () => applied().schema,
  example: (): Request => ({ leverage: 5 })
})

/**
 * Errors that can occur when changing the leverage.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Describes how the leverage in the response differs from the requested leverage; `undefined` if it is the same.
 */
const contradiction = ({ leverage }: Request, answer: Applied): string | undefined =>
  answer.leverage === leverage ? undefined : `the leverage is ${answer.leverage}, not ${leverage}`

/**
 * Changes the collateral account's leverage.
 *
 * @category services
 */
export class CollateralLeverage extends Context.Service<CollateralLeverage, {
  /**
   * Changes the leverage of all positions. A lower leverage needs more margin. Setting the current leverage again is
   * harmless, so a call with an unknown outcome can be repeated.
   *
   * Fails with:
   *
   * - `ValidationFailed` when a market does not allow the leverage
   * - `RequestRejected`, code 17, when the balance does not cover the margin, or code 113, when open positions or
   *   orders block the change
   * - `OutcomeUnknown` when the response is lost
   */
  readonly set: (request: Request) => Effect.Effect<void, Failure>
}>()("effect-txc/endpoints/CollateralLeverage") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<CollateralLeverage, never, Call.Call> = PlainService.layer(
    CollateralLeverage,
    endpoint,
    (call) => ({ set: (request) => Effect.asVoid(call(request)) }),
    { contradiction }
  )
}
