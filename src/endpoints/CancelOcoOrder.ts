/**
 * Cancelling both legs of a collateral OCO order.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Call from "../client/call/Call.ts"
import { MarketName } from "../domain/Identifiers.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"
import * as CollateralOcoOrders from "./CollateralOcoOrders.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/**
 * - `market`: of the pair
 * - `orderId`: of the pair, not of a leg
 */
const request = ({ keys }: Dialect) =>
  Wire.struct({ market: MarketName, orderId: Wire.RequestedOrderId }, { keys: { orderId: keys.orderId } })

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "CancelOcoOrder.cancel",
  clause: "not in the document",
  method: "POST",
  path: "/api/v4/order/oco-cancel",
  access: "private",
  b2b: false,
  mutates: true,
  rateLimit: { calls: 10000, perSeconds: 10 },
  envelope: "required",
  errorFamily: "order",
  refusals: ["ValidationFailed"],
  request,
  response: CollateralOcoOrders.endpoint.response
})

/** @category models */
export type Request = Endpoint.Request<typeof endpoint>
/** @category errors */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * - `cancel`: cancels both legs, and gives them as they ended. A pair that is not open, or not there, is refused
 *   (`RequestRejected`).
 *
 * @category services
 * @since 0.1.0
 */
export class CancelOcoOrder extends Context.Service<CancelOcoOrder, {
  readonly cancel: (request: Request) => Effect.Effect<CollateralOcoOrders.CollateralOcoOrder, Failure>
}>()("effect-txc/endpoints/CancelOcoOrder") {
  static readonly layer: Layer.Layer<CancelOcoOrder, never, Call.Call> = Layer.effect(
    CancelOcoOrder,
    Effect.gen(function*() {
      const call = (yield* Call.Call).make(endpoint)
      return {
        cancel: Effect.fn("CancelOcoOrder.cancel")(function*(request: Request) {
          return yield* call(request)
        })
      }
    })
  )
}
