/**
 * The database file of a journal: its form, and what is in it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { chmodSync, existsSync, readFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { fromSqlite, JournalError } from "./JournalError.ts"
import * as WriteAheadLog from "./WriteAheadLog.ts"

/**
 * The version of the journal's form. A journal of another version is refused.
 *
 * @category form
 * @since 0.1.0
 */
export const version = 2

/** Marks a database as a journal: SQLite's `application_id`. */
const applicationId = 0x54584331

/**
 * The name under which SQLite keeps a database in memory only.
 *
 * @category form
 * @since 0.1.0
 */
export const inMemory = ":memory:"

/**
 * Checks a journal's write-ahead log before SQLite reads it: SQLite silently ignores what it can't read of the log.
 *
 * @category reading
 * @since 0.1.0
 */
export const inspectLog = (file: string): WriteAheadLog.Inspection =>
  file !== inMemory && existsSync(`${file}-wal`)
    ? WriteAheadLog.inspect(readFileSync(`${file}-wal`))
    : { unfinished: 0, damaged: false }

const numberOf = (database: DatabaseSync, sql: string, column: string): number =>
  Number(database.prepare(sql).get()?.[column])

/** Refuses a file that is no journal of this version. Writes nothing. */
const check = (database: DatabaseSync, file: string): JournalError | undefined => {
  const error = (why: JournalError["why"], reason: string) => new JournalError({ why, file, reason })
  const id = numberOf(database, "PRAGMA application_id", "application_id")
  const tables = numberOf(database, "SELECT count(*) AS n FROM sqlite_schema", "n")
  if (id !== applicationId && (id !== 0 || tables > 0)) {
    return error("foreign", "it is a database of another program; name another file")
  }
  const found = numberOf(database, "PRAGMA user_version", "user_version")
  const reason = `it has version ${found}, and this program needs version ${version}; name another file`
  if (found > version) return error("newer", reason)
  return tables > 0 && found < version ? error("older", reason) : undefined
}

const createTables = (database: DatabaseSync): void => {
  database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  // The log starts afresh, so that the remains of an unfinished group never come before a group of this run.
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  // Writing takes the lock, which EXCLUSIVE mode then keeps for as long as the database is open.
  database.exec(`
    BEGIN IMMEDIATE;
    PRAGMA application_id = ${applicationId};
    PRAGMA user_version = ${version};
    CREATE TABLE IF NOT EXISTS venue (rules TEXT NOT NULL, runs INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS journal (
      sequence INTEGER PRIMARY KEY, command TEXT NOT NULL, hash BLOB NOT NULL, recalled INTEGER
    );
    CREATE INDEX IF NOT EXISTS recalled ON journal (recalled) WHERE recalled IS NOT NULL;
    CREATE TABLE IF NOT EXISTS snapshot (
      sequence INTEGER PRIMARY KEY, origin INTEGER NOT NULL, state BLOB NOT NULL, hash BLOB NOT NULL
    );
    COMMIT`)
}

/** Makes the database a journal of these rules, and gives how often it has been opened. */
const prepare = (database: DatabaseSync, file: string, rules: string): Result.Result<number, JournalError> => {
  const error = check(database, file)
  if (error !== undefined) return Result.fail(error)
  createTables(database)
  const known = database.prepare("SELECT rules FROM venue").get()?.["rules"]
  if (known === undefined) database.prepare("INSERT INTO venue (rules, runs) VALUES (?, 0)").run(rules)
  else if (known !== rules) {
    const reason = `it belongs to a venue of "${String(known)}"; this venue is of "${rules}"`
    return Result.fail(new JournalError({ why: "other-rules", file, reason }))
  }
  database.exec("UPDATE venue SET runs = runs + 1")
  return Result.succeed(numberOf(database, "SELECT runs FROM venue", "runs"))
}

/**
 * Opens the database of a journal, or creates it. It is closed with the scope. `run` is how often it has been opened.
 *
 * @category constructors
 * @since 0.1.0
 */
export const open = Effect.fnUntraced(function*(
  file: string,
  rules: string
): Effect.fn.Return<{ readonly database: DatabaseSync; readonly run: number }, JournalError, Scope.Scope> {
  const attempt = <A>(work: () => A) => Effect.try({ try: work, catch: fromSqlite(file) })
  const isNew = file !== inMemory && !existsSync(file)
  const database = yield* Effect.acquireRelease(
    attempt(() => new DatabaseSync(file)),
    (database) => Effect.sync(() => database.close())
  )
  // It holds the secrets of the venue's keys.
  if (isNew) yield* attempt(() => chmodSync(file, 0o600))
  const run = yield* Effect.flatMap(attempt(() => prepare(database, file, rules)), Effect.fromResult)
  return { database, run }
})
