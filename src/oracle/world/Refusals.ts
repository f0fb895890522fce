/**
 * What a refusal has to look like (document, "Errors").
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import type { Answer } from "../Target.ts"
import type { Refusal } from "./Spelling.ts"

const isMessages = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((message) => typeof message === "string")

/** The parameters that an answer's errors name. */
export const named = ({ json }: Answer): ReadonlyArray<string> => {
  const errors = Json.isObject(json) ? json["errors"] : undefined
  return Json.isObject(errors) ? Object.keys(errors).filter((key) => isMessages(errors[key])) : []
}

const codeOf = ({ json }: Answer): unknown => Json.isObject(json) ? json["code"] : undefined

/** Whether a call was not carried out: neither an HTTP success nor anything that is no JSON object. */
export const isRefused = (answer: Answer): boolean => answer.status >= 400 && answer.status < 500

/** A refusal of some sort, as a JSON object. */
export const some = (answer: Answer, why: string): Effect.Effect<void, Rule.Broken> =>
  Rule.expect(answer, `refused, ${why}: HTTP 4xx with a JSON object`, isRefused(answer) && Json.isObject(answer.json))

/** A refusal of exactly this status and one of these codes. */
export const as = (answer: Answer, { codes, status }: Refusal, why: string): Effect.Effect<void, Rule.Broken> =>
  Rule.expect(
    answer,
    `refused, ${why}: HTTP ${status}, code ${codes.join(" or ")}`,
    answer.status === status && codes.includes(Number(codeOf(answer))) && typeof codeOf(answer) === "number"
  )

/** A refusal of fields: `Validation failed`, and errors that name each of them. */
export const fields = (
  answer: Answer,
  { codes, status }: Refusal,
  ...keys: ReadonlyArray<string>
): Effect.Effect<void, Rule.Broken> =>
  Rule.expect(
    answer,
    `HTTP ${status}, code ${codes.join(" or ")}, message Validation failed, errors that name ${keys.join(", ")}`,
    answer.status === status && typeof codeOf(answer) === "number" && codes.includes(Number(codeOf(answer))) &&
      Json.isObject(answer.json) && answer.json["message"] === "Validation failed" &&
      keys.every((key) => named(answer).includes(key))
  )

/** Not refused for this field, whatever else is wrong. */
export const notFor = (answer: Answer, key: string): Effect.Effect<void, Rule.Broken> =>
  Rule.expect(answer, `no error that names ${key}`, !named(answer).includes(key))
