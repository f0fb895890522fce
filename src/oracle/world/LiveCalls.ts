/**
 * Private calls that only the live exchange's documentation describes. Their rules apply only to the live dialect. A
 * target that does not serve a call breaks the rules about that call, unless the target declares the call missing.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Features from "../Features.ts"
import * as Rule from "../Rule.ts"
import type * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as Paths from "./Paths.ts"
import * as Refusals from "./Refusals.ts"
import * as Section from "./Section.ts"
import type { Account, Body, World } from "./World.ts"

/** The clause of rules about calls that the document does not describe. */
export const clause = "not in the document"

/**
 * Returns the fields of `Rule.Heading` that these rules share. The rules are `MUST`, because the live exchange's
 * documentation states them. A rule that is only this project's choice is `SHOULD`, and has a row in `LivePoints`.
 */
const heading = (statement: string): Pick<
  Rule.Heading,
  "statement" | "clause" | "level" | "document" | "live"
> => ({
  statement,
  clause,
  level: "MUST",
  document: Rule.notApplicable("the document has no such call"),
  live: Rule.other(statement)
})

/** The constructors for rules about calls that the document does not describe. */
export const section = Section.byStatement(heading)

/** Expects that the target serves the call. Skips the rule if the target does not serve it and declares it missing. */
export const served = (
  { declares }: World,
  path: string,
  answer: Target.Answer
): Effect.Effect<void, Verdict.CheckError> =>
  Refusals.isNotServed(answer) && !declares(path)
    ? Verdict.skip(Features.lacks(path))
    : Verdict.expect(
      answer,
      `any response other than HTTP 404 or 501; ${Features.remedy}`,
      !Refusals.isNotServed(answer)
    )

/** Makes a private call, and expects that the target serves it. */
export const call = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: string,
  fields: Body
): Effect.fn.Return<Target.Answer, Verdict.CheckError> {
  const answer = yield* world.call(account, path, fields)
  yield* served(world, path, answer)
  return answer
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

/** Returns an account's open positions. The live exchange may still list a closed position, with an amount of zero. */
export const openPositions = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  fields: Body = {}
): Effect.fn.Return<{ readonly answer: Target.Answer; readonly positions: ReadonlyArray<Body> }, Verdict.CheckError> {
  const { answer, items } = yield* list(world, account, Paths.openPositions, fields)
  return { answer, positions: items.filter(Json.isObject).filter(({ amount }) => Number(amount) !== 0) }
})

/** Makes a private call, and expects a JSON list, or an object whose `records` may be absent if there are none. */
export const records = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: string,
  fields: Body
): Effect.fn.Return<{ readonly answer: Target.Answer; readonly records: ReadonlyArray<Body> }, Verdict.CheckError> {
  const answer = yield* call(world, account, path, fields)
  const { json } = answer
  const found = Json.isObject(json) ? json["records"] ?? [] : json
  return answer.status === 200 && Array.isArray(found)
    ? { answer, records: found.filter(Json.isObject) }
    : yield* new Verdict.Broken({
      expected: "HTTP 200 with a list, or with an object with records",
      got: Verdict.describe(answer),
      answer
    })
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
