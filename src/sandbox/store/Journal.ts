/**
 * The durable record of every command, in an embedded SQLite database. Without a file, the record is kept in memory, up
 * to a maximum size.
 *
 * Commands are written in groups: the commands of two turns of the event loop or, without a file, of one turn. A group
 * is written in one transaction, and no reply that depends on one of its commands is sent before the group is durable.
 * When a write fails, no such reply is sent, and nothing more is written until the venue is reopened. A hash
 * chain links every entry to the one before it, so no entry can be changed, lost or inserted unnoticed.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Journal } from "effect-txc/sandbox"
 *
 * // The readable part of a damaged journal, as lines that a new venue can replay.
 * const intact = Effect.map(Journal.salvage("venue.sqlite"), ({ lines }) => lines)
 * ```
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Command } from "../engine/Command.ts"
import * as Anchor from "./Anchor.ts"
import * as Chain from "./Chain.ts"
import type { Deliveries } from "./Deliveries.ts"
import * as GroupCommit from "./GroupCommit.ts"
import { inMemory } from "./InMemory.ts"
import { damaged, fromSqlite, JournalError, logDamaged } from "./JournalError.ts"
import * as JournalFile from "./JournalFile.ts"
import * as JournalTables from "./JournalTables.ts"
import * as MemoryTables from "./MemoryTables.ts"
import { salvage } from "./Salvage.ts"

export { JournalError } from "./JournalError.ts"
export { inMemory, maxInMemory } from "./InMemory.ts"
export { version } from "./JournalFile.ts"
export type { Snapshot } from "./JournalTables.ts"
export { salvage, type Salvaged } from "./Salvage.ts"

/**
 * The commands of a venue, in order. The first command has the number 1.
 *
 * @category models
 */
export interface Journal {
  /** The number of durable commands. */
  readonly sequence: () => number
  /** The link of the last durable command in the hash chain, in lower-case hex. */
  readonly digest: () => string
  /** The number of times that the journal has been opened, including this time. */
  readonly run: number
  /** The size of the incomplete group that was found and ignored when the journal was opened, in bytes. */
  readonly unfinished: number
  /**
   * The latest snapshot, if it is usable. Snapshots are large: read one only when you need it, and do not keep a
   * reference to it.
   */
  readonly snapshot: Effect.Effect<JournalTables.Snapshot | undefined, JournalError>
  /** The numbers of the commands whose states are restored by commands after `sequence`. */
  readonly recalledAfter: (sequence: number) => Effect.Effect<ReadonlySet<number>, JournalError>
  /** Whether there was an anchor to compare the journal with when it was opened. */
  readonly anchored: boolean
  /** Checks all durable commands, starting with the first. Fails at the first command that is damaged or missing. */
  readonly verify: Effect.Effect<void, JournalError>
  /**
   * Visits the commands from `after` (exclusive) to `to` (inclusive), in order. Fails at the first command that is
   * damaged or missing. The command `after` itself is not checked.
   */
  readonly read: (
    after: number,
    to: number,
    visit: (command: Command, sequence: number) => void
  ) => Effect.Effect<void, JournalError>
  /** Checks all durable commands, then streams their text. Each command is checked again when it is read. */
  readonly lines: Effect.Effect<Stream.Stream<string, JournalError>, JournalError>
  /** Appends a command. The command is durable once the next `committed` succeeds. */
  readonly append: (command: Command) => void
  /** Writes a snapshot that replaces the previous snapshot, together with the commands appended before it. */
  readonly keep: (snapshot: JournalTables.Snapshot) => void
  /**
   * Calls `done` once everything appended so far is durable, or with the error if a write has failed. After a failed
   * write, every call gets that error.
   */
  readonly whenCommitted: (done: (error: JournalError | undefined) => void) => void
  /** Waits until everything appended so far is durable. After a failed write, this effect always fails. */
  readonly committed: Effect.Effect<void, JournalError>
  /** After a failed write: the reason why nothing more can be written. */
  readonly failure: () => JournalError | undefined
  /** The responses to requests that can arrive twice; absent if requests never arrive twice. */
  readonly deliveries?: Deliveries
}

/**
 * The options for opening a journal.
 *
 * @category models
 */
export interface Options {
  /**
   * The venue's dialect, policy and engine version. A journal that was written under different rules can't be opened.
   */
  readonly rules: string
  /** Called after each group that becomes durable, with the number of its last command. */
  readonly onCommitted?: (sequence: number) => void
}

/**
 * Parses a line of an exported journal.
 *
 * @category conversions
 */
export const parse: (line: string) => Result.Result<Command, Schema.SchemaError> = Chain.decode

/** Opens the file. If it is damaged, the error says how many commands are intact. */
const openFile = (file: string, rules: string) =>
  JournalFile.open(file, rules).pipe(
    Effect.catchIf(
      ({ intact, why }) => why === "damaged" && intact === undefined,
      ({ reason }) =>
        Effect.flatMap(salvage(file), ({ lines }) =>
          Effect.fail(damaged(file, `${reason}; the first ${lines.length} commands are intact`, lines.length)))
    )
  )

/** Opens the tables of a file, after checking its log. */
const openTables = Effect.fnUntraced(function*(file: string, rules: string) {
  const { damaged: isDamaged, unfinished } = yield* Effect.try({
    try: () => JournalFile.inspectLog(file),
    catch: fromSqlite(file)
  })
  if (isDamaged) {
    const { lines } = yield* salvage(file)
    return yield* logDamaged(file, lines.length)
  }
  const { anchored, database, run } = yield* openFile(file, rules)
  return { tables: JournalTables.make(database), run, unfinished, anchored }
})

type Reading = <A>(work: () => A) => Effect.Effect<A, JournalError>

/** Reads from the tables. If the database is damaged, the error says how many commands are intact. */
const readingFrom = (file: string, tables: JournalTables.JournalTables): Reading => (work) =>
  Effect.try({
    try: work,
    catch: (cause) => {
      const { reason, why } = fromSqlite(file)(cause)
      if (why !== "damaged") return new JournalError({ why, file, reason })
      let intact = 0
      const visit = (_command: Command, sequence: number) => intact = sequence
      const all = { file, after: Chain.start, to: undefined }
      Result.try(() => Chain.follow(tables.entries(0, Number.MAX_SAFE_INTEGER), all, visit))
      return new JournalError({ why, file, reason, intact })
    }
  })

/** The maximum number of commands in one page. Other work runs between pages. */
const page = 1000

/** Reads commands in pages, starting with the first. Each page is checked before it is emitted. */
const pagesOf = (file: string, tables: JournalTables.JournalTables, reading: Reading) => {
  const readPage = Effect.fnUntraced(function*(after: Chain.End, end: Chain.End) {
    const texts: Array<string> = []
    const to = Math.min(after.sequence + page, end.sequence)
    const checked = yield* reading(() =>
      Chain.check(tables.entries(after.sequence, to), { file, after, to }, (text) => {
        texts.push(text)
        return undefined
      })
    )
    const place = yield* Effect.fromResult(checked)
    if (to === end.sequence && !Chain.isSame(place.link, end.link)) {
      return yield* damaged(file, "it was rewritten while it was open. Salvage the rest", 0)
    }
    yield* Effect.yieldNow
    return { texts, place }
  })
  return {
    verify: Effect.fnUntraced(function*(end: Chain.End) {
      for (let place = Chain.start; place.sequence < end.sequence;) place = (yield* readPage(place, end)).place
    }),
    lines: (end: Chain.End): Stream.Stream<string, JournalError> =>
      Stream.paginate(
        Chain.start,
        (after) =>
          Effect.map(readPage(after, end), ({ place, texts }) =>
            [texts, place.sequence < end.sequence ? Option.some(place) : Option.none()] as const)
      )
  }
}

/**
 * Opens a journal, or creates one. The journal closes when the scope closes.
 *
 * @category constructors
 */
export const open = Effect.fnUntraced(function*(
  file: string,
  { onCommitted = () => undefined, rules }: Options
): Effect.fn.Return<Journal, JournalError, Scope.Scope> {
  const failed = fromSqlite(file)
  const { anchored, run, tables, unfinished } = file === inMemory
    ? { tables: yield* MemoryTables.open, run: 1, unfinished: 0, anchored: false }
    : yield* openTables(file, rules)
  const reading = readingFrom(file, tables)
  const end = yield* reading(() => tables.end())
  const anchor = yield* Anchor.open(file, end)
  const writer = GroupCommit.make({ tables, anchor, onDisk: file !== inMemory, end, failed, onCommitted })
  const pages = pagesOf(file, tables, reading)
  const verify = Effect.suspend(() => pages.verify(writer.end()))
  return {
    sequence: () => writer.end().sequence,
    digest: () => Buffer.from(writer.end().link).toString("hex"),
    run,
    unfinished,
    anchored,
    snapshot: reading(() => tables.snapshot()),
    recalledAfter: (sequence) => reading(() => tables.recalledAfter(sequence)),
    verify,
    read: (after, to, visit) =>
      Effect.flatMap(
        reading(() => {
          const before = { sequence: after, link: after === 0 ? Chain.start.link : tables.linkOf(after) }
          return Chain.follow(tables.entries(after, to), { file, after: before, to }, visit)
        }),
        (followed) => Effect.asVoid(Effect.fromResult(followed))
      ),
    lines: Effect.suspend(() => {
      const end = writer.end()
      return Effect.as(pages.verify(end), end.sequence === 0 ? Stream.empty : pages.lines(end))
    }),
    append: writer.append,
    keep: writer.keep,
    whenCommitted: writer.whenCommitted,
    committed: writer.committed,
    failure: writer.failure
  }
})
