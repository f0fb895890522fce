/**
 * An order's deals. A deal is a trade from the point of view of one of its two orders.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { type Identifiers, OrderDeals } from "effect-txc"
 *
 * const feesOf = Effect.fn("feesOf")(function*(orderId: Identifiers.OrderId) {
 *   const deals = yield* OrderDeals.OrderDeals
 *   return yield* deals.stream({ orderId }).pipe(Stream.map(({ fee, feeAsset }) => [fee, feeAsset]), Stream.runCollect)
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type * as Call from "../client/call/Call.ts"
import * as PageService from "../client/make/PageService.ts"
import * as PageChecks from "../client/PageChecks.ts"
import * as Pages from "../client/Pages.ts"
import { Decimal } from "../domain/Decimal.ts"
import { type ClientOrderId, OrderId, ReceivedClientOrderId, Ticker, type TradeId } from "../domain/Identifiers.ts"
import type { Role } from "../domain/Order.ts"
import { type HistoryLimit, Limit, type RecordOffset } from "../domain/Paging.ts"
import { UnixTime } from "../domain/Time.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as OrderFields from "../protocol/OrderFields.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * The default page size: the maximum number of records per page.
 *
 * @category constants
 */
export const defaultLimit = 50

/**
 * Selects the order whose deals are read, and sets the page size.
 *
 * @category models
 */
export interface StreamRequest {
  /** The order id, assigned by the exchange. The order may be open or closed. */
  readonly orderId: OrderId
  /**
   * The maximum number of records per page: at most 100 in the document's dialect, 500 in the live dialect. Default 50
   * for a page, 100 for a stream.
   */
  readonly limit?: HistoryLimit
}

/**
 * Selects the order, and the page of its deals to read.
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

const request = ({ historyLimit, keys, recordOffset }: Dialect) =>
  Wire.struct<Request>({
    orderId: Wire.RequestedOrderId,
    limit: Schema.optionalKey(historyLimit),
    offset: Schema.optionalKey(recordOffset)
  }, { keys: { orderId: keys.orderId } })

/**
 * A trade from the point of view of one of its two orders.
 *
 * @category models
 */
export interface Deal {
  /** The trade id, assigned by the exchange. */
  readonly tradeId: TradeId
  /**
   * The id of the counterparty's order. According to the live exchange's documentation, this is not the id of your own
   * order.
   */
  readonly counterpartyOrderId: OrderId
  /** Your client order id. Absent when the order has no client order id, or the exchange does not return it. */
  readonly clientOrderId?: ClientOrderId
  /** The trade's time, in Unix seconds with microsecond precision. */
  readonly timestamp: UnixTime
  /** Whether the order was the maker or the taker in the trade. */
  readonly role: Role
  /** The traded amount, in the base currency. */
  readonly amount: Decimal
  /** The trade's price, in the quote currency. */
  readonly price: Decimal
  /** The trade's total, in the quote currency. */
  readonly total: Decimal
  /** The fee charged, in units of `feeAsset`. */
  readonly fee: Decimal
  /** The fee's currency. */
  readonly feeAsset?: Ticker
  /** Whether the trade received a retail price improvement (RPI). Live dialect only. */
  readonly rpi?: boolean
}

const deal = (dialect: Dialect) =>
  Wire.answer<Deal>({
    tradeId: Wire.TradeId,
    counterpartyOrderId: Wire.OrderId,
    clientOrderId: Schema.optionalKey(ReceivedClientOrderId),
    timestamp: UnixTime,
    role: Wire.Role,
    amount: Decimal,
    price: Decimal,
    total: Decimal,
    fee: Decimal,
    feeAsset: Schema.optionalKey(Ticker),
    rpi: dialect.extension(Schema.Boolean)
  }, {
    keys: {
      tradeId: "id",
      counterpartyOrderId: "dealOrderId",
      clientOrderId: dialect.keys.clientOrderId,
      timestamp: "time",
      total: "deal"
    },
    absent: OrderFields.absentIds(dialect)
  })

/**
 * A page of an order's deals, latest first.
 *
 * @category models
 */
export interface Page extends Pages.Page<Deal> {
  /** The index of the page's first record. */
  readonly offset: RecordOffset
  /** The page size: the maximum number of records per page. */
  readonly limit: HistoryLimit
}

const response = (dialect: Dialect) =>
  Wire.answer<Page>({
    offset: dialect.recordOffset,
    limit: dialect.historyLimit,
    records: Schema.Array(deal(dialect).schema)
  }).schema

/**
 * The endpoint `POST /api/v4/trade-account/order`. Source: the live exchange's documentation, 2026.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "OrderDeals.page",
  path: "/api/v4/trade-account/order",
  access: "private",
  mutates: false,
  rateLimit: { calls: 12000, perSeconds: 10 },
  refusals: ["ValidationFailed"],
  request,
  response,
  example: (): Request => ({ orderId: OrderId.make("1"), limit: Limit.make(10) })
})

/**
 * Errors that can occur when reading an order's deals.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads an order's deals.
 *
 * @category services
 */
export class OrderDeals extends Context.Service<OrderDeals, {
  /**
   * Reads one page. The page is empty, without an error, when the order is unknown, belongs to another account or has
   * not traded.
   *
   * Fails with `UnexpectedResponse` when the response is not the requested page.
   */
  readonly page: (request: Request) => Effect.Effect<Page, Failure>
  /** Reads all deals of the order, page by page. See `Pages.stream` for the guarantees. */
  readonly stream: (
    request: StreamRequest
  ) => Stream.Stream<Deal, Failure | Errors.PageCeilingReached | Errors.ListShifted>
}>()("effect-txc/endpoints/OrderDeals") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<OrderDeals, never, Call.Call> = PageService.layerOf(
    OrderDeals,
    endpoint,
    PageChecks.checkEcho,
    ({ tradeId }) => tradeId,
    (dialect) => dialect.maxRecordOffset
  )
}
