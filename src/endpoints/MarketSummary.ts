/**
 * A market's 24-hour statistics and best prices. Public.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Identifiers, MarketSummary } from "effect-txc"
 *
 * const spread = Effect.gen(function*() {
 *   const summary = yield* MarketSummary.MarketSummary
 *   const { ask, bid } = yield* summary.get(Identifiers.marketName("BTC_USDT"))
 *   return { ask, bid }
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import { Decimal } from "../domain/Decimal.ts"
import { MarketName, marketName } from "../domain/Identifiers.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * Selects the market whose summary is read.
 *
 * @category models
 */
export interface Request {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
}

const request = () => Wire.struct<Request>({ market: MarketName })

/**
 * A market's 24-hour statistics. Prices are in the quote currency; zero when there is no price.
 *
 * @category models
 */
export interface Summary {
  /** The 24-hour open: the first price in the last 24 hours. */
  readonly open: Decimal
  /** The best bid. */
  readonly bid: Decimal
  /** The best ask. */
  readonly ask: Decimal
  /** The 24-hour low. */
  readonly low: Decimal
  /** The 24-hour high. */
  readonly high: Decimal
  /** The price of the last trade. */
  readonly last: Decimal
  /** The 24-hour volume, in the base currency. */
  readonly volume: Decimal
  /** The 24-hour volume, in the quote currency. */
  readonly total: Decimal
  /** The 24-hour price change, in percent. */
  readonly change: Decimal
}

const summary = () =>
  Wire.answer<Summary>({
    open: Decimal,
    bid: Decimal,
    ask: Decimal,
    low: Decimal,
    high: Decimal,
    last: Decimal,
    volume: Decimal,
    total: Decimal,
    change: Decimal
  }, { keys: { total: "deal" } })

const response = () => Wire.wrapped(summary().schema)

/**
 * The endpoint `GET /api/v1/public/ticker`. Source: the live exchange's documentation, Public HTTP API V1, "Single
 * market activity".
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "MarketSummary.get",
  path: "/api/v1/public/ticker",
  access: "public",
  mutates: false,
  rateLimit: { calls: 1000, perSeconds: 10 },
  refusals: ["ValidationFailed"],
  refusedAs: "wrapped",
  request,
  response,
  example: (): Request => ({ market: marketName("BTC_USDT") })
})

/**
 * Errors that can occur when reading a market summary.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads a market's 24-hour statistics.
 *
 * @category services
 */
export class MarketSummary extends Context.Service<MarketSummary, {
  /**
   * Reads a market's summary.
   *
   * Fails with `PublicRequestRejected` when the exchange does not list the market.
   */
  readonly get: (market: MarketName) => Effect.Effect<Summary, Failure>
}>()("effect-txc/endpoints/MarketSummary") {
  /** Provides this service. Requires `PublicCall`. */
  static readonly layer: Layer.Layer<MarketSummary, never, Call.PublicCall> = PlainService.layerPublic(
    MarketSummary,
    endpoint,
    (call) => ({ get: (market) => call({ market }) })
  )
}
