/**
 * Cancelling all orders, of a market or of all (document, Endpoints §4).
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Call from "../client/call/Call.ts"
import * as Constraint from "../domain/Constraint.ts"
import { MarketName } from "../domain/Identifiers.ts"
import { CancelAllType } from "../domain/Order.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/**
 * - `market`: only orders of this market
 * - `type`: only orders of these types, at least one; all when left out
 */
const request = Wire.struct({
  market: Schema.optionalKey(MarketName),
  type: Schema.optionalKey(
    Schema.Array(CancelAllType).annotate(Constraint.annotation({ kind: "type", type: "array" })).check(
      Schema.isMinLength(1, Constraint.annotation({ kind: "notEmpty" }))
    )
  )
})

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

/** The document does not show the body of a success: any JSON is one. */
const response = Wire.acknowledged([], (wire) => wire !== undefined)

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "CancelAllOrders.cancel",
  clause: "Endpoints §4",
  method: "POST",
  path: "/api/v4/order/cancel/all",
  access: "private",
  b2b: false,
  mutates: true,
  rateLimit: { calls: 10000, perSeconds: 10 },
  envelope: "optional",
  errorFamily: "order",
  refusals: ["ValidationFailed"],
  request: () => request,
  response: () => response
})

/** @category models */
export type Request = Endpoint.Request<typeof endpoint>
/** @category errors */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * - `cancel`: cancels all open orders that the request reaches; cancelling none is a success too
 *
 * @category services
 * @since 0.1.0
 */
export class CancelAllOrders extends Context.Service<CancelAllOrders, {
  readonly cancel: (request?: Request) => Effect.Effect<void, Failure>
}>()("effect-txc/endpoints/CancelAllOrders") {
  static readonly layer: Layer.Layer<CancelAllOrders, never, Call.Call> = Layer.effect(
    CancelAllOrders,
    Effect.gen(function*() {
      const call = (yield* Call.Call).make(endpoint)
      return {
        cancel: Effect.fn("CancelAllOrders.cancel")(function*(request: Request = {}) {
          yield* call(request)
        })
      }
    })
  )
}
