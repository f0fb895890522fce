/**
 * The chain of a journal's entries. Each entry's hash covers the entry before it, so that none can be changed, lost or
 * inserted unnoticed.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { Command } from "../engine/Command.ts"
import { damaged, type JournalError } from "./JournalError.ts"

const Entry = Schema.fromJsonString(Schema.toCodecJson(Command))

/**
 * A command as the text of an entry.
 *
 * @category conversions
 * @since 0.1.0
 */
export const encode = Schema.encodeResult(Entry)

/**
 * The command of an entry's text.
 *
 * @category conversions
 * @since 0.1.0
 */
export const decode: (text: unknown) => Result.Result<Command, Schema.SchemaError> = Schema.decodeUnknownResult(Entry)

/** The link before the first entry. */
const beginning: Uint8Array = new Uint8Array(32)

/**
 * The link of an entry: a hash of its text and of the link before it.
 *
 * @category links
 * @since 0.1.0
 */
export const link = (before: Uint8Array, text: string): Uint8Array =>
  createHash("sha256").update(before).update(text).digest()

/**
 * Whether a value of the database is this hash.
 *
 * @category links
 * @since 0.1.0
 */
export const isSame = (value: unknown, hash: Uint8Array): boolean =>
  value instanceof Uint8Array && Buffer.compare(value, hash) === 0

/**
 * A row of the database.
 *
 * @category models
 * @since 0.1.0
 */
export type Row = Readonly<Record<string, unknown>>

/**
 * A place in a chain: an entry's number and its link.
 *
 * @category models
 * @since 0.1.0
 */
export interface End {
  /** The number of the entry; 0 before the first. */
  readonly sequence: number
  /** The link of that entry. */
  readonly link: Uint8Array
}

/**
 * The place before the first entry.
 *
 * @category links
 * @since 0.1.0
 */
export const start: End = { sequence: 0, link: beginning }

/**
 * A part of a journal.
 *
 * @category models
 * @since 0.1.0
 */
export interface Section {
  /** The file of the journal, for errors. */
  readonly file: string
  /** The place after which it begins. It must be known to be right. */
  readonly after: End
  /** The number of its last entry; `undefined` when it ends where the rows do. */
  readonly to: number | undefined
}

/**
 * Follows the chain from entry to entry, and gives the place where it ends. Fails at the first entry that is missing or
 * is not what was written. `visit` gets each entry that is right, and may say what is wrong with it nevertheless.
 *
 * @category links
 * @since 0.1.0
 */
export const check = (
  rows: Iterable<Row>,
  { after, file, to }: Section,
  visit: (text: string, sequence: number, row: Row) => string | undefined
): Result.Result<End, JournalError> => {
  let { link: last, sequence } = after
  const broken = (reason: string) =>
    Result.fail(
      damaged(
        file,
        `${reason}; the first ${sequence} commands are intact. Salvage these, or name another file`,
        sequence
      )
    )
  for (const row of rows) {
    const next = sequence + 1
    const text = String(row["command"])
    if (row["sequence"] !== next) return broken(`entry ${next} is missing`)
    const linked = link(last, text)
    if (!isSame(row["hash"], linked)) return broken(`entry ${next} is not what was written`)
    const wrong = visit(text, next, row)
    if (wrong !== undefined) return broken(`entry ${next}${wrong}`)
    last = linked
    sequence = next
  }
  return to !== undefined && sequence < to
    ? broken(`entry ${sequence + 1} is missing`)
    : Result.succeed({ sequence, link: last })
}

/** What the table says beside the chain, so that a recovery knows early what it will go back to. */
const recalledBy = ({ action }: Command): number | null => action._tag === "Restore" ? action.sequence : null

/**
 * Follows the chain as `check` does, and visits the commands.
 *
 * @category links
 * @since 0.1.0
 */
export const follow = (
  rows: Iterable<Row>,
  section: Section,
  visit: (command: Command, sequence: number, text: string) => void
): Result.Result<End, JournalError> =>
  check(rows, section, (text, sequence, row) => {
    const decoded = decode(text)
    if (Result.isFailure(decoded)) return `: ${decoded.failure.message}`
    if (row["recalled"] !== recalledBy(decoded.success)) return " is not marked as what it is"
    visit(decoded.success, sequence, text)
    return undefined
  })
