/**
 * Everything a call can fail with: flat tagged errors, in one closed union per endpoint.
 *
 * Each says whether the same call may be made again (`isRetryable`) and whether the exchange has applied it (`outcome`).
 * The errors of private calls have the `clientOrderId` of the request, where it has one.
 * Fields are named as the domain names them, never as the wire does. No error carries a key, a secret, a payload or a
 * signature.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Schema from "effect/Schema"
import { ClientOrderId, MarketName, OrderId } from "../domain/Identifiers.ts"

/**
 * Whether the exchange has applied the call.
 *
 * @category models
 * @since 0.1.0
 */
export type Outcome = "not-applied" | "applied" | "unknown"

/**
 * What is wrong with each field, in the exchange's words.
 *
 * @category models
 * @since 0.1.0
 */
export type FieldErrors<F extends string> = { readonly [K in F]?: ReadonlyArray<string> }

/**
 * An error body's fields that the request does not have, by the exchange's own key.
 *
 * @category models
 * @since 0.1.0
 */
export type OtherFields = { readonly [key: string]: ReadonlyArray<string> }

/**
 * What errors that name fields have in common.
 *
 * - `endpoint`: the call, such as `StopLimitOrders.create`
 * - `origin`: `local` when nothing was sent, `exchange` when it answered so
 * - `status`, `code`: of the answer; of the answer it would have given when `origin` is `local`
 * - `fields`: what is wrong with each field of the request
 * - `otherFields`: what the answer said about fields that the request does not have
 * - `body`: the answer, shortened; absent when `origin` is `local`
 * - `clientOrderId`: of the request, where it has one that can be sent
 *
 * @category models
 * @since 0.1.0
 */
export interface Refused {
  readonly endpoint: string
  readonly origin: "local" | "exchange"
  readonly status: number
  readonly code: number
  readonly fields: FieldErrors<string>
  readonly otherFields: OtherFields
  readonly body?: string
  readonly clientOrderId?: ClientOrderId
}

const said = (refused: { readonly fields: FieldErrors<string>; readonly otherFields: OtherFields }): string =>
  Object.entries({ ...refused.otherFields, ...refused.fields })
    .map(([field, messages]) => `${field}: ${messages?.join("; ")}`).join("; ")

const describe = (refused: Refused): string => {
  const who = refused.origin === "local" ? "refused before it was sent" : `refused with HTTP ${refused.status}`
  return `${refused.endpoint} ${who}, code ${refused.code}: ${said(refused)}`
}

// -----------------------------------------------------------------------------
// Refusals that name fields. `Schema.TaggedError` can't be generic in its field names, so these are `Data.TaggedError`.
// -----------------------------------------------------------------------------

/**
 * An order request whose fields are wrong: code 30, message `Validation failed` (document, "Errors"). Nothing was
 * applied. The live exchange uses codes 30 to 43, kept in `code`.
 *
 * @category errors
 * @since 0.1.0
 */
export class ValidationFailed<F extends string = string> extends Data.TaggedError("ValidationFailed")<Refused> {
  declare readonly fields: FieldErrors<F>
  readonly isRetryable = false
  readonly outcome = "not-applied" satisfies Outcome
  override get message(): string {
    return describe(this)
  }
}

/**
 * A request whose fields are wrong: HTTP 400, code 0, errors keyed by the field (document, "Errors"). Nothing was
 * applied.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidFields<F extends string = string> extends Data.TaggedError("InvalidFields")<Refused> {
  declare readonly fields: FieldErrors<F>
  readonly isRetryable = false
  readonly outcome = "not-applied" satisfies Outcome
  override get message(): string {
    return describe(this)
  }
}

/**
 * A reduce-only order without an open position, or on the side of the position: code 116 (document, Endpoints §2).
 * Nothing was applied.
 *
 * @category errors
 * @since 0.1.0
 */
export class ReduceOnlyRejected<F extends string = string> extends Data.TaggedError("ReduceOnlyRejected")<Refused> {
  declare readonly fields: FieldErrors<F>
  readonly isRetryable = false
  readonly outcome = "not-applied" satisfies Outcome
  override get message(): string {
    return describe(this)
  }
}

/**
 * Any other refusal of a private call, with everything the exchange said. Nothing was applied. `code` is absent when
 * the body had none.
 *
 * @category errors
 * @since 0.1.0
 */
export class RequestRejected<F extends string = string> extends Data.TaggedError("RequestRejected")<
  Omit<Refused, "code" | "origin"> & { readonly code?: number; readonly reason: string; readonly body: string }
> {
  declare readonly fields: FieldErrors<F>
  readonly isRetryable = false
  readonly outcome = "not-applied" satisfies Outcome
  override get message(): string {
    const code = this.code === undefined ? "" : `, code ${this.code}`
    return `${this.endpoint} refused with HTTP ${this.status}${code}: ${this.reason} ${said(this)}`.trimEnd()
  }
}

// -----------------------------------------------------------------------------
// All others
// -----------------------------------------------------------------------------

/**
 * A refusal of a public call: `success: false` with a message and params (document, "Errors").
 *
 * @category errors
 * @since 0.1.0
 */
export class PublicRequestRejected extends Schema.TaggedError<PublicRequestRejected>()("PublicRequestRejected", {
  endpoint: Schema.String,
  status: Schema.Int,
  reason: Schema.String,
  params: Schema.Array(Schema.Unknown),
  body: Schema.String
}) {
  readonly isRetryable = false
  readonly outcome = "not-applied" satisfies Outcome
  override get message(): string {
    return `${this.endpoint} refused with HTTP ${this.status}: ${this.reason}`
  }
}

/**
 * Why an exchange does not let a key make a call:
 *
 * - `unauthenticated`: unknown key or wrong signature
 * - `key-disabled`: the key exists, but is switched off
 * - `endpoint-not-allowed`: the key is restricted to other endpoints
 * - `no-b2b-access`: the endpoint is for business partners
 * - `not-permitted`: another reason, see `reason`
 *
 * @category models
 * @since 0.1.0
 */
export const NotAuthorizedCause = Schema.Literals([
  "unauthenticated",
  "key-disabled",
  "endpoint-not-allowed",
  "no-b2b-access",
  "not-permitted"
])
/** @category models */
export type NotAuthorizedCause = typeof NotAuthorizedCause.Type

/**
 * The key may not make this call. Nothing was applied.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotAuthorized extends Schema.TaggedError<NotAuthorized>()("NotAuthorized", {
  endpoint: Schema.String,
  why: NotAuthorizedCause,
  status: Schema.Int,
  code: Schema.optionalKey(Schema.Int),
  reason: Schema.String,
  body: Schema.String,
  clientOrderId: Schema.optionalKey(ClientOrderId)
}) {
  readonly isRetryable = false
  readonly outcome = "not-applied" satisfies Outcome
  override get message(): string {
    return `${this.endpoint} not authorized (${this.why}), HTTP ${this.status}: ${this.reason}`
  }
}

/**
 * The nonce was used before or came out of order. Nothing was applied; the call may be made again, with a new nonce.
 *
 * @category errors
 * @since 0.1.0
 */
export class NonceRejected extends Schema.TaggedError<NonceRejected>()("NonceRejected", {
  endpoint: Schema.String,
  status: Schema.Int,
  reason: Schema.String,
  body: Schema.String,
  clientOrderId: Schema.optionalKey(ClientOrderId)
}) {
  readonly isRetryable = true
  readonly outcome = "not-applied" satisfies Outcome
  override get message(): string {
    return `${this.endpoint} refused for its nonce, HTTP ${this.status}: ${this.reason}`
  }
}

/**
 * Too many calls in too short a time. Nothing was applied; wait before calling again.
 *
 * - `origin`: `local` when nothing was sent, `exchange` when it answered so
 * - `retryAfter`: the milliseconds after which to call again, where they are known
 * - `body`: the answer, shortened; absent when `origin` is `local`
 *
 * @category errors
 * @since 0.1.0
 */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  endpoint: Schema.String,
  origin: Schema.Literals(["local", "exchange"]),
  status: Schema.Int,
  reason: Schema.String,
  retryAfter: Schema.optionalKey(Schema.Finite),
  body: Schema.optionalKey(Schema.String),
  clientOrderId: Schema.optionalKey(ClientOrderId)
}) {
  readonly isRetryable = true
  readonly outcome = "not-applied" satisfies Outcome
  override get message(): string {
    return this.origin === "local"
      ? `${this.endpoint} not sent, to stay within the rate limit: ${this.reason}`
      : `${this.endpoint} refused by the rate limit, HTTP ${this.status}: ${this.reason}`
  }
}

/**
 * The exchange answered 2xx with a readable order id, but the rest of the answer does not decode: the order exists.
 *
 * @category errors
 * @since 0.1.0
 */
export class AcceptedUnreadable extends Schema.TaggedError<AcceptedUnreadable>()("AcceptedUnreadable", {
  endpoint: Schema.String,
  status: Schema.Int,
  orderIds: Schema.Array(OrderId),
  problem: Schema.String,
  body: Schema.String,
  clientOrderId: Schema.optionalKey(ClientOrderId)
}) {
  readonly isRetryable = false
  readonly outcome = "applied" satisfies Outcome
  override get message(): string {
    return `${this.endpoint} was applied as order ${
      this.orderIds.join(", ")
    }, but its answer can't be read: ${this.problem}`
  }
}

/**
 * What happened after a mutating call was handed to the transport.
 *
 * @category models
 * @since 0.1.0
 */
export const UnknownCause = Schema.Literals([
  "timeout",
  "connection-lost",
  "redirected",
  "server-error",
  "unreadable-answer"
])
/** @category models */
export type UnknownCause = typeof UnknownCause.Type

/**
 * What kind of nonce a request carries, which decides how long it can still be accepted:
 *
 * - `window`: for as long as the nonce is near the exchange's clock
 * - `increasing`: until a greater nonce of the same key has been accepted
 * - `unique`: until the same nonce has been used; the document shows no other end
 *
 * @category models
 * @since 0.1.0
 */
export const NonceForm = Schema.Literals(["window", "increasing", "unique"])
/** @category models */
export type NonceForm = typeof NonceForm.Type

/**
 * A mutating call whose fate is unknown: it may have been applied, now or later. It is never sent again by itself.
 * Find out before calling again: `Reconciliation` does for orders; for other calls compare balances.
 *
 * - `request`: what was asked, redacted because it may hold a code or a passphrase; `Redacted.value` reads it
 * - `clientOrderId`, `market`: copied from the request where it has them
 * - `key`: which API key signed it, as a fingerprint: see `Credentials.fingerprint`
 * - `nonce`, `nonceForm`: the nonce as sent
 * - `sentAt`: when it was handed to the transport, in Unix microseconds by this machine's clock
 *
 * @category errors
 * @since 0.1.0
 */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  endpoint: Schema.String,
  why: UnknownCause,
  status: Schema.optionalKey(Schema.Int),
  reason: Schema.String,
  request: Schema.Redacted(Schema.Unknown),
  clientOrderId: Schema.optionalKey(ClientOrderId),
  market: Schema.optionalKey(MarketName),
  key: Schema.String,
  nonce: Schema.Finite,
  nonceForm: NonceForm,
  sentAt: Schema.Finite,
  body: Schema.optionalKey(Schema.String)
}) {
  readonly isRetryable = false
  readonly outcome = "unknown" satisfies Outcome
  override get message(): string {
    const order = this.clientOrderId === undefined ? "" : `, client order id ${this.clientOrderId}`
    return `${this.endpoint} may have been applied (${this.why}${order}): ${this.reason}. Find out before calling again.`
  }
}

/**
 * Why a call did not reach the exchange:
 *
 * - `dns`, `refused`, `unreachable`, `tls`: no connection
 * - `not-signed`: the signer failed, or took too long
 * - `not-recorded`: the intent could not be recorded, so the call was not sent
 * - `nonce`: this program holds no nonces of the key that it shares with others
 * - `market-rules`: the market's bounds could not be loaded, so the order was not sent
 * - `timeout`, `connection-lost`: a read, sent or not; a read applies nothing
 * - `other`: see `reason`
 *
 * @category models
 * @since 0.1.0
 */
export const UnreachableCause = Schema.Literals([
  "dns",
  "refused",
  "unreachable",
  "tls",
  "not-signed",
  "not-recorded",
  "nonce",
  "market-rules",
  "timeout",
  "connection-lost",
  "other"
])
/** @category models */
export type UnreachableCause = typeof UnreachableCause.Type

/**
 * The exchange was not reached. A mutating call that fails with this was provably not sent.
 *
 * @category errors
 * @since 0.1.0
 */
export class ExchangeUnreachable extends Schema.TaggedError<ExchangeUnreachable>()("ExchangeUnreachable", {
  endpoint: Schema.String,
  why: UnreachableCause,
  reason: Schema.String,
  clientOrderId: Schema.optionalKey(ClientOrderId)
}) {
  readonly isRetryable = true
  readonly outcome = "not-applied" satisfies Outcome
  override get message(): string {
    return `${this.endpoint} did not reach the exchange (${this.why}): ${this.reason}`
  }
}

/**
 * A read whose answer is not what the document says: it does not decode, echoes another page, or is an HTTP error
 * without the document's error body.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnexpectedResponse extends Schema.TaggedError<UnexpectedResponse>()("UnexpectedResponse", {
  endpoint: Schema.String,
  status: Schema.Int,
  problem: Schema.String,
  body: Schema.String
}) {
  readonly outcome = "not-applied" satisfies Outcome
  /** A failing server may recover; an answer that does not decode will not. */
  get isRetryable(): boolean {
    return this.status >= 500
  }
  override get message(): string {
    return `${this.endpoint} answered HTTP ${this.status} with something unexpected: ${this.problem}`
  }
}

/**
 * A stream has emitted all that pages can reach (indices 0 to 10099), and there may be more.
 *
 * @category errors
 * @since 0.1.0
 */
export class PageCeilingReached extends Schema.TaggedError<PageCeilingReached>()("PageCeilingReached", {
  endpoint: Schema.String,
  emitted: Schema.Int
}) {
  readonly isRetryable = false
  readonly outcome = "not-applied" satisfies Outcome
  override get message(): string {
    return `${this.endpoint}: ${this.emitted} records were read, which is all that offsets up to 10000 can reach; there `
      + "may be more. Narrow the query."
  }
}

/**
 * Every error that a call can fail with. An endpoint's own union is a part of this one: see `Endpoint.Failure`.
 *
 * @category models
 * @since 0.1.0
 */
export type CallError =
  | ValidationFailed
  | InvalidFields
  | ReduceOnlyRejected
  | RequestRejected
  | PublicRequestRejected
  | NotAuthorized
  | NonceRejected
  | RateLimited
  | AcceptedUnreadable
  | OutcomeUnknown
  | ExchangeUnreachable
  | UnexpectedResponse
