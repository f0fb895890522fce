/**
 * The durable record of every command, in an embedded SQLite database.
 *
 * Commands that arrive in one turn of the event loop are written in one transaction, to the disk, before any reply that
 * has seen them leaves. When a write fails no reply of its group leaves, and nothing more is written until the venue is
 * opened again.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { DatabaseSync } from "node:sqlite"
import * as Command from "./engine/Command.ts"

/** The version of the journal's form. A journal of a greater version is refused. */
export const version = 1

/** Marks a database as one of ours: SQLite's `application_id`. */
const applicationId = 0x54584331

/**
 * Why a journal can't be used:
 *
 * - `locked`: another process has it open
 * - `foreign`: the file is something else
 * - `newer`: written by a later version of this program
 * - `other-dialect`: written by a venue of the other dialect
 * - `unreadable`: an entry does not decode
 * - `failed`: reading or writing failed; see `reason`
 *
 * @category errors
 * @since 0.1.0
 */
export class JournalError extends Schema.TaggedError<JournalError>()("JournalError", {
  why: Schema.Literals(["locked", "foreign", "newer", "other-dialect", "unreadable", "failed"]),
  file: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `The journal ${this.file} can't be used (${this.why}): ${this.reason}`
  }
}

/**
 * - `commands`: what was there when the journal was opened, in order
 * - `append`: notes a command; it is on the disk when the next `committed` succeeds
 * - `committed`: waits until everything noted so far is on the disk
 *
 * @category models
 * @since 0.1.0
 */
export interface Journal {
  readonly commands: ReadonlyArray<Command.Command>
  readonly append: (command: Command.Command) => void
  readonly committed: Effect.Effect<void, JournalError>
}

const Entry = Schema.fromJsonString(Schema.toCodecJson(Command.Command))
const encodeEntry = Schema.encodeResult(Entry)
const decodeEntry = Schema.decodeUnknownResult(Entry)

/** The name under which SQLite keeps a database in memory only. */
export const inMemory = ":memory:"

const sqliteBusy = 5
const sqliteNotADatabase = 26

const prepare = (database: DatabaseSync, file: string, dialect: string): Result.Result<void, JournalError> => {
  const fail = (why: JournalError["why"], reason: string) => Result.fail(new JournalError({ why, file, reason }))
  const number = (sql: string, column: string) => Number(database.prepare(sql).get()?.[column])
  const id = number("PRAGMA application_id", "application_id")
  const tables = number("SELECT count(*) AS n FROM sqlite_schema", "n")
  if (id !== applicationId && (id !== 0 || tables > 0)) {
    return fail("foreign", "it is a database of another program; name another file")
  }
  const found = number("PRAGMA user_version", "user_version")
  if (found > version) return fail("newer", `it has version ${found}, this program knows ${version}`)
  // Only now that the file is known to be ours: this writes to it.
  database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  // Writing takes the lock, which EXCLUSIVE mode then keeps for as long as the database is open.
  database.exec(`
    BEGIN IMMEDIATE;
    PRAGMA application_id = ${applicationId};
    PRAGMA user_version = ${version};
    CREATE TABLE IF NOT EXISTS venue (dialect TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS journal (sequence INTEGER PRIMARY KEY, command TEXT NOT NULL);
    COMMIT`)
  const known = database.prepare("SELECT dialect FROM venue").get()?.["dialect"]
  if (known === undefined) database.prepare("INSERT INTO venue (dialect) VALUES (?)").run(dialect)
  else if (known !== dialect) {
    return fail("other-dialect", `it was written by a venue that speaks ${String(known)}; this one speaks ${dialect}`)
  }
  return Result.succeed(undefined)
}

const read = (database: DatabaseSync, file: string): Result.Result<ReadonlyArray<Command.Command>, JournalError> => {
  const commands: Array<Command.Command> = []
  for (const row of database.prepare("SELECT sequence, command FROM journal ORDER BY sequence").iterate()) {
    const decoded = decodeEntry(row["command"])
    if (Result.isFailure(decoded) || row["sequence"] !== commands.length + 1) {
      return Result.fail(
        new JournalError({
          why: "unreadable",
          file,
          reason: Result.isFailure(decoded)
            ? `entry ${String(row["sequence"])}: ${decoded.failure.message}`
            : `entry ${commands.length + 1} is missing`
        })
      )
    }
    commands.push(decoded.success)
  }
  return Result.succeed(commands)
}

/**
 * Opens a journal, or makes one. It is closed with the scope.
 *
 * @category constructors
 * @since 0.1.0
 */
export const open = Effect.fnUntraced(function*(
  file: string,
  dialect: string
): Effect.fn.Return<Journal, JournalError, Scope.Scope> {
  const failed = (error: unknown) => {
    const { errcode, message } = error as { readonly errcode?: number; readonly message: string }
    return new JournalError({
      why: errcode === sqliteBusy ? "locked" : errcode === sqliteNotADatabase ? "foreign" : "failed",
      file,
      reason: errcode === sqliteBusy ? "another process has it open; stop that one, or name another file" : message
    })
  }
  const database = yield* Effect.acquireRelease(
    Effect.try({ try: () => new DatabaseSync(file), catch: failed }),
    (database) => Effect.sync(() => database.close())
  )
  yield* Effect.flatMap(
    Effect.try({ try: () => prepare(database, file, dialect), catch: failed }),
    Effect.fromResult
  )
  const commands = yield* Effect.flatMap(
    Effect.try({ try: () => read(database, file), catch: failed }),
    Effect.fromResult
  )
  const insert = database.prepare("INSERT INTO journal (sequence, command) VALUES (?, ?)")

  let sequence = commands.length
  let group: Array<Command.Command> = []
  let waiting: Array<(exit: Exit.Exit<void, JournalError>) => void> = []
  let broken: JournalError | undefined

  const write = (): void => {
    database.exec("BEGIN IMMEDIATE")
    for (const command of group) insert.run(++sequence, Result.getOrThrow(encodeEntry(command)))
    database.exec("COMMIT")
  }

  const commit = (): void => {
    const resumed = waiting
    waiting = []
    if (broken === undefined && group.length > 0) {
      const written = Result.try({ try: write, catch: failed })
      if (Result.isFailure(written)) broken = written.failure
      group = []
    }
    const exit = broken === undefined ? Exit.void : Exit.fail(broken)
    for (const resume of resumed) resume(exit)
  }

  return {
    commands,
    append: (command) => {
      // What can't be written any more is not kept either.
      if (broken === undefined) group.push(command)
    },
    committed: Effect.callback((resume) => {
      // The first to wait in this turn of the event loop has the group written at the end of it.
      if (waiting.push((exit) => resume(exit)) === 1) setImmediate(commit)
    })
  }
})
