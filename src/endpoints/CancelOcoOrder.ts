/**
 * Cancels both legs of a collateral OCO order.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { CancelOcoOrder, Identifiers } from "effect-txc"
 *
 * const cancel = Effect.gen(function*() {
 *   const cancelOcoOrder = yield* CancelOcoOrder.CancelOcoOrder
 *   return yield* cancelOcoOrder.cancel({
 *     market: Identifiers.marketName("BTC_USDT"),
 *     orderId: Identifiers.OrderId.make("117703764513")
 *   })
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import * as OrderEcho from "../client/OrderEcho.ts"
import { ClientOrderId, MarketName, marketName, OrderId } from "../domain/Identifiers.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as OrderTerms from "../protocol/OrderTerms.ts"
import * as Wire from "../protocol/Wire.ts"
import * as CollateralOcoOrders from "./CollateralOcoOrders.ts"

/**
 * An OCO order to cancel, identified by the id that the exchange assigned.
 *
 * @category models
 */
export interface ByOrderId {
  /** The OCO order's market. */
  readonly market: MarketName
  /** The pair's id (`CollateralOcoOrder.id`), not a leg's order id. */
  readonly orderId: OrderId
  /** Not allowed together with `orderId`. */
  readonly clientOrderId?: never
}

/**
 * An OCO order to cancel, identified by its client order id. Live dialect only.
 *
 * @category models
 */
export interface ByClientOrderId {
  /** The OCO order's market. */
  readonly market: MarketName
  /** The pair's client order id. Live dialect only. */
  readonly clientOrderId: ClientOrderId
  /** Not allowed together with `clientOrderId`. */
  readonly orderId?: never
}

/**
 * The OCO order to cancel, identified by its id or its client order id.
 *
 * @category models
 */
export type Request = ByOrderId | ByClientOrderId

const request = ({ extension, keys, omissible }: Dialect) =>
  Wire.struct<OrderTerms.Existing>({
    market: MarketName,
    orderId: omissible(Wire.RequestedOrderId),
    clientOrderId: extension(ClientOrderId)
  }, {
    keys: { orderId: keys.orderId, clientOrderId: keys.clientOrderId },
    constraints: OrderTerms.oneIdentifier(keys.clientOrderId)
  })

/**
 * The endpoint `POST /api/v4/order/oco-cancel`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "CancelOcoOrder.cancel",
  path: "/api/v4/order/oco-cancel",
  access: "private",
  mutates: true,
  places: "nothing",
  refusals: ["ValidationFailed"],
  request,
  response: CollateralOcoOrders.endpoint.response,
  example: (): Request => ({ market: marketName("BTC_USDT"), orderId: OrderId.make("1") })
})

/**
 * Errors that can occur when canceling an OCO order.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Describes how the canceled pair differs from the requested pair. The requested id may also be the order id of one of
 * the pair's legs, because an exchange might accept that.
 */
const otherPair = (
  { clientOrderId, market, orderId }: Endpoint.Request<typeof endpoint>,
  { id, stopLoss, takeProfit }: CollateralOcoOrders.CollateralOcoOrder
): string | undefined => {
  if (orderId !== undefined && ![id, stopLoss.orderId, takeProfit.orderId].includes(orderId)) {
    return `the order is ${id}, not ${orderId}`
  }
  const otherLeg = ({ clientOrderId: said, market: on }: CollateralOcoOrders.Leg) =>
    OrderEcho.otherOrder({ market, clientOrderId }, { market: on, clientOrderId: said })
  return otherLeg(stopLoss) ?? otherLeg(takeProfit)
}

/**
 * Cancels collateral OCO orders.
 *
 * @category services
 */
export class CancelOcoOrder extends Context.Service<CancelOcoOrder, {
  /**
   * Cancels both legs and returns their final states.
   *
   * Fails with `RequestRejected` when no open OCO order of the account has the requested id, and with `OutcomeUnknown`
   * when the response is lost and the legs may have been canceled.
   */
  readonly cancel: (request: Request) => Effect.Effect<CollateralOcoOrders.CollateralOcoOrder, Failure>
}>()("effect-txc/endpoints/CancelOcoOrder") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<CancelOcoOrder, never, Call.Call> = PlainService.layer(
    CancelOcoOrder,
    endpoint,
    (cancel) => ({ cancel }),
    { contradiction: otherPair, sameId: true }
  )
}
