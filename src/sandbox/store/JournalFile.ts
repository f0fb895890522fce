/** A journal's database file: its format, and the checks when it is opened. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { chmodSync, closeSync, existsSync, openSync, readFileSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import * as Anchor from "./Anchor.ts"
import * as Chain from "./Chain.ts"
import { damaged, fromSqlite, JournalError } from "./JournalError.ts"
import * as Rules from "./Rules.ts"
import * as WriteAheadLog from "./WriteAheadLog.ts"

/** The version of the journal's format. A journal with a different version can't be opened. */
export const version = 2

/** Marks a database as a journal: SQLite's `application_id`. */
const applicationId = 0x54584331

/**
 * Checks a journal's write-ahead log before SQLite opens it, because SQLite silently skips the end of a damaged log.
 */
export const inspectLog = (file: string): WriteAheadLog.Inspection =>
  existsSync(`${file}-wal`)
    ? WriteAheadLog.inspect(readFileSync(`${file}-wal`))
    : { unfinished: 0, damaged: false }

const numberOf = (database: DatabaseSync, sql: string, column: string): number =>
  Number(database.prepare(sql).get()?.[column])

/** Refuses a file that is not a journal of this version. Does not change the file. */
const check = (database: DatabaseSync, file: string): JournalError | undefined => {
  const error = (why: JournalError["why"], reason: string) => new JournalError({ why, file, reason })
  const id = numberOf(database, "PRAGMA application_id", "application_id")
  const tables = numberOf(database, "SELECT count(*) AS n FROM sqlite_schema", "n")
  if (id !== applicationId && (id !== 0 || tables > 0)) {
    return error("foreign", "it is another program's database; use another file")
  }
  const found = numberOf(database, "PRAGMA user_version", "user_version")
  const reason = `it has version ${found}, and this program needs version ${version}; use another file`
  if (found > version) return error("newer", reason)
  return tables > 0 && found < version ? error("older", reason) : undefined
}

const createTables = (database: DatabaseSync): void => {
  database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  // Truncates the log, so that an incomplete group from an earlier run is never followed by a group of this run.
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  // A write acquires the database's lock. In EXCLUSIVE mode, SQLite then keeps this lock while the database is open.
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

/** Whether the journal's table exists. It might be missing in a damaged database. */
const hasEntries = (database: DatabaseSync): boolean =>
  numberOf(database, "SELECT count(*) AS n FROM sqlite_schema WHERE name = 'journal'", "n") > 0

/** The link of an entry; `undefined` if the entry is missing. */
const linkOf = (database: DatabaseSync, sequence: number): unknown =>
  sequence === 0
    ? Chain.start.link
    : hasEntries(database)
    ? database.prepare("SELECT hash FROM journal WHERE sequence = ?").get(sequence)?.["hash"]
    : undefined

/** Compares a database with its anchor. Returns an error if entries are missing or were changed. */
export const checkAnchor = (
  database: DatabaseSync,
  file: string,
  anchor: Chain.End | undefined
): JournalError | undefined => {
  if (anchor === undefined) return undefined
  const { link, sequence } = anchor
  const found = linkOf(database, sequence)
  if (Chain.isSame(found, link)) return undefined
  const what = found === undefined
    ? `entry ${sequence} was durable, but is missing: the log was deleted or truncated, or the database is an old copy`
    : `entry ${sequence} was changed after it was written`
  return damaged(
    file,
    `${what}. Salvage the rest, or delete ${Anchor.fileOf(file)} to continue with the rest`
  )
}

/** Sets the database up as a journal with these rules. Returns how many times the database has been opened. */
const prepare = (
  database: DatabaseSync,
  file: string,
  rules: string,
  anchor: Chain.End | undefined
): Result.Result<number, JournalError> => {
  const error = check(database, file) ?? checkAnchor(database, file, anchor)
  if (error !== undefined) return Result.fail(error)
  makePrivate(file)
  createTables(database)
  const known = database.prepare("SELECT rules FROM venue").get()?.["rules"]
  if (known === undefined) {
    // The journal's rules are unknown. If it has commands, it is refused, because they must not be replayed under
    // different rules.
    if (numberOf(database, "SELECT count(*) AS n FROM (SELECT 1 FROM journal LIMIT 1)", "n") > 0) {
      return Result.fail(damaged(file, "it no longer records which venue it belongs to. Salvage its commands"))
    }
    database.prepare("INSERT INTO venue (rules, runs) VALUES (?, 0)").run(rules)
  } else if (known !== rules) {
    return Result.fail(Rules.otherRules(file, String(known), rules))
  }
  database.exec("UPDATE venue SET runs = runs + 1")
  return Result.succeed(numberOf(database, "SELECT runs FROM venue", "runs"))
}

/**
 * Makes the existing and future files of a journal readable only by this user, because they contain the secrets of the
 * venue's keys.
 */
const makePrivate = (file: string): void => {
  for (const part of [file, `${file}-wal`, `${file}-shm`]) {
    if (existsSync(part) && (statSync(part).mode & 0o077) !== 0) chmodSync(part, 0o600)
  }
}

const sizeOf = (file: string): number => existsSync(file) ? statSync(file).size : 0

/** Refuses to open a log whose database is missing, because SQLite would create a new database and delete the log. */
const checkPresence = (file: string, anchor: Chain.End | undefined): JournalError | undefined => {
  if (sizeOf(file) > 0) return undefined
  const hadCommands = anchor !== undefined && anchor.sequence > 0
  if (!hadCommands && sizeOf(`${file}-wal`) <= WriteAheadLog.headerLength) return undefined
  const left = hadCommands ? Anchor.fileOf(file) : `${file}-wal`
  const reason =
    `the database is missing, but ${left} still exists. Put the database back, or begin a new journal by ` +
    `deleting ${file}-wal and ${Anchor.fileOf(file)}`
  return damaged(file, reason, 0)
}

/** The open database of a journal. */
export interface Opened {
  /** The SQLite database. */
  readonly database: DatabaseSync
  /** The number of times that the database has been opened, including this time. */
  readonly run: number
  /** Whether there was an anchor to compare the database with. */
  readonly anchored: boolean
}

/** Opens or creates the database of a journal. The database closes when the scope closes. */
export const open = Effect.fnUntraced(function*(
  file: string,
  rules: string
): Effect.fn.Return<Opened, JournalError, Scope.Scope> {
  const attempt = <A>(work: () => A) => Effect.try({ try: work, catch: fromSqlite(file) })
  const anchor = yield* Effect.fromResult(Anchor.read(file))
  const gone = yield* attempt(() => checkPresence(file, anchor))
  if (gone !== undefined) return yield* gone
  // Makes the file private before anything is written to it. If this fails, SQLite reports the reason.
  if (!existsSync(file)) Result.try(() => closeSync(openSync(file, "a", 0o600)))
  const database = yield* Effect.acquireRelease(
    attempt(() => new DatabaseSync(file)),
    (database) => Effect.sync(() => database.close())
  )
  const run = yield* Effect.flatMap(attempt(() => prepare(database, file, rules, anchor)), Effect.fromResult)
  return { database, run, anchored: anchor !== undefined }
})
