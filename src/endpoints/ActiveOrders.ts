/**
 * Open orders: orders that can still trade.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { ActiveOrders, Identifiers } from "effect-txc"
 *
 * const open = Effect.gen(function*() {
 *   const orders = yield* ActiveOrders.ActiveOrders
 *   return yield* Stream.runCollect(orders.stream({ market: Identifiers.marketName("BTC_USDT") }))
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
import { ClientOrderId, MarketName, marketName, type OrderId } from "../domain/Identifiers.ts"
import { Limit, type RecordOffset } from "../domain/Paging.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as OrderAnswer from "../protocol/OrderAnswer.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * The default page size: the maximum number of records per page.
 *
 * @category constants
 */
export const defaultLimit = 50

/**
 * Selects the open orders to read, and sets the page size.
 *
 * @category models
 */
export interface StreamRequest {
  /** Only orders on this market. Default: all markets. */
  readonly market?: MarketName
  /** Only the order with this exchange order id. */
  readonly orderId?: OrderId
  /** Only the order with this client order id. */
  readonly clientOrderId?: ClientOrderId
  /** The maximum number of records per page, 1 to 100. Default 50 for a page, 100 for a stream. */
  readonly limit?: Limit
}

/**
 * The page of open orders to read.
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

const request = ({ keys, recordOffset }: Dialect) =>
  Wire.struct<Request>({
    market: Schema.optionalKey(MarketName),
    orderId: Schema.optionalKey(Wire.RequestedOrderId),
    clientOrderId: Schema.optionalKey(ClientOrderId),
    limit: Schema.optionalKey(Limit),
    offset: Schema.optionalKey(recordOffset)
  }, { keys: { orderId: keys.orderId, clientOrderId: keys.clientOrderId } })

/** The response is a plain list: it does not contain the page's offset and limit. */
const response = (dialect: Dialect) => Schema.Array(OrderAnswer.order(dialect))

/**
 * A page of open orders, latest first.
 *
 * @category models
 */
export type Page = Pages.Page<OrderAnswer.Order>

/**
 * The endpoint `POST /api/v4/orders`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "ActiveOrders.page",
  path: "/api/v4/orders",
  access: "private",
  mutates: false,
  rateLimit: { calls: 12000, perSeconds: 10 },
  refusals: ["ValidationFailed"],
  request,
  response,
  example: (): Request => ({ market: marketName("BTC_USDT"), limit: Limit.make(10) })
})

/**
 * Errors that can occur when reading open orders.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the account's open orders.
 *
 * @category services
 */
export class ActiveOrders extends Context.Service<ActiveOrders, {
  /**
   * Reads one page, latest first. An empty page is not an error.
   *
   * Fails with `ValidationFailed` when the market is unknown, and with `UnexpectedResponse` when the response contains
   * more records than requested.
   */
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  /** Reads all open orders, page by page. See `Pages.stream` for the guarantees. */
  readonly stream: (
    request?: StreamRequest
  ) => Stream.Stream<OrderAnswer.Order, Failure | Errors.PageCeilingReached | Errors.ListShifted>
}>()("effect-txc/endpoints/ActiveOrders") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<ActiveOrders, never, Call.Call> = PageService.layer(
    ActiveOrders,
    endpoint,
    (name, request) => PageChecks.ofRecords(name, request, defaultLimit),
    ({ orderId }) => orderId,
    (dialect) => dialect.maxRecordOffset
  )
}
