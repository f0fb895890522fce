/**
 * The latest trades of a market. Public.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Call from "../client/call/Call.ts"
import { Decimal } from "../domain/Decimal.ts"
import { MarketName } from "../domain/Identifiers.ts"
import { OrderSide, ReceivedSide } from "../domain/Order.ts"
import { UnixSeconds } from "../domain/Time.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/**
 * - `market`: whose trades
 * - `side`: only trades of which the taker was on this side
 */
const request = Wire.struct({ market: MarketName, side: Schema.optionalKey(OrderSide) }, { keys: { side: "type" } })

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

const trade = Wire.struct({
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
    // The exchange calls the base currency `quote` here, and the quote currency `base`.
    amount: "quote_volume",
    total: "base_volume",
    timestamp: "trade_timestamp",
    side: "type"
  }
})

/**
 * A trade.
 *
 * - `price`: in units of the quote currency
 * - `amount`, `total`: in units of the base and of the quote currency
 * - `timestamp`: in Unix seconds
 * - `side`: the taker's
 *
 * @category models
 * @since 0.1.0
 */
export type PublicTrade = typeof trade.schema.Type

const response = Schema.Array(trade.schema)

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "PublicTrades.list",
  clause: "not in the document",
  method: "GET",
  path: "/api/v4/public/trades/{market}",
  access: "public",
  b2b: false,
  mutates: false,
  rateLimit: { calls: 2000, perSeconds: 10 },
  envelope: "none",
  errorFamily: "order",
  refusals: ["ValidationFailed"],
  request: () => request,
  response: () => response
})

/** @category models */
export type Request = Endpoint.Request<typeof endpoint>
/** @category errors */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * - `list`: the latest 100 trades at most, the latest first
 *
 * @category services
 * @since 0.1.0
 */
export class PublicTrades extends Context.Service<PublicTrades, {
  readonly list: (
    market: MarketName,
    options?: Omit<Request, "market">
  ) => Effect.Effect<ReadonlyArray<PublicTrade>, Failure>
}>()("effect-txc/endpoints/PublicTrades") {
  static readonly layer: Layer.Layer<PublicTrades, never, Call.PublicCall> = Layer.effect(
    PublicTrades,
    Effect.gen(function*() {
      const call = (yield* Call.PublicCall).make(endpoint)
      return {
        list: Effect.fn("PublicTrades.list")(function*(market: MarketName, options: Omit<Request, "market"> = {}) {
          return yield* call({ ...options, market })
        })
      }
    })
  )
}
