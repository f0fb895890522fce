/**
 * The places of the account's futures positions in the auto-deleveraging (ADL) queue. When the exchange can't close a
 * liquidated position by trading in the book, it reduces positions on the opposite side, starting at the front of the
 * queue.
 *
 * @example
 * ```ts
 * import { AdlQuantiles } from "effect-txc"
 *
 * const queue = AdlQuantiles.AdlQuantiles.use(({ list }) => list)
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import { MarketName } from "../domain/Identifiers.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

const request = () => Wire.struct({})

/**
 * The account's long and short positions on one market, with their places in the auto-deleveraging queue.
 *
 * @category models
 */
export interface AdlQuantile {
  /** The market, such as `BTC_PERP`. */
  readonly market: MarketName
  /** The long position's place in the queue: 4 is reduced first, 0 last. `null` if there is no long position. */
  readonly long: number | null
  /** The short position's place in the queue: 4 is reduced first, 0 last. `null` if there is no short position. */
  readonly short: number | null
}

const quantile = () =>
  Wire.answer<AdlQuantile>({
    market: MarketName,
    long: Schema.NullOr(Schema.Int),
    short: Schema.NullOr(Schema.Int)
  })

/**
 * The endpoint `POST /api/v4/collateral-account/adl-quantile`. Source: the live exchange's documentation, "ADL
 * Quantile".
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "AdlQuantiles.list",
  path: "/api/v4/collateral-account/adl-quantile",
  access: "private",
  mutates: false,
  rateLimit: { calls: 12000, perSeconds: 10 },
  refusals: [],
  request,
  response: () => Schema.Array(quantile().schema),
  example: () => ({})
})

/**
 * Errors that can occur when reading the places in the auto-deleveraging queue.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the places of the account's positions in the auto-deleveraging queue.
 *
 * @category services
 */
export class AdlQuantiles extends Context.Service<AdlQuantiles, {
  /** Reads the places of all futures positions. The list is empty when the account has no futures position. */
  readonly list: Effect.Effect<ReadonlyArray<AdlQuantile>, Failure>
}>()("effect-txc/endpoints/AdlQuantiles") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<AdlQuantiles, never, Call.Call> = PlainService.layer(
    AdlQuantiles,
    endpoint,
    (list) => ({ list: list({}) })
  )
}
