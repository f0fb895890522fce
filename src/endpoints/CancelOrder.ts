/**
 * Cancelling one order.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Call from "../client/call/Call.ts"
import { ClientOrderId, MarketName, type OrderId } from "../domain/Identifiers.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as OrderAnswer from "../protocol/OrderAnswer.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

const request = ({ keys }: Dialect) =>
  Wire.struct({
    market: MarketName,
    orderId: Schema.optionalKey(Wire.RequestedOrderId),
    clientOrderId: Schema.optionalKey(ClientOrderId)
  }, {
    keys: { orderId: keys.orderId, clientOrderId: keys.clientOrderId },
    constraints: [
      {
        field: "orderId",
        constraint: { kind: "required" },
        holds: ({ clientOrderId, orderId }) => clientOrderId !== undefined || orderId !== undefined
      },
      {
        field: "orderId",
        constraint: { kind: "alone", with: keys.clientOrderId },
        holds: ({ clientOrderId, orderId }) => clientOrderId === undefined || orderId === undefined
      }
    ]
  })

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "CancelOrder.cancel",
  clause: "not in the document",
  method: "POST",
  path: "/api/v4/order/cancel",
  access: "private",
  b2b: false,
  mutates: true,
  rateLimit: { calls: 10000, perSeconds: 10 },
  envelope: "required",
  errorFamily: "order",
  refusals: ["ValidationFailed"],
  request,
  response: OrderAnswer.order
})

/**
 * - `market`: of the order
 * - `orderId` or `clientOrderId`: which one, by the exchange's identifier or by the caller's own
 *
 * @category models
 */
export type Request =
  & { readonly market: MarketName }
  & (
    | { readonly orderId: OrderId; readonly clientOrderId?: never }
    | { readonly clientOrderId: ClientOrderId; readonly orderId?: never }
  )
/** @category errors */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * - `cancel`: cancels what is left of an open order, and gives the order as it ended. An order that is not open, or not
 *   there, is refused (`RequestRejected`).
 *
 * @category services
 * @since 0.1.0
 */
export class CancelOrder extends Context.Service<CancelOrder, {
  readonly cancel: (request: Request) => Effect.Effect<OrderAnswer.Order, Failure>
}>()("effect-txc/endpoints/CancelOrder") {
  static readonly layer: Layer.Layer<CancelOrder, never, Call.Call> = Layer.effect(
    CancelOrder,
    Effect.gen(function*() {
      const call = (yield* Call.Call).make(endpoint)
      return {
        cancel: Effect.fn("CancelOrder.cancel")(function*(request: Request) {
          return yield* call(request)
        })
      }
    })
  )
}
