/** Why a journal can't be used. */
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
   * - `locked`: another process has it open
   * - `fenced`: another process has taken it over; what was to be written was not
   * - `foreign`: the file is something else
   * - `newer`, `older`: another version of this program wrote it
   * - `other-rules`: a venue with another dialect, policy or engine wrote it
   * - `damaged`: something can't be read as it was written; see `intact`
   * - `full`: there is no room on the disk
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
  /** The file of the journal. */
  declare readonly file: string
  /** What is wrong, and what to do about it. */
  declare readonly reason: string
  /** How many commands, from the first on, can still be read when it is damaged. */
  declare readonly intact?: number
  override get message(): string {
    return `The journal ${this.file} can't be used (${this.why}): ${this.reason}`
  }
}

/** The result codes of SQLite that say what to do. */
const reasons: { readonly [code: number]: readonly [JournalError["why"], string] } = {
  5: ["locked", "another process has it open; stop that process, or name another file"],
  8: ["failed", "the file can't be written; change its permissions, or name another file"],
  11: ["damaged", "the database is damaged; salvage what can be read of it, or name another file"],
  13: ["full", "the disk is full; make room and reopen the venue"],
  14: ["failed", "the file can't be opened; make sure that its folder exists and is writable"],
  26: ["foreign", "it is not a database; name another file"]
}

/** The error of a journal in memory that takes as much as it may. */
export const fullInMemory = (): JournalError => {
  const reason =
    `it takes ${maxInMemory / 1024 ** 2} MiB, and a journal in memory takes no more; keep the journal of ` +
    "so many commands in a file"
  return new JournalError({ why: "full", file: inMemory, reason })
}

/** The error of a journal in memory that is closed. */
export const closedInMemory = (): JournalError =>
  new JournalError({ why: "failed", file: inMemory, reason: "it is closed" })

const isJournalError = Schema.is(JournalError)

/** The error of a journal for an error of SQLite, or of the file system. An error of a journal stays what it is. */
export const fromSqlite = (file: string) => (error: unknown): JournalError => {
  if (isJournalError(error)) return error
  const { errcode = 0, message } = error as { readonly errcode?: number; readonly message: string }
  const [why, reason] = reasons[errcode & 0xff] ?? ["failed", message]
  return new JournalError({ why, file, reason })
}

/** The error of a journal that is not as it was written. */
export const damaged = (file: string, reason: string, intact?: number): JournalError =>
  new JournalError({ why: "damaged", file, reason, ...(intact === undefined ? {} : { intact }) })

/** The error of a journal whose write-ahead log is damaged. */
export const logDamaged = (file: string, intact: number): JournalError =>
  damaged(
    file,
    "its log can't be read to the end, and the missing part had been committed; the first " +
      `${intact} commands are intact. Salvage these, or name another file`,
    intact
  )
