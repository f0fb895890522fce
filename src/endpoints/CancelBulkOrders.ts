/**
 * Cancels many orders in one call.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Result from "effect/Result"
 * import { CancelBulkOrders, Identifiers } from "effect-txc"
 *
 * const market = Identifiers.marketName("BTC_USDT")
 *
 * // The number of these orders that were canceled.
 * const cancel = Effect.fn("cancel")(function*(ids: ReadonlyArray<Identifiers.OrderId>) {
 *   const orders = yield* CancelBulkOrders.CancelBulkOrders
 *   const canceled = yield* orders.cancel({ orders: ids.map((orderId) => ({ market, orderId })) })
 *   return canceled.filter(Result.isSuccess).length
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import * as BulkService from "../client/make/BulkService.ts"
import { ClientOrderId, MarketName, marketName, OrderId, ReceivedClientOrderId } from "../domain/Identifiers.ts"
import * as BulkAnswer from "../protocol/BulkAnswer.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as OrderFields from "../protocol/OrderFields.ts"
import * as OrderTerms from "../protocol/OrderTerms.ts"
import * as Wire from "../protocol/Wire.ts"
import * as CancelOrder from "./CancelOrder.ts"

/**
 * The maximum number of orders in one call.
 *
 * @category constants
 */
export const maxOrders = 100

/**
 * The orders to cancel.
 *
 * @category models
 */
export interface Request {
  /**
   * The orders to cancel, 1 to 100, in the sequence in which they are canceled. Each order is identified by its order
   * id or its client order id.
   */
  readonly orders: ReadonlyArray<CancelOrder.Request>
}

/** The request as sent. Its type allows any identifiers; constraints require exactly one per order. */
interface Sent {
  /** The orders, in the sequence in which they are canceled. */
  readonly orders: ReadonlyArray<Endpoint.Request<typeof CancelOrder.endpoint>>
}

const request = (dialect: Dialect) =>
  Wire.struct<Sent>({
    orders: OrderTerms.many(CancelOrder.endpoint.request(dialect), maxOrders)
  })

/**
 * A canceled order. The response does not contain the order's filled amount; `OrderHistory` returns it.
 *
 * @category models
 */
export interface Canceled {
  /** The order id, assigned by the exchange. */
  readonly orderId: OrderId
  /** Your client order id. Absent when the order has no client order id. */
  readonly clientOrderId?: ClientOrderId
  /** The order's market. */
  readonly market: MarketName
}

const canceled = (dialect: Dialect) =>
  Wire.answer<Canceled>({
    orderId: Wire.OrderId,
    clientOrderId: Schema.optionalKey(ReceivedClientOrderId),
    market: MarketName
  }, {
    keys: { orderId: dialect.keys.orderId, clientOrderId: dialect.keys.clientOrderId },
    absent: { clientOrderId: { ...OrderFields.absentIds(dialect).clientOrderId, demanded: false, written: false } }
  }).schema

type Field = keyof Endpoint.Request<typeof CancelOrder.endpoint>

/**
 * The reason why an order was not canceled: it does not exist or is not open.
 *
 * @category errors
 */
export type Refusal = Errors.ValidationFailed<Field> | Errors.RequestRejected<Field>

/**
 * The outcome of one order: canceled, refused, canceled with an unreadable result (`AcceptedUnreadable`), or unknown.
 *
 * @category models
 */
export type Outcome = Result.Result<Canceled, Refusal | Errors.OutcomeUnknown | Errors.AcceptedUnreadable>

/**
 * The endpoint `POST /api/v4/order/cancel/bulk`. Source: the live exchange's documentation.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "CancelBulkOrders.cancel",
  path: "/api/v4/order/cancel/bulk",
  access: "private",
  mutates: true,
  places: "nothing",
  refusals: ["ValidationFailed"],
  request,
  response: (dialect) => BulkAnswer.items(canceled(dialect)),
  example: (): Request => ({
    orders: [
      { market: marketName("BTC_USDT"), orderId: OrderId.make("1") },
      { market: marketName("BTC_USDT"), clientOrderId: ClientOrderId.make("quote-bid-1") }
    ]
  })
})

/**
 * Errors that make the entire call fail. Each order that was not canceled has its own error in the response.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Cancels many orders in one call.
 *
 * @category services
 */
export class CancelBulkOrders extends Context.Service<CancelBulkOrders, {
  /**
   * Cancels the orders one after another. Returns one outcome per order, in the same sequence as the request.
   *
   * Fails with:
   *
   * - `ValidationFailed`, before anything is sent, when an order does not have exactly one identifier
   * - `OutcomeUnknown` when the response is lost and some or all of the orders may have been canceled
   */
  readonly cancel: (request: Request) => Effect.Effect<ReadonlyArray<Outcome>, Failure>
}>()("effect-txc/endpoints/CancelBulkOrders") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<CancelBulkOrders, never, Call.Call> = BulkService.layerCanceling(
    CancelBulkOrders,
    endpoint,
    CancelOrder.endpoint
  )
}
