/**
 * A market's order book levels near its last price. Public.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Identifiers, OrderBookDepth } from "effect-txc"
 *
 * const bids = Effect.gen(function*() {
 *   const depth = yield* OrderBookDepth.OrderBookDepth
 *   return (yield* depth.get(Identifiers.marketName("BTC_USDT"))).bids
 * })
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import { MarketName, marketName } from "../domain/Identifiers.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"
import * as OrderBooks from "./OrderBooks.ts"

/**
 * The maximum distance of a level from the last price, in percent.
 *
 * @category constants
 */
export const depthPercent = 2

/**
 * Selects the market whose order book is read.
 *
 * @category models
 */
export interface Request {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
}

const request = () => Wire.struct<Request>({ market: MarketName })

const { response } = OrderBooks.endpoint

/**
 * The endpoint `GET /api/v4/public/orderbook/depth/{market}`. Source: the live exchange's documentation, Public HTTP
 * API V4, "Depth".
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "OrderBookDepth.get",
  path: "/api/v4/public/orderbook/depth/{market}",
  access: "public",
  mutates: false,
  refusals: ["ValidationFailed"],
  request,
  response: response,
  example: (): Request => ({ market: marketName("BTC_USDT") })
})

/**
 * Errors that can occur when reading a market's depth.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the bids and asks near a market's last price.
 *
 * @category services
 */
export class OrderBookDepth extends Context.Service<OrderBookDepth, {
  /**
   * Reads the book levels within 2% of the market's last price.
   *
   * Fails with `PublicRequestRejected` when the exchange does not list the market.
   */
  readonly get: (market: MarketName) => Effect.Effect<OrderBooks.OrderBook, Failure>
}>()("effect-txc/endpoints/OrderBookDepth") {
  /** Provides this service. Requires `PublicCall`. */
  static readonly layer: Layer.Layer<OrderBookDepth, never, Call.PublicCall> = PlainService.layerPublic(
    OrderBookDepth,
    endpoint,
    (call) => ({ get: (market) => Effect.map(call({ market }), (book) => ({ market, ...book })) })
  )
}
