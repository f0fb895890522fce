/**
 * Applies codes (the document, Endpoints §6). A code moves money from the account that created it to the account that
 * applies it.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Code, Codes } from "effect-txc"
 *
 * const credit = Effect.gen(function*() {
 *   const codes = yield* Codes.Codes
 *   const { amount, ticker } = yield* codes.apply({ code: Code.Code.make("WBe11f4fce-2a53-4edc-b195-66b693bd77e3ETH") })
 *   return `${amount} ${ticker}`
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import { Code, Passphrase } from "../domain/Code.ts"
import { Decimal } from "../domain/Decimal.ts"
import { ExternalId, Ticker } from "../domain/Identifiers.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * A code to apply.
 *
 * @category models
 */
export interface Request {
  /** The code, as received from its creator. */
  readonly code: Code
  /** The code's passphrase, at most 25 characters. Required if the code has a passphrase. */
  readonly passphrase?: Passphrase
}

const request = () =>
  Wire.struct<Request>({
    code: Code,
    passphrase: Schema.optionalKey(Passphrase)
  })

/**
 * The result of applying a code: the code is valid, and the exchange has started the transaction.
 *
 * @category models
 */
export interface AppliedCode {
  /** The exchange's confirmation message. */
  readonly message: string
  /** The code's currency. */
  readonly ticker: Ticker
  /** The code's amount, in units of `ticker`. */
  readonly amount: Decimal
  /** The transaction id, assigned by the exchange. */
  readonly externalId: ExternalId
}

const appliedCode = () =>
  Wire.answer<AppliedCode>({
    message: Schema.String,
    ticker: Ticker,
    amount: Decimal,
    externalId: ExternalId
  }, { keys: { externalId: "external_id" } })

/**
 * The endpoint `POST /api/v4/main-account/codes/apply` (the document, Endpoints §6).
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "Codes.apply",
  clause: "Endpoints §6",
  path: "/api/v4/main-account/codes/apply",
  access: "private",
  mutates: true,
  rateLimit: { calls: 60, perSeconds: 1 },
  refusals: ["InvalidFields"],
  success: "codeAppliedStatus",
  request,
  response: () => appliedCode().schema,
  example: (): Request => ({
    code: Code.make("WBbe08a482-5faf-11ed-9b6a-0242ac120002ETH"),
    passphrase: Passphrase.make("open sesame")
  })
})

/**
 * Errors that can occur when applying a code.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Applies codes.
 *
 * @category services
 */
export class Codes extends Context.Service<Codes, {
  /**
   * Credits a code's amount to the main balance. A code can be applied only once, and never by its creator.
   *
   * Fails with `InvalidFields` when the code is unknown, has already been applied or was created by the same account,
   * or the passphrase is wrong.
   */
  readonly apply: (request: Request) => Effect.Effect<AppliedCode, Failure>
}>()("effect-txc/endpoints/Codes") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<Codes, never, Call.Call> = PlainService.layer(
    Codes,
    endpoint,
    (apply) => ({ apply })
  )
}
