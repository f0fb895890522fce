/**
 * A record of one call to the exchange, and of the call's outcome.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Control } from "effect-txc/sandbox"
 *
 * // Why calls were refused, and what their callers probably did wrong.
 * const hints = Control.Control.use((control) =>
 *   Effect.map(control.requests(), (records) => records.map(({ hint, refused }) => `${refused}: ${hint}`))
 * )
 * ```
 */
import * as Schema from "effect/Schema"

/**
 * The fault that hit a call.
 *
 * @category models
 */
export interface RequestFault {
  /** The number of the fault, as returned by `Control.addFault`. */
  readonly id: number
  /** The kind of the fault's symptom, such as `Reset`. */
  readonly symptom: string
}

/**
 * A call and its outcome, before the log assigns a number. The record contains no secrets: no key, signature, payload,
 * passphrase or code.
 *
 * @category models
 */
export interface NewRequest {
  /** The time of the call, in Unix microseconds on the venue's clock. */
  readonly at: number
  /**
   * The time until the response was ready and its commands were durable, in milliseconds, excluding a fault's delay.
   */
  readonly millis: number
  /** The HTTP method. */
  readonly method: string
  /** The path without the query. */
  readonly path: string
  /** The caller's address. */
  readonly from: string
  /** The account that owns the key named in the call, if the exchange has that key. */
  readonly account?: string
  /** The title of the key named in the call. */
  readonly key?: string
  /** The endpoint's name, such as `StopLimitOrders.create`. */
  readonly endpoint?: string
  /** The nonce of an admitted call. */
  readonly nonce?: string
  /**
   * The request's fields that belong to the endpoint, keyed by their domain names; a secret value is shown as `***`.
   */
  readonly fields?: Readonly<Record<string, Schema.Json>>
  /**
   * `answered`: the request succeeded. `refused`: the exchange, or a fault in its place, refused the request. `failed`:
   * there was no response, or a fault sent the response in parts or with a 5xx status.
   */
  readonly verdict: "answered" | "refused" | "failed"
  /** The HTTP status, if there was a response. */
  readonly status?: number
  /** The kind of refusal, such as `nonceUsed`; `invalid` if fields are invalid. Absent if the call was not refused. */
  readonly refused?: string
  /** The invalid fields, each with the kind of constraint that it violates. */
  readonly violations?: Readonly<Record<string, string>>
  /** Describes the values that each invalid field accepts: the bound, the step, or the allowed values. */
  readonly expected?: Readonly<Record<string, string>>
  /** The names of the request's fields that the endpoint does not have, and that the call ignored. */
  readonly ignored?: ReadonlyArray<string>
  /**
   * The caller's probable mistake: the reason why the call was refused, the unknown fields that were ignored, or the
   * reason why the call's order was canceled immediately.
   */
  readonly hint?: string
  /** The number of the call's command in the journal, if the call became a command. */
  readonly command?: number
  /** The fault that hit the call. */
  readonly fault?: RequestFault
}

/**
 * A call and its outcome. The record contains no secrets: no key, signature, payload, passphrase or code.
 *
 * @category models
 */
export interface RequestRecord extends NewRequest {
  /**
   * The call's number in the log; the first is 1. A venue that wakes up continues the numbering from before its sleep.
   */
  readonly number: number
}

/**
 * The schema of {@link RequestRecord}.
 *
 * @category schemas
 */
export const RequestRecord: Schema.Codec<RequestRecord, unknown> = Schema.Struct({
  number: Schema.Int,
  at: Schema.Int,
  millis: Schema.Finite,
  method: Schema.String,
  path: Schema.String,
  from: Schema.String,
  account: Schema.optionalKey(Schema.String),
  key: Schema.optionalKey(Schema.String),
  endpoint: Schema.optionalKey(Schema.String),
  nonce: Schema.optionalKey(Schema.String),
  fields: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  verdict: Schema.Literals(["answered", "refused", "failed"]),
  status: Schema.optionalKey(Schema.Int),
  refused: Schema.optionalKey(Schema.String),
  violations: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  expected: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  ignored: Schema.optionalKey(Schema.Array(Schema.String)),
  hint: Schema.optionalKey(Schema.String),
  command: Schema.optionalKey(Schema.Int),
  fault: Schema.optionalKey(Schema.Struct({ id: Schema.Int, symptom: Schema.String }))
})
