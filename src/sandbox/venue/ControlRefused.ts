/** The refusal of an owner action. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Times from "../engine/Times.ts"

/** The sandbox can't carry out this owner action. */
export class ControlRefused extends Schema.TaggedError<ControlRefused>()("ControlRefused", {
  action: Schema.String,
  fields: Schema.Record(Schema.String, Schema.String),
  message: Schema.String
}, { httpApiStatus: 400 }) {
  /** The name of the owner action, such as `Fund`. */
  declare readonly action: string
  /** The invalid fields, each with the kind of constraint that it violates. */
  declare readonly fields: Readonly<Record<string, string>>
  /** The error message: the action, what is wrong, and what to do instead. */
  declare readonly message: string
}

/** Refuses an action. `why` says what is wrong, and what to do instead. */
export const refuse = (
  action: string,
  fields: Readonly<Record<string, string>>,
  why: string
): Effect.Effect<never, ControlRefused> =>
  Effect.fail(new ControlRefused({ action, fields, message: `${action} was refused: ${why}` }))

/** The reason for refusing an action that would move the venue's clock past the last time that the venue can record. */
export const beyondLatest =
  `a venue's last time is the end of 2199 (${Times.latest}). Choose an earlier time, or Reset ` +
  "or Restore the venue first"
