/**
 * The last 24 hours and the best prices of a market. Public.
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
 * The market to read.
 *
 * @category models
 */
export interface Request {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
}

const request = () => Wire.struct<Request>({ market: MarketName })

/**
 * A market's last 24 hours. Prices are in the quote currency; zero when there is none.
 *
 * @category models
 */
export interface Summary {
  /** The first price of the 24 hours. */
  readonly open: Decimal
  /** The best bid. */
  readonly bid: Decimal
  /** The best ask. */
  readonly ask: Decimal
  /** The lowest price of the 24 hours. */
  readonly low: Decimal
  /** The highest price of the 24 hours. */
  readonly high: Decimal
  /** The price of the last trade. */
  readonly last: Decimal
  /** The traded volume, in the base currency. */
  readonly volume: Decimal
  /** The traded volume, in the quote currency. */
  readonly total: Decimal
  /** The change from the first price to the last one, in percent. */
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
 * `GET /api/v1/public/ticker`. Source: the live exchange's documentation, Public HTTP API V1, "Single market activity".
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
 * Errors that reading a market's summary can fail with.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the last 24 hours of a market.
 *
 * @category services
 */
export class MarketSummary extends Context.Service<MarketSummary, {
  /**
   * Reads the summary of a market.
   *
   * Fails with `PublicRequestRejected` when the exchange does not have the market.
   */
  readonly get: (market: MarketName) => Effect.Effect<Summary, Failure>
}>()("effect-txc/endpoints/MarketSummary") {
  /** Makes the service from public calls. */
  static readonly layer: Layer.Layer<MarketSummary, never, Call.PublicCall> = PlainService.layerPublic(
    MarketSummary,
    endpoint,
    (call) => ({ get: (market) => call({ market }) })
  )
}
