/**
 * What a refusal must look like (document, "Errors").
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type { Answer } from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import type { Refusal } from "./Spelling.ts"

const isMessages = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((message) => typeof message === "string")

/** The parameters that the errors of an answer name. */
export const namedFields = ({ json }: Answer): ReadonlyArray<string> => {
  const errors = Json.isObject(json) ? json["errors"] : undefined
  return Json.isObject(errors) ? Object.keys(errors).filter((key) => isMessages(errors[key])) : []
}

const codeOf = ({ json }: Answer): unknown => Json.isObject(json) ? json["code"] : undefined

/** Whether the answer refuses the call: HTTP 4xx. A 5xx does not say what became of the call. */
export const isRefused = (answer: Answer): boolean => answer.status >= 400 && answer.status < 500

/** Expects a refusal of any kind, as a JSON object. */
export const any = (answer: Answer, why: string): Effect.Effect<void, Verdict.Broken> =>
  Verdict.expect(
    answer,
    `refused, ${why}: HTTP 4xx with a JSON object`,
    isRefused(answer) && Json.isObject(answer.json)
  )

/** Expects a refusal with exactly this status and one of these codes. */
export const exactly = (
  answer: Answer,
  { codes, status }: Refusal,
  why: string
): Effect.Effect<void, Verdict.Broken> =>
  Verdict.expect(
    answer,
    `refused, ${why}: HTTP ${status}, code ${codes.join(" or ")}`,
    answer.status === status && codes.includes(Number(codeOf(answer))) && typeof codeOf(answer) === "number"
  )

/** Expects the refusal of fields: `Validation failed`, with errors that name each of them. */
export const fields = (
  answer: Answer,
  { codes, status }: Refusal,
  ...keys: ReadonlyArray<string>
): Effect.Effect<void, Verdict.Broken> =>
  Verdict.expect(
    answer,
    `HTTP ${status}, code ${codes.join(" or ")}, message Validation failed, errors that name ${keys.join(", ")}`,
    answer.status === status && typeof codeOf(answer) === "number" && codes.includes(Number(codeOf(answer))) &&
      Json.isObject(answer.json) && answer.json["message"] === "Validation failed" &&
      keys.every((key) => namedFields(answer).includes(key))
  )

/** Expects that the answer does not refuse this field, whatever else is wrong. */
export const otherThan = (answer: Answer, key: string): Effect.Effect<void, Verdict.Broken> =>
  Verdict.expect(answer, `no error that names ${key}`, !namedFields(answer).includes(key))
