/**
 * What an answer means. Decided by HTTP status, code, message and fields together, never by the code alone: the number
 * space is shared (10 is a wrong signature, or a missing balance; 429 a used nonce, or too many calls).
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { ClientOrderId } from "../domain/Identifiers.ts"
import type { Dialect } from "./Dialect.ts"
import { validationFailed } from "./Dialect.ts"
import * as Endpoint from "./Endpoint.ts"
import * as Errors from "./Errors.ts"
import * as Json from "./Json.ts"
import * as Wire from "./Wire.ts"

/** The most characters of an answer that an error keeps. */
export const maxBody = 4096

/**
 * An answer as text, with what is needed to judge it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Answer {
  readonly status: number
  /** The whole body. */
  readonly text: string
  /** Removes every secret of the call from a text. */
  readonly scrub: (text: string) => string
  /** Of the request, where it has one. */
  readonly clientOrderId?: ClientOrderId
}

/** The secret of a new key, which an exchange shows once. */
const newSecret = /("apiSecret"\s*:\s*")[^"]+/gu

/**
 * The body as errors may keep it: without secrets, shortened.
 *
 * @category classification
 * @since 0.1.0
 */
export const shown = (answer: Pick<Answer, "text" | "scrub">): string => {
  const clean = answer.scrub(answer.text).replace(newSecret, "$1<redacted>")
  return clean.length > maxBody ? `${clean.slice(0, maxBody)}… (${clean.length} characters)` : clean
}

/**
 * What the answer means for the call: its value, an error, or nothing certain. Nothing certain is an `OutcomeUnknown`
 * when the call mutates, and an `UnexpectedResponse` when it reads.
 *
 * @category models
 * @since 0.1.0
 */
export type Verdict<A> =
  | { readonly _tag: "Answered"; readonly value: A }
  | { readonly _tag: "Refused"; readonly error: Errors.CallError }
  | { readonly _tag: "Uncertain"; readonly why: Errors.UnknownCause; readonly reason: string }

const uncertain = (why: Errors.UnknownCause, reason: string) => ({ _tag: "Uncertain", why, reason }) as const

const refused = (error: Errors.CallError) => ({ _tag: "Refused", error }) as const

/** Which call an error is of. */
const callOf = (
  { name: endpoint }: Endpoint.Any,
  { clientOrderId }: Answer
): { readonly endpoint: string; readonly clientOrderId?: ClientOrderId } =>
  clientOrderId === undefined ? { endpoint } : { endpoint, clientOrderId }

// -----------------------------------------------------------------------------
// Error bodies
// -----------------------------------------------------------------------------

/** How deep a value of an error body is looked into. */
const maxDepth = 16

/** A JSON value without secrets, wherever it holds them, and without integers that JavaScript can't write as JSON. */
const clean = (value: unknown, scrub: Answer["scrub"], depth = 0): unknown => {
  if (depth > maxDepth) return "…"
  if (typeof value === "string") return scrub(value)
  if (Array.isArray(value)) return value.map((item) => clean(item, scrub, depth + 1))
  if (Json.isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [scrub(key), clean(inner, scrub, depth + 1)])
    )
  }
  const text = String(value)
  return typeof value === "bigint" || scrub(text) !== text ? scrub(text) : value
}

/** A text, or a list of texts, as a list; anything else is shown as JSON. */
const toMessages = (value: unknown, scrub: Answer["scrub"]): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : [value]).map((item) => {
    const shown = clean(item, scrub)
    return typeof shown === "string" ? shown : JSON.stringify(shown)
  })

/** The `errors` object of an error body, in the domain's names. */
const toFields = (
  errors: unknown,
  shape: Wire.Any,
  scrub: Answer["scrub"]
): Pick<Errors.Refused, "fields" | "otherFields"> => {
  // Maps, because an exchange may name a field as every object's own properties are named.
  const fields = new Map<string, ReadonlyArray<string>>()
  const otherFields = new Map<string, ReadonlyArray<string>>()
  for (const [key, value] of Json.isObject(errors) ? Object.entries(errors) : []) {
    const name = shape.nameOf(key)
    const [target, field] = name === undefined ? [otherFields, scrub(key)] : [fields, name]
    target.set(field, [...target.get(field) ?? [], ...toMessages(value, scrub)])
  }
  return { fields: Object.fromEntries(fields), otherFields: Object.fromEntries(otherFields) }
}

interface ErrorBody {
  readonly code: number | undefined
  readonly message: string
  readonly errors: unknown
}

const toErrorBody = (json: unknown): ErrorBody | undefined => {
  if (!Json.isObject(json)) return undefined
  const { code, errors, message } = json as {
    readonly code?: unknown
    readonly errors?: unknown
    readonly message?: unknown
  }
  if (typeof message !== "string" && typeof code !== "number") return undefined
  return {
    code: typeof code === "number" && Number.isSafeInteger(code) ? code : undefined,
    message: typeof message === "string" ? message : "",
    errors
  }
}

const decodeOrderId = Schema.decodeUnknownResult(Wire.OrderId)

/** The order ids anywhere in an answer: what proves that an order exists even when the rest can't be read. */
const orderIds = (json: unknown): ReadonlyArray<Errors.AcceptedUnreadable["orderIds"][number]> => {
  const found: Array<Errors.AcceptedUnreadable["orderIds"][number]> = []
  const visit = (value: unknown, depth: number): void => {
    if (!Json.isObject(value) || depth > 2) return
    for (const [key, inner] of Object.entries(value)) {
      if (key === "id" || key === "order_id" || key === "orderId") {
        const id = Result.getOrUndefined(decodeOrderId(inner))
        if (id !== undefined) found.push(id)
      } else visit(inner, depth + 1)
    }
  }
  visit(json, 0)
  return found
}

const whyNotAuthorized = (endpoint: Endpoint.Any, status: number, body: ErrorBody): Errors.NotAuthorizedCause => {
  if (status === 403) return endpoint.b2b ? "no-b2b-access" : "not-permitted"
  switch (body.code) {
    case 0:
    case 10:
      return "unauthenticated"
    case 4:
      return "endpoint-not-allowed"
    case 2:
      return "key-disabled"
    default:
      return "not-permitted"
  }
}

const privateRefusal = (
  endpoint: Endpoint.Any,
  dialect: Dialect,
  answer: Answer,
  body: ErrorBody
): Errors.CallError => {
  const { status } = answer
  const { code, message } = body
  const at = { ...callOf(endpoint, answer), status, reason: answer.scrub(message), body: shown(answer) }
  if (status === 429) {
    return message === dialect.refusals.nonceUsed.message
      ? new Errors.NonceRejected(at)
      : new Errors.RateLimited({ ...at, origin: "exchange" })
  }
  if (message === dialect.refusals.nonceOutsideWindow.message) return new Errors.NonceRejected(at)
  if (status === 401 || status === 403 || (code === 10 && message === dialect.refusals.unauthorized.message)) {
    return new Errors.NotAuthorized({
      ...at,
      why: whyNotAuthorized(endpoint, status, body),
      ...(code === undefined ? {} : { code })
    })
  }
  const named = toFields(body.errors, Endpoint.codec(endpoint, dialect).shape, answer.scrub)
  if (code !== undefined) {
    const full = { ...callOf(endpoint, answer), origin: "exchange", status, code, ...named, body: at.body } as const
    const gives = (tag: Endpoint.RefusalTag) => endpoint.refusals.includes(tag)
    if (code === 116 && gives("ReduceOnlyRejected")) return new Errors.ReduceOnlyRejected(full)
    if (message === validationFailed) {
      if (code >= 30 && code <= 43 && gives("ValidationFailed")) return new Errors.ValidationFailed(full)
      if (code === 0 && status === 400 && gives("InvalidFields")) return new Errors.InvalidFields(full)
    }
  }
  return new Errors.RequestRejected({ ...at, ...named, ...(code === undefined ? {} : { code }) })
}

/**
 * A public refusal: the document's `{success: false, message, params}`, or one of the live exchange's shapes (a message
 * that is a field map, or a bare field map).
 */
const publicRefusal = (
  endpoint: Endpoint.Any,
  answer: Answer,
  json: Readonly<Record<string, unknown>>
): Errors.PublicRequestRejected => {
  const { message, params } = json as { readonly message?: unknown; readonly params?: unknown }
  const said = message === undefined ? json : message
  const words = (value: unknown) => toMessages(value, answer.scrub).join(" ")
  return new Errors.PublicRequestRejected({
    endpoint: endpoint.name,
    status: answer.status,
    reason: Json.isObject(said)
      ? Object.entries(said).map(([field, messages]) => `${answer.scrub(field)}: ${words(messages)}`).join("; ")
      : words(said),
    params: Array.isArray(params) ? params.map((item) => clean(item, answer.scrub)) : [],
    body: shown(answer)
  })
}

// -----------------------------------------------------------------------------
// The verdict
// -----------------------------------------------------------------------------

const accepted = <E extends Endpoint.Any>(
  endpoint: E,
  dialect: Dialect,
  answer: Answer,
  json: Result.Result<unknown, unknown>
): Verdict<Endpoint.Response<E>> => {
  if (Result.isFailure(json)) return uncertain("unreadable-answer", "the answer is not JSON")
  if (endpoint.access === "public" && Json.isObject(json.success) && json.success["success"] === false) {
    return refused(publicRefusal(endpoint, answer, json.success))
  }
  const decoded = Endpoint.codec(endpoint, dialect).decodeResponse(json.success)
  if (Result.isSuccess(decoded)) return { _tag: "Answered", value: decoded.success as Endpoint.Response<E> }
  const problem = decoded.failure.message
  const ids = endpoint.mutates && endpoint.errorFamily === "order" ? orderIds(json.success) : []
  return ids.length === 0
    ? uncertain("unreadable-answer", problem)
    : refused(
      new Errors.AcceptedUnreadable({
        ...callOf(endpoint, answer),
        status: answer.status,
        orderIds: ids,
        problem: answer.scrub(problem),
        body: shown(answer)
      })
    )
}

/**
 * Judges an answer of the endpoint.
 *
 * @category classification
 * @since 0.1.0
 */
export const classify = <E extends Endpoint.Any>(
  endpoint: E,
  dialect: Dialect,
  answer: Answer
): Verdict<Endpoint.Response<E>> => {
  const { status } = answer
  if (status >= 200 && status < 300) {
    // An empty body is no JSON, but some calls have nothing to say: the endpoint's schema decides.
    return accepted(endpoint, dialect, answer, answer.text === "" ? Result.succeed(undefined) : Json.parse(answer.text))
  }
  if (status >= 300 && status < 400) return uncertain("redirected", `redirected with HTTP ${status}; never followed`)
  if (status >= 500 || status === 408) return uncertain("server-error", `HTTP ${status}`)
  const json = Result.getOrUndefined(Json.parse(answer.text))
  const body = toErrorBody(json)
  if (endpoint.access === "private" && body !== undefined) {
    return refused(privateRefusal(endpoint, dialect, answer, body))
  }
  if (status === 429 && !endpoint.mutates) {
    return refused(
      new Errors.RateLimited({
        endpoint: endpoint.name,
        origin: "exchange",
        status,
        reason: "too many requests",
        body: shown(answer)
      })
    )
  }
  if (endpoint.access === "public" && Json.isObject(json)) return refused(publicRefusal(endpoint, answer, json))
  // Not the exchange's own words: something between it and us may have answered after the call went through.
  return uncertain("unreadable-answer", `HTTP ${status} without the exchange's error body`)
}
