/**
 * Creates codes, each of which moves an amount to the account that applies the code.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Code, CodeCreation, Decimal, Identifiers } from "effect-txc"
 *
 * const gift = Effect.gen(function*() {
 *   const codes = yield* CodeCreation.CodeCreation
 *   const { code } = yield* codes.create({
 *     ticker: Identifiers.ticker("USDT"),
 *     amount: Decimal.amount("25"),
 *     passphrase: Code.Passphrase.make("open sesame")
 *   })
 *   return code
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import { Code, Description, Passphrase } from "../domain/Code.ts"
import { Amount, amount } from "../domain/Decimal.ts"
import { ExternalId, Ticker, ticker } from "../domain/Identifiers.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * A code to create.
 *
 * @category models
 */
export interface Request {
  /** The code's currency. */
  readonly ticker: Ticker
  /** The code's amount, in units of `ticker`. The exchange debits this amount from the main balance. */
  readonly amount: Amount
  /** A passphrase of at most 25 characters, needed to apply the code. */
  readonly passphrase?: Passphrase
  /** A note for the creator only, at most 280 characters. */
  readonly description?: Description
}

const request = () =>
  Wire.struct<Request>({
    ticker: Ticker,
    amount: Amount,
    passphrase: Schema.optionalKey(Passphrase),
    description: Schema.optionalKey(Description)
  })

/**
 * A created code.
 *
 * @category models
 */
export interface CreatedCode {
  /** The code. Anyone except its creator can apply it; if it has a passphrase, the passphrase is also required. */
  readonly code: Code
  /** The exchange's confirmation message. */
  readonly message: string
  /** The transaction id, assigned by the exchange. */
  readonly externalId: ExternalId
}

const createdCode = () =>
  Wire.answer<CreatedCode>({
    code: Code,
    message: Schema.String,
    externalId: ExternalId
  }, { keys: { externalId: "external_id" } })

/**
 * The endpoint `POST /api/v4/main-account/codes`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "CodeCreation.create",
  path: "/api/v4/main-account/codes",
  access: "private",
  mutates: true,
  refusals: ["InvalidFields"],
  success: "createdStatus",
  request,
  response: () => createdCode().schema,
  example: (): Request => ({
    ticker: ticker("USDT"),
    amount: amount("25"),
    passphrase: Passphrase.make("open sesame"),
    description: Description.make("a prize")
  })
})

/**
 * Errors that can occur when creating a code.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Creates codes.
 *
 * @category services
 */
export class CodeCreation extends Context.Service<CodeCreation, {
  /**
   * Debits the amount from the main balance and creates a code for that amount.
   *
   * Fails with `RequestRejected` when the main balance is below the amount, and with `InvalidFields` when the asset is
   * unknown.
   */
  readonly create: (request: Request) => Effect.Effect<CreatedCode, Failure>
}>()("effect-txc/endpoints/CodeCreation") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<CodeCreation, never, Call.Call> = PlainService.layer(
    CodeCreation,
    endpoint,
    (create) => ({ create })
  )
}
