/**
 * Cancels a conditional order: both legs of an OCO order, or an order with a take-profit or a stop-loss.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { CancelConditionalOrder, Identifiers } from "effect-txc"
 *
 * const cancel = Effect.gen(function*() {
 *   const orders = yield* CancelConditionalOrder.CancelConditionalOrder
 *   yield* orders.cancel({
 *     market: Identifiers.marketName("BTC_USDT"),
 *     id: Identifiers.OrderId.make("29457221")
 *   })
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import { MarketName, marketName, OrderId } from "../domain/Identifiers.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * A conditional order to cancel, OCO or OTO.
 *
 * @category models
 */
export interface Request {
  /** The order's market. */
  readonly market: MarketName
  /** The OCO pair's or OTO group's id (`ConditionalOrder.id`), not an order id. */
  readonly id: OrderId
}

const request = () => Wire.struct<Request>({ market: MarketName, id: Wire.RequestedOrderId })

/** The live exchange confirms the cancellation with an empty list. */
const response = Wire.emptyList

/**
 * The endpoint `POST /api/v4/order/conditional-cancel`. Source: the live exchange's documentation, 2026.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "CancelConditionalOrder.cancel",
  path: "/api/v4/order/conditional-cancel",
  access: "private",
  mutates: true,
  places: "nothing",
  refusals: ["ValidationFailed"],
  request,
  response,
  example: (): Request => ({ market: marketName("BTC_USDT"), id: OrderId.make("1") })
})

/**
 * Errors that can occur when canceling a conditional order.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Cancels conditional orders.
 *
 * @category services
 */
export class CancelConditionalOrder extends Context.Service<CancelConditionalOrder, {
  /**
   * Cancels both legs of an OCO order, or an unfilled order with a take-profit or a stop-loss.
   *
   * Fails with:
   *
   * - `RequestRejected` when no open conditional order has this id
   * - `ValidationFailed` when the market is unknown
   * - `OutcomeUnknown` when the response is lost and the order may have been canceled: `ConditionalOrders` shows
   *   whether the order is still open
   */
  readonly cancel: (request: Request) => Effect.Effect<void, Failure>
}>()("effect-txc/endpoints/CancelConditionalOrder") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<CancelConditionalOrder, never, Call.Call> = PlainService.layer(
    CancelConditionalOrder,
    endpoint,
    (cancel) => ({ cancel })
  )
}
