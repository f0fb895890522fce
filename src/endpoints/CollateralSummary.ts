/**
 * The collateral account's overall state: equity, margin and leverage.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { CollateralSummary } from "effect-txc"
 *
 * const free = Effect.gen(function*() {
 *   const summary = yield* CollateralSummary.CollateralSummary
 *   return (yield* summary.get).freeMargin
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import type { Decimal } from "../domain/Decimal.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

const request = () => Wire.struct({})

/**
 * The state of a collateral account. Amounts are in USDT.
 *
 * Captured responses satisfy `freeMargin = equity - margin + pnl - unrealizedFunding`.
 *
 * @category models
 */
export interface Summary {
  /** The collateral's weighted value, without unrealized profit or loss, in USDT. */
  readonly equity: Decimal
  /** The initial margin of all positions and open orders, in USDT. */
  readonly margin: Decimal
  /**
   * The collateral available for new positions, in USDT. Negative when positions need more collateral than the account
   * has.
   */
  readonly freeMargin: Decimal
  /** The funding accrued but not yet settled, in USDT. */
  readonly unrealizedFunding: Decimal
  /** The unrealized profit or loss of all positions, in USDT. */
  readonly pnl: Decimal
  /** The account's leverage, such as 10. */
  readonly leverage: number
  /**
   * The ratio of `equity + pnl` to the value of all positions. The live exchange sends `1000000000000000000000` when
   * there is no position.
   */
  readonly marginFraction: Decimal
  /** The margin fraction at which the exchange liquidates positions. The exchange may omit this field. */
  readonly maintenanceMarginFraction?: Decimal
}

const summary = () =>
  Wire.answer<Summary>({
    equity: Wire.LooseDecimal,
    margin: Wire.LooseDecimal,
    freeMargin: Wire.LooseDecimal,
    unrealizedFunding: Wire.LooseDecimal,
    pnl: Wire.LooseDecimal,
    leverage: Schema.Int,
    marginFraction: Wire.LooseDecimal,
    maintenanceMarginFraction: Schema.optionalKey(Wire.LooseDecimal)
  })

/**
 * The endpoint `POST /api/v4/collateral-account/summary`. Source: the live exchange's documentation, "Collateral
 * Account Summary".
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "CollateralSummary.get",
  path: "/api/v4/collateral-account/summary",
  access: "private",
  mutates: false,
  rateLimit: { calls: 12000, perSeconds: 10 },
  refusals: [],
  request,
  response: () => summary().schema,
  example: () => ({})
})

/**
 * Errors that can occur when reading the collateral account's summary.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the collateral account's summary.
 *
 * @category services
 */
export class CollateralSummary extends Context.Service<CollateralSummary, {
  /** Reads the collateral account's equity, margin and leverage. Amounts are in USDT. */
  readonly get: Effect.Effect<Summary, Failure>
}>()("effect-txc/endpoints/CollateralSummary") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<CollateralSummary, never, Call.Call> = PlainService.layer(
    CollateralSummary,
    endpoint,
    (get) => ({ get: get({}) })
  )
}
