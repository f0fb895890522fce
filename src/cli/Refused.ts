/** A command that can't do what it is asked to do, and what its user can do about it. */
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"

/** The command did nothing. It ends with exit code 2, and prints two lines: what is wrong, and what to do. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  wrong: Schema.String,
  remedy: Schema.String
}) {
  /** What is wrong, as a sentence. */
  declare readonly wrong: string
  /** What to do, as a sentence. */
  declare readonly remedy: string
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return `${this.wrong}\n${this.remedy}`
  }
}
