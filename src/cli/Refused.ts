/** The error for a command that can't run, with a remedy for the user. */
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"

/**
 * The command can't run, and has changed nothing. It prints two lines, the error and the remedy, and exits with code 2.
 */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  wrong: Schema.String,
  remedy: Schema.String
}) {
  /** The error message, a complete sentence. */
  declare readonly wrong: string
  /** The remedy, a complete sentence. */
  declare readonly remedy: string
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return `${this.wrong}\n${this.remedy}`
  }
}
