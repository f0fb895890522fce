/**
 * The deals of one order: its part in each of its trades.
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
import { ClientOrderId, OrderId, Ticker, type TradeId } from "../domain/Identifiers.ts"
import type { Role } from "../domain/Order.ts"
import { Limit, Offset } from "../domain/Paging.ts"
import { UnixTime } from "../domain/Time.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as OrderFields from "../protocol/OrderFields.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * The maximum number of records on a page when the request sets no limit.
 *
 * @category constants
 */
export const defaultLimit = 50

/**
 * The order whose deals to read, and the page size.
 *
 * @category models
 */
export interface StreamRequest {
  /** The exchange's identifier of the order, open or ended. */
  readonly orderId: OrderId
  /** The maximum number of records on a page, 1 to 100. Default 50 for a page, 100 for a stream. */
  readonly limit?: Limit
}

/**
 * The order whose deals to read, and the page.
 *
 * @category models
 */
export interface Request extends StreamRequest {
  /** The index of the first record, 0 to 10000. Default 0. */
  readonly offset?: Offset
}

const request = ({ keys }: Dialect) =>
  Wire.struct<Request>({
    orderId: Wire.RequestedOrderId,
    limit: Schema.optionalKey(Limit),
    offset: Schema.optionalKey(Offset)
  }, { keys: { orderId: keys.orderId } })

/**
 * An order's part in a trade.
 *
 * @category models
 */
export interface Deal {
  /** The exchange's identifier of the trade. */
  readonly tradeId: TradeId
  /**
   * The exchange's identifier of the other order in the trade. The live documentation says that the field is not your
   * order's id.
   */
  readonly counterpartyOrderId: OrderId
  /** Your own identifier of the order. Absent when the order has none, or the exchange does not return it. */
  readonly clientOrderId?: ClientOrderId
  /** The time of the trade, in Unix seconds with microseconds. */
  readonly timestamp: UnixTime
  /** Whether the order rested in the book (`maker`) or traded with an order that did (`taker`). */
  readonly role: Role
  /** The traded volume, in the base currency. */
  readonly amount: Decimal
  /** The price of the trade, in the quote currency. */
  readonly price: Decimal
  /** The traded volume, in the quote currency. */
  readonly total: Decimal
  /** The fee charged, in units of `feeAsset`. */
  readonly fee: Decimal
  /** The currency of the fee. */
  readonly feeAsset?: Ticker
  /** Whether the trade had a retail price ("retail price improvement"). Live dialect only. */
  readonly rpi?: boolean
}

const deal = (dialect: Dialect) =>
  Wire.answer<Deal>({
    tradeId: Wire.TradeId,
    counterpartyOrderId: Wire.OrderId,
    clientOrderId: Schema.optionalKey(ClientOrderId),
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
  /** The index of the first record. */
  readonly offset: Offset
  /** The maximum number of records on a page of this size. */
  readonly limit: Limit
}

const response = (dialect: Dialect) =>
  Wire.answer<Page>({ offset: Offset, limit: Limit, records: Schema.Array(deal(dialect).schema) }).schema

/**
 * `POST /api/v4/trade-account/order`. Source: the live exchange's documentation, 2026.
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
 * Errors that reading an order's deals can fail with.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the deals of an order.
 *
 * @category services
 */
export class OrderDeals extends Context.Service<OrderDeals, {
  /**
   * Reads one page. An order that is unknown, belongs to another account or has not traded has no deals, which is not a
   * failure.
   *
   * Fails with `UnexpectedResponse` if the answer is not the requested page.
   */
  readonly page: (request: Request) => Effect.Effect<Page, Failure>
  /** Reads all deals of the order, page by page. See `Pages.stream` for its guarantees. */
  readonly stream: (
    request: StreamRequest
  ) => Stream.Stream<Deal, Failure | Errors.PageCeilingReached | Errors.ListShifted>
}>()("effect-txc/endpoints/OrderDeals") {
  /** Makes the service from an account's calls. */
  static readonly layer: Layer.Layer<OrderDeals, never, Call.Call> = PageService.layerOf(
    OrderDeals,
    endpoint,
    PageChecks.checkEcho,
    ({ tradeId }) => tradeId
  )
}
