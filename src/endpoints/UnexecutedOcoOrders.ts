/**
 * OCO orders whose legs have not traded yet.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { Identifiers, UnexecutedOcoOrders } from "effect-txc"
 *
 * const pairs = Effect.gen(function*() {
 *   const orders = yield* UnexecutedOcoOrders.UnexecutedOcoOrders
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
import { MarketName, marketName } from "../domain/Identifiers.ts"
import { Limit, type RecordOffset } from "../domain/Paging.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as Wire from "../protocol/Wire.ts"
import * as CollateralOcoOrders from "./CollateralOcoOrders.ts"

/**
 * The default page size: the maximum number of records per page.
 *
 * @category constants
 */
export const defaultLimit = 50

/**
 * Selects the OCO orders to read, and sets the page size.
 *
 * @category models
 */
export interface StreamRequest {
  /** Only OCO orders on this market. Default: all markets. */
  readonly market?: MarketName
  /** The maximum number of records per page, 1 to 100. Default 50 for a page, 100 for a stream. */
  readonly limit?: Limit
}

/**
 * The page of OCO orders to read.
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

const request = ({ recordOffset }: Dialect) =>
  Wire.struct<Request>({
    market: Schema.optionalKey(MarketName),
    limit: Schema.optionalKey(Limit),
    offset: Schema.optionalKey(recordOffset)
  })

/** The response is a plain list: it does not contain the page's offset and limit. */
const response = (dialect: Dialect) => Schema.Array(CollateralOcoOrders.endpoint.response(dialect))

/**
 * A page of OCO orders, latest first.
 *
 * @category models
 */
export type Page = Pages.Page<CollateralOcoOrders.CollateralOcoOrder>

/**
 * The endpoint `POST /api/v4/oco-orders`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "UnexecutedOcoOrders.page",
  path: "/api/v4/oco-orders",
  access: "private",
  mutates: false,
  rateLimit: { calls: 12000, perSeconds: 10 },
  refusals: ["ValidationFailed"],
  request,
  response,
  example: (): Request => ({ market: marketName("BTC_USDT"), limit: Limit.make(10) })
})

/**
 * Errors that can occur when reading OCO orders.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the OCO orders whose legs have not traded yet.
 *
 * @category services
 */
export class UnexecutedOcoOrders extends Context.Service<UnexecutedOcoOrders, {
  /**
   * Reads one page, latest first.
   *
   * Fails with `ValidationFailed` when the market is unknown, and with `UnexpectedResponse` when the response contains
   * more records than requested.
   */
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  /** Reads all unexecuted OCO orders, page by page. See `Pages.stream` for the guarantees. */
  readonly stream: (
    request?: StreamRequest
  ) => Stream.Stream<CollateralOcoOrders.CollateralOcoOrder, Failure | Errors.PageCeilingReached | Errors.ListShifted>
}>()("effect-txc/endpoints/UnexecutedOcoOrders") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<UnexecutedOcoOrders, never, Call.Call> = PageService.layer(
    UnexecutedOcoOrders,
    endpoint,
    (name, request) => PageChecks.ofRecords(name, request, defaultLimit),
    ({ id }) => id,
    (dialect) => dialect.maxRecordOffset
  )
}
