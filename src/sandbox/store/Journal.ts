/**
 * The durable record of every command, in an embedded SQLite database.
 *
 * Commands that arrive in one turn of the event loop are written in one transaction, to the disk, before any reply that
 * has seen them leaves. When a write fails no reply of its group leaves, and nothing more is written until the venue is
 * opened again. Every entry is chained to the one before it by a hash, so that none can be changed, or be lost or added
 * between others, unseen.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Command from "../engine/Command.ts"
import * as WriteAheadLog from "./WriteAheadLog.ts"

/** The version of the journal's form. A journal of another version is refused. */
export const version = 2

/** Marks a database as one of ours: SQLite's `application_id`. */
const applicationId = 0x54584331

/**
 * Why a journal can't be used:
 *
 * - `locked`: another process has it open
 * - `foreign`: the file is something else
 * - `newer`, `older`: written by another version of this program
 * - `other-rules`: written by a venue of another dialect or of other rules
 * - `damaged`: something that was written can't be read as it was written; see `intact`
 * - `full`: there is no room on the disk
 * - `failed`: reading or writing failed otherwise; see `reason`
 *
 * `intact` is how many commands, from the first on, can still be read when it is damaged.
 *
 * @category errors
 * @since 0.1.0
 */
export class JournalError extends Schema.TaggedError<JournalError>()("JournalError", {
  why: Schema.Literals(["locked", "foreign", "newer", "older", "other-rules", "damaged", "full", "failed"]),
  file: Schema.String,
  reason: Schema.String,
  intact: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    return `The journal ${this.file} can't be used (${this.why}): ${this.reason}`
  }
}

/**
 * What a venue was after so many commands, so that it need not be made again from the first one on.
 *
 * @category models
 * @since 0.1.0
 */
export interface Snapshot {
  readonly sequence: number
  readonly origin: number
  readonly state: Uint8Array
}

/**
 * - `sequence`, `digest`: how many commands are on the disk, and the hash of their chain
 * - `run`: how often the journal has been opened
 * - `unfinished`: so many bytes of a group that was not wholly written were found, and left out
 * - `snapshot`: the latest
 * - `recalledAfter`: the commands to which others, after this one, go back
 * - `read`: the commands from one (not included) to another (included), in order, each checked
 * - `lines`: so many commands after one, as they are written
 * - `append`: notes a command; it is on the disk when the next `committed` succeeds
 * - `keep`: writes a snapshot, with the commands noted before it
 * - `committed`: waits until everything noted so far is on the disk
 *
 * @category models
 * @since 0.1.0
 */
export interface Journal {
  readonly sequence: () => number
  readonly digest: () => string
  readonly run: number
  readonly unfinished: number
  readonly snapshot: Snapshot | undefined
  readonly recalledAfter: (sequence: number) => Effect.Effect<ReadonlySet<number>, JournalError>
  readonly read: (
    after: number,
    to: number,
    visit: (command: Command.Command, sequence: number) => void
  ) => Effect.Effect<void, JournalError>
  readonly lines: (after: number, limit: number) => Effect.Effect<ReadonlyArray<string>, JournalError>
  readonly append: (command: Command.Command) => void
  readonly keep: (snapshot: Snapshot) => void
  readonly committed: Effect.Effect<void, JournalError>
}

/**
 * - `rules`: the dialect and what else a journal can only be read by
 * - `onCommitted`: is told the last command on the disk, after every group
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly rules: string
  readonly onCommitted?: (sequence: number) => void
}

const Entry = Schema.fromJsonString(Schema.toCodecJson(Command.Command))
const encodeEntry = Schema.encodeResult(Entry)
const decodeEntry = Schema.decodeUnknownResult(Entry)

/**
 * A line of an exported journal as a command.
 *
 * @category conversions
 * @since 0.1.0
 */
export const parse: (line: string) => Result.Result<Command.Command, Schema.SchemaError> = decodeEntry

/** The name under which SQLite keeps a database in memory only. */
export const inMemory = ":memory:"

/** What there is before the first entry. */
const beginning: Uint8Array = new Uint8Array(32)

const chain = (before: Uint8Array, text: string): Uint8Array =>
  createHash("sha256").update(before).update(text).digest()

/** Of a snapshot and of the chain up to it, so that no snapshot is taken for one of another place. */
const seal = ({ origin, sequence, state }: Snapshot, link: Uint8Array): Uint8Array =>
  createHash("sha256").update(`${sequence} ${origin} `).update(link).update(state).digest()

const isSame = (a: unknown, b: Uint8Array): boolean => a instanceof Uint8Array && Buffer.compare(a, b) === 0

/** The result codes of SQLite that say what to do. */
const reasons: { readonly [code: number]: readonly [JournalError["why"], string] } = {
  5: ["locked", "another process has it open; stop that one, or name another file"],
  8: ["failed", "the file can't be written; change its permissions, or name another file"],
  11: ["damaged", "the database is damaged; salvage what can be read of it, or name another file"],
  13: ["full", "the disk is full; make room and open the venue again"],
  14: ["failed", "the file can't be opened; see that its folder exists and can be written"],
  26: ["foreign", "it is no database; name another file"]
}

const failureIn = (file: string) => (error: unknown): JournalError => {
  const { errcode = 0, message } = error as { readonly errcode?: number; readonly message: string }
  const [why, reason] = reasons[errcode & 0xff] ?? ["failed", message]
  return new JournalError({ why, file, reason })
}

/** Looks at the file before SQLite does, who would leave out what it can't read of the log. */
const inspect = (file: string): WriteAheadLog.Inspection =>
  file !== inMemory && existsSync(`${file}-wal`)
    ? WriteAheadLog.inspect(readFileSync(`${file}-wal`))
    : { unfinished: 0, damaged: false }

const prepare = (database: DatabaseSync, file: string, rules: string): Result.Result<number, JournalError> => {
  const fail = (why: JournalError["why"], reason: string) => Result.fail(new JournalError({ why, file, reason }))
  const number = (sql: string, column: string) => Number(database.prepare(sql).get()?.[column])
  const id = number("PRAGMA application_id", "application_id")
  const tables = number("SELECT count(*) AS n FROM sqlite_schema", "n")
  if (id !== applicationId && (id !== 0 || tables > 0)) {
    return fail("foreign", "it is a database of another program; name another file")
  }
  const found = number("PRAGMA user_version", "user_version")
  const other = `it has version ${found}, this program knows ${version}; name another file`
  if (found > version) return fail("newer", other)
  if (tables > 0 && found < version) return fail("older", other)
  // Only now that the file is known to be ours: this writes to it.
  database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  // The log begins anew, so that what is left of an unfinished group is never behind a group of this run.
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
  const known = database.prepare("SELECT rules FROM venue").get()?.["rules"]
  if (known === undefined) database.prepare("INSERT INTO venue (rules, runs) VALUES (?, 0)").run(rules)
  else if (known !== rules) {
    return fail("other-rules", `it was written by a venue of "${String(known)}"; this one is of "${rules}"`)
  }
  database.exec("UPDATE venue SET runs = runs + 1")
  return Result.succeed(number("SELECT runs FROM venue", "runs"))
}

type Row = Readonly<Record<string, unknown>>

/** Follows the chain from entry to entry; gives the error of the first that does not belong there. */
const follow = (
  rows: Iterable<Row>,
  file: string,
  after: number,
  before: Uint8Array,
  visit: (command: Command.Command, sequence: number, text: string) => void
): JournalError | undefined => {
  let sequence = after
  let link = before
  const damaged = (reason: string) =>
    new JournalError({
      why: "damaged",
      file,
      reason: `${reason}; the first ${sequence} commands are intact. Salvage these, or name another file`,
      intact: sequence
    })
  for (const { command, hash, sequence: number } of rows) {
    const text = String(command)
    if (number !== sequence + 1) return damaged(`entry ${sequence + 1} is missing`)
    link = chain(link, text)
    if (!isSame(hash, link)) return damaged(`entry ${sequence + 1} is not what was written`)
    const decoded = decodeEntry(text)
    if (Result.isFailure(decoded)) return damaged(`entry ${sequence + 1}: ${decoded.failure.message}`)
    sequence++
    visit(decoded.success, sequence, text)
  }
  return undefined
}

const entriesAfter =
  "SELECT sequence, command, hash FROM journal WHERE sequence > ? AND sequence <= ? ORDER BY sequence"

const latestSnapshot = (
  database: DatabaseSync,
  linkOf: (sequence: number) => Uint8Array
): Snapshot | undefined => {
  const row = database.prepare("SELECT * FROM snapshot ORDER BY sequence DESC LIMIT 1").get()
  const state = row?.["state"]
  if (row === undefined || !(state instanceof Uint8Array)) return undefined
  const snapshot = { sequence: Number(row["sequence"]), origin: Number(row["origin"]), state }
  // Without a snapshot that is what it was, everything is made again from the first command on.
  return isSame(row["hash"], seal(snapshot, linkOf(snapshot.sequence))) ? snapshot : undefined
}

/**
 * What can be read of a journal, whatever has happened to it. Works on a copy: the journal stays as it is.
 *
 * - `lines`: the commands that are intact, from the first on
 * - `error`: what is wrong with the rest, if anything is
 *
 * @category constructors
 * @since 0.1.0
 */
export const salvage = (
  file: string
): Effect.Effect<
  { readonly lines: ReadonlyArray<string>; readonly error: JournalError | undefined },
  JournalError
> =>
  Effect.scoped(Effect.gen(function*() {
    const failed = failureIn(file)
    if (!existsSync(file)) return yield* new JournalError({ why: "failed", file, reason: "there is no such file" })
    const folder = yield* Effect.acquireRelease(
      Effect.try({ try: () => mkdtempSync(join(tmpdir(), "effect-txc-")), catch: failed }),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    const copy = join(folder, "journal.sqlite")
    return yield* Effect.try({
      try: () => {
        const { damaged } = inspect(file)
        for (const part of ["", "-wal"]) if (existsSync(file + part)) copyFileSync(file + part, copy + part)
        const database = new DatabaseSync(copy)
        const lines: Array<string> = []
        const read = Result.try(() =>
          follow(
            database.prepare(entriesAfter).iterate(0, Number.MAX_SAFE_INTEGER),
            file,
            0,
            beginning,
            (_command, _sequence, text) => lines.push(text)
          )
        )
        database.close()
        const error = Result.isFailure(read) ? failed(read.failure) : read.success
        return { lines, error: damaged ? torn(file, lines.length) : error }
      },
      catch: failed
    })
  }))

const torn = (file: string, intact: number): JournalError =>
  new JournalError({
    why: "damaged",
    file,
    reason: `its log can't be read to its end, and what is missing had been written; the first ${intact} commands are` +
      " intact. Salvage these, or name another file",
    intact
  })

/**
 * Opens a journal, or makes one. It is closed with the scope.
 *
 * @category constructors
 * @since 0.1.0
 */
export const open = Effect.fnUntraced(function*(
  file: string,
  { onCommitted, rules }: Options
): Effect.fn.Return<Journal, JournalError, Scope.Scope> {
  const failed = failureIn(file)
  const attempt = <A>(work: () => A) => Effect.try({ try: work, catch: failed })
  const { damaged, unfinished } = yield* attempt(() => inspect(file))
  if (damaged) {
    const { lines } = yield* salvage(file)
    return yield* torn(file, lines.length)
  }
  const isNew = file !== inMemory && !existsSync(file)
  const database = yield* Effect.acquireRelease(
    attempt(() => new DatabaseSync(file)),
    (database) => Effect.sync(() => database.close())
  )
  // It holds the secrets of the venue's keys.
  if (isNew) yield* attempt(() => chmodSync(file, 0o600))
  const run = yield* Effect.flatMap(attempt(() => prepare(database, file, rules)), Effect.fromResult).pipe(
    Effect.catchIf(
      ({ why }) => why === "damaged",
      (error) =>
        Effect.flatMap(salvage(file), ({ lines }) =>
          Effect.fail(
            new JournalError({ why: "damaged", file, reason: error.reason, intact: lines.length })
          ))
    )
  )

  const count = database.prepare("SELECT coalesce(max(sequence), 0) AS n FROM journal")
  const hashOf = database.prepare("SELECT hash FROM journal WHERE sequence = ?")
  const entries = database.prepare(entriesAfter)
  const insert = database.prepare("INSERT INTO journal (sequence, command, hash, recalled) VALUES (?, ?, ?, ?)")
  const replace = database.prepare("INSERT INTO snapshot (sequence, origin, state, hash) VALUES (?, ?, ?, ?)")

  /** Reads; when the database is damaged, finds out how much of it is not. */
  const reading = <A>(work: () => A) =>
    Effect.mapError(attempt(work), ({ reason, why }) => {
      if (why !== "damaged") return new JournalError({ why, file, reason })
      let intact = 0
      const count = (_command: Command.Command, sequence: number) => intact = sequence
      Result.try(() => follow(entries.iterate(0, Number.MAX_SAFE_INTEGER), file, 0, beginning, count))
      return new JournalError({ why, file, reason, intact })
    })

  const linkOf = (sequence: number): Uint8Array => {
    const found = hashOf.get(sequence)?.["hash"]
    return found instanceof Uint8Array ? found : beginning
  }
  let sequence = yield* reading(() => Number(count.get()?.["n"]))
  let link = yield* reading(() => linkOf(sequence))
  const snapshot = yield* reading(() => latestSnapshot(database, linkOf))
  const recalls = database.prepare("SELECT recalled FROM journal WHERE recalled IS NOT NULL AND sequence > ?")

  let group: Array<Command.Command> = []
  let kept: Snapshot | undefined
  let waiting: Array<(exit: Exit.Exit<void, JournalError>) => void> = []
  let broken: JournalError | undefined

  const write = (): void => {
    let number = sequence
    let last = link
    database.exec("BEGIN IMMEDIATE")
    for (const command of group) {
      const text = Result.getOrThrow(encodeEntry(command))
      last = chain(last, text)
      insert.run(++number, text, last, command.action._tag === "Restore" ? command.action.sequence : null)
    }
    if (kept !== undefined) {
      database.exec("DELETE FROM snapshot")
      replace.run(kept.sequence, kept.origin, kept.state, seal(kept, linkOf(kept.sequence)))
    }
    database.exec("COMMIT")
    sequence = number
    link = last
  }

  const commit = (): void => {
    const resumed = waiting
    waiting = []
    if (broken === undefined && group.length > 0) {
      const written = Result.try({ try: write, catch: failed })
      if (Result.isFailure(written)) broken = written.failure
      else onCommitted?.(sequence)
      group = []
      kept = undefined
    }
    const exit = broken === undefined ? Exit.void : Exit.fail(broken)
    for (const resume of resumed) resume(exit)
  }

  return {
    sequence: () => sequence,
    digest: () => Buffer.from(link).toString("hex"),
    run,
    unfinished,
    snapshot,
    recalledAfter: (sequence) => reading(() => new Set(recalls.all(sequence).map(({ recalled }) => Number(recalled)))),
    read: (after, to, visit) =>
      Effect.flatMap(
        reading(() => follow(entries.iterate(after, to), file, after, linkOf(after), visit)),
        (error) => error === undefined ? Effect.void : Effect.fail(error)
      ),
    lines: (after, limit) => reading(() => entries.all(after, after + limit).map(({ command }) => String(command))),
    append: (command) => {
      // What can't be written any more is not kept either.
      if (broken === undefined) group.push(command)
    },
    keep: (snapshot) => {
      kept = snapshot
    },
    committed: Effect.callback((resume) => {
      // The first to wait in this turn of the event loop has the group written at the end of it.
      if (waiting.push((exit) => resume(exit)) === 1) setImmediate(commit)
    })
  }
})
