/**
 * Classifies responses by HTTP status, code, message and fields together, never by the code alone. Codes are ambiguous:
 * code 10 may mean a wrong signature or an insufficient balance, and HTTP 429 may mean a used nonce or too many calls.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { ClientOrderId } from "../domain/Identifiers.ts"
import type * as BulkAnswer from "./BulkAnswer.ts"
import * as Compiled from "./Compiled.ts"
import type { Dialect } from "./Dialect.ts"
import { validationFailed } from "./Dialect.ts"
import * as Endpoint from "./Endpoint.ts"
import * as Errors from "./Errors.ts"
import * as Expected from "./Expected.ts"
import * as Json from "./Json.ts"
import * as Refusals from "./Refusals.ts"
import * as Rows from "./Rows.ts"
import * as Scrub from "./Scrub.ts"
import { totalKey } from "./Violation.ts"
import * as Wire from "./Wire.ts"

/** The maximum length of the response body in an error, in characters. */
export const maxBody = 4096

/** A response as text, with the context that is needed to classify it. */
export interface Answer {
  readonly status: number
  /** The complete body of the response. */
  readonly text: string
  /** Removes all secrets of the call from a string. */
  readonly scrub: (text: string) => string
  /** The request's client order id, if it has one. */
  readonly clientOrderId?: ClientOrderId | undefined
  /** The request, with domain names and values. */
  readonly request?: object | undefined
  /** Describes how a decoded response contradicts the request; returns `undefined` if it does not. */
  readonly contradiction?: ((value: unknown) => string | undefined) | undefined
  /** Whether the response must contain the request's order id, because the call does not create a new order. */
  readonly sameId?: boolean | undefined
  /**
   * Whether the response is a list of {@link BulkAnswer.Item}. If so, an unreadable item does not make the other
   * items unreadable.
   */
  readonly perItem?: boolean | undefined
}

/** Matches the secret of a newly created key. The exchange returns this secret only once. */
const newSecret = /("apiSecret"\s*:\s*")[^"]+/gu

/** Shortens an error body in the exchange's own format, and removes the call's secrets. */
const ownWords = ({ scrub, text }: Pick<Answer, "text" | "scrub">): string => {
  // Scrubs twice as much as is returned, because the part of a secret before the truncation might be too short to be
  // found.
  const clean = scrub(text.slice(0, 2 * maxBody)).replace(newSecret, "$1<redacted>")
  return text.length > maxBody ? `${clean.slice(0, maxBody)}… (${text.length} characters)` : clean
}

/**
 * Shortens a body that is not an error in the exchange's own format. Such a body may contain anything, for example a
 * new key or code, so long runs of letters and digits are also removed.
 */
export const shown = ({ scrub, text }: Pick<Answer, "text" | "scrub">): string =>
  ownWords({ text, scrub: (text) => Scrub.withoutLongRuns(scrub(text)) })

/** Scrubs the description of an invalid response, because the description quotes the response. */
const problemOf = (problem: string, { scrub }: Answer): string => Scrub.withoutLongRuns(scrub(problem))

/**
 * The classification of a response: a value, a refusal, or an uncertain outcome. For an uncertain outcome, a mutating
 * call fails with `OutcomeUnknown`, and a read fails with `UnexpectedResponse`.
 */
export type Verdict<A> =
  | { readonly _tag: "Answered"; readonly value: A }
  | { readonly _tag: "Refused"; readonly error: Errors.CallError }
  | {
    readonly _tag: "Uncertain"
    readonly why: Errors.UnknownCause
    readonly reason: string
    /**
     * The readable rows and the number of unreadable rows, if the call is a read and only some rows of the list can be
     * decoded.
     */
    readonly rows?: Rows.Rows | undefined
  }

const uncertain = (why: Errors.UnknownCause, reason: string, rows?: Rows.Rows) =>
  ({ _tag: "Uncertain", why, reason, ...(rows && { rows }) }) as const

const refused = (error: Errors.CallError) => ({ _tag: "Refused", error }) as const

/** Returns the fields by which an error identifies its call. */
const callOf = (
  { name: endpoint }: Endpoint.Any,
  { clientOrderId }: Answer
): { readonly endpoint: string; readonly clientOrderId?: ClientOrderId } =>
  clientOrderId === undefined ? { endpoint } : { endpoint, clientOrderId }

// -----------------------------------------------------------------------------
// Error bodies
// -----------------------------------------------------------------------------

/** The maximum depth of an error body. Deeper values are replaced by `…`. */
const maxDepth = 16

/**
 * Removes secrets from a JSON value. Also converts integers beyond 2^53 to strings, because `JSON.stringify` throws for
 * a `bigint`.
 */
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

/**
 * Converts a value, or the elements of a list, to a list of messages. A value that is not a string becomes JSON text.
 */
const toMessages = (value: unknown, scrub: Answer["scrub"]): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : [value]).map((item) => {
    const shown = clean(item, scrub)
    return typeof shown === "string" ? shown : JSON.stringify(shown)
  })

/**
 * Returns the request field that a key in an error body refers to. For errors about the total (amount × price), the
 * live exchange uses a separate key, which is a field only in requests to modify an order. For other requests, the
 * client assigns these errors to `amount`.
 */
const fieldOf = ({ fields, nameOf }: Wire.Any, key: string): string | undefined =>
  nameOf(key) ?? (key === totalKey && Object.hasOwn(fields, "amount") ? "amount" : undefined)

/**
 * Splits the `errors` object of an error body into messages keyed by domain field name, and messages for fields that
 * the request does not have.
 */
const toFields = (
  errors: unknown,
  shape: Wire.Any,
  scrub: Answer["scrub"]
): Pick<Errors.Refused, "fields" | "otherFields"> => {
  // Maps instead of objects, because a key may be the name of an inherited property, such as `constructor`.
  const fields = new Map<string, ReadonlyArray<string>>()
  const otherFields = new Map<string, ReadonlyArray<string>>()
  for (const [key, value] of Json.isObject(errors) ? Object.entries(errors) : []) {
    const name = fieldOf(shape, key)
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

/**
 * Whether a JSON value is an error body, even with a successful HTTP status: it has an integer code and a message, or a
 * form that {@link Wire.saysError} recognizes. The code must be an integer, because some documented successes have a
 * message, and some have a string as `code`.
 */
const isError = (json: unknown): json is Readonly<Record<string, unknown>> => {
  if (!Json.isObject(json)) return false
  const { code } = json
  return Wire.saysError(json) || ((Number.isInteger(code) || typeof code === "bigint") && "message" in json)
}

/**
 * Whether an error code means that the exchange's gateway could not reach its trading service, or could not understand
 * its reply (the live documentation, bulk orders: code 500). The order's outcome is then unknown.
 */
export const isServerError = (code: number): boolean => code >= 500 && code < 600

/** Reads an error body. Returns `undefined` if the value has neither a message nor a code. */
const toErrorBody = (json: unknown): ErrorBody | undefined => {
  if (!Json.isObject(json)) return undefined
  const { code, errors, message } = json
  if (typeof message !== "string" && typeof code !== "number") return undefined
  return {
    code: Number.isSafeInteger(code) ? code as number : undefined,
    message: typeof message === "string" ? message : "",
    errors
  }
}

/**
 * Whether an error body has the exchange's own format, which proves that the exchange refused the call. Other JSON with
 * a message might come from a proxy between the client and the exchange. The live exchange may omit `errors`, or send
 * an empty list if no field is invalid.
 */
const isOwnForm = (json: unknown, { omitsErrors }: Dialect): boolean => {
  if (!Json.isObject(json)) return false
  const { code, errors, message, success } = json
  return Number.isSafeInteger(code) && !isServerError(Number(code)) && typeof message === "string" &&
    success === undefined &&
    (Json.isObject(errors) || (omitsErrors && (errors === undefined || errors === null || Array.isArray(errors))))
}

const decodeOrderId = Compiled.decodeUnknownResult(() => Wire.OrderId)

/**
 * Returns the order ids in a response. An order id proves that the order exists, even if the rest of the response can't
 * be read.
 */
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
  // In a response to a bulk call, only the `result` of an item contains ids of the account's orders.
  for (
    const answer of Array.isArray(json)
      ? json.map((item: unknown) => Json.isObject(item) && item["result"])
      : [json]
  ) {
    visit(answer, 0)
  }
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

/**
 * Whether an error code means that an order request has invalid fields. Code 1 means that a value is not a multiple of
 * the market's step.
 */
const isOfFields = (code: number): boolean => code === 1 || (code >= 30 && code <= 43)

const privateRefusal = (
  endpoint: Endpoint.Any,
  dialect: Dialect,
  answer: Answer,
  body: ErrorBody
): Errors.CallError => {
  const { status } = answer
  const { code, message } = body
  const at = { ...callOf(endpoint, answer), status, reason: answer.scrub(message), body: ownWords(answer) }
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
    if (code === 116 && gives("ReduceOnlyRejected"))
      return new Errors.ReduceOnlyRejected({ ...full, reason: at.reason })
    if (message === validationFailed) {
      if (isOfFields(code) && gives("ValidationFailed")) return new Errors.ValidationFailed(full)
      if (code === 0 && status === 400 && gives("InvalidFields")) return new Errors.InvalidFields(full)
    }
  }
  return new Errors.RequestRejected({ ...at, ...named, ...(code === undefined ? {} : { code }) })
}

/**
 * Creates the error for a refused order in a bulk call. `each` is the endpoint that places a single order of that kind.
 * Long runs of letters and digits are removed from all strings.
 */
export const itemRefusal = <E extends Endpoint.Any>(
  endpoint: Endpoint.Any,
  each: E,
  dialect: Dialect,
  refusal: BulkAnswer.Refusal,
  clientOrderId?: ClientOrderId
): ItemRefusal<E> =>
  // The cast is safe: the result depends on the value of `refusals` in the same way as its type depends on the type of
  // `refusals`.
  toItemRefusal(endpoint, each, dialect, refusal, clientOrderId) as ItemRefusal<E>

/**
 * The possible refusals of one order in a bulk call: those of the endpoint that places a single order, except refusals
 * of an entire call.
 */
export type ItemRefusal<E extends Endpoint.Any> = Extract<
  Endpoint.Failure<E>,
  { readonly _tag: "ValidationFailed" | "ReduceOnlyRejected" | "RequestRejected" }
>

/** The possible errors of one order in a bulk call: refusals and uncertain outcomes. */
export type ItemFailure<E extends Endpoint.Any> = ItemRefusal<E> | Errors.OutcomeUnknown | Errors.AcceptedUnreadable

const toItemRefusal = (
  endpoint: Endpoint.Any,
  each: Endpoint.Any,
  dialect: Dialect,
  { code, errors, message }: BulkAnswer.Refusal,
  clientOrderId: ClientOrderId | undefined
): Errors.CallError => {
  const scrub = Scrub.withoutLongRuns
  const said = {
    endpoint: endpoint.name,
    status: Refusals.successStatus(endpoint, dialect),
    code,
    ...toFields(errors, Endpoint.codec(each, dialect).shape, scrub),
    body: scrub(Json.stringify({ code, message, errors: errors ?? {} })).slice(0, maxBody),
    ...(clientOrderId === undefined ? {} : { clientOrderId })
  } as const
  const reason = scrub(message)
  if (code === 116 && each.refusals.includes("ReduceOnlyRejected")) {
    return new Errors.ReduceOnlyRejected({ ...said, origin: "exchange", reason })
  }
  return message === validationFailed && isOfFields(code)
    ? new Errors.ValidationFailed({ ...said, origin: "exchange" })
    : new Errors.RequestRejected({ ...said, reason })
}

/**
 * Reads the refusal of a public call. In the document, its body is `{success: false, message, params}`. On the live
 * exchange, `message` or the entire body may instead be an object with messages by field.
 */
const publicRefusal = (
  endpoint: Endpoint.Any,
  answer: Answer,
  json: Readonly<Record<string, unknown>>
): Errors.PublicRequestRejected => {
  const { message, params } = json as { readonly message?: unknown; readonly params?: unknown }
  // An API V1 endpoint can refuse without a message.
  const said = message === undefined ? json : message ?? "no reason given"
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
// Verdicts
// -----------------------------------------------------------------------------

/**
 * The fields that are compared between a request and a response that can't be decoded. Maps wire keys to domain names.
 */
const echoes = {
  market: "market",
  side: "side",
  clientOrderId: "clientOrderId",
  client_order_id: "clientOrderId"
} as const

/**
 * Describes how a response that can't be decoded contradicts the request: by a different market, side or client order
 * id or, with `sameId`, by order ids that do not include the request's order id. Returns `undefined` if there is no
 * contradiction.
 */
const contradictionIn = (
  request: object,
  json: unknown,
  ids: ReadonlyArray<string>,
  sameId: boolean | undefined
): string | undefined => {
  const asked = request as
    & { readonly orderId?: string }
    & { readonly [K in (typeof echoes)[keyof typeof echoes]]?: string }
  const visit = (value: unknown, depth: number): string | undefined => {
    if (!Json.isObject(value) || depth > 2) return undefined
    for (const [key, field] of Object.entries(echoes)) {
      const [expected, said] = [asked[field], value[key]]
      if (expected !== undefined && typeof said === "string" && said !== "" && said !== expected) {
        return `the order's ${field} is ${said}, not ${expected}`
      }
    }
    for (const inner of Object.values(value)) {
      const found = visit(inner, depth + 1)
      if (found !== undefined) return found
    }
    return undefined
  }
  const { orderId } = asked
  return sameId === true && orderId !== undefined && ids.length > 0 && !ids.includes(orderId)
    ? `the order is ${ids.join(", ")}, not ${orderId}`
    : visit(json, 0)
}

/**
 * Returns the verdict on a response that reports a success. If the response can be decoded and does not contradict the
 * request, the verdict contains its value.
 */
const accepted = <E extends Endpoint.Any>(
  endpoint: E,
  dialect: Dialect,
  answer: Answer,
  json: unknown
): Verdict<Endpoint.Response<E>> => {
  const { decodeResponse, readResponse } = Endpoint.codec(endpoint, dialect)
  const read = readResponse(answer.text, json)
  if (Result.isSuccess(read)) {
    const problem = answer.contradiction?.(read.success)
    return problem === undefined
      ? { _tag: "Answered", value: read.success as Endpoint.Response<E> }
      : uncertain("contradictory-answer", problemOf(problem, answer))
  }
  const { failure } = read
  if (failure === Json.repeatedKey) return uncertain("unreadable-answer", notJson(failure))
  if (answer.perItem === true && Array.isArray(json)) {
    const items = json.map((item: unknown, at) => readItem(answer, at, item, decodeResponse([item])))
    const problem = answer.contradiction?.(items)
    return problem === undefined
      // The cast is needed for the fields of an item that are in its type but not in its schema.
      ? { _tag: "Answered", value: items as Endpoint.Response<E> }
      : uncertain("contradictory-answer", problemOf(problem, answer))
  }
  const ids = orderIdsOf(endpoint, json)
  const contradiction = contradictionIn(answer.request ?? {}, json, ids, answer.sameId)
  if (contradiction !== undefined) return uncertain("contradictory-answer", problemOf(contradiction, answer))
  const said = problemOf(Expected.inWords(failure, "the response"), answer)
  return ids.length === 0
    ? uncertain("unreadable-answer", said, endpoint.mutates ? undefined : Rows.read(decodeResponse, json))
    : refused(
      new Errors.AcceptedUnreadable({
        ...callOf(endpoint, answer),
        status: answer.status,
        orderIds: ids,
        problem: said,
        body: shown(answer)
      })
    )
}

/**
 * Returns an item of a bulk response, or an {@link BulkAnswer.Unreadable} in its place. `read` is the result of
 * decoding a list that contains only this item.
 */
const readItem = (
  answer: Answer,
  at: number,
  json: unknown,
  read: Result.Result<ReadonlyArray<unknown>, Schema.SchemaError>
): unknown => {
  if (Result.isSuccess(read)) return read.success[0]
  const { orders = [] } = (answer.request ?? {}) as { readonly orders?: ReadonlyArray<object> }
  const ids = orderIds([json])
  const contradiction = contradictionIn(orders[at] ?? {}, json, ids, answer.sameId)
  const unreadable: BulkAnswer.Unreadable = {
    // The item was decoded separately, so its index in the message is 0.
    problem: problemOf(Expected.inWords(read.failure).replace(/^0(?=[ .])/u, String(at)), answer),
    orderIds: ids,
    ...(contradiction === undefined ? {} : { contradiction: problemOf(contradiction, answer) })
  }
  return { unreadable }
}

const orderIdsOf = ({ errorFamily, mutates }: Endpoint.Any, json: unknown) =>
  mutates && errorFamily === "order" ? orderIds(json) : []

/**
 * Returns the verdict on a private call's error response. A mutating call counts as refused only if the body has the
 * exchange's own error format and contains no order id, because an order id contradicts a refusal. A read changes
 * nothing, so any error body with an HTTP error status counts as a refusal.
 */
const privateError = (
  endpoint: Endpoint.Any,
  dialect: Dialect,
  answer: Answer,
  json: unknown
): Verdict<never> => {
  const body = toErrorBody(json)
  const isProof = isOwnForm(json, dialect) && orderIdsOf(endpoint, json).length === 0
  if (body !== undefined && (isProof || (!endpoint.mutates && answer.status >= 400))) {
    return refused(privateRefusal(endpoint, dialect, answer, body))
  }
  if (answer.status === 429 && !endpoint.mutates) return refused(rateLimited(endpoint, answer))
  // A body in any other format may come from a proxy, so the exchange may have applied the call anyway.
  return uncertain("unreadable-answer", `HTTP ${answer.status} without the exchange's error body`)
}

const publicError = (endpoint: Endpoint.Any, answer: Answer, json: unknown): Verdict<never> => {
  if (answer.status === 429) return refused(rateLimited(endpoint, answer))
  return Json.isObject(json)
    ? refused(publicRefusal(endpoint, answer, json))
    : uncertain("unreadable-answer", `HTTP ${answer.status} without the exchange's error body`)
}

const rateLimited = ({ name: endpoint }: Endpoint.Any, answer: Answer) =>
  new Errors.RateLimited({
    endpoint,
    origin: "exchange",
    status: answer.status,
    reason: "too many requests",
    body: shown(answer)
  })

/** Classifies the response to a call to the endpoint. */
export const classify = <E extends Endpoint.Any>(
  endpoint: E,
  dialect: Dialect,
  answer: Answer
): Verdict<Endpoint.Response<E>> => {
  const { status, text } = answer
  if (status >= 300 && status < 400) return uncertain("redirected", `HTTP ${status}; redirects are never followed`)
  // After HTTP 408 or 421, a proxy might send the call to the exchange again, whatever the body contains.
  if (status >= 500 || status === 408 || status === 421) return uncertain("server-error", `HTTP ${status}`)
  const isSuccess = status >= 200 && status < 300
  if (isSuccess) {
    // An empty body is not JSON, but some calls have an empty response. The endpoint's schema decides whether it is
    // valid.
    const parsed = text === "" ? Result.succeed(undefined) : Json.parse(text)
    if (Result.isSuccess(parsed) && !isError(parsed.success)) return accepted(endpoint, dialect, answer, parsed.success)
  }
  const parsed = Json.parseUnique(text)
  if (isSuccess && Result.isFailure(parsed)) return uncertain("unreadable-answer", notJson(parsed.failure))
  const json = Result.getOrUndefined(parsed)
  return endpoint.access === "public"
    ? publicError(endpoint, answer, json)
    : privateError(endpoint, dialect, answer, json)
}

const notJson = (why: unknown): string =>
  why === Json.repeatedKey
    ? "the response is JSON, but an object in it has a duplicate key"
    : "the response is not JSON"
