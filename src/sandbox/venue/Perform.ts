/** Carries out an owner action, or refuses it because of invalid fields. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { Action } from "../engine/Command.ts"
import * as Times from "../engine/Times.ts"
import * as Responses from "../gateway/Responses.ts"
import type { JournalError } from "../store/Journal.ts"
import { beyondLatest, type ControlRefused, refuse } from "./ControlRefused.ts"
import type { OwnerAction, OwnerActions, OwnerRequest } from "./OwnerActions.ts"

/**
 * Checks an action against its schema: callers in plain JavaScript can pass one of the wrong shape, and callers in
 * TypeScript a number that is not an integer.
 */
const check = Schema.decodeUnknownResult(Schema.toType(Action), { errors: "all" })

const toIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Carries out an owner action. In a refusal, the action is called `name`. */
export const perform = Effect.fnUntraced(function*(
  venue: Pick<OwnerActions, "perform">,
  name: string,
  action: OwnerRequest
): Effect.fn.Return<void, ControlRefused | JournalError> {
  const reply = yield* venue.perform(action)
  if (Responses.isFailed(reply)) {
    const fields = reply.violations.map(([field, constraint]) => [field, constraint.kind])
    const isBeyond = reply.violations.some(([, constraint]) =>
      constraint.kind === "max" && constraint.max === Times.latest
    )
    return yield* refuse(name, Object.fromEntries(fields), isBeyond ? beyondLatest : undefined)
  }
})

/** Checks an owner action, then carries it out: an action that the journal can't hold must not be applied. */
export const checked = (
  venue: Pick<OwnerActions, "perform">,
  action: OwnerAction
): Effect.Effect<void, ControlRefused | JournalError> => {
  const decoded = check(action)
  if (Result.isSuccess(decoded)) return perform(venue, action._tag, action)
  const fields = toIssues(decoded.failure.issue).issues.map(({ path = [] }) => [path.map(String).join("."), "format"])
  return refuse(action._tag, Object.fromEntries(fields))
}
