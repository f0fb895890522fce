/** The refusal of an owner action. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The sandbox can't carry out this owner action. */
export class ControlRefused extends Schema.TaggedError<ControlRefused>()("ControlRefused", {
  action: Schema.String,
  fields: Schema.Record(Schema.String, Schema.String)
}, { httpApiStatus: 400 }) {
  /** The name of the owner action, such as `Fund`. */
  declare readonly action: string
  /** The fields that are wrong, each with the kind of constraint that it breaks. */
  declare readonly fields: Readonly<Record<string, string>>
  override get message(): string {
    const fields = Object.entries(this.fields).map(([field, constraint]) => `${field} (${constraint})`)
    return `${this.action} was refused: ${fields.join(", ")}`
  }
}

/** Refuses an action. */
export const refuse = (
  action: string,
  fields: Readonly<Record<string, string>>
): Effect.Effect<never, ControlRefused> => Effect.fail(new ControlRefused({ action, fields }))
