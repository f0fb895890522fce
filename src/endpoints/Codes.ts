/**
 * Applying codes (document, Endpoints §6).
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Call from "../client/call/Call.ts"
import { Code, Passphrase } from "../domain/Code.ts"
import { Decimal } from "../domain/Decimal.ts"
import { ExternalId, Ticker } from "../domain/Identifiers.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/**
 * - `code`: the code to apply
 * - `passphrase`: at most 25 characters; needed when the code was created with one
 */
const request = Wire.struct({
  code: Code,
  passphrase: Schema.optionalKey(Passphrase)
})

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

/**
 * The validations passed and the transaction has been started.
 *
 * - `message`: the exchange's words
 * - `amount`: what the code is worth, in units of `ticker`
 * - `externalId`: of the transaction
 *
 * @category models
 * @since 0.1.0
 */
const AppliedCode = Wire.struct({
  message: Schema.String,
  ticker: Ticker,
  amount: Decimal,
  externalId: ExternalId
}, { keys: { externalId: "external_id" } })
/** @category models */
export type AppliedCode = typeof AppliedCode.schema.Type

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "Codes.apply",
  clause: "Endpoints §6",
  method: "POST",
  path: "/api/v4/main-account/codes/apply",
  access: "private",
  b2b: false,
  mutates: true,
  rateLimit: { calls: 60, perSeconds: 1 },
  envelope: "required",
  errorFamily: "account",
  refusals: ["InvalidFields"],
  request: () => request,
  response: () => AppliedCode.schema
})

/** @category models */
export type Request = Endpoint.Request<typeof endpoint>
/** @category errors */
export type Failure = Endpoint.Failure<typeof endpoint>

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * - `apply`: credits the main balance with what a code is worth. A code can be applied once, and not by its creator.
 *
 * @category services
 * @since 0.1.0
 */
export class Codes extends Context.Service<Codes, {
  readonly apply: (request: Request) => Effect.Effect<AppliedCode, Failure>
}>()("effect-txc/endpoints/Codes") {
  static readonly layer: Layer.Layer<Codes, never, Call.Call> = Layer.effect(
    Codes,
    Effect.gen(function*() {
      const call = (yield* Call.Call).make(endpoint)
      return {
        apply: Effect.fn("Codes.apply")(function*(request: Request) {
          return yield* call(request)
        })
      }
    })
  )
}
