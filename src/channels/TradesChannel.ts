/**
 * The trades of a market, or of all markets, as they happen. Public.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { Identifiers, TradesChannel } from "effect-txc"
 *
 * const trades = Effect.gen(function*() {
 *   const { stream } = yield* TradesChannel.TradesChannel
 *   yield* Stream.runForEach(stream({ market: Identifiers.marketName("BTC_USDT") }), (item) =>
 *     item._tag === "Event" ? Effect.log(item.event.price, item.event.amount) : Effect.void)
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import * as ChannelService from "../client/make/ChannelService.ts"
import * as Continuity from "../client/session/Continuity.ts"
import type * as Item from "../client/session/Item.ts"
import type * as Session from "../client/session/Session.ts"
import type * as StreamErrors from "../client/session/StreamErrors.ts"
import { Decimal } from "../domain/Decimal.ts"
import { MarketName, marketName, type TradeId } from "../domain/Identifiers.ts"
import { ReceivedSide } from "../domain/Order.ts"
import { Limit } from "../domain/Paging.ts"
import { UnixTime } from "../domain/Time.ts"
import * as Channel from "../protocol/Channel.ts"
import { positional } from "../protocol/Positional.ts"
import * as Wire from "../protocol/Wire.ts"
import * as topics from "./topics.ts"

export type { AnyMarket as Topic } from "./topics.ts"

/**
 * A trade.
 *
 * @category models
 */
export interface Trade {
  /** The trade id, assigned by the exchange. */
  readonly tradeId: TradeId
  /** The trade's time, in Unix seconds with microsecond precision. */
  readonly timestamp: UnixTime
  /** The price, in the quote currency. */
  readonly price: Decimal
  /** The traded amount, in the base currency. */
  readonly amount: Decimal
  /** The taker's side. */
  readonly side: ReceivedSide
  /**
   * Whether one of the trade's orders was a retail-price-improvement (RPI) order, which trades only against retail
   * orders.
   */
  readonly rpi?: boolean
}

/**
 * Trades on a market. The first message for a market contains the market's latest trades, at most 100.
 *
 * @category models
 */
export interface MarketTrades {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
  /** The trades, latest first. */
  readonly trades: ReadonlyArray<Trade>
}

/**
 * Selects the trades that a query reads.
 *
 * @category models
 */
export interface Request {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
  /** The maximum number of trades, 1 to 100. */
  readonly limit: Limit
  /**
   * The id of the trade from which to read. The documentation calls it the largest trade id, without further
   * explanation. Default: the latest trades.
   */
  readonly from?: TradeId
}

const trade = Wire.answer<Trade>({
  tradeId: Wire.TradeId,
  timestamp: UnixTime,
  price: Decimal,
  amount: Decimal,
  side: ReceivedSide,
  rpi: Schema.optionalKey(Schema.Boolean)
}, { keys: { tradeId: "id", timestamp: "time", side: "type" } }).schema

const params = positional<Request>(
  { market: MarketName, limit: Limit, from: Schema.optionalKey(Wire.TradeId) },
  { from: 0 }
)

/**
 * The channel that `trades_subscribe` subscribes to. Source: the live exchange's documentation, WebSocket, "Trades".
 *
 * @category channels
 */
export const channel = Channel.make({
  name: "TradesChannel",
  wire: "trades",
  access: "public",
  sharing: "set",
  topic: topics.anyMarket,
  topics: topics.anyMarkets,
  keyOf: ({ market = "" }) => market,
  update: positional<MarketTrades>({ market: MarketName, trades: Schema.Array(trade) }),
  about: ({ market }, message) => market === undefined || message.market === market ? message : undefined,
  first: "snapshot",
  continuity: "identified",
  pushes: { when: "event", everyMillis: 0 },
  queries: {
    /** Reads the latest trades, newest first. */
    list: Channel.query({
      method: "trades_request",
      params,
      result: Schema.Array(trade),
      example: { market: marketName("BTC_USDT"), limit: Limit.make(100) }
    })
  },
  source: "WebSocket, \"Trades\"",
  example: { market: marketName("BTC_USDT") }
})

/**
 * A market's trades, as a stream or from a query.
 *
 * @category services
 */
export class TradesChannel extends Context.Service<TradesChannel, {
  /**
   * Emits up to 100 of the market's latest trades, oldest first, as a `Snapshot`, and then each trade. After a lost
   * connection, the stream emits the missed trades as events. The stream is interrupted only if more trades were missed
   * than the exchange resends.
   */
  readonly stream: (
    topic: topics.Market
  ) => Stream.Stream<Item.Item<Trade, ReadonlyArray<Trade>>, StreamErrors.PublicFailure>
  /** Reads a market's latest trades, newest first. */
  readonly list: (request: Request) => Effect.Effect<ReadonlyArray<Trade>, StreamErrors.QueryFailure<"public">>
}>()("effect-txc/channels/TradesChannel") {
  /** Provides this service. Requires a `PublicSession`. */
  static readonly layer: Layer.Layer<TradesChannel, never, Session.PublicSession> = ChannelService.layerPublic(
    TradesChannel,
    channel,
    ({ queries, streaming }) => ({
      ...queries,
      stream: streaming(() =>
        Continuity.identified({ of: ({ trades }) => trades.toReversed(), idOf: ({ tradeId }) => tradeId, limit: 100 })
      )
    })
  )
}
