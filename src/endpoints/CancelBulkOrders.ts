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
 * // How many of these orders were still open.
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
import { ClientOrderId, MarketName, marketName, OrderId } from "../domain/Identifiers.ts"
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
  /** The orders to cancel, in order: 1 to 100, each with one of its two identifiers. */
  readonly orders: ReadonlyArray<CancelOrder.Request>
}

/** The request on the wire. Its type does not require exactly one identifier per order; the constraints do. */
interface Sent {
  /** The orders to cancel, in order. */
  readonly orders: ReadonlyArray<Endpoint.Request<typeof CancelOrder.endpoint>>
}

const request = (dialect: Dialect) =>
  Wire.struct<Sent>({
    orders: OrderTerms.many(CancelOrder.endpoint.request(dialect), maxOrders)
  })

/**
 * A canceled order. To learn how much of it was filled, use `CancelOrder` or the lists of orders.
 *
 * @category models
 */
export interface Canceled {
  /** The exchange's identifier of the order. */
  readonly orderId: OrderId
  /** Your own identifier of the order. Absent when the order has none. */
  readonly clientOrderId?: ClientOrderId
  /** The market on which the order traded. */
  readonly market: MarketName
}

const canceled = (dialect: Dialect) =>
  Wire.answer<Canceled>({
    orderId: Wire.OrderId,
    clientOrderId: Schema.optionalKey(ClientOrderId),
    market: MarketName
  }, {
    keys: { orderId: dialect.keys.orderId, clientOrderId: dialect.keys.clientOrderId },
    absent: { clientOrderId: { ...OrderFields.absentIds(dialect).clientOrderId, demanded: false, written: false } }
  }).schema

type Field = keyof Endpoint.Request<typeof CancelOrder.endpoint>

/**
 * The reason why one of the orders was not canceled: it does not exist or is not open.
 *
 * @category errors
 */
export type Refusal = Errors.ValidationFailed<Field> | Errors.RequestRejected<Field>

/**
 * The outcome of one order: canceled, or refused.
 *
 * @category models
 */
export type Outcome = Result.Result<Canceled, Refusal | Errors.OutcomeUnknown | Errors.AcceptedUnreadable>

/**
 * `POST /api/v4/order/cancel/bulk`. Source: the live exchange's documentation.
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
 * Errors that the call as a whole can fail with. An order that was not canceled has its error at its place in the
 * answer.
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
   * Cancels the orders one after the other. The answer has each canceled order, or the reason for its refusal, at its
   * place.
   *
   * Fails with `ValidationFailed` when one of the orders is not named by exactly one identifier, and nothing was sent;
   * with `OutcomeUnknown` when the answer is lost and some or all of the orders may have been canceled.
   */
  readonly cancel: (request: Request) => Effect.Effect<ReadonlyArray<Outcome>, Failure>
}>()("effect-txc/endpoints/CancelBulkOrders") {
  /** Makes the service from an account's calls. */
  static readonly layer: Layer.Layer<CancelBulkOrders, never, Call.Call> = BulkService.layerCanceling(
    CancelBulkOrders,
    endpoint,
    CancelOrder.endpoint
  )
}
