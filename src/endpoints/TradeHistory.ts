/**
 * The trades of a market since one that is known. Public.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Identifiers, TradeHistory } from "effect-txc"
 *
 * const market = Identifiers.marketName("BTC_USDT")
 *
 * const newSince = (after: Identifiers.TradeId) =>
 *   Effect.gen(function*() {
 *     const history = yield* TradeHistory.TradeHistory
 *     return yield* history.list(market, { after, limit: 100 })
 *   })
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import * as Constraint from "../domain/Constraint.ts"
import { Decimal } from "../domain/Decimal.ts"
import { MarketName, marketName, TradeId } from "../domain/Identifiers.ts"
import { ReceivedSide } from "../domain/Order.ts"
import { UnixTime } from "../domain/Time.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/**
 * How many trades an answer has at most when the request does not say.
 *
 * @category constants
 * @since 0.1.0
 */
export const defaultLimit = 50

const isInteger = Constraint.annotation({ kind: "type", type: "integer" })

// oxlint-disable-next-line effecttsgo/schema-number -- isInt refuses what is not finite, and says by which constraint.
const Count = Schema.Number.annotate(isInteger).check(
  Schema.isInt(isInteger).abort(),
  Schema.isGreaterThanOrEqualTo(1, Constraint.annotation({ kind: "min", min: 1 }))
)

/**
 * Which trades of a market to read.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Only trades after this one. Default `0`: all. */
  readonly after?: TradeId
  /** The most trades, 1 or more. Default 50. The exchange does not say how many it gives at most. */
  readonly limit?: number
}

/**
 * Which market's trades to read, and which of them.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request extends Options {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
  /** Only trades after this one; `0` for all. */
  readonly after: TradeId
}

const request = () =>
  Wire.struct<Request>(
    { market: MarketName, after: TradeId, limit: Schema.optionalKey(Wire.counted(Count)) },
    { keys: { after: "lastId" } }
  )

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

/**
 * A trade.
 *
 * @category models
 * @since 0.1.0
 */
export interface PastTrade {
  /** The exchange's identifier of the trade. A later trade has a greater one. */
  readonly tradeId: TradeId
  /** When it was traded, in Unix seconds, to the microsecond. */
  readonly timestamp: UnixTime
  /** The price, in units of the quote currency. */
  readonly price: Decimal
  /** How much was traded, in units of the base currency. */
  readonly amount: Decimal
  /** The side of the taker. */
  readonly side: ReceivedSide
}

const trade = () =>
  Wire.answer<PastTrade>({
    tradeId: Wire.TradeId,
    timestamp: UnixTime,
    price: Decimal,
    amount: Decimal,
    side: ReceivedSide
  }, { keys: { tradeId: "id", timestamp: "time", side: "type" } })

const response = () => Wire.wrapped(Schema.Array(trade().schema))

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/**
 * `GET /api/v1/public/history`. Source: the live exchange's documentation, Public HTTP API V1, "Trade History".
 *
 * @category endpoints
 * @since 0.1.0
 */
export const endpoint = Endpoint.make({
  name: "TradeHistory.list",
  path: "/api/v1/public/history",
  access: "public",
  mutates: false,
  rateLimit: { calls: 1000, perSeconds: 10 },
  refusals: ["ValidationFailed"],
  refusedAs: "wrapped",
  request,
  response,
  example: (): Request => ({ market: marketName("BTC_USDT"), after: TradeId.make("0"), limit: 10 })
})

/**
 * What reading past trades can fail with.
 *
 * @category errors
 * @since 0.1.0
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/** No trade has this identifier: all come after it. */
const all = TradeId.make("0")

/**
 * Reads the trades of a market since one that is known.
 *
 * @category services
 * @since 0.1.0
 */
export class TradeHistory extends Context.Service<TradeHistory, {
  /**
   * Reads the latest trades after the one that is given, the latest first.
   *
   * Fails with `PublicRequestRejected` when the exchange has no such market, and with `ValidationFailed` before anything
   * is sent when `limit` is below 1.
   */
  readonly list: (market: MarketName, options?: Options) => Effect.Effect<ReadonlyArray<PastTrade>, Failure>
}>()("effect-txc/endpoints/TradeHistory") {
  /** The service over public calls. */
  static readonly layer: Layer.Layer<TradeHistory, never, Call.PublicCall> = PlainService.layerPublic(
    TradeHistory,
    endpoint,
    (call) => ({ list: (market, options = {}) => call({ after: all, ...options, market }) })
  )
}
