/**
 * Creating codes, which another account can apply.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Call from "../client/call/Call.ts"
import { Code, Description, Passphrase } from "../domain/Code.ts"
import { Amount } from "../domain/Decimal.ts"
import { ExternalId, Ticker } from "../domain/Identifiers.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/**
 * - `ticker`: which asset
 * - `amount`: what the code is worth, in units of the asset; taken from the main balance
 * - `passphrase`: at most 25 characters; whoever applies the code needs it
 * - `description`: for the creator only, at most 280 characters
 */
const request = Wire.struct({
  ticker: Ticker,
  amount: Amount,
  passphrase: Schema.optionalKey(Passphrase),
  description: Schema.optionalKey(Description)
})

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

/**
 * A code that has been created. Whoever knows it (and its passphrase) can apply it.
 *
 * - `message`: the exchange's words
 * - `externalId`: of the transaction
 *
 * @category models
 * @since 0.1.0
 */
const CreatedCode = Wire.struct({
  code: Code,
  message: Schema.String,
  externalId: ExternalId
}, { keys: { externalId: "external_id" } })
/** @category models */
export type CreatedCode = typeof CreatedCode.schema.Type

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "CodeCreation.create",
  clause: "not in the document",
  method: "POST",
  path: "/api/v4/main-account/codes",
  access: "private",
  b2b: false,
  mutates: true,
  rateLimit: { calls: 1000, perSeconds: 10 },
  envelope: "required",
  errorFamily: "account",
  refusals: ["InvalidFields"],
  request: () => request,
  response: () => CreatedCode.schema
})

/** @category models */
export type Request = Endpoint.Request<typeof endpoint>
/** @category errors */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * - `create`: takes the amount from the main balance and puts it into a code. More than the balance holds is refused
 *   (`RequestRejected`).
 *
 * @category services
 * @since 0.1.0
 */
export class CodeCreation extends Context.Service<CodeCreation, {
  readonly create: (request: Request) => Effect.Effect<CreatedCode, Failure>
}>()("effect-txc/endpoints/CodeCreation") {
  static readonly layer: Layer.Layer<CodeCreation, never, Call.Call> = Layer.effect(
    CodeCreation,
    Effect.gen(function*() {
      const call = (yield* Call.Call).make(endpoint)
      return {
        create: Effect.fn("CodeCreation.create")(function*(request: Request) {
          return yield* call(request)
        })
      }
    })
  )
}
