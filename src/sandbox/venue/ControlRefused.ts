/** The refusal of an owner action. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Times from "../engine/Times.ts"

/** The sandbox can't carry out this owner action. */
export class ControlRefused extends Schema.TaggedError<ControlRefused>()("ControlRefused", {
  action: Schema.String,
  fields: Schema.Record(Schema.String, Schema.String),
  remedy: Schema.optionalKey(Schema.String)
}, { httpApiStatus: 400 }) {
  /** The name of the owner action, such as `Fund`. */
  declare readonly action: string
  /** The invalid fields, each with the kind of constraint that it breaks. */
  declare readonly fields: Readonly<Record<string, string>>
  /** The remedy, if the fields do not say what to do instead. */
  declare readonly remedy?: string
  override get message(): string {
    const fields = Object.entries(this.fields).map(([field, constraint]) => `${field} (${constraint})`)
    const remedy = this.remedy === undefined ? "" : `. ${this.remedy}`
    return `${this.action} was refused: ${fields.join(", ")}${remedy}`
  }
}

/** Refuses an action. */
export const refuse = (
  action: string,
  fields: Readonly<Record<string, string>>,
  remedy?: string
): Effect.Effect<never, ControlRefused> =>
  Effect.fail(new ControlRefused({ action, fields, ...(remedy === undefined ? {} : { remedy }) }))

/** The remedy when an action would take the venue beyond the last time that it can record. */
export const beyondLatest =
  `A venue's last time is the end of 2199 (${Times.latest}). Choose an earlier time, or Reset or Restore the venue first`
