/**
 * The account's closed orders: the exchange pushes an order when the order is filled, or canceled after a partial fill.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { ExecutedOrdersChannel, Identifiers } from "effect-txc"
 *
 * const executed = Effect.gen(function*() {
 *   const { stream } = yield* ExecutedOrdersChannel.ExecutedOrdersChannel
 *   yield* Stream.runForEach(stream({ market: Identifiers.marketName("BTC_USDT"), kind: "limit" }), (item) =>
 *     item._tag === "Event" ? Effect.log(item.event.orderId) : Effect.void)
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
import type { Decimal, FeeRate } from "../domain/Decimal.ts"
import { MarketName, marketName } from "../domain/Identifiers.ts"
import type { ReceivedActivationCondition, ReceivedType } from "../domain/Order.ts"
import { Limit, maxLimit, RecordOffset } from "../domain/Paging.ts"
import { oneOf } from "../domain/Text.ts"
import { UnixTime } from "../domain/Time.ts"
import * as Unrecognised from "../domain/Unrecognised.ts"
import * as Channel from "../protocol/Channel.ts"
import type * as OrderAnswer from "../protocol/OrderAnswer.ts"
import { positional } from "../protocol/Positional.ts"
import * as Wire from "../protocol/Wire.ts"
import * as forms from "./forms.ts"
import * as orders from "./orders.ts"

/**
 * The schema of a {@link Kind}.
 *
 * @category schemas
 */
export const Kind = oneOf(["limit", "market"])
/**
 * A kind of order: with a limit price (`limit`), or without one (`market`). Each kind includes stop orders.
 *
 * @category models
 */
export type Kind = typeof Kind.Type

/**
 * The orders to subscribe to.
 *
 * @category models
 */
export interface Topic {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
  /** Only orders of this kind. Default: all kinds. */
  readonly kind?: Kind
}

/**
 * The schema of a {@link Source}.
 *
 * @category schemas
 */
export const Source = Unrecognised.open(oneOf(["web", "api", "adl", "liquidation"]))
/**
 * An order's origin: a person on the exchange's site (`web`), a program (`api`), auto-deleveraging by the exchange
 * (`adl`), or a liquidation by the exchange (`liquidation`).
 *
 * @category models
 */
export type Source = typeof Source.Type

/**
 * A closed order. `left` and `modifiedAt` are absent in the response to a query; `ftime` and `source` are absent in
 * pushed messages.
 *
 * @category models
 */
export interface ExecutedOrder extends OrderAnswer.AnyOrder {
  /** The unfilled amount, in the same currency as `amount`. */
  readonly left?: Decimal
  /** The time of the order's last change, in Unix seconds with microsecond precision. */
  readonly modifiedAt?: UnixTime
  /** The time when the order closed, in Unix seconds with microsecond precision. */
  readonly ftime?: UnixTime
  /** The order's origin. */
  readonly source?: Source
  /** Whether the order was immediate-or-cancel. */
  readonly ioc?: boolean
  /** Whether the order could trade only against retail orders (RPI, "retail price improvement"). */
  readonly rpi?: boolean
  /** Whether the order traded as a retail order, which may get a better price. */
  readonly retail?: boolean
  /** Whether the order could only reduce or close a position. */
  readonly reduceOnly?: boolean
  /** The order's taker fee rate, as a ratio. The exchange sent this field until 2023. */
  readonly takerFee?: FeeRate
  /** The order's maker fee rate, as a ratio. The exchange sent this field until 2023. */
  readonly makerFee?: FeeRate
  /** Whether the market price has reached the activation price. Stop orders only. */
  readonly activated?: boolean
  /**
   * The condition that triggers the order: the market price is at or above (`gte`), or at or below (`lte`), the
   * activation price. Stop orders only.
   */
  readonly activationCondition?: ReceivedActivationCondition
  /** The price that triggers the order, in the quote currency. Stop orders only. */
  readonly activationPrice?: Decimal
}

const numbers = {
  "limit": 1,
  "market": 2,
  "stop limit": 3,
  "stop market": 4,
  "stock market": 202,
  "stop stock market": 203,
  "margin limit": 7,
  "margin market": 8,
  "margin stop limit": 9,
  "margin stop market": 10,
  "normalization": 14
} as const

/**
 * An order type to read. Margin orders have their own types. The exchange places `normalization` orders to settle
 * positions.
 *
 * @category models
 */
export type ListedType = keyof typeof numbers

/**
 * Selects the page of orders that a query reads.
 *
 * @category models
 */
export interface Request {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
  /** Only orders of these types. */
  readonly types: ReadonlyArray<ListedType>
  /** The index of the page's first record. */
  readonly offset: RecordOffset
  /** The maximum number of records on the page, 1 to 100. */
  readonly limit: Limit
}

// The cast is safe, because `numbers` has no other keys.
const listedTypes = Object.keys(numbers) as ReadonlyArray<ListedType>

const typeOf = new Map<number, string>(Object.entries(numbers).map(([type, number]) => [number, type]))

const ListedType: Schema.Codec<ListedType, number> = Schema.Literals(Object.values(numbers)).pipe(
  // The cast is safe, because every number in the schema comes from `numbers`.
  Schema.decodeTo(oneOf(listedTypes), {
    decode: SchemaGetter.transform((number) => typeOf.get(number) as ListedType),
    encode: SchemaGetter.transform((type) => numbers[type])
  })
)

interface Asked {
  readonly filter: Pick<Request, "market" | "types">
  readonly offset: RecordOffset
  readonly limit: Limit
}

const filter = Wire.struct<Asked["filter"]>(
  { market: MarketName, types: Schema.Array(ListedType) },
  { keys: { types: "order_types" } }
)

const params: Schema.Codec<Request, ReadonlyArray<unknown>> = positional<Asked>({
  filter: filter.schema,
  offset: RecordOffset,
  limit: Limit
}).pipe(
  Schema.decodeTo(Schema.toType(Schema.Struct({ ...filter.fields, offset: RecordOffset, limit: Limit })) as never, {
    decode: SchemaGetter.transform(({ filter, ...page }) => ({ ...filter, ...page }) as never),
    encode: SchemaGetter.transform(({ market, types, ...page }: Request) =>
      ({ filter: { market, types }, ...page }) as never
    )
  })
) as never

const topic = Wire.struct<Topic>({ market: MarketName, kind: Schema.optionalKey(Kind) })

const kinds = [undefined, "limit", "market"] as const

/**
 * The parameters `[["BTC_USDT"], 0]`: the markets, and a filter that applies to all markets: 0 (all orders), 1 (limit)
 * or 2 (market).
 */
const topics: Schema.Codec<ReadonlyArray<Topic>, ReadonlyArray<unknown>> = positional<{
  readonly markets: ReadonlyArray<MarketName>
  readonly filter: 0 | 1 | 2
}>({ markets: Schema.Array(MarketName), filter: Schema.Literals([0, 1, 2]) }).pipe(
  Schema.decodeTo(Schema.Array(Schema.toType(topic.schema)), {
    decode: SchemaGetter.transform(({ filter, markets }): ReadonlyArray<Topic> => {
      const kind = kinds[filter]
      return [...new Set(markets)].map((market) => kind === undefined ? { market } : { market, kind })
    }),
    encode: SchemaGetter.transform((topics) => {
      const [kind, ...others] = new Set(topics.map(({ kind }) => kind))
      return {
        markets: [...new Set(topics.map(({ market }) => market))],
        filter: others.length > 0 || kind === undefined ? 0 : kind === "limit" ? 1 : 2
      }
    })
  })
)

const limitTypes: ReadonlySet<ReceivedType> = new Set(["limit", "stop limit"])

const kindOf = (type: ReceivedType): Kind => limitTypes.has(type) ? "limit" : "market"

const executed: Schema.Codec<ExecutedOrder, unknown> = orders.ended<ExecutedOrder>({
  ftime: Schema.optionalKey(UnixTime),
  source: Schema.optionalKey(Source)
})

const example = marketName("BTC_USDT")

/**
 * The channel that `ordersExecuted_subscribe` subscribes to. Source: the live exchange's documentation, WebSocket,
 * "Orders executed".
 *
 * @category channels
 */
export const channel = Channel.make({
  name: "ExecutedOrdersChannel",
  wire: "ordersExecuted",
  access: "private",
  sharing: "set",
  topic: topic.schema,
  topics,
  keyOf: ({ kind = "", market }) => `${market} ${kind}`,
  update: forms.single(executed),
  about: ({ kind, market }, order) =>
    order.market === market && (kind === undefined || kindOf(order.type) === kind) ? order : undefined,
  first: "nothing",
  continuity: "identified",
  pushes: { when: "event", everyMillis: 0 },
  queries: {
    /** Reads a page of orders. */
    page: Channel.query({
      method: "ordersExecuted_request",
      params,
      result: forms.page(executed),
      example: {
        market: example,
        types: ["limit", "market"],
        offset: RecordOffset.make(0),
        limit: Limit.make(100)
      }
    })
  },
  source: "WebSocket, \"Orders executed\"",
  example: { market: example }
})

const readLatest = (topic: Topic): Continuity.Read<ReadonlyArray<ExecutedOrder>> => (ask) =>
  Effect.map(
    ask(channel.queries.page, {
      market: topic.market,
      types: listedTypes,
      offset: RecordOffset.make(0),
      limit: Limit.make(maxLimit)
    }),
    ({ records }) => records.filter((order) => channel.about(topic, order) !== undefined)
  )

/**
 * The account's closed orders, as a stream or from a query.
 *
 * @category services
 */
export class ExecutedOrdersChannel extends Context.Service<ExecutedOrdersChannel, {
  /**
   * Emits up to 100 of the latest orders as a `Snapshot`, sorted as in the exchange's response, and then each order
   * that closes. After every lost connection, the stream is interrupted and starts with a `Snapshot` again. A query
   * can't show which orders were missed, because the documentation does not state whether the exchange sorts the orders
   * by closing time.
   */
  readonly stream: (
    topic: Topic
  ) => Stream.Stream<Item.Item<ExecutedOrder, ReadonlyArray<ExecutedOrder>>, StreamErrors.PrivateFailure>
  /** Reads one page of orders. */
  readonly page: (
    request: Request
  ) => Effect.Effect<Pages.Page<ExecutedOrder>, StreamErrors.QueryFailure<"private">>
}>()("effect-txc/channels/ExecutedOrdersChannel") {
  /** Provides this service. Requires a `Session`. */
  static readonly layer: Layer.Layer<ExecutedOrdersChannel, never, Session.Session> = ChannelService.layer(
    ExecutedOrdersChannel,
    channel,
    ({ queries, streaming }) => ({
      ...queries,
      stream: streaming((topic) =>
        Continuity.stateful({
          read: readLatest(topic),
          of: (order) => [order],
          contains: (read, { orderId }) => read.some((order) => order.orderId === orderId)
        })
      )
    })
  )
}
