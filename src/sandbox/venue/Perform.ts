/** Carries out an owner action, or refuses it because of invalid fields. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Expected from "../../protocol/Expected.ts"
import { Action } from "../engine/Command.ts"
import * as Quotes from "../engine/Quotes.ts"
import type { Violations } from "../engine/Reply.ts"
import type * as State from "../engine/State.ts"
import * as Times from "../engine/Times.ts"
import * as Responses from "../gateway/Responses.ts"
import type { JournalError } from "../store/Journal.ts"
import { beyondLatest, type ControlRefused, refuse } from "./ControlRefused.ts"
import type { OwnerAction, OwnerActions, OwnerRequest } from "./OwnerActions.ts"

/**
 * Checks an action against its schema: callers in plain JavaScript can pass an action of the wrong shape, and callers
 * in TypeScript can pass a number that is not an integer.
 */
const check = Schema.decodeUnknownResult(Schema.toType(Action), { errors: "all" })

const toIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** The part of a venue that carries out owner actions. */
interface Owned extends Pick<OwnerActions, "perform"> {
  readonly state: State.State
}

/** The names of the existing accounts, markets or assets, if the field takes such a name; empty for any other field. */
const existing = ({ accounts, currencies, markets }: State.State, field: string): ReadonlyArray<string> => {
  switch (field) {
    case "account":
    case "parent":
      return [...accounts.keys()].filter((account) => account !== Quotes.account)
    case "market":
      return [...markets.keys()]
    case "ticker":
      return currencies.map(({ ticker }) => ticker)
    default:
      return []
  }
}

/** Describes a violation. For an unknown name, lists the existing names. */
const sentence = (state: State.State, [field, constraint]: Violations[number]): string => {
  if (constraint.kind === "max" && constraint.max === Times.latest) return beyondLatest
  const values = constraint.kind === "known" ? existing(state, field) : []
  return Expected.sentence(field, values.length === 0 ? constraint : { kind: "oneOf", values })
}

/** Carries out an owner action. A refusal refers to the action as `name`. */
export const perform = Effect.fnUntraced(function*(
  venue: Owned,
  name: string,
  action: OwnerRequest
): Effect.fn.Return<void, ControlRefused | JournalError> {
  const reply = yield* venue.perform(action)
  if (Responses.isFailed(reply)) {
    const fields = reply.violations.map(([field, constraint]) => [field, constraint.kind])
    const sentences = reply.violations.map((violation) => sentence(venue.state, violation))
    return yield* refuse(name, Object.fromEntries(fields), [...new Set(sentences)].join("; "))
  }
})

/**
 * Checks an owner action against its schema before carrying it out, because the journal can't store an invalid action.
 */
export const checked = (
  venue: Owned,
  action: OwnerAction
): Effect.Effect<void, ControlRefused | JournalError> => {
  const decoded = check(action)
  if (Result.isSuccess(decoded)) return perform(venue, action._tag, action)
  const fields = toIssues(decoded.failure.issue).issues.map(({ path = [] }) => [path.map(String).join("."), "format"])
  return refuse(action._tag, Object.fromEntries(fields), Expected.inWords(decoded.failure))
}
