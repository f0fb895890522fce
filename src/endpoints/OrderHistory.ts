/**
 * Orders that can no longer trade: filled, canceled, or partly filled and then canceled.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { Identifiers, OrderHistory } from "effect-txc"
 *
 * // The latest 20 orders that have ended.
 * const latest = Effect.gen(function*() {
 *   const history = yield* OrderHistory.OrderHistory
 *   const ended = history.stream({ market: Identifiers.marketName("BTC_USDT") })
 *   return yield* Stream.runCollect(Stream.take(ended, 20))
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type * as Stream from "effect/Stream"
import type * as Call from "../client/call/Call.ts"
import * as PageService from "../client/make/PageService.ts"
import * as PageChecks from "../client/PageChecks.ts"
import * as Pages from "../client/Pages.ts"
import { Decimal, FeeRate } from "../domain/Decimal.ts"
import { ClientOrderId, MarketName, marketName, type OrderId } from "../domain/Identifiers.ts"
import { ReceivedActivationCondition, ReceivedPositionSide, type ReceivedType } from "../domain/Order.ts"
import { Limit, Offset } from "../domain/Paging.ts"
import { oneOf } from "../domain/Text.ts"
import { UnixSeconds, UnixTime } from "../domain/Time.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as Json from "../protocol/Json.ts"
import type * as OrderAnswer from "../protocol/OrderAnswer.ts"
import * as OrderFields from "../protocol/OrderFields.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * The maximum number of records on a page when the request sets no limit.
 *
 * @category constants
 */
export const defaultLimit = 50

const statuses = ["ALL", "FILLED", "CANCELED", "PARTIAL_FILLED"] as const

/**
 * The schema of {@link Status}.
 *
 * @category schemas
 */
export const Status = oneOf(statuses)
/**
 * The ended orders to read: `ALL`, filled, canceled, or canceled after a partial fill (`PARTIAL_FILLED`).
 *
 * @category models
 */
export type Status = typeof Status.Type

/**
 * The ended orders to read, and the page size.
 *
 * @category models
 */
export interface StreamRequest {
  /** Only orders on this market. Default: all markets. */
  readonly market?: MarketName
  /** Only the order with this exchange identifier. */
  readonly orderId?: OrderId
  /** Only the order with this identifier of yours. */
  readonly clientOrderId?: ClientOrderId
  /** Only orders with this status. Ignored with an identifier. Live dialect only. Default `ALL`. */
  readonly status?: Status
  /** Only orders that ended at or after this time, in Unix seconds. Ignored with an identifier. Live dialect only. */
  readonly startDate?: UnixSeconds
  /** Only orders that ended at or before this time, in Unix seconds. Ignored with an identifier. Live dialect only. */
  readonly endDate?: UnixSeconds
  /** The maximum number of records on a page, 1 to 100. Default 50 for a page, 100 for a stream. */
  readonly limit?: Limit
}

/**
 * The page of ended orders to read.
 *
 * @category models
 */
export interface Request extends StreamRequest {
  /** The index of the first record, 0 to 10000. Default 0. */
  readonly offset?: Offset
}

const request = ({ extension, keys }: Dialect) =>
  Wire.struct<Request>({
    market: Schema.optionalKey(MarketName),
    orderId: Schema.optionalKey(Wire.RequestedOrderId),
    clientOrderId: Schema.optionalKey(ClientOrderId),
    status: extension(Wire.renamed(Status, { PARTIALLY_FILLED: "PARTIAL_FILLED" })),
    startDate: extension(UnixSeconds),
    endDate: extension(UnixSeconds),
    limit: Schema.optionalKey(Limit),
    offset: Schema.optionalKey(Offset)
  }, { keys: { orderId: keys.orderId, clientOrderId: keys.clientOrderId } })

/**
 * An ended order.
 *
 * @category models
 */
export interface EndedOrder extends OrderAnswer.AnyOrder {
  /** Limit, market, stop limit and so on. An empty `Unrecognised` where the live exchange does not say. */
  readonly type: ReceivedType
  /** The time when the order ended, in Unix seconds with microseconds. */
  readonly ftime: UnixTime
  /** The fee rate of the order's trades as a taker, as a ratio. */
  readonly takerFee?: FeeRate
  /** The fee rate of the order's trades as a maker, as a ratio. */
  readonly makerFee?: FeeRate
  /** Whether the part that could not trade at once was canceled ("immediate or cancel"). */
  readonly ioc?: boolean
  /** Whether the order traded only with retail orders ("retail price improvement"). */
  readonly rpi?: boolean
  /** Whether the order could only reduce or close a position. */
  readonly reduceOnly?: boolean
  /** The price that triggers the order, in the quote currency. Stop orders only. */
  readonly activationPrice?: Decimal
  /** The side from which the market had to reach the activation price. Stop orders only. */
  readonly activationCondition?: ReceivedActivationCondition
  /** The time when the market reached the activation price, in Unix seconds. Triggered stop orders only. */
  readonly activatedAt?: UnixTime
}

/** The live exchange writes the condition as a sign here. */
const activationCondition = Wire.renamed(ReceivedActivationCondition, { ">=": "gte", "<=": "lte" })

const fields = (dialect: Dialect) => ({
  ...OrderFields.common(dialect),
  positionSide: Schema.optionalKey(ReceivedPositionSide),
  ftime: UnixTime,
  price: Schema.optionalKey(Decimal),
  takerFee: Schema.optionalKey(FeeRate),
  makerFee: Schema.optionalKey(FeeRate),
  postOnly: Schema.optionalKey(Schema.Boolean),
  ioc: Schema.optionalKey(Schema.Boolean),
  rpi: Schema.optionalKey(Schema.Boolean),
  reduceOnly: Schema.optionalKey(Schema.Boolean),
  activationPrice: Schema.optionalKey(Decimal),
  activationCondition: Schema.optionalKey(activationCondition),
  activatedAt: Schema.optionalKey(UnixTime)
})

const spelling = (dialect: Dialect) => ({
  // An order's own identifier is just `id` here, in both dialects.
  keys: { ...dialect.keys, orderId: "id", timestamp: "ctime", activatedAt: "activated" },
  absent: {
    ...OrderFields.absent(dialect),
    // Zero means "not triggered".
    activatedAt: { value: 0, when: () => true, demanded: false, written: false }
  },
  ...OrderFields.joint(dialect)
})

const ended = (dialect: Dialect) => Wire.answer<EndedOrder>(fields(dialect), spelling(dialect))

/** An order on the wire, inside its market's list. */
const grouped = (dialect: Dialect) => {
  const { market: _, type, ...others } = fields(dialect)
  return Wire.answer<Omit<EndedOrder, "market" | "type"> & Partial<Pick<EndedOrder, "type">>>(
    { ...others, type: dialect.omissible(type) },
    spelling(dialect)
  )
}

/** The live exchange has left out the type of an order. */
const readType = (wire: unknown): unknown =>
  Json.isObject(wire) && (wire["type"] ?? undefined) === undefined ? { ...wire, type: "" } : wire

/** Orders on the wire, grouped by market. The live exchange may answer with a list when there are none. */
const Grouped = Schema.Union([
  Schema.Record(Schema.String, Schema.Array(Schema.Record(Schema.String, Schema.Unknown))),
  Schema.Tuple([])
])

/** An object of lists by market, joined into one list of orders with their markets. */
const response = (dialect: Dialect): Schema.Codec<ReadonlyArray<EndedOrder>, unknown> =>
  Grouped.annotate(
    Wire.describedBy(() =>
      Schema.Union([Schema.Record(MarketName, Schema.Array(grouped(dialect).schema)), Schema.Tuple([])])
    )
  ).pipe(
    Schema.decodeTo(Schema.Array(dialect.older(ended(dialect).schema, () => Schema.Never, readType)), {
      decode: SchemaGetter.transform((groups): ReadonlyArray<unknown> =>
        Object.entries(groups).flatMap(([market, orders]) => orders.map((order) => ({ ...order, market })))
      ),
      encode: SchemaGetter.transform((orders) => {
        const groups: Record<string, Array<Record<string, unknown>>> = {}
        // The shape encodes to a JSON object, and this one's market is a text.
        for (const { market, ...order } of orders as ReadonlyArray<Record<string, unknown>>) {
          const group = groups[String(market)] ??= []
          group.push(order)
        }
        return groups
      })
    })
  )

/**
 * A page of ended orders, grouped by market, latest first within a market.
 *
 * @category models
 */
export type Page = Pages.Page<EndedOrder>

/**
 * `POST /api/v4/trade-account/order/history`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "OrderHistory.page",
  path: "/api/v4/trade-account/order/history",
  access: "private",
  mutates: false,
  rateLimit: { calls: 12000, perSeconds: 10 },
  refusals: ["ValidationFailed"],
  request,
  response,
  example: (): Request => ({ market: marketName("BTC_USDT"), limit: Limit.make(10) })
})

/**
 * Errors that reading ended orders can fail with.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the account's ended orders.
 *
 * @category services
 */
export class OrderHistory extends Context.Service<OrderHistory, {
  /**
   * Reads one page. The exchange groups a page's orders by market, latest first within a market. A page without records
   * is not a failure.
   *
   * Fails with `ValidationFailed` when the market is unknown; with `UnexpectedResponse` when the answer contains more
   * records than requested.
   */
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  /** Reads all ended orders, page by page. See `Pages.stream` for its guarantees. */
  readonly stream: (
    request?: StreamRequest
  ) => Stream.Stream<EndedOrder, Failure | Errors.PageCeilingReached | Errors.ListShifted>
}>()("effect-txc/endpoints/OrderHistory") {
  /** Makes the service from an account's calls. */
  static readonly layer: Layer.Layer<OrderHistory, never, Call.Call> = PageService.layer(
    OrderHistory,
    endpoint,
    (name, request) => PageChecks.ofRecords(name, request, defaultLimit),
    ({ orderId }) => orderId
  )
}
