/** The format of refusals (document, "Errors"). */
import type * as Effect from "effect/Effect"
import type { Dialect } from "../../protocol/Dialect.ts"
import * as Json from "../../protocol/Json.ts"
import type { Answer } from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as Dialects from "./Dialects.ts"
import type { Refusal } from "./Dialects.ts"
import type { Body } from "./World.ts"

const isMessages = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((message) => typeof message === "string")

/** Returns the error in a bulk call's item or in a single call's response; empty if there is none. */
export const errorOf = (json: unknown): Body => {
  const [item]: ReadonlyArray<unknown> = Array.isArray(json) ? json : [{ error: json }]
  const error = Json.isObject(item) ? item["error"] : undefined
  return Json.isObject(error) ? error : {}
}

/** Whether the target does not serve the path, because it does not know the path or does not implement the call. */
export const isNotServed = ({ status }: Answer): boolean => status === 404 || status === 501

/** Returns the parameters that are named in a response's errors. */
export const namedFields = ({ json }: Answer): ReadonlyArray<string> => {
  const errors = Json.isObject(json) ? json["errors"] : undefined
  return Json.isObject(errors) ? Object.keys(errors).filter((key) => isMessages(errors[key])) : []
}

const codeOf = ({ json }: Answer): unknown => Json.isObject(json) ? json["code"] : undefined

/**
 * Whether the response refuses the call: HTTP 4xx, or the document's error object with any status below 500, because
 * the document states no status for most errors. After a 5xx, the outcome of the call is unknown.
 */
export const isRefused = (answer: Answer): boolean =>
  answer.status < 500 && (answer.status >= 400 || isErrorObject(answer))

/** Whether the body is the error object of private calls. */
const isErrorObject = ({ json }: Answer): boolean =>
  Json.isObject(json) && Number.isSafeInteger(json["code"]) && typeof json["message"] === "string"

/** Whether the call succeeded: HTTP 2xx with JSON that is not an error object. */
export const isSuccess = (answer: Answer): boolean =>
  answer.status >= 200 && answer.status < 300 && answer.json !== undefined && !isErrorObject(answer)

/** Whether a value is an object that maps parameters to arrays of messages. */
export const isErrors = (value: unknown): boolean =>
  Json.isObject(value) &&
  Object.values(value).every((list) => Array.isArray(list) && list.every((message) => typeof message === "string"))

/** Whether the body has an error's code and message and, unless the live exchange omits it, an errors object. */
const hasForm = (answer: Answer): boolean => {
  const errors = Json.isObject(answer.json) ? answer.json["errors"] : undefined
  return isErrorObject(answer) && (errors === undefined || errors === null || isErrors(errors))
}

/** Expects a refusal with the error object that the document shows for private calls, whatever its status and code. */
export const any = (answer: Answer, why: string): Effect.Effect<void, Verdict.Broken> =>
  Verdict.expect(
    answer,
    `a refusal with an integer code, a message and errors as arrays of messages, ${why}`,
    isRefused(answer) && hasForm(answer)
  )

/** Expects that nothing is served at a path. The document does not show such a response, so it may be HTML. */
export const notServed = (answer: Answer, why: string): Effect.Effect<void, Verdict.Broken> =>
  Verdict.expect(answer, `no success, ${why}`, answer.status >= 300 || isErrorObject(answer))

/** Expects a refusal with exactly this status and one of these codes. */
export const exactly = (
  answer: Answer,
  { codes, status }: Refusal,
  why: string
): Effect.Effect<void, Verdict.Broken> =>
  Verdict.expect(
    answer,
    `a refusal with HTTP ${status} and code ${codes.join(" or ")}, ${why}`,
    answer.status === status && hasCode(answer, codes)
  )

/** Whether the body has one of these codes. */
export const hasCode = (answer: Answer, codes: ReadonlyArray<number>): boolean => {
  const code = codeOf(answer)
  return typeof code === "number" && codes.includes(code)
}

/** Expects a refusal with one of these codes and any HTTP status. */
export const coded = (answer: Answer, { codes }: Refusal, why: string): Effect.Effect<void, Verdict.Broken> =>
  Verdict.expect(
    answer,
    `a refusal with code ${codes.join(" or ")}, ${why}`,
    isRefused(answer) && hasCode(answer, codes)
  )

/**
 * Expects that invalid fields are refused as the document says for OCO and cancel-all calls: with the code, `Validation
 * failed`, and an errors object. The document states neither the HTTP status nor that `errors` names the field.
 */
export const validation = (answer: Answer, { codes }: Refusal): Effect.Effect<void, Verdict.Broken> =>
  Verdict.expect(
    answer,
    `code ${codes.join(" or ")}, message Validation failed, an errors object`,
    isRefused(answer) && hasCode(answer, codes) && Json.isObject(answer.json) &&
      answer.json["message"] === "Validation failed" && isErrors(answer.json["errors"])
  )

/** Expects the complete refusal of fields: status, code, `Validation failed`, and errors that name each field. */
export const fields = (
  answer: Answer,
  { codes, status }: Refusal,
  ...keys: ReadonlyArray<string>
): Effect.Effect<void, Verdict.Broken> =>
  Verdict.expect(
    answer,
    `HTTP ${status}, code ${codes.join(" or ")}, message Validation failed, errors that name ${keys.join(", ")}`,
    answer.status === status && hasCode(answer, codes) &&
      Json.isObject(answer.json) && answer.json["message"] === "Validation failed" &&
      keys.every((key) => namedFields(answer).includes(key))
  )

/**
 * Expects that invalid fields of an order or of cancel-all are refused. The live exchange shows the complete form. The
 * document shows code and message for OCO and cancel-all calls, and nothing for stop-limit orders.
 */
export const order = (
  answer: Answer,
  dialect: Dialect,
  isShown: boolean,
  ...keys: ReadonlyArray<string>
): Effect.Effect<void, Verdict.Broken> => {
  const refusal = Dialects.orderValidation(dialect)
  if (dialect.name === "live") return fields(answer, refusal, ...keys)
  return isShown ? validation(answer, refusal) : any(answer, `because of ${keys.join(", ")}`)
}

/**
 * Expects the live exchange's refusal of an order that the balance does not cover: with one of the engine's codes or the
 * code for amounts, and errors that name the amount. The documentation shows these codes with different statuses.
 */
export const noFunds = (answer: Answer): Effect.Effect<void, Verdict.Broken> =>
  Verdict.expect(
    answer,
    "HTTP 400 or 422, code 10, 17 or 32, and errors that name amount, because the account has too little",
    (answer.status === 400 || answer.status === 422) && hasCode(answer, [10, 17, 32]) &&
      namedFields(answer).includes("amount")
  )

/** The live exchange's refusal of values off their market's step. */
export const offStep: Refusal = { status: 422, codes: [1] }

const camelCase = (key: string): string => key.replace(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase())

/**
 * Expects that a value with too many digits is refused like any invalid field; see {@link order}. The live exchange may
 * refuse it either for its digits, or because it is off the market's step. The second refusal names the field in camel
 * case. Which of these two refusals the exchange uses is not documented.
 */
export const tooFine = (
  answer: Answer,
  dialect: Dialect,
  isShown: boolean,
  key: string
): Effect.Effect<void, Verdict.Broken> =>
  dialect.name === "live" && hasCode(answer, offStep.codes)
    ? fields(answer, offStep, camelCase(key))
    : order(answer, dialect, isShown, key)

/**
 * Expects that invalid fields are refused in a call that is neither an order nor cancel-all. Only the live exchange
 * documents the format of these refusals.
 */
export const call = (
  answer: Answer,
  dialect: Dialect,
  ...keys: ReadonlyArray<string>
): Effect.Effect<void, Verdict.Broken> =>
  dialect.name === "live"
    ? fields(answer, Dialects.fieldValidation(dialect), ...keys)
    : any(answer, `because of ${keys.join(", ")}`)

/** Expects that the response does not refuse this field. The response may refuse other fields. */
export const notNaming = (answer: Answer, key: string): Effect.Effect<void, Verdict.Broken> =>
  Verdict.expect(answer, `no error that names ${key}`, !namedFields(answer).includes(key))
