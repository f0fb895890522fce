/**
 * Public calls that only the live exchange's documentation describes. Their rules apply only to the live dialect. A
 * target that does not serve a call breaks the rules about that call, unless the target declares the call missing.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import type * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as FieldRules from "./FieldRules.ts"
import * as Kinds from "./Kinds.ts"
import * as LiveCalls from "./LiveCalls.ts"
import type { Body, World } from "./World.ts"

/** The query parameters of a public call, keyed by name. */
export type Query = Readonly<Record<string, string | number>>

/** Reads a path, and expects that the target serves it. */
export const get = Effect.fnUntraced(function*(
  world: World,
  path: string,
  query: Query = {}
): Effect.fn.Return<Target.Answer, Verdict.CheckError> {
  const text = Object.entries(query).map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&")
  const answer = yield* world.get(path, ...(text === "" ? [] : [text]))
  yield* LiveCalls.served(world, path, answer)
  return answer
})

/** A value and the response that contains it. */
export interface Read<A> {
  /** The response that contains the value. */
  readonly answer: Target.Answer
  /** The value in the response. */
  readonly value: A
}

const broken = (answer: Target.Answer, expected: string) =>
  new Verdict.Broken({ expected, got: Verdict.describe(answer), answer })

/** Returns the result in an API V1 envelope, which must have `success` true and an empty message. */
export const result = Effect.fnUntraced(function*(
  world: World,
  path: string,
  query?: Query
): Effect.fn.Return<Read<unknown>, Verdict.CheckError> {
  const answer = yield* get(world, path, query)
  const { json, status } = answer
  return status === 200 && Json.isObject(json) && json["success"] === true && Object.hasOwn(json, "result") &&
      (json["message"] ?? "") === ""
    ? { answer, value: json["result"] }
    : yield* broken(answer, "HTTP 200 with success, no message and a result")
})

/** Returns the list in an API V1 envelope. */
export const results = Effect.fnUntraced(function*(
  world: World,
  path: string,
  query?: Query
): Effect.fn.Return<Read<ReadonlyArray<unknown>>, Verdict.CheckError> {
  const { answer, value } = yield* result(world, path, query)
  return Array.isArray(value) ? { answer, value } : yield* broken(answer, "a list in the result")
})

/** Returns the JSON object in a response. */
export const object = Effect.fnUntraced(function*(
  world: World,
  path: string
): Effect.fn.Return<Read<Body>, Verdict.CheckError> {
  const answer = yield* get(world, path)
  const { json, status } = answer
  return status === 200 && Json.isObject(json)
    ? { answer, value: json }
    : yield* broken(answer, "HTTP 200 with a JSON object")
})

/** Whether a value is a list of messages, such as the errors of a field. */
export const isMessages = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((message) => Kinds.someText.holds(message))

/** Expects an API V1 refusal: HTTP 200, `success` false, no result, and a message that names the field. */
export const refusesV1 = Effect.fnUntraced(function*(world: World, path: string, query: Query, field: string) {
  const answer = yield* get(world, path, query)
  const { json, status } = answer
  const messages = Json.isObject(json) && json["success"] === false && Json.isObject(json["message"])
    ? json["message"]
    : {}
  yield* Verdict.expect(
    answer,
    `HTTP 200 with success false, result null and a message for ${field}`,
    status === 200 && isMessages(messages[field]) && Json.isObject(json) && (json["result"] ?? null) === null
  )
})

/**
 * Expects a refusal with HTTP 422 and an object that has only messages, each under the name of a field. Most calls show
 * the messages of a field as a list; some show a single message as text.
 */
export const refuses = Effect.fnUntraced(function*(world: World, path: string, query: Query, field: string) {
  const answer = yield* get(world, path, query)
  const { json, status } = answer
  yield* Verdict.expect(
    answer,
    `HTTP 422 with an object of messages that names ${field}`,
    status === 422 && Json.isObject(json) && Object.hasOwn(json, field) &&
      Object.values(json).every((value) => isMessages(value) || Kinds.someText.holds(value))
  )
})

/**
 * Creates one rule per field of a response. The rules need the `read-only` profile, unless the table names a different
 * one.
 */
export const fields = (
  table: Omit<FieldRules.Table, "clause" | "profile" | "level"> & Partial<Pick<FieldRules.Table, "profile">>
): ReadonlyArray<Rule.Rule> =>
  FieldRules.rules({ profile: "read-only", ...table, clause: LiveCalls.clause, level: "MUST" }).map((rule) => ({
    ...rule,
    dialects: {
      document: Rule.notApplicable("the document has no such call"),
      live: Rule.other(rule.statement)
    }
  }))

/** A market that does not exist. */
export const noMarket = "NO_SUCH"
