/**
 * The open positions of an account.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Call from "../client/call/Call.ts"
import { Decimal } from "../domain/Decimal.ts"
import { MarketName } from "../domain/Identifiers.ts"
import { ReceivedPositionSide } from "../domain/Order.ts"
import { UnixTime } from "../domain/Time.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/** `market`: only the positions on this market */
const request = Wire.struct({ market: Schema.optionalKey(MarketName) })

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

/** Nothing is known yet: `null`, or no field at all. */
const orNull = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const position = Wire.struct({
  positionId: Wire.PositionId,
  market: MarketName,
  openDate: UnixTime,
  modifyDate: UnixTime,
  amount: orNull(Decimal),
  basePrice: orNull(Decimal),
  liquidationPrice: orNull(Decimal),
  liquidationState: orNull(Schema.String),
  pnl: orNull(Decimal),
  pnlPercent: orNull(Decimal),
  unrealizedPnl: orNull(Decimal),
  margin: orNull(Decimal),
  freeMargin: orNull(Decimal),
  funding: orNull(Decimal),
  unrealizedFunding: orNull(Decimal),
  positionSide: Schema.optionalKey(ReceivedPositionSide)
})

/**
 * A position. What the exchange leaves out, or does not know yet (`null`), is optional.
 *
 * - `openDate`, `modifyDate`: of opening and of the last change, in Unix seconds with microseconds
 * - `amount`: in units of the base currency; above zero is long, below is short
 * - `basePrice`: at which it was opened, on average, in units of the quote currency
 * - `pnl`, `unrealizedPnl`: gained or lost by what was closed, and by what is open; in units of the quote currency
 * - `margin`, `freeMargin`: what stands for it, and what else could, in units of the quote currency
 * - `positionSide`: `BOTH` in one-way mode
 *
 * @category models
 * @since 0.1.0
 */
export type Position = typeof position.schema.Type

const response = Schema.Array(position.schema)

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "OpenPositions.list",
  clause: "not in the document",
  method: "POST",
  path: "/api/v4/collateral-account/positions/open",
  access: "private",
  b2b: false,
  mutates: false,
  rateLimit: { calls: 12000, perSeconds: 10 },
  envelope: "required",
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
 * - `list`: every open position, or those on a market
 *
 * @category services
 * @since 0.1.0
 */
export class OpenPositions extends Context.Service<OpenPositions, {
  readonly list: (request?: Request) => Effect.Effect<ReadonlyArray<Position>, Failure>
}>()("effect-txc/endpoints/OpenPositions") {
  static readonly layer: Layer.Layer<OpenPositions, never, Call.Call> = Layer.effect(
    OpenPositions,
    Effect.gen(function*() {
      const call = (yield* Call.Call).make(endpoint)
      return {
        list: Effect.fn("OpenPositions.list")(function*(request: Request = {}) {
          return yield* call(request)
        })
      }
    })
  )
}
