/**
 * Cancels an open order together with its take-profit or stop-loss, which the exchange would otherwise place when the
 * order is filled.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { CancelOtoOrder, Identifiers } from "effect-txc"
 *
 * const cancel = Effect.gen(function*() {
 *   const orders = yield* CancelOtoOrder.CancelOtoOrder
 *   yield* orders.cancel({
 *     market: Identifiers.marketName("BTC_USDT"),
 *     otoId: Identifiers.OrderId.make("29457221")
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
 * The order to cancel, which has a take-profit or a stop-loss.
 *
 * @category models
 */
export interface Request {
  /** The order's market. */
  readonly market: MarketName
  /** The OTO group's id (`oto.otoId`), not the order id. */
  readonly otoId: OrderId
}

const request = () => Wire.struct<Request>({ market: MarketName, otoId: Wire.RequestedOrderId })

/** The live exchange confirms the cancellation with an empty list. */
const response = Wire.emptyList

/**
 * The endpoint `POST /api/v4/order/oto-cancel`. Source: the live exchange's documentation, 2026.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "CancelOtoOrder.cancel",
  path: "/api/v4/order/oto-cancel",
  access: "private",
  mutates: true,
  places: "nothing",
  refusals: ["ValidationFailed"],
  request,
  response,
  example: (): Request => ({ market: marketName("BTC_USDT"), otoId: OrderId.make("1") })
})

/**
 * Errors that can occur when canceling an order with a take-profit or a stop-loss.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Cancels orders whose take-profit or stop-loss the exchange has not placed yet.
 *
 * @category services
 */
export class CancelOtoOrder extends Context.Service<CancelOtoOrder, {
  /**
   * Cancels the order's unfilled part. The filled part gets no take-profit or stop-loss.
   *
   * Fails with:
   *
   * - `RequestRejected` when no open order has this OTO id
   * - `ValidationFailed` when the market is unknown
   * - `OutcomeUnknown` when the response is lost and the order may have been canceled: `ConditionalOrders` shows
   *   whether the order is still open
   */
  readonly cancel: (request: Request) => Effect.Effect<void, Failure>
}>()("effect-txc/endpoints/CancelOtoOrder") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<CancelOtoOrder, never, Call.Call> = PlainService.layer(
    CancelOtoOrder,
    endpoint,
    (cancel) => ({ cancel })
  )
}
