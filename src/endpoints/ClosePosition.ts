/**
 * Closes a position with a market order.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { ClosePosition, OpenPositions } from "effect-txc"
 *
 * const flatten = Effect.gen(function*() {
 *   const open = yield* OpenPositions.OpenPositions.use(({ list }) => list())
 *   const { close } = yield* ClosePosition.ClosePosition
 *   yield* Effect.forEach(open, ({ market, positionId }) => close({ market, positionId }), { discard: true })
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import { MarketName, marketName, PositionId } from "../domain/Identifiers.ts"
import { PositionSide } from "../domain/Order.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * The position to close.
 *
 * @category models
 */
export interface Request {
  /** The position id, assigned by the exchange: see `OpenPositions`. */
  readonly positionId: PositionId
  /** The position's market. */
  readonly market: MarketName
  /** The position's side, in hedge mode. */
  readonly positionSide?: PositionSide
}

const request = () =>
  Wire.struct<Request>({
    positionId: Wire.RequestedPositionId,
    market: MarketName,
    positionSide: Schema.optionalKey(PositionSide)
  })

/** The live exchange's documentation describes no response body; an older version shows an empty list. */
const response = Wire.emptyList

/**
 * The endpoint `POST /api/v4/collateral-account/position/close`. Source: the live exchange's documentation, "Close
 * Position".
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "ClosePosition.close",
  path: "/api/v4/collateral-account/position/close",
  access: "private",
  mutates: true,
  // The market order has no client order id, so only the position itself shows whether the call took effect.
  places: "nothing",
  refusals: ["ValidationFailed"],
  request,
  response,
  example: (): Request => ({ positionId: PositionId.make("1"), market: marketName("BTC_PERP") })
})

/**
 * Errors that can occur when closing a position.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Closes positions.
 *
 * @category services
 */
export class ClosePosition extends Context.Service<ClosePosition, {
  /**
   * Closes a position completely with a market order on the opposite side, and cancels the position's take-profit and
   * stop-loss.
   *
   * Fails with:
   *
   * - `ValidationFailed` when the market is unknown
   * - `RequestRejected`, code 104, when the account has no open position with this id, or code 10, when the balance
   *   does not cover the order
   * - `OutcomeUnknown` when the response is lost. `OpenPositions` shows whether the position is still open, and a
   *   second call can't close a different position
   */
  readonly close: (request: Request) => Effect.Effect<void, Failure>
}>()("effect-txc/endpoints/ClosePosition") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<ClosePosition, never, Call.Call> = PlainService.layer(
    ClosePosition,
    endpoint,
    (close) => ({ close })
  )
}
