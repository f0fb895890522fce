/**
 * The trades of the account's own orders, as they happen.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { DealsChannel, Identifiers } from "effect-txc"
 *
 * const fees = Effect.gen(function*() {
 *   const { stream } = yield* DealsChannel.DealsChannel
 *   yield* Stream.runForEach(stream({ market: Identifiers.marketName("BTC_USDT") }), (item) =>
 *     item._tag === "Event" ? Effect.log(item.event.fee, item.event.feeAsset) : Effect.void)
 * })
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type * as Stream from "effect/Stream"
import * as ChannelService from "../client/make/ChannelService.ts"
import type * as Pages from "../client/Pages.ts"
import * as Continuity from "../client/session/Continuity.ts"
import type * as Item from "../client/session/Item.ts"
import type * as Session from "../client/session/Session.ts"
import type * as StreamErrors from "../client/session/StreamErrors.ts"
import { Decimal } from "../domain/Decimal.ts"
import {
  type ClientOrderId,
  MarketName,
  marketName,
  type OrderId,
  ReceivedClientOrderId,
  Ticker,
  type TradeId
} from "../domain/Identifiers.ts"
import type { ReceivedRole, ReceivedSide } from "../domain/Order.ts"
import { Limit, maxLimit, RecordOffset } from "../domain/Paging.ts"
import { UnixTime } from "../domain/Time.ts"
import * as Channel from "../protocol/Channel.ts"
import { positional } from "../protocol/Positional.ts"
import * as Wire from "../protocol/Wire.ts"
import * as forms from "./forms.ts"
import * as topics from "./topics.ts"

/**
 * A trade of one of the account's orders.
 *
 * @category models
 */
export interface Deal {
  /** The trade id, assigned by the exchange. */
  readonly tradeId: TradeId
  /** The order id, assigned by the exchange. The exchange may omit this field. */
  readonly orderId?: OrderId
  /** Your client order id. Absent when the order has no client order id. */
  readonly clientOrderId?: ClientOrderId
  /** The trade's market. */
  readonly market: MarketName
  /** The trade's time, in Unix seconds with microsecond precision. */
  readonly timestamp: UnixTime
  /** The order's side: `buy` or `sell`. */
  readonly side: ReceivedSide
  /** Whether the order was the maker or the taker in the trade. */
  readonly role: ReceivedRole
  /** The traded amount, in the base currency. */
  readonly amount: Decimal
  /** The trade's price, in the quote currency. */
  readonly price: Decimal
  /** The fee charged, in units of `feeAsset`. */
  readonly fee: Decimal
  /** The fee's currency. */
  readonly feeAsset?: Ticker
}

/**
 * A trade of one of the account's orders, read with a query.
 *
 * @category models
 */
export interface PastDeal extends Deal {
  /** The trade's total (price × amount), in the quote currency. */
  readonly total?: Decimal
  /** The id of the counterparty's order. */
  readonly counterpartyOrderId?: OrderId
}

export type { PageRequest as Request } from "./forms.ts"
export type { AnyMarket as Topic } from "./topics.ts"

const read = Wire.answer<PastDeal>({
  timestamp: UnixTime,
  tradeId: Wire.TradeId,
  side: forms.Side,
  role: forms.Role,
  price: Decimal,
  amount: Decimal,
  total: Schema.optionalKey(Decimal),
  fee: Decimal,
  orderId: Schema.optionalKey(Wire.OrderId),
  counterpartyOrderId: Schema.optionalKey(Wire.OrderId),
  market: MarketName,
  clientOrderId: Schema.optionalKey(ReceivedClientOrderId),
  feeAsset: Schema.optionalKey(Ticker)
}, {
  keys: {
    timestamp: "time",
    tradeId: "id",
    total: "deal",
    orderId: "order_id",
    counterpartyOrderId: "deal_order_id",
    clientOrderId: "client_order_id",
    feeAsset: "fee_asset"
  },
  absent: {
    clientOrderId: { value: "", when: () => true, demanded: false },
    feeAsset: { value: "", when: () => true, demanded: false, written: false }
  }
}).schema

const pushed = positional<Deal>({
  tradeId: Wire.TradeId,
  timestamp: UnixTime,
  market: MarketName,
  orderId: Schema.optionalKey(Wire.OrderId),
  price: Decimal,
  amount: Decimal,
  fee: Decimal,
  clientOrderId: Schema.optionalKey(ReceivedClientOrderId),
  side: forms.Side,
  role: forms.Role,
  feeAsset: Schema.optionalKey(Ticker)
}, { clientOrderId: "" })

/** The parameters `[["BTC_USDT"]]`: the set of markets. `[[]]` means all markets. */
const asTopics = Schema.Tuple([topics.anyMarkets]).pipe(
  Schema.decodeTo(Schema.toType(topics.anyMarkets), {
    decode: SchemaGetter.transform(([topics]) => topics),
    encode: SchemaGetter.transform((topics) => [topics] as const)
  })
)

const example = marketName("BTC_USDT")

/**
 * The channel that `deals_subscribe` subscribes to. Source: the live exchange's documentation, WebSocket, "Deals".
 *
 * @category channels
 */
export const channel = Channel.make({
  name: "DealsChannel",
  wire: "deals",
  access: "private",
  sharing: "set",
  topic: topics.anyMarket,
  topics: asTopics,
  keyOf: ({ market = "" }) => market,
  update: pushed,
  about: ({ market }, deal) => market === undefined || deal.market === market ? deal : undefined,
  first: "nothing",
  continuity: "identified",
  pushes: { when: "event", everyMillis: 0 },
  queries: {
    /** Reads a page of trades, latest first. */
    page: Channel.query({
      method: "deals_request",
      params: forms.pageRequest,
      result: forms.page(read),
      example: { market: example, offset: RecordOffset.make(0), limit: Limit.make(100) }
    })
  },
  source: "WebSocket, \"Deals\"",
  example: { market: example }
})

const recordsOf = ({ market }: topics.Market): Continuity.Records<Deal, Deal> => ({
  of: (deal) => [deal],
  // If two of the account's orders trade with each other, both deals have the same trade id.
  idOf: ({ role, tradeId }) => `${tradeId} ${role}`,
  limit: maxLimit,
  read: (ask) =>
    Effect.map(
      ask(channel.queries.page, { market, offset: RecordOffset.make(0), limit: Limit.make(maxLimit) }),
      ({ records }) => records.toReversed()
    )
})

/**
 * The trades of the account's own orders on a market, as a stream or from a query.
 *
 * @category services
 */
export class DealsChannel extends Context.Service<DealsChannel, {
  /**
   * Emits up to 100 of the latest trades, oldest first, as a `Snapshot`, and then each trade. After a lost connection,
   * the stream emits the missed trades as events. The stream is interrupted only if more trades were missed than fit on
   * a page.
   */
  readonly stream: (
    topic: topics.Market
  ) => Stream.Stream<Item.Item<Deal, ReadonlyArray<Deal>>, StreamErrors.PrivateFailure>
  /** Reads one page of trades, latest first. */
  readonly page: (
    request: forms.PageRequest
  ) => Effect.Effect<Pages.Page<PastDeal>, StreamErrors.QueryFailure<"private">>
}>()("effect-txc/channels/DealsChannel") {
  /** Provides this service. Requires a `Session`. */
  static readonly layer: Layer.Layer<DealsChannel, never, Session.Session> = ChannelService.layer(
    DealsChannel,
    channel,
    ({ queries, streaming }) => ({
      ...queries,
      stream: (topic) => streaming(() => Continuity.identified(recordsOf(topic)))(topic)
    })
  )
}
