/**
 * A market's trades after a given trade. Public.
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

/**
 * The default maximum number of trades in a response.
 *
 * @category constants
 */
export const defaultLimit = 50

const isInteger = Constraint.annotation({ kind: "type", type: "integer" })

// oxlint-disable-next-line effecttsgo/schema-number -- isInt rejects NaN and infinity too, and names the constraint.
const Count = Schema.Number.annotate(isInteger).check(
  Schema.isInt(isInteger).abort(),
  Schema.isGreaterThanOrEqualTo(1, Constraint.annotation({ kind: "min", min: 1 }))
)

/**
 * The trades to read.
 *
 * @category models
 */
export interface Options {
  /** Only trades after the trade with this id. Default `0`: all trades. */
  readonly after?: TradeId
  /** The maximum number of trades, 1 or more. Default 50. The exchange does not state an upper bound. */
  readonly limit?: number
}

/**
 * Selects the market and the trades to read.
 *
 * @category models
 */
export interface Request extends Options {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
  /** Only trades after the trade with this id; `0` for all trades. */
  readonly after: TradeId
}

const request = () =>
  Wire.struct<Request>(
    { market: MarketName, after: TradeId, limit: Schema.optionalKey(Wire.counted(Count)) },
    { keys: { after: "lastId" } }
  )

/**
 * A trade.
 *
 * @category models
 */
export interface PastTrade {
  /** The trade id, assigned by the exchange. Later trades have greater ids. */
  readonly tradeId: TradeId
  /** The trade's time, in Unix seconds with microsecond precision. */
  readonly timestamp: UnixTime
  /** The price, in the quote currency. */
  readonly price: Decimal
  /** The traded amount, in the base currency. */
  readonly amount: Decimal
  /** The taker's side. */
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

/**
 * The endpoint `GET /api/v1/public/history`. Source: the live exchange's documentation, Public HTTP API V1, "Trade
 * History".
 *
 * @category endpoints
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
 * Errors that can occur when reading past trades.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/** This id is lower than every trade id, so all trades are selected. */
const all = TradeId.make("0")

/**
 * Reads a market's trades after a given trade.
 *
 * @category services
 */
export class TradeHistory extends Context.Service<TradeHistory, {
  /**
   * Reads the latest trades that came after the given trade, newest first.
   *
   * Fails with `PublicRequestRejected` when the exchange does not list the market, and with `ValidationFailed`, before
   * anything is sent, when `limit` is below 1.
   */
  readonly list: (market: MarketName, options?: Options) => Effect.Effect<ReadonlyArray<PastTrade>, Failure>
}>()("effect-txc/endpoints/TradeHistory") {
  /** Provides this service. Requires `PublicCall`. */
  static readonly layer: Layer.Layer<TradeHistory, never, Call.PublicCall> = PlainService.layerPublic(
    TradeHistory,
    endpoint,
    (call) => ({ list: (market, options = {}) => call({ after: all, ...options, market }) })
  )
}
