/**
 * Where a sandbox keeps what is to survive it.
 *
 * @since 0.1.0
 */
import * as Flag from "effect/cli/Flag"

/** The folder, as all commands ask for it. */
export const folder: Flag.Flag<string> = Flag.String("data").pipe(
  Flag.withDescription("The folder of the journal; what happened there before is there again"),
  Flag.withDefault("effect-txc-data")
)

/** The journal in a folder. */
export const journalIn = (folder: string): string => `${folder}/journal.sqlite`
