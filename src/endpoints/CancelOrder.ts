/**
 * Cancels one order.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { CancelOrder, Identifiers } from "effect-txc"
 *
 * // What was not filled when the order was canceled.
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
 * An order to cancel, named by the exchange's identifier.
 *
 * @category models
 */
export interface ByOrderId {
  /** The market on which the order trades. */
  readonly market: MarketName
  /** The exchange's identifier of the order. */
  readonly orderId: OrderId
  /** Not allowed together with `orderId`. */
  readonly clientOrderId?: never
}

/**
 * An order to cancel, named by your own identifier.
 *
 * @category models
 */
export interface ByClientOrderId {
  /** The market on which the order trades. */
  readonly market: MarketName
  /** Your own identifier of the order. */
  readonly clientOrderId: ClientOrderId
  /** Not allowed together with `clientOrderId`. */
  readonly orderId?: never
}

/**
 * The order to cancel, named by one of its two identifiers.
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
 * `POST /api/v4/order/cancel`.
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
 * Errors that canceling an order can fail with.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Cancels single orders.
 *
 * @category services
 */
export class CancelOrder extends Context.Service<CancelOrder, {
  /**
   * Cancels the unfilled part of an open order and returns its final state.
   *
   * Fails with `RequestRejected` when there is no such open order; with `OutcomeUnknown` when the answer is lost and
   * the order may have been canceled.
   */
  readonly cancel: (request: Request) => Effect.Effect<OrderAnswer.Order, Failure>
}>()("effect-txc/endpoints/CancelOrder") {
  /** Makes the service from an account's calls. */
  static readonly layer: Layer.Layer<CancelOrder, never, Call.Call> = PlainService.layer(
    CancelOrder,
    endpoint,
    (cancel) => ({ cancel }),
    { contradiction: OrderEcho.otherOrder, sameId: true }
  )
}
