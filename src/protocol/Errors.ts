/**
 * The errors with which calls fail. All are tagged errors, and each endpoint has a closed union of them.
 *
 * Every error states its `outcome` (was the call applied?) and whether it `isRetryable` (may you make the same call
 * again?). A private call's error has the request's `clientOrderId`, if there is one. Field names are this library's
 * names, not the wire's. No error contains a key, a secret, a payload or a signature.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Decimal, Identifiers, StopLimitOrders } from "effect-txc"
 *
 * const create = StopLimitOrders.StopLimitOrders.use((orders) =>
 *   orders.create({
 *     market: Identifiers.marketName("BTC_USDT"),
 *     side: "buy",
 *     amount: Decimal.amount("0.01"),
 *     price: Decimal.price("61000"),
 *     activationPrice: Decimal.price("60500")
 *   })
 * ).pipe(
 *   Effect.catchTags({
 *     // Nothing was applied. Each field of the request has its own messages.
 *     ValidationFailed: ({ fields }) => Effect.logWarning("refused", fields.amount, fields.price),
 *     // The order may exist. Find out, with `Reconciliation`, before you create it again.
 *     OutcomeUnknown: ({ clientOrderId }) => Effect.logError("unknown", clientOrderId)
 *   })
 * )
 * ```
 */
import type * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { ClientOrderId, MarketName, OrderId } from "../domain/Identifiers.ts"
import { advice, said, sentence } from "./ErrorText.ts"

/**
 * Whether the exchange has applied the call. `not-applied` and `applied` are certain.
 *
 * @category models
 */
export type Outcome = "not-applied" | "applied" | "unknown"

/**
 * The `outcome` field, which every error has.
 *
 * @category models
 */
export interface Judged<O extends Outcome> {
  /**
   * Whether the exchange has applied the call. `not-applied`: the call certainly changed nothing. `applied`: it was
   * certainly applied. `unknown`: find out before you make the call again.
   */
  readonly outcome: O
}

/**
 * The errors for each request field, in the exchange's wording. Fields without errors are absent.
 *
 * @category models
 */
export type FieldErrors<F extends string> = { readonly [K in F]?: ReadonlyArray<string> }

/**
 * Errors for fields that the request does not have. The keys are the exchange's field names.
 *
 * @category models
 */
export type OtherFields = { readonly [key: string]: ReadonlyArray<string> }

/**
 * The fields shared by all errors that concern request fields.
 *
 * @category models
 */
export interface NamedFields {
  /** The call that failed, such as `StopLimitOrders.create`. */
  readonly endpoint: string
  /**
   * The HTTP status of the response or, if nothing was sent, the status with which the exchange would have refused the
   * request.
   */
  readonly status: number
  /** The errors for each request field, keyed by the field's domain name. */
  readonly fields: FieldErrors<string>
  /** The response's errors for fields that the request does not have. The keys are the exchange's field names. */
  readonly otherFields: OtherFields
  /** The request's client order id, if it has a valid one. */
  readonly clientOrderId?: ClientOrderId
}

/**
 * A refusal for invalid fields, by the exchange, or by the client before anything was sent.
 *
 * @category models
 */
export interface Refused extends NamedFields {
  /** The refusal's origin. `local`: this client, before anything was sent. `exchange`: the exchange's response. */
  readonly origin: "local" | "exchange"
  /** The code in the error body or, if nothing was sent, the code that the exchange would have sent. */
  readonly code: number
  /** The response's body without secrets, shortened to 4096 characters; absent when `origin` is `local`. */
  readonly body?: string
}

/**
 * A refusal by the exchange. Its error body may lack a code.
 *
 * @category models
 */
export interface Rejected extends NamedFields {
  /** The code in the error body; absent when the body has no code. */
  readonly code?: number
  /** The exchange's message. */
  readonly reason: string
  /** The response's body without secrets, shortened to 4096 characters. */
  readonly body: string
}

const describe = (refused: Refused): string => {
  const how = refused.origin === "local" ? "was refused before it was sent" : `was refused with HTTP ${refused.status}`
  return `${refused.endpoint} ${how}, code ${refused.code}: ${said(refused)}`
}

/**
 * Adds the field `outcome` to an error class. The classes do not declare this field themselves, because an editor shows
 * the doc comment of a union's field only if all members share one declaration.
 */
const judged = <O extends Outcome, Class extends new(fields: never) => Judged<O>>(outcome: O, base: Class): Class => {
  const Base: new(fields: never) => object = base
  return class extends Base {
    readonly outcome = outcome
  } as Class
}

// -----------------------------------------------------------------------------
// Refusals that name fields. `Schema.TaggedError` can't be generic in its field names, so these classes use
// `Data.TaggedError`.
// -----------------------------------------------------------------------------

/**
 * The base class of an error. Its type is an intersection with the fields, not a mapped type, because an editor shows
 * no doc comments for the fields of a mapped type.
 */
type Base<Tag extends string, Fields extends NamedFields, Judgement = Judged<"not-applied">> = new(
  fields: Fields
) => Cause.YieldableError & { readonly _tag: Tag } & Fields & Judgement

const refusal = <Tag extends string>(tag: Tag): Base<Tag, Refused> => {
  const base: Base<Tag, Refused, unknown> = Data.TaggedError(tag)
  return judged("not-applied", base as Base<Tag, Refused>)
}

const rejection = (): Base<"RequestRejected", Rejected> => {
  const base: Base<"RequestRejected", Rejected, unknown> = Data.TaggedError("RequestRejected")
  return judged("not-applied", base as Base<"RequestRejected", Rejected>)
}

/**
 * A refusal for invalid fields, with the exchange's message.
 *
 * @category models
 */
export interface Reasoned extends Refused {
  /** The exchange's message. It is often the only information, because the response might not name a field. */
  readonly reason: string
}

const reasoned = (): Base<"ReduceOnlyRejected", Reasoned> => {
  const base: Base<"ReduceOnlyRejected", Reasoned, unknown> = Data.TaggedError("ReduceOnlyRejected")
  return judged("not-applied", base as Base<"ReduceOnlyRejected", Reasoned>)
}

/**
 * An order request has invalid fields: the message is `Validation failed`, and the code is 30 (the document, "Errors").
 * The live exchange uses the codes 30 to 43, and 1 for a value that is not a multiple of the market's step. Nothing was
 * applied. Do not retry: correct the fields named in `fields`.
 *
 * @category errors
 */
export class ValidationFailed<F extends string = string> extends refusal("ValidationFailed") {
  /** The errors for each request field, keyed by the field's domain name. */
  declare readonly fields: FieldErrors<F>
  /** Always `false`, because the exchange would refuse the same request again. */
  readonly isRetryable = false
  /** One line with the call, the code and the errors of each field. */
  override get message(): string {
    return describe(this)
  }
}

/**
 * A request other than an order request has invalid fields: HTTP 400, code 0, errors by field (the document, "Errors").
 * Nothing was applied. Do not retry: correct the fields named in `fields`.
 *
 * @category errors
 */
export class InvalidFields<F extends string = string> extends refusal("InvalidFields") {
  /** The errors for each request field, keyed by the field's domain name. */
  declare readonly fields: FieldErrors<F>
  /** Always `false`, because the exchange would refuse the same request again. */
  readonly isRetryable = false
  /** One line with the call, the code and the errors of each field. */
  override get message(): string {
    return describe(this)
  }
}

/**
 * There is no position that a reduce-only order could reduce: no position is open, or the order is on the same side as
 * the position; code 116 (the document, Endpoints §2 and "Errors"). Nothing was applied. Do not retry: check the
 * position first.
 *
 * @category errors
 */
export class ReduceOnlyRejected<F extends string = string> extends reasoned() {
  /** The errors for each request field, keyed by the field's domain name. */
  declare readonly fields: FieldErrors<F>
  /** Always `false`, because the exchange refuses the same request until there is a position to reduce. */
  readonly isRetryable = false
  /** One line with the call, the code, the exchange's message and the errors of each field. */
  override get message(): string {
    const reason = `${sentence(this.reason)} ${said(this)}`.trimEnd()
    return `${this.endpoint} was refused with HTTP ${this.status}, code ${this.code}: ${reason}`
  }
}

/**
 * The exchange refused a private call for a reason without its own error class, such as an insufficient balance (the
 * document, "Errors"). Nothing was applied. Do not retry until the cause is resolved: see `reason`, `code` and
 * `fields`.
 *
 * @category errors
 */
export class RequestRejected<F extends string = string> extends rejection() {
  /** The errors for each request field, keyed by the field's domain name. */
  declare readonly fields: FieldErrors<F>
  /** Always `false`, because the exchange refuses the same request until the cause is resolved. */
  readonly isRetryable = false
  /** One line with the call, the HTTP status, the code and the exchange's message. */
  override get message(): string {
    const code = this.code === undefined ? "" : `, code ${this.code}`
    const more = said(this) || advice(this.reason)
    const reason = more === "" ? this.reason : `${sentence(this.reason)} ${more}`
    return `${this.endpoint} was refused with HTTP ${this.status}${code}: ${reason}`
  }
}

// -----------------------------------------------------------------------------
// Errors without field names. Each class redeclares its fields, because an editor does not show doc comments for a
// schema's fields.
// -----------------------------------------------------------------------------

/**
 * The exchange refused a public call, with `success: false`, a message and params (the document, "Errors"). Nothing was
 * applied. Do not retry: correct the request.
 *
 * @category errors
 */
export class PublicRequestRejected extends judged(
  "not-applied",
  Schema.TaggedError<PublicRequestRejected, Judged<"not-applied">>()("PublicRequestRejected", {
    endpoint: Schema.String,
    status: Schema.Int,
    reason: Schema.String,
    params: Schema.Array(Schema.Unknown),
    body: Schema.String
  })
) {
  /** The call that failed, such as `OrderBooks.get`. */
  declare readonly endpoint: string
  /** The HTTP status of the response. */
  declare readonly status: number
  /** The exchange's message. */
  declare readonly reason: string
  /** The `params` of the error body, whose meaning is not documented. Empty when the body has no `params`. */
  declare readonly params: ReadonlyArray<unknown>
  /** The response's body without secrets, shortened to 4096 characters. */
  declare readonly body: string
  /** Always `false`, because the exchange would refuse the same request again. */
  readonly isRetryable = false
  /** One line with the call, the HTTP status and the exchange's message. */
  override get message(): string {
    return `${this.endpoint} was refused with HTTP ${this.status}: ${this.reason}`
  }
}

/**
 * The reason why a key is not allowed to make a call:
 *
 * - `unauthenticated`: the key is unknown or the signature is wrong. Check the key, the secret and the region
 * - `key-disabled`: the key exists, but is disabled. Enable it in the exchange's API settings
 * - `endpoint-not-allowed`: the key is restricted to other endpoints. Add this endpoint to the key's list
 * - `no-b2b-access`: the endpoint is for business partners only
 * - `not-permitted`: a reason other than those above, which is in the error's `reason`
 *
 * @category models
 */
export type NotAuthorizedCause = typeof NotAuthorizedCause.Type

/**
 * The schema of a {@link NotAuthorizedCause}.
 *
 * @category schemas
 */
export const NotAuthorizedCause = Schema.Literals([
  "unauthenticated",
  "key-disabled",
  "endpoint-not-allowed",
  "no-b2b-access",
  "not-permitted"
])

/** Advice for each cause, as a sentence. There is no advice for `not-permitted`, which only `reason` explains. */
const remedies: { readonly [K in NotAuthorizedCause]: string } = {
  "unauthenticated": " Check the key, the secret and the region.",
  "key-disabled": " Enable the key in the exchange's API settings.",
  "endpoint-not-allowed": " Allow the endpoint in the key's settings, or use another key.",
  "no-b2b-access": " The endpoint is for business partners only.",
  "not-permitted": ""
}

/**
 * The key is not allowed to make this call (the document, "Authentication", 4 and 5). Nothing was applied. Do not
 * retry: `why` states what to change.
 *
 * @category errors
 */
export class NotAuthorized extends judged(
  "not-applied",
  Schema.TaggedError<NotAuthorized, Judged<"not-applied">>()("NotAuthorized", {
    endpoint: Schema.String,
    why: NotAuthorizedCause,
    status: Schema.Int,
    code: Schema.optionalKey(Schema.Int),
    reason: Schema.String,
    body: Schema.String,
    clientOrderId: Schema.optionalKey(ClientOrderId)
  })
) {
  /** The call that failed, such as `MainBalance.all`. */
  declare readonly endpoint: string
  /** The reason why the key is not allowed to make the call, which determines the remedy. */
  declare readonly why: NotAuthorizedCause
  /** The HTTP status of the response. */
  declare readonly status: number
  /** The code in the error body; absent when the body has no code. */
  declare readonly code?: number
  /** The exchange's message. */
  declare readonly reason: string
  /** The response's body without secrets, shortened to 4096 characters. */
  declare readonly body: string
  /** The request's client order id, if it has one. */
  declare readonly clientOrderId?: ClientOrderId
  /** Always `false`, because the exchange refuses the same request until the key has access. */
  readonly isRetryable = false
  /** One line with the call, the cause, the exchange's message and the remedy. */
  override get message(): string {
    return `${this.endpoint} is not authorized (${this.why}), HTTP ${this.status}: ${sentence(this.reason)}${
      remedies[this.why]
    }`
  }
}

/**
 * The exchange did not accept the nonce: the key has already used it, it arrived out of order, or it is too far from
 * the exchange's clock (the document, "Authentication", 3). Nothing was applied. If the call was a read, or if the
 * transport can open a new connection, the client has already retried the call with a new nonce. You may retry it, too.
 * If this error happens often, another program uses the same key, or this machine's clock is wrong: see `ServerClock`
 * and the `Nonce` layers.
 *
 * @category errors
 */
export class NonceRejected extends judged(
  "not-applied",
  Schema.TaggedError<NonceRejected, Judged<"not-applied">>()("NonceRejected", {
    endpoint: Schema.String,
    status: Schema.Int,
    reason: Schema.String,
    body: Schema.String,
    clientOrderId: Schema.optionalKey(ClientOrderId)
  })
) {
  /** The call that failed, such as `MainBalance.all`. */
  declare readonly endpoint: string
  /** The HTTP status of the response. */
  declare readonly status: number
  /** The exchange's message. */
  declare readonly reason: string
  /** The response's body without secrets, shortened to 4096 characters. */
  declare readonly body: string
  /** The request's client order id, if it has one. */
  declare readonly clientOrderId?: ClientOrderId
  /** Always `true`, because every call has a new nonce. */
  readonly isRetryable = true
  /** One line with the call, the exchange's message and some advice. */
  override get message(): string {
    return `${this.endpoint} was refused because of its nonce, HTTP ${this.status}: ${sentence(this.reason)} `
      + "Retry; if this happens often, check this machine's clock, and whether another program uses the key."
  }
}

/**
 * The account or this client made too many calls in a short time (the document, "Limits"). Nothing was applied. Wait
 * for `retryAfter`, then retry.
 *
 * @category errors
 */
export class RateLimited extends judged(
  "not-applied",
  Schema.TaggedError<RateLimited, Judged<"not-applied">>()("RateLimited", {
    endpoint: Schema.String,
    origin: Schema.Literals(["local", "exchange"]),
    status: Schema.Int,
    reason: Schema.String,
    retryAfter: Schema.optionalKey(Schema.Finite),
    body: Schema.optionalKey(Schema.String),
    clientOrderId: Schema.optionalKey(ClientOrderId)
  })
) {
  /** The call that failed, such as `MainBalance.all`. */
  declare readonly endpoint: string
  /** The refusal's origin. `local`: this client, before anything was sent. `exchange`: the exchange's response. */
  declare readonly origin: "local" | "exchange"
  /** The HTTP status of the response; 429 when `origin` is `local`. */
  declare readonly status: number
  /** The exchange's message; when `origin` is `local`, the limit or the pause that made the client refuse the call. */
  declare readonly reason: string
  /** The time until the call may succeed, in milliseconds; absent when unknown. */
  declare readonly retryAfter?: number
  /** The response's body without secrets, shortened to 4096 characters; absent when `origin` is `local`. */
  declare readonly body?: string
  /** The request's client order id, if it has one. */
  declare readonly clientOrderId?: ClientOrderId
  /** Always `true`: wait for `retryAfter`, or for a few seconds if it is absent. */
  readonly isRetryable = true
  /** One line with the call, the reason and when to retry. */
  override get message(): string {
    const when = this.retryAfter === undefined ? "Wait before you retry." : `Retry after ${this.retryAfter} ms.`
    return this.origin === "local"
      ? `${this.endpoint} was not sent, to stay within the rate limit: ${sentence(this.reason)} ${when}`
      : `${this.endpoint} was refused by the rate limit, HTTP ${this.status}: ${sentence(this.reason)} ${when}`
  }
}

/**
 * The exchange responded with 2xx and a readable order id, but the rest of the response can't be decoded. The order
 * exists. Do not retry, because a retry would create another order. Read the order by its id, for example with
 * `ActiveOrders` or `OrderHistory`.
 *
 * @category errors
 */
export class AcceptedUnreadable extends judged(
  "applied",
  Schema.TaggedError<AcceptedUnreadable, Judged<"applied">>()("AcceptedUnreadable", {
    endpoint: Schema.String,
    status: Schema.Int,
    orderIds: Schema.Array(OrderId),
    problem: Schema.String,
    body: Schema.String,
    clientOrderId: Schema.optionalKey(ClientOrderId)
  })
) {
  /** The call that was applied, such as `StopLimitOrders.create`. */
  declare readonly endpoint: string
  /** The HTTP status of the response: 200 to 299. */
  declare readonly status: number
  /** The ids in the response, at least one: the order's id, or the ids of an OCO pair and its legs. */
  declare readonly orderIds: ReadonlyArray<OrderId>
  /** The reason why the response can't be decoded. */
  declare readonly problem: string
  /** The response's body without secrets, shortened to 4096 characters. */
  declare readonly body: string
  /** The request's client order id, if it has one. */
  declare readonly clientOrderId?: ClientOrderId
  /** Always `false`, because the call was applied, and a second call would be applied as well. */
  readonly isRetryable = false
  /** One line with the call, the order ids, the decoding problem and some advice. */
  override get message(): string {
    return `${this.endpoint} was applied as order ${this.orderIds.join(", ")}, but its response can't be read: `
      + `${
        sentence(this.problem)
      } Do not retry; read the order by its id, and check that the client uses the exchange's dialect.`
  }
}

/**
 * The reason why the outcome of a mutating call is unknown:
 *
 * - `timeout`: no response arrived in time
 * - `connection-lost`: the connection ended before the complete response arrived
 * - `redirected`: the response was a redirect (3xx), which the client never follows
 * - `server-error`: HTTP 408, 421 or 5xx, whatever the body, because a proxy may have sent the response. For an order
 *   in a bulk call, also a code from 500 to 599: the exchange's gateway could not reach or understand its trading
 *   service
 * - `unreadable-answer`: the response was neither a readable success, nor a success with a readable order id, nor an
 *   error body in the exchange's own format; or the response was too large
 * - `contradictory-answer`: the response contradicts the request, for example because it has a different client order
 *   id, market or price. The response may belong to another call
 *
 * @category models
 */
export type UnknownCause = typeof UnknownCause.Type

/**
 * The schema of an {@link UnknownCause}.
 *
 * @category schemas
 */
export const UnknownCause = Schema.Literals([
  "timeout",
  "connection-lost",
  "redirected",
  "server-error",
  "unreadable-answer",
  "contradictory-answer"
])

/**
 * The kind of nonce in a request, which determines how long the exchange may still accept the request:
 *
 * - `window`: as long as the nonce is near the exchange's clock
 * - `increasing`: until a greater nonce of the same key has been accepted
 * - `unique`: until a request with the same nonce is accepted; the document sets no other limit
 *
 * @category models
 */
export type NonceForm = typeof NonceForm.Type

/**
 * The schema of a {@link NonceForm}.
 *
 * @category schemas
 */
export const NonceForm = Schema.Literals(["window", "increasing", "unique"])

/**
 * The identifiers of one order in a bulk request.
 *
 * @category models
 */
export interface NamedOrder {
  /** The market on which the order trades. */
  readonly market: MarketName
  /** The client order id, if the request contains it. */
  readonly clientOrderId?: ClientOrderId
  /** The exchange's order id, if the request contains it. */
  readonly orderId?: OrderId
}

const NamedOrder = Schema.Struct({
  market: MarketName,
  clientOrderId: Schema.optionalKey(ClientOrderId),
  orderId: Schema.optionalKey(OrderId)
})

/**
 * A redacted value of any type. Unlike `Schema.Redacted`, this schema does not check the value, and it keeps bundles
 * smaller.
 */
const AnyRedacted = Schema.declare(Redacted.isRedacted, {
  toCodecJson: () =>
    Schema.link<Redacted.Redacted<unknown>>()(Schema.Unknown, {
      decode: SchemaGetter.transform((value) => Redacted.make(value)),
      encode: SchemaGetter.transform(Redacted.value)
    })
})

/**
 * It is unknown whether a mutating call was applied: it may have been applied already, or may still be applied later.
 * The client never retries such a call. Before you retry, find out what happened: if the call places orders, use
 * `Reconciliation`; otherwise, compare balances.
 *
 * @category errors
 */
export class OutcomeUnknown extends judged(
  "unknown",
  Schema.TaggedError<OutcomeUnknown, Judged<"unknown">>()("OutcomeUnknown", {
    endpoint: Schema.String,
    why: UnknownCause,
    status: Schema.optionalKey(Schema.Int),
    reason: Schema.String,
    request: AnyRedacted,
    clientOrderId: Schema.optionalKey(ClientOrderId),
    market: Schema.optionalKey(MarketName),
    orderId: Schema.optionalKey(OrderId),
    orders: Schema.optionalKey(Schema.Array(NamedOrder)),
    key: Schema.String,
    nonce: Schema.Finite,
    nonceForm: NonceForm,
    sentAt: Schema.Finite,
    body: Schema.optionalKey(Schema.String)
  })
) {
  /** The call that may have been applied, such as `StopLimitOrders.create`. */
  declare readonly endpoint: string
  /** The reason why the outcome is unknown. */
  declare readonly why: UnknownCause
  /** The HTTP status of the response; absent without a response. */
  declare readonly status?: number
  /** A description of the problem. */
  declare readonly reason: string
  /** The request, redacted because it may contain a code or a passphrase. Read it with `Redacted.value`. */
  declare readonly request: Redacted.Redacted<unknown>
  /** The request's client order id, if it has one. `Reconciliation` searches for this id. */
  declare readonly clientOrderId?: ClientOrderId
  /** The request's market, if it has one. */
  declare readonly market?: MarketName
  /** The request's order id, if it has one. */
  declare readonly orderId?: OrderId
  /** The orders of a bulk request, in the same order as in the request. */
  declare readonly orders?: ReadonlyArray<NamedOrder>
  /** The fingerprint of the API key that signed the request: see `Credentials.fingerprint`. */
  declare readonly key: string
  /** The nonce that was sent, in the dialect's unit: milliseconds or microseconds since 1970. */
  declare readonly nonce: number
  /** The kind of nonce, which determines how long the exchange may still accept the request. */
  declare readonly nonceForm: NonceForm
  /** The time when the request was handed to the transport, in Unix microseconds, by this machine's clock. */
  declare readonly sentAt: number
  /** The response's body without secrets, shortened to 4096 characters; absent without a response. */
  declare readonly body?: string
  /** Always `false`, because a second call could be applied as well. */
  readonly isRetryable = false
  /** One line with the call, the problem, the client order id and some advice. */
  override get message(): string {
    const order = this.clientOrderId === undefined ? "" : `, client order id ${this.clientOrderId}`
    return `${this.endpoint} may have been applied (${this.why}${order}): ${sentence(this.reason)} Do not retry `
      + "before you have found out whether it was: see Reconciliation."
  }
}

/**
 * The reason why a call did not reach the exchange:
 *
 * - `dns`, `refused`, `unreachable`, `tls`: no connection could be established
 * - `not-signed`: the signer failed, or took too long
 * - `not-recorded`: the intent could not be recorded, so the call was not sent
 * - `nonce`: no nonce was available, for example because this machine's clock was set back
 * - `market-rules`: the market's rules could not be loaded, so the order was not sent
 * - `timeout`, `connection-lost`: only for a read. The read may have been sent, but it changes nothing
 * - `other`: a reason other than those above, which is in the error's `reason`
 *
 * @category models
 */
export type UnreachableCause = typeof UnreachableCause.Type

/**
 * The schema of an {@link UnreachableCause}.
 *
 * @category schemas
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

/**
 * The exchange could not be reached. A mutating call that fails with this error was certainly not sent; a read may have
 * been sent. Nothing was applied. You may retry. If the retry fails too, `why` tells you what to check.
 *
 * @category errors
 */
export class ExchangeUnreachable extends judged(
  "not-applied",
  Schema.TaggedError<ExchangeUnreachable, Judged<"not-applied">>()("ExchangeUnreachable", {
    endpoint: Schema.String,
    why: UnreachableCause,
    reason: Schema.String,
    clientOrderId: Schema.optionalKey(ClientOrderId)
  })
) {
  /** The call that failed, such as `StopLimitOrders.create`. */
  declare readonly endpoint: string
  /** The reason why the exchange was not reached, which determines what to check. */
  declare readonly why: UnreachableCause
  /** A description of the problem. */
  declare readonly reason: string
  /** The request's client order id, if it has one. */
  declare readonly clientOrderId?: ClientOrderId
  /** Always `true`, because nothing was applied, so the same call may be made again. */
  readonly isRetryable = true
  /** One line with the call, the reason and some advice. */
  override get message(): string {
    return `${this.endpoint} did not reach the exchange (${this.why}): ${
      sentence(this.reason)
    } Nothing was applied; you `
      + "may retry."
  }
}

/**
 * A redacted value that is left out when the error is encoded with its schema, so that it never leaves this process.
 */
const Unwritten = Schema.optionalKey(AnyRedacted).pipe(
  Schema.encodeTo(Schema.optionalKey(Schema.Never), { decode: SchemaGetter.omit(), encode: SchemaGetter.omit() })
)

/**
 * The response to a read does not have the documented form: it can't be decoded, it is not the requested page, or it is
 * an HTTP error without the documented error body. Nothing was applied. Retry only if `isRetryable` is true.
 *
 * @category errors
 */
export class UnexpectedResponse extends judged(
  "not-applied",
  Schema.TaggedError<UnexpectedResponse, Judged<"not-applied">>()("UnexpectedResponse", {
    endpoint: Schema.String,
    status: Schema.Int,
    problem: Schema.String,
    body: Schema.String,
    unreadable: Schema.optionalKey(Schema.Int),
    readable: Unwritten
  })
) {
  /** The call that failed, such as `MainBalance.all`. */
  declare readonly endpoint: string
  /** The HTTP status of the response. */
  declare readonly status: number
  /** A description of how the response differs from the documented form. */
  declare readonly problem: string
  /**
   * The response's body without secrets, shortened to 4096 characters; empty when the response can be read but is not
   * the requested page.
   */
  declare readonly body: string
  /**
   * The number of unreadable rows in the list; `problem` explains the first unreadable row. Absent when the response is
   * not a list, when no row can be read, or when more than 1000 rows are unreadable.
   */
  declare readonly unreadable?: number
  /**
   * The readable rows; `Endpoint.readableRows` returns them with their type. The rows are redacted because they may
   * contain API keys, and omitted when the error is encoded with its schema. Absent when `unreadable` is absent.
   */
  declare readonly readable?: Redacted.Redacted<ReadonlyArray<unknown>>
  /**
   * `true` if `status` is 500 or more, because a failing server may recover. Otherwise `false`, because a retry would
   * return the same response.
   */
  get isRetryable(): boolean {
    return this.status >= 500
  }
  /** One line with the call, the HTTP status, the problem and some advice. */
  override get message(): string {
    const advice = this.isRetryable ? "Retry later." : "Check that you use the exchange's dialect; see the body."
    const rows = this.unreadable === undefined ? "" : ` Unreadable rows: ${this.unreadable}; the others can be read.`
    return `${this.endpoint} got an unexpected response, HTTP ${this.status}: ${sentence(this.problem)}`
      + `${rows} ${advice}`
  }
}

/**
 * A stream has emitted all records that pages can reach, and there may be more: a page's offset is limited (the
 * document, "Limits"). Do not retry, because the stream would end at the same record. Narrow the query, for example by
 * time or market.
 *
 * @category errors
 */
export class PageCeilingReached extends judged(
  "not-applied",
  Schema.TaggedError<PageCeilingReached, Judged<"not-applied">>()("PageCeilingReached", {
    endpoint: Schema.String,
    emitted: Schema.Int
  })
) {
  /** The stream that reads the pages, such as `InterestPaymentHistory.stream`. */
  declare readonly endpoint: string
  /** The number of records that the stream has emitted. */
  declare readonly emitted: number
  /** Always `false`, because the same stream would end at the same record. */
  readonly isRetryable = false
  /** One line with the call, the number of records and some advice. */
  override get message(): string {
    return `${this.endpoint}: ${this.emitted} records were read. The list may have more records, but no `
      + "page can reach them. Narrow the query."
  }
}

/**
 * While a stream read a list's pages, the list changed so much that the stream found none of the records that it had
 * already emitted. The stream may have missed other records. The emitted records are valid. Read the list again, or let
 * the stream mark gaps: see `Pages.stream`.
 *
 * @category errors
 */
export class ListShifted extends judged(
  "not-applied",
  Schema.TaggedError<ListShifted, Judged<"not-applied">>()("ListShifted", {
    endpoint: Schema.String,
    emitted: Schema.Int
  })
) {
  /** The stream that reads the pages, such as `ActiveOrders.stream`. */
  declare readonly endpoint: string
  /** The number of records that the stream has emitted. */
  declare readonly emitted: number
  /** Always `true`, because the list might not shift the next time. */
  readonly isRetryable = true
  /** One line with the call, the number of records and some advice. */
  override get message(): string {
    return `${this.endpoint}: the list shifted while it was read. Records may be missing after the first ${this.emitted}. `
      + "Read it again."
  }
}

/**
 * Every error with which a call can fail. Each endpoint has its own, smaller union: see `Endpoint.Failures`.
 *
 * @category models
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
