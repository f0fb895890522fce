/**
 * The markets that accept margin orders. Public.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { CollateralMarkets, Identifiers } from "effect-txc"
 *
 * const isOnMargin = Effect.gen(function*() {
 *   const markets = yield* CollateralMarkets.CollateralMarkets
 *   return (yield* markets.list).includes(Identifiers.marketName("BTC_USDT"))
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import { MarketName } from "../domain/Identifiers.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

const request = () => Wire.struct({})

const response = ({ older }: Dialect) => Wire.wrappedList(older, MarketName)

/**
 * The endpoint `GET /api/v4/public/collateral/markets`. Source: the live exchange's documentation, Public HTTP API V4,
 * "Collateral Markets List".
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "CollateralMarkets.list",
  path: "/api/v4/public/collateral/markets",
  access: "public",
  mutates: false,
  refusals: [],
  request,
  response,
  example: () => ({})
})

/**
 * Errors that can occur when listing the margin markets.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Lists the margin markets.
 *
 * @category services
 */
export class CollateralMarkets extends Context.Service<CollateralMarkets, {
  /**
   * Lists the names of the margin markets.
   *
   * Fails with `PublicRequestRejected` (HTTP 451) when margin trading is not available in the caller's region.
   */
  readonly list: Effect.Effect<ReadonlyArray<MarketName>, Failure>
}>()("effect-txc/endpoints/CollateralMarkets") {
  /** Provides this service. Requires `PublicCall`. */
  static readonly layer: Layer.Layer<CollateralMarkets, never, Call.PublicCall> = PlainService.layerPublic(
    CollateralMarkets,
    endpoint,
    (call) => ({ list: call({}) })
  )
}
