/**
 * `effect-txc journal`: exports the commands in a sandbox's journal. If the journal is damaged, exports only the
 * commands before the damage.
 */
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Journal from "../sandbox/store/Journal.ts"
import * as JournalFolder from "./JournalFolder.ts"
import * as Progress from "./Progress.ts"

export const journal = Command.make(
  "journal",
  { data: JournalFolder.folder },
  Effect.fn(function*({ data }) {
    const file = JournalFolder.journalIn(yield* JournalFolder.ofJournal(data))
    const { error, lines } = yield* Progress.during(`Reading ${file}`, Journal.salvage(file))
    if (lines.length > 0) yield* Console.log(lines.join("\n"))
    if (error !== undefined) return yield* error
  })
).pipe(
  Command.withDescription(
    "Export the commands of a sandbox's journal, one line of JSON each. A damaged journal is exported as far as it is " +
      "intact. The journal is not changed. Default folder: effect-txc-data, or the folder of this project's " +
      "sandbox"
  ),
  Command.withShortDescription("Export the commands of a sandbox, one line of JSON per command"),
  Command.withExamples([
    { command: "effect-txc journal > commands.ndjson", description: "Export" },
    { command: "effect-txc sandbox --data new --replay commands.ndjson", description: "Replay them in a new sandbox" }
  ])
)
