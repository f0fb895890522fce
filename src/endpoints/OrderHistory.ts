/**
 * Order history: orders that can no longer trade because they were filled, canceled, or partly filled and then
 * canceled.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { Identifiers, OrderHistory } from "effect-txc"
 *
 * // The latest 20 closed orders.
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
import { type HistoryLimit, Limit, type RecordOffset } from "../domain/Paging.ts"
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
 * The default page size: the maximum number of records per page.
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
 * The final status of the orders to read: any status (`ALL`), filled, canceled, or canceled after a partial fill
 * (`PARTIAL_FILLED`).
 *
 * @category models
 */
export type Status = typeof Status.Type

/**
 * Selects the past orders to read, and sets the page size.
 *
 * @category models
 */
export interface StreamRequest {
  /** Only orders on this market. Default: all markets. */
  readonly market?: MarketName
  /** Only the order with this exchange order id. Takes precedence over `clientOrderId`. */
  readonly orderId?: OrderId
  /** Only the order with this client order id. */
  readonly clientOrderId?: ClientOrderId
  /**
   * Only orders with this final status. The exchange ignores this field when the request names an order. Live dialect
   * only. Default `ALL`.
   */
  readonly status?: Status
  /**
   * Only orders that closed at or after this time, in Unix seconds: at most 31 days before `endDate`, and not before
   * the day six months ago. Without this field, the live exchange lists only the orders of the past month, and the
   * document states no limit. The exchange ignores this field when the request names an order. Live dialect only.
   */
  readonly startDate?: UnixSeconds
  /**
   * Only orders that closed at or before this time, in Unix seconds. The default, and the maximum, is the current time.
   * The exchange ignores this field when the request names an order. Live dialect only.
   */
  readonly endDate?: UnixSeconds
  /**
   * The maximum number of records per page: at most 100 in the document's dialect, 500 in the live dialect. Default 50
   * for a page, 100 for a stream.
   */
  readonly limit?: HistoryLimit
}

/**
 * The page of order history to read.
 *
 * @category models
 */
export interface Request extends StreamRequest {
  /**
   * The index of the page's first record: at most 10000 in the document's dialect, 4294967295 in the live dialect.
   * Default 0.
   */
  readonly offset?: RecordOffset
}

const request = ({ extension, historyLimit, keys, recordOffset }: Dialect) =>
  Wire.struct<Request>({
    market: Schema.optionalKey(MarketName),
    orderId: Schema.optionalKey(Wire.RequestedOrderId),
    clientOrderId: Schema.optionalKey(ClientOrderId),
    status: extension(Wire.renamed(Status, { PARTIALLY_FILLED: "PARTIAL_FILLED" })),
    startDate: extension(UnixSeconds),
    endDate: extension(UnixSeconds),
    limit: Schema.optionalKey(historyLimit),
    offset: Schema.optionalKey(recordOffset)
  }, { keys: { orderId: keys.orderId, clientOrderId: keys.clientOrderId } })

/**
 * An order that can no longer trade.
 *
 * @category models
 */
export interface EndedOrder extends OrderAnswer.AnyOrder {
  /** The order type. It is an empty `Unrecognised` when the live exchange omits the type. */
  readonly type: ReceivedType
  /** The time when the order closed, in Unix seconds with microsecond precision. */
  readonly ftime: UnixTime
  /** The order's taker fee rate, as a ratio. */
  readonly takerFee?: FeeRate
  /** The order's maker fee rate, as a ratio. */
  readonly makerFee?: FeeRate
  /** Whether the order was immediate-or-cancel. */
  readonly ioc?: boolean
  /** Whether the order could trade only against retail orders (RPI, "retail price improvement"). */
  readonly rpi?: boolean
  /** Whether the order could only reduce or close a position. */
  readonly reduceOnly?: boolean
  /** The price that triggers the order, in the quote currency. Stop orders only. */
  readonly activationPrice?: Decimal
  /**
   * The condition that triggers the order: the market price is at or above (`gte`), or at or below (`lte`), the
   * activation price. Stop orders only.
   */
  readonly activationCondition?: ReceivedActivationCondition
  /** The time when the market reached the activation price, in Unix seconds. Triggered stop orders only. */
  readonly activatedAt?: UnixTime
}

/** In order history, the live exchange writes the activation condition as `>=` or `<=`. */
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

const spelling = (dialect: Dialect, { price, ...absent } = OrderFields.absent(dialect)) => ({
  // In order history, both dialects call the order id `id`.
  keys: { ...dialect.keys, orderId: "id", timestamp: "ctime", activatedAt: "activated" },
  absent: {
    ...absent,
    // In order history, the live exchange, like the document, writes "0" for an absent price.
    price: { ...price, written: true },
    // Zero means that the order has not been triggered.
    activatedAt: { value: 0, when: () => true, demanded: false, written: false }
  },
  ...OrderFields.joint(dialect)
})

const ended = (dialect: Dialect) => Wire.answer<EndedOrder>(fields(dialect), spelling(dialect))

/** An order as received, inside its market's list. */
const grouped = (dialect: Dialect) => {
  const { market: _, type, ...others } = fields(dialect)
  return Wire.answer<Omit<EndedOrder, "market" | "type"> & Partial<Pick<EndedOrder, "type">>>(
    { ...others, type: dialect.omissible(type) },
    spelling(dialect)
  )
}

/** The live exchange has sometimes omitted an order's type. */
const readType = (wire: unknown): unknown =>
  Json.isObject(wire) && (wire["type"] ?? undefined) === undefined ? { ...wire, type: "" } : wire

/** Orders as received, grouped by market; an empty list when there are no orders. */
const Grouped = Schema.Union([
  Schema.Record(Schema.String, Schema.Array(Schema.Record(Schema.String, Schema.Unknown))),
  Schema.Tuple([])
])

/** An object with one list per market. The lists are joined into a single list, and each order gets its market. */
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
        if (orders.length === 0) return []
        const groups: Record<string, Array<Record<string, unknown>>> = {}
        // At this point, each order is already encoded as a JSON object, and its market is a string.
        for (const { market, ...order } of orders as ReadonlyArray<Record<string, unknown>>) {
          const group = groups[String(market)] ??= []
          group.push(order)
        }
        return groups
      })
    })
  )

/**
 * A page of order history, grouped by market, latest first within a market.
 *
 * @category models
 */
export type Page = Pages.Page<EndedOrder>

/**
 * The endpoint `POST /api/v4/trade-account/order/history`.
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
 * Errors that can occur when reading order history.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the account's order history.
 *
 * @category services
 */
export class OrderHistory extends Context.Service<OrderHistory, {
  /**
   * Reads one page. The exchange groups a page's orders by market, latest first within a market. An empty page is not
   * an error.
   *
   * Fails with `ValidationFailed` when the market is unknown or no closed order has the client order id, and with
   * `UnexpectedResponse` when the response contains more records than requested.
   */
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  /**
   * Reads the order history, page by page. See `Pages.stream` for the guarantees. On the live exchange, without
   * `startDate`, these are the orders that closed in the past month. To read earlier orders, give both `startDate` and
   * `endDate`: a `startDate` 31 days ago without an `endDate` is too early by the time the next page is read.
   */
  readonly stream: (
    request?: StreamRequest
  ) => Stream.Stream<EndedOrder, Failure | Errors.PageCeilingReached | Errors.ListShifted>
}>()("effect-txc/endpoints/OrderHistory") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<OrderHistory, never, Call.Call> = PageService.layer(
    OrderHistory,
    endpoint,
    (name, request) => PageChecks.ofRecords(name, request, defaultLimit),
    ({ orderId }) => orderId,
    (dialect) => dialect.maxRecordOffset
  )
}
