/** Salvages the readable part of a damaged journal. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Anchor from "./Anchor.ts"
import * as Chain from "./Chain.ts"
import { fromSqlite, JournalError, logDamaged } from "./JournalError.ts"
import * as JournalFile from "./JournalFile.ts"
import * as JournalTables from "./JournalTables.ts"

/** The readable part of a journal. */
export interface Salvaged {
  /** The intact commands, starting with the first, each as a line of JSON. */
  readonly lines: ReadonlyArray<string>
  /** The error at which reading stopped, if any. */
  readonly error: JournalError | undefined
}

const readCopy = (file: string, copy: string): Salvaged => {
  // Reads the anchor first, because a running sandbox might write more commands while its journal is copied.
  const anchor = Anchor.read(file)
  const { damaged } = JournalFile.inspectLog(file)
  for (const part of ["", "-wal"]) if (existsSync(file + part)) copyFileSync(file + part, copy + part)
  const database = new DatabaseSync(copy)
  const lines: Array<string> = []
  const read = Result.try(() =>
    Chain.follow(
      JournalTables.allEntries(database),
      { file, after: Chain.start, to: undefined },
      (_command, _sequence, text) => lines.push(text)
    )
  )
  const missing = Result.flatMap(
    anchor,
    (end) => Result.try({ try: () => JournalFile.checkAnchor(database, file, end), catch: fromSqlite(file) })
  )
  database.close()
  if (damaged) return { lines, error: logDamaged(file, lines.length) }
  const chain = Result.isFailure(read)
    ? fromSqlite(file)(read.failure)
    : Option.getOrUndefined(Result.getFailure(read.success))
  // The chain's error takes precedence, because it identifies the damaged entry. The anchor only shows that entries are
  // missing.
  return { lines, error: chain?.why === "damaged" ? chain : Result.merge(missing) ?? chain }
}

/**
 * Reads as much of a journal as it can, whatever the damage. Salvaging works on a copy and does not change the journal.
 * Fails if the file is missing or can't be copied.
 */
export const salvage = (file: string): Effect.Effect<Salvaged, JournalError> =>
  Effect.scoped(Effect.gen(function*() {
    const failed = fromSqlite(file)
    if (!existsSync(file)) return yield* new JournalError({ why: "failed", file, reason: "there is no such file" })
    const folder = yield* Effect.acquireRelease(
      Effect.try({ try: () => mkdtempSync(join(tmpdir(), "effect-txc-")), catch: failed }),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    return yield* Effect.try({ try: () => readCopy(file, join(folder, "journal.sqlite")), catch: failed })
  }))
