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
import { JournalError } from "./JournalError.ts"

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

/**
 * The link before the first entry.
 *
 * @category links
 * @since 0.1.0
 */
export const beginning: Uint8Array = new Uint8Array(32)

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
 * A place in a journal.
 *
 * @category models
 * @since 0.1.0
 */
export interface Place {
  /** The file of the journal, for errors. */
  readonly file: string
  /** The number of the last entry before this place. */
  readonly after: number
  /** The link of that entry. */
  readonly before: Uint8Array
}

/**
 * Follows the chain from entry to entry. Gives the error of the first entry that does not belong there.
 *
 * @category links
 * @since 0.1.0
 */
export const follow = (
  rows: Iterable<Row>,
  { after, before, file }: Place,
  visit: (command: Command, sequence: number, text: string) => void
): JournalError | undefined => {
  let sequence = after
  let last = before
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
    last = link(last, text)
    if (!isSame(hash, last)) return damaged(`entry ${sequence + 1} is not what was written`)
    const decoded = decode(text)
    if (Result.isFailure(decoded)) return damaged(`entry ${sequence + 1}: ${decoded.failure.message}`)
    sequence++
    visit(decoded.success, sequence, text)
  }
  return undefined
}
