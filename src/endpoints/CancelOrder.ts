/**
 * Cancels one order.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { CancelOrder, Identifiers } from "effect-txc"
 *
 * // The amount left unfilled when the order was canceled.
 * const unfilled = Effect.gen(function*() {
 *   const cancelOrder = yield* CancelOrder.CancelOrder
 *   const order = yield* cancelOrder.cancel({
 *     market: Identifiers.marketName("BTC_USDT"),
 *     clientOrderId: Identifiers.ClientOrderId.make("my-order-1")
 *   })
 *   return order.left
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import * as OrderEcho from "../client/OrderEcho.ts"
import { ClientOrderId, MarketName, marketName, OrderId } from "../domain/Identifiers.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as OrderAnswer from "../protocol/OrderAnswer.ts"
import * as OrderTerms from "../protocol/OrderTerms.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * An order to cancel, identified by the exchange's order id.
 *
 * @category models
 */
export interface ByOrderId {
  /** The market on which the order trades. */
  readonly market: MarketName
  /** The order id, assigned by the exchange. */
  readonly orderId: OrderId
  /** Not allowed together with `orderId`. */
  readonly clientOrderId?: never
}

/**
 * An order to cancel, identified by its client order id.
 *
 * @category models
 */
export interface ByClientOrderId {
  /** The market on which the order trades. */
  readonly market: MarketName
  /** The client order id, chosen by you. */
  readonly clientOrderId: ClientOrderId
  /** Not allowed together with `clientOrderId`. */
  readonly orderId?: never
}

/**
 * The order to cancel, identified by its order id or its client order id.
 *
 * @category models
 */
export type Request = ByOrderId | ByClientOrderId

const request = ({ keys }: Dialect) =>
  Wire.struct<OrderTerms.Existing>({
    market: MarketName,
    orderId: Schema.optionalKey(Wire.RequestedOrderId),
    clientOrderId: Schema.optionalKey(ClientOrderId)
  }, {
    keys: { orderId: keys.orderId, clientOrderId: keys.clientOrderId },
    constraints: OrderTerms.oneIdentifier(keys.clientOrderId)
  })

/**
 * The endpoint `POST /api/v4/order/cancel`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "CancelOrder.cancel",
  path: "/api/v4/order/cancel",
  access: "private",
  mutates: true,
  places: "nothing",
  refusals: ["ValidationFailed"],
  request,
  response: OrderAnswer.order,
  example: (): Request => ({ market: marketName("BTC_USDT"), orderId: OrderId.make("1") })
})

/**
 * Errors that can occur when canceling an order.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Cancels individual orders.
 *
 * @category services
 */
export class CancelOrder extends Context.Service<CancelOrder, {
  /**
   * Cancels the unfilled part of an open order and returns the order's final state.
   *
   * Fails with `RequestRejected` when no open order of the account has the requested id, and with `OutcomeUnknown` when
   * the response is lost and the order may have been canceled.
   */
  readonly cancel: (request: Request) => Effect.Effect<OrderAnswer.Order, Failure>
}>()("effect-txc/endpoints/CancelOrder") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<CancelOrder, never, Call.Call> = PlainService.layer(
    CancelOrder,
    endpoint,
    (cancel) => ({ cancel }),
    { contradiction: OrderEcho.otherOrder, sameId: true }
  )
}
