/** The errors that a journal can cause. */
import * as Schema from "effect/Schema"
import { inMemory, maxInMemory } from "./InMemory.ts"

/** A journal can't be used. */
export class JournalError extends Schema.TaggedError<JournalError>()("JournalError", {
  why: Schema.Literals(["locked", "fenced", "foreign", "newer", "older", "other-rules", "damaged", "full", "failed"]),
  file: Schema.String,
  reason: Schema.String,
  intact: Schema.optionalKey(Schema.Int)
}) {
  /**
   * The kind of problem:
   *
   * - `locked`: another process has the journal open
   * - `fenced`: another process has taken over the journal, or the journal is assigned to another process; pending
   *   commands were not written
   * - `foreign`: the file is not a journal of this program, is a link, or already exists when a new one is needed
   * - `newer`, `older`: a different version of this program, or of its engine, wrote the journal
   * - `other-rules`: a different venue, or one with a different dialect or policy, wrote the journal
   * - `damaged`: the contents are corrupt; see `intact`
   * - `full`: the disk is full, or a journal in memory has reached its maximum size
   * - `failed`: reading or writing failed for another reason; see `reason`
   */
  declare readonly why:
    | "locked"
    | "fenced"
    | "foreign"
    | "newer"
    | "older"
    | "other-rules"
    | "damaged"
    | "full"
    | "failed"
  /** The journal's file or venue, as the message names it. */
  declare readonly file: string
  /** Describes the problem, and how to resolve it. */
  declare readonly reason: string
  /** If the journal is damaged: the number of commands that can still be read, counted from the first. */
  declare readonly intact?: number
  override get message(): string {
    return `The journal ${this.file} can't be used (${this.why}): ${this.reason}`
  }
}

/** The errors for SQLite result codes whose cause the user can fix. */
const reasons: { readonly [code: number]: readonly [JournalError["why"], string] } = {
  5: ["locked", "another process has it open; stop that process, or use another file"],
  8: ["failed", "the file can't be written; change its permissions, or use another file"],
  11: ["damaged", "the database is damaged; salvage what can be read of it, or use another file"],
  13: ["full", "the disk is full; make room and reopen the venue"],
  14: ["failed", "the file can't be opened; make sure that its folder exists and is writable"],
  26: ["foreign", "it is not a database; use another file"]
}

/** The error for a command whose time is later than a journal can record. */
export const tooLate = (file: string): JournalError => {
  const reason =
    "the venue's time is after 2199, the last year that a journal can record. Correct the machine's clock, or return " +
    "the venue to a state with an earlier clock (Reset, Restore)"
  return new JournalError({ why: "failed", file, reason })
}

/** The error when a journal in memory has reached its maximum size. */
export const fullInMemory = (): JournalError => {
  const reason =
    `it takes ${maxInMemory / 1024 ** 2} MiB, the most that a journal in memory may take; keep a journal of this ` +
    "size in a file"
  return new JournalError({ why: "full", file: inMemory, reason })
}

/** The error when a journal in memory is used after it was closed. */
export const closedInMemory = (): JournalError =>
  new JournalError({ why: "failed", file: inMemory, reason: "it is closed" })

const isJournalError = Schema.is(JournalError)

/** Converts an error from SQLite or the file system to a journal error. Returns a `JournalError` unchanged. */
export const fromSqlite = (file: string) => (error: unknown): JournalError => {
  if (isJournalError(error)) return error
  const { errcode = 0, message } = error as { readonly errcode?: number; readonly message: string }
  const [why, reason] = reasons[errcode & 0xff] ?? ["failed", message]
  return new JournalError({ why, file, reason })
}

/** The error for a journal whose contents are corrupt. */
export const damaged = (file: string, reason: string, intact?: number): JournalError =>
  new JournalError({ why: "damaged", file, reason, ...(intact === undefined ? {} : { intact }) })

/** The error for a journal with a damaged write-ahead log. */
export const logDamaged = (file: string, intact: number): JournalError =>
  damaged(
    file,
    "its log can't be read to the end, although the unreadable part had been committed; the first " +
      `${intact} commands are intact. Salvage these, or use another file`,
    intact
  )
