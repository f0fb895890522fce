/**
 * A market's latest trades. Public.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Identifiers, PublicTrades } from "effect-txc"
 *
 * const bought = Effect.gen(function*() {
 *   const trades = yield* PublicTrades.PublicTrades
 *   return yield* trades.list(Identifiers.marketName("BTC_USDT"), { side: "buy" })
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import { Decimal } from "../domain/Decimal.ts"
import { MarketName, marketName, type TradeId } from "../domain/Identifiers.ts"
import { OrderSide, ReceivedSide } from "../domain/Order.ts"
import { UnixSeconds } from "../domain/Time.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * The trades to read.
 *
 * @category models
 */
export interface Options {
  /** Only trades whose taker was on this side. */
  readonly side?: OrderSide
}

/**
 * Selects the market and the trades to read.
 *
 * @category models
 */
export interface Request extends Options {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
}

const request = () =>
  Wire.struct<Request>(
    { market: MarketName, side: Schema.optionalKey(OrderSide) },
    { keys: { side: "type" } }
  )

/**
 * A trade.
 *
 * @category models
 */
export interface PublicTrade {
  /** The trade id, assigned by the exchange. */
  readonly tradeId: TradeId
  /** The price, in the quote currency. */
  readonly price: Decimal
  /** The traded amount, in the base currency. */
  readonly amount: Decimal
  /** The trade's total, in the quote currency. */
  readonly total: Decimal
  /** The trade's time, in Unix seconds. */
  readonly timestamp: UnixSeconds
  /** The taker's side. */
  readonly side: ReceivedSide
  /**
   * Whether one of the trade's orders was a retail-price-improvement (RPI) order, which trades only against retail
   * orders.
   */
  readonly rpi?: boolean
}

const trade = () =>
  Wire.answer<PublicTrade>({
    tradeId: Wire.TradeId,
    price: Decimal,
    amount: Decimal,
    total: Decimal,
    timestamp: UnixSeconds,
    side: ReceivedSide,
    rpi: Schema.optionalKey(Schema.Boolean)
  }, {
    keys: {
      tradeId: "tradeID",
      // In this response, the exchange calls the amount of the base currency `quote` and the amount of the quote
      // currency `base`.
      amount: "quote_volume",
      total: "base_volume",
      timestamp: "trade_timestamp",
      side: "type"
    }
  })

const response = () => Schema.Array(trade().schema)

/**
 * The endpoint `GET /api/v4/public/trades/{market}`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "PublicTrades.list",
  path: "/api/v4/public/trades/{market}",
  access: "public",
  mutates: false,
  refusals: ["ValidationFailed"],
  request,
  response,
  example: (): Request => ({ market: marketName("BTC_USDT"), side: "buy" })
})

/**
 * Errors that can occur when reading trades.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads a market's latest trades.
 *
 * @category services
 */
export class PublicTrades extends Context.Service<PublicTrades, {
  /**
   * Reads at most 100 trades, latest first.
   *
   * Fails with `PublicRequestRejected` when the exchange does not list the market.
   */
  readonly list: (market: MarketName, options?: Options) => Effect.Effect<ReadonlyArray<PublicTrade>, Failure>
}>()("effect-txc/endpoints/PublicTrades") {
  /** Provides this service. Requires `PublicCall`. */
  static readonly layer: Layer.Layer<PublicTrades, never, Call.PublicCall> = PlainService.layerPublic(
    PublicTrades,
    endpoint,
    (call) => ({ list: (market, options = {}) => call({ ...options, market }) })
  )
}
