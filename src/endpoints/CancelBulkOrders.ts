/**
 * Canceling many orders in one call.
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
 *
 * @since 0.1.0
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

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/**
 * The most orders of one call.
 *
 * @category constants
 * @since 0.1.0
 */
export const maxOrders = 100

/**
 * The orders to cancel.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  /** The orders, 1 to 100, each by one of its two identifiers, in the order in which they are canceled. */
  readonly orders: ReadonlyArray<CancelOrder.Request>
}

/** The request as the wire has it, where only the constraints say that an order has one identifier. */
interface Sent {
  /** The orders, in the order in which they are canceled. */
  readonly orders: ReadonlyArray<Endpoint.Request<typeof CancelOrder.endpoint>>
}

const request = (dialect: Dialect) =>
  Wire.struct<Sent>({
    orders: OrderTerms.many(CancelOrder.endpoint.request(dialect), maxOrders)
  })

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

/**
 * An order that was canceled. What was filled of it, `CancelOrder` and the lists of orders say.
 *
 * @category models
 * @since 0.1.0
 */
export interface Canceled {
  /** The exchange's identifier of the order. */
  readonly orderId: OrderId
  /** Your own identifier of the order. Absent when the order has none. */
  readonly clientOrderId?: ClientOrderId
  /** The market that the order traded on. */
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
 * Why one of the orders was not canceled: it is not open, or there is none.
 *
 * @category errors
 * @since 0.1.0
 */
export type Refusal = Errors.ValidationFailed<Field> | Errors.RequestRejected<Field>

/**
 * What became of one order: it was canceled, or not.
 *
 * @category models
 * @since 0.1.0
 */
export type Outcome = Result.Result<Canceled, Refusal | Errors.OutcomeUnknown | Errors.AcceptedUnreadable>

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/**
 * `POST /api/v4/order/cancel/bulk`. Its source is the live exchange's own documentation.
 *
 * @category endpoints
 * @since 0.1.0
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
 * What the call as a whole can fail with. Why a single order was not canceled is in its place in the answer.
 *
 * @category errors
 * @since 0.1.0
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * Cancels many orders in one call.
 *
 * @category services
 * @since 0.1.0
 */
export class CancelBulkOrders extends Context.Service<CancelBulkOrders, {
  /**
   * Cancels the orders one after the other. The answer has the canceled order or the reason why there is none in the place of
   * each.
   *
   * Fails with `ValidationFailed` when one of the orders is not named as it must be, and then nothing was sent; with
   * `OutcomeUnknown` when the answer is lost and some of the orders, or all, may have been canceled.
   */
  readonly cancel: (request: Request) => Effect.Effect<ReadonlyArray<Outcome>, Failure>
}>()("effect-txc/endpoints/CancelBulkOrders") {
  /** The service over an account's calls. */
  static readonly layer: Layer.Layer<CancelBulkOrders, never, Call.Call> = BulkService.layerCanceling(
    CancelBulkOrders,
    endpoint,
    CancelOrder.endpoint
  )
}
