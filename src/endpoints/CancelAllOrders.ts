/**
 * Cancels all open orders, on one market or on all markets (the document, Endpoints §4).
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { CancelAllOrders, Identifiers } from "effect-txc"
 *
 * const clear = Effect.gen(function*() {
 *   const cancelAllOrders = yield* CancelAllOrders.CancelAllOrders
 *   yield* cancelAllOrders.cancel({ market: Identifiers.marketName("BTC_USDT"), type: ["spot"] })
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import * as Constraint from "../domain/Constraint.ts"
import { MarketName, marketName } from "../domain/Identifiers.ts"
import { CancelAllType, PositionSide } from "../domain/Order.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * The orders to cancel.
 *
 * @category models
 */
export interface Request {
  /** Only orders on this market. Default: all markets. */
  readonly market?: MarketName
  /** Only orders of these types: at least one type. Default: all types. */
  readonly type?: ReadonlyArray<CancelAllType>
  /** Only orders with this position side, on a futures market. Live dialect only. Default: all sides. */
  readonly positionSide?: PositionSide
}

const sides = Constraint.annotation({ kind: "oneOf", values: ["both", "long", "short"] })

/** The position side, which is lower-case in this request. */
const Side = Schema.Literals(["both", "long", "short"]).annotate(sides).pipe(
  Schema.decodeTo(PositionSide.annotate(sides), {
    decode: SchemaGetter.transform((side) => sideOf[side]),
    encode: SchemaGetter.transform((side) => spellingOf[side])
  })
)

const sideOf = { both: "BOTH", long: "LONG", short: "SHORT" } as const

const spellingOf = { BOTH: "both", LONG: "long", SHORT: "short" } as const

const request = ({ extension }: Dialect) =>
  Wire.struct<Request>({
    market: Schema.optionalKey(MarketName),
    type: Schema.optionalKey(
      Schema.Array(CancelAllType).annotate(Constraint.annotation({ kind: "type", type: "array" })).check(
        Schema.isMinLength(1, Constraint.annotation({ kind: "notEmpty" }))
      )
    ),
    positionSide: extension(Side)
  })

/** The document does not show a successful response's body; the live exchange's documentation shows an empty list. */
const response = Wire.emptyList

/**
 * The endpoint `POST /api/v4/order/cancel/all` (the document, Endpoints §4).
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "CancelAllOrders.cancel",
  clause: "Endpoints §4",
  path: "/api/v4/order/cancel/all",
  access: "private",
  mutates: true,
  places: "nothing",
  envelope: "optional",
  refusals: ["ValidationFailed"],
  request,
  response,
  example: (): Request => ({ market: marketName("BTC_USDT"), type: ["spot", "margin"] })
})

/**
 * Errors that can occur when canceling all orders.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Cancels all open orders in one call.
 *
 * @category services
 */
export class CancelAllOrders extends Context.Service<CancelAllOrders, {
  /**
   * Cancels every open order that matches the request, or all of the account's open orders if there is no request.
   * Succeeds even when no order matches.
   *
   * Fails with `ValidationFailed` when the market is unknown or the list of types is empty, and with `OutcomeUnknown`
   * when the response is lost and the orders may have been canceled.
   */
  readonly cancel: (request?: Request) => Effect.Effect<void, Failure>
}>()("effect-txc/endpoints/CancelAllOrders") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<CancelAllOrders, never, Call.Call> = PlainService.layer(
    CancelAllOrders,
    endpoint,
    (cancel) => ({ cancel: (request = {}) => cancel(request) })
  )
}
