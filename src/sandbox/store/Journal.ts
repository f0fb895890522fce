/**
 * The durable record of every command, in an embedded SQLite database.
 *
 * Commands that arrive in one turn of the event loop are one group. A group is written in one transaction, and no reply
 * that has seen one of its commands is sent before the group is durable. When a write fails, no reply of the group is
 * sent, and nothing more is written until the venue is reopened. A hash chains every entry to the one before it, so that
 * none can be changed, lost or inserted unnoticed.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Journal } from "effect-txc/sandbox"
 *
 * // What can still be read of a damaged journal: lines that a new venue can replay.
 * const intact = Effect.map(Journal.salvage("venue.sqlite"), ({ lines }) => lines)
 * ```
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Command } from "../engine/Command.ts"
import * as Chain from "./Chain.ts"
import * as GroupCommit from "./GroupCommit.ts"
import { fromSqlite, JournalError, logDamaged } from "./JournalError.ts"
import * as JournalFile from "./JournalFile.ts"
import * as JournalTables from "./JournalTables.ts"
import { salvage } from "./Salvage.ts"

export { JournalError } from "./JournalError.ts"
export { inMemory, version } from "./JournalFile.ts"
export type { Snapshot } from "./JournalTables.ts"
export { salvage, type Salvaged } from "./Salvage.ts"

/**
 * The commands of a venue, in order. The first has the number 1.
 *
 * @category models
 * @since 0.1.0
 */
export interface Journal {
  /** How many commands are durable. */
  readonly sequence: () => number
  /** The hash of the chain of all durable commands, in lower-case hex. */
  readonly digest: () => string
  /** How often the journal has been opened; 1 the first time. */
  readonly run: number
  /** How many bytes of an incomplete group were found when the journal was opened. They were ignored. */
  readonly unfinished: number
  /** The latest snapshot when the journal was opened. */
  readonly snapshot: JournalTables.Snapshot | undefined
  /** The commands that later ones, after this one, go back to. */
  readonly recalledAfter: (sequence: number) => Effect.Effect<ReadonlySet<number>, JournalError>
  /** Visits the commands from `after` (exclusive) to `to` (inclusive), in order. Fails at the first that is damaged. */
  readonly read: (
    after: number,
    to: number,
    visit: (command: Command, sequence: number) => void
  ) => Effect.Effect<void, JournalError>
  /** The texts of at most `limit` commands after this one. */
  readonly lines: (after: number, limit: number) => Effect.Effect<ReadonlyArray<string>, JournalError>
  /** Appends a command. It is durable when the next `committed` succeeds. */
  readonly append: (command: Command) => void
  /** Writes a snapshot in place of the last one, together with the commands appended before it. */
  readonly keep: (snapshot: JournalTables.Snapshot) => void
  /** Waits until everything appended so far is durable. Fails for good once a write has failed. */
  readonly committed: Effect.Effect<void, JournalError>
}

/**
 * How to open a journal.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** What the journal can only be read with: the dialect, the policy and the engine. A journal of others is refused. */
  readonly rules: string
  /** Called with the number of the last durable command after every group. */
  readonly onCommitted?: (sequence: number) => void
}

/**
 * The command in a line of an exported journal.
 *
 * @category conversions
 * @since 0.1.0
 */
export const parse: (line: string) => Result.Result<Command, Schema.SchemaError> = Chain.decode

/** Opens the file. When it is damaged, the error says how many commands are intact. */
const openFile = (file: string, rules: string) =>
  JournalFile.open(file, rules).pipe(
    Effect.catchIf(
      ({ why }) => why === "damaged",
      ({ reason }) =>
        Effect.flatMap(salvage(file), ({ lines }) =>
          Effect.fail(new JournalError({ why: "damaged", file, reason, intact: lines.length })))
    )
  )

/** Reads from the tables. When the database is damaged, the error says how many commands are intact. */
const readingFrom = (file: string, tables: JournalTables.JournalTables) => <A>(work: () => A) =>
  Effect.try({
    try: work,
    catch: (cause) => {
      const { reason, why } = fromSqlite(file)(cause)
      if (why !== "damaged") return new JournalError({ why, file, reason })
      let intact = 0
      const visit = (_command: Command, sequence: number) => intact = sequence
      const beginning = { file, after: 0, before: Chain.beginning }
      Result.try(() => Chain.follow(tables.entries(0, Number.MAX_SAFE_INTEGER), beginning, visit))
      return new JournalError({ why, file, reason, intact })
    }
  })

/**
 * Opens a journal, or creates one. It is closed with the scope.
 *
 * @category constructors
 * @since 0.1.0
 */
export const open = Effect.fnUntraced(function*(
  file: string,
  { onCommitted = () => undefined, rules }: Options
): Effect.fn.Return<Journal, JournalError, Scope.Scope> {
  const failed = fromSqlite(file)
  const { damaged, unfinished } = yield* Effect.try({ try: () => JournalFile.inspectLog(file), catch: failed })
  if (damaged) {
    const { lines } = yield* salvage(file)
    return yield* logDamaged(file, lines.length)
  }
  const { database, run } = yield* openFile(file, rules)
  const tables = JournalTables.make(database)
  const reading = readingFrom(file, tables)
  const end = yield* reading(() => tables.end())
  const snapshot = yield* reading(() => tables.snapshot())
  const writer = GroupCommit.make({ tables, end, failed, onCommitted })
  return {
    sequence: () => writer.end().sequence,
    digest: () => Buffer.from(writer.end().link).toString("hex"),
    run,
    unfinished,
    snapshot,
    recalledAfter: (sequence) => reading(() => tables.recalledAfter(sequence)),
    read: (after, to, visit) =>
      Effect.flatMap(
        reading(() => Chain.follow(tables.entries(after, to), { file, after, before: tables.linkOf(after) }, visit)),
        (error) => error === undefined ? Effect.void : Effect.fail(error)
      ),
    lines: (after, limit) => reading(() => tables.texts(after, after + limit)),
    append: writer.append,
    keep: writer.keep,
    committed: writer.committed
  }
})
