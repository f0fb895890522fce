/**
 * `effect-txc journal`: exports a sandbox's journal, as far as it can be read.
 *
 * @since 0.1.0
 */
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Journal from "../sandbox/store/Journal.ts"
import * as Data from "./Data.ts"

/** @category commands */
export const journal = Command.make(
  "journal",
  { data: Data.folder },
  Effect.fn(function*({ data }) {
    const { error, lines } = yield* Journal.salvage(Data.journalIn(data))
    if (lines.length > 0) yield* Console.log(lines.join("\n"))
    if (error !== undefined) return yield* error
  })
).pipe(
  Command.withDescription(
    "Export the commands of a sandbox's journal, one line of JSON each. A damaged journal is exported as far as it is " +
      "intact. The journal is not changed"
  ),
  Command.withExamples([
    { command: "effect-txc journal > commands.ndjson", description: "Export" },
    { command: "effect-txc sandbox --data new --replay commands.ndjson", description: "Start a new sandbox with them" }
  ])
)
