/**
 * Private calls that only the live exchange's documentation describes. Their rules apply to the live dialect only, and
 * skip if the target does not serve the call.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import type * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as Refusals from "./Refusals.ts"
import * as Section from "./Section.ts"
import type { Account, Body, World } from "./World.ts"

/** The clause of these rules. */
export const clause = "not in the document"

/** The common part of such a rule's heading. */
const heading = (statement: string): Pick<
  Rule.Heading,
  "statement" | "clause" | "level" | "document" | "live"
> => ({
  statement,
  clause,
  level: "SHOULD",
  document: Rule.notApplicable("the document has no such call"),
  live: Rule.other(statement)
})

/** The makers of such rules. */
export const section = Section.byStatement(heading)

/** Makes a private call. Skips if the target does not serve it. */
export const call = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: string,
  fields: Body
): Effect.fn.Return<Target.Answer, Verdict.CheckError> {
  const answer = yield* world.call(account, path, fields)
  return answer.status === 404 ? yield* Verdict.skip(`the target does not serve ${path}`) : answer
})

/** Makes a private call, and expects a JSON object. */
export const object = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: string,
  fields: Body
): Effect.fn.Return<{ readonly answer: Target.Answer; readonly json: Body }, Verdict.CheckError> {
  const answer = yield* call(world, account, path, fields)
  const { json } = answer
  return answer.status === 200 && Refusals.isSuccess(answer) && Json.isObject(json)
    ? { answer, json }
    : yield* new Verdict.Broken({ expected: "HTTP 200 with a JSON object", got: Verdict.describe(answer), answer })
})

/** Makes a private call, and expects a JSON list. */
export const list = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: string,
  fields: Body
): Effect.fn.Return<{ readonly answer: Target.Answer; readonly items: ReadonlyArray<unknown> }, Verdict.CheckError> {
  const answer = yield* call(world, account, path, fields)
  const { json } = answer
  return answer.status === 200 && Array.isArray(json)
    ? { answer, items: json }
    : yield* new Verdict.Broken({ expected: "HTTP 200 with a list", got: Verdict.describe(answer), answer })
})

/** Expects that a call is refused because of a field: HTTP 422, one of these codes, and errors that name the field. */
export const refuses = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: string,
  fields: Body,
  { codes = [30], key }: { readonly codes?: ReadonlyArray<number>; readonly key: string }
) {
  yield* Refusals.fields(yield* call(world, account, path, fields), { status: 422, codes }, key)
})
