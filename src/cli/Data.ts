/**
 * Where a sandbox keeps its journal.
 *
 * @since 0.1.0
 */
import * as Flag from "effect/cli/Flag"

/** The flag that names the folder. */
export const folder: Flag.Flag<string> = Flag.String("data").pipe(
  Flag.withDescription("The folder of the journal. A sandbox resumes from the journal that it finds there"),
  Flag.withDefault("effect-txc-data")
)

/** The journal in a folder. */
export const journalIn = (folder: string): string => `${folder}/journal.sqlite`
