/**
 * Fees and limits of deposits and withdrawals, per currency (document, Endpoints §5).
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Call from "../client/call/Call.ts"
import { Decimal } from "../domain/Decimal.ts"
import { Ticker } from "../domain/Identifiers.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

const request = Wire.struct({})

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

/**
 * Fees and limits of one direction, in units of the currency unless named a percentage. The document does not show the
 * meaning of the flexible fees beyond their names. A zero means that the setting is off.
 *
 * @category models
 * @since 0.1.0
 */
export const TransferFee = Schema.Struct({
  minFlex: Decimal,
  maxFlex: Decimal,
  percentFlex: Decimal,
  fixed: Decimal,
  minAmount: Decimal,
  maxAmount: Decimal
})
/** @category models */
export type TransferFee = typeof TransferFee.Type

/**
 * The fees of one currency.
 *
 * - `canDeposit`, `canWithdraw`: whether the currency can be deposited and withdrawn now
 *
 * @category models
 * @since 0.1.0
 */
const Fee = Wire.struct({
  ticker: Ticker,
  name: Schema.String,
  canDeposit: Schema.Boolean,
  canWithdraw: Schema.Boolean,
  deposit: TransferFee,
  withdraw: TransferFee
}, { keys: { canDeposit: "can_deposit", canWithdraw: "can_withdraw" } })
/** @category models */
export type Fee = typeof Fee.schema.Type

const response = Schema.Array(Fee.schema)

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "Fees.list",
  clause: "Endpoints §5",
  method: "POST",
  path: "/api/v4/main-account/fee",
  access: "private",
  b2b: false,
  mutates: false,
  rateLimit: { calls: 1000, perSeconds: 10 },
  envelope: "required",
  errorFamily: "account",
  refusals: [],
  request: () => request,
  response: () => response
})

/** @category errors */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * - `list`: the fees of all currencies
 *
 * @category services
 * @since 0.1.0
 */
export class Fees extends Context.Service<Fees, {
  readonly list: Effect.Effect<ReadonlyArray<Fee>, Failure>
}>()("effect-txc/endpoints/Fees") {
  static readonly layer: Layer.Layer<Fees, never, Call.Call> = Layer.effect(
    Fees,
    Effect.gen(function*() {
      const call = (yield* Call.Call).make(endpoint)
      return { list: Effect.withSpan(call({}), "Fees.list") }
    })
  )
}
