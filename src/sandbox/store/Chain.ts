/**
 * The hash chain of a journal's entries. The hash of an entry covers the entry before it, so no entry can be changed,
 * lost or inserted unnoticed.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { hash } from "node:crypto"
import * as Compiled from "../../protocol/Compiled.ts"
import { type Action, Command } from "../engine/Command.ts"
import { Operation } from "../engine/Operation.ts"
import { damaged, type JournalError } from "./JournalError.ts"

const Json = Schema.toCodecJson(Command)

const Entry = Schema.fromJsonString(Json)

/**
 * The fields of each operation, in the order in which its schema writes them, together with the JSON text that precedes
 * each value.
 */
const fieldsOf: ReadonlyMap<string, ReadonlyArray<readonly [field: string, beginning: string]>> = new Map(
  Operation.members.map(({ fields }) => [
    fields._tag.schema.literal,
    Object.keys(fields).map((field, at) => [field, `${at === 0 ? "" : ","}"${field}":`] as const)
  ])
)

/**
 * Quotes a string as JSON. Most strings are short and need no escapes; checking for that is much faster than
 * `JSON.stringify` or a regular expression.
 */
const quoted = (text: string): string => {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 32 || code > 126 || code === 34 || code === 92) return JSON.stringify(text)
  }
  return `"${text}"`
}

/**
 * The JSON text of an operation, identical to the text that its schema writes. The tag comes first, so every other
 * field follows a comma.
 */
const writeOperation = (operation: Operation): string => {
  const given: object = operation
  let written = "{"
  for (const [field, beginning] of fieldsOf.get(operation._tag) ?? []) {
    const value: unknown = given[field as keyof typeof given]
    if (typeof value === "string") written += beginning + quoted(value)
    else if (field === "orders" && "orders" in operation) {
      // The orders of a bulk operation are themselves operations.
      written += `${beginning}[${operation.orders.map(writeOperation).join(",")}]`
    } else if (value !== undefined) written += beginning + JSON.stringify(value)
  }
  return `${written}}`
}

/**
 * Writes a call as JSON without using the schema, which is faster. The call's operation has already passed the
 * endpoint's schema, and contains only strings, numbers and booleans.
 */
const writeCall = ({ apiKey, nonce, operation }: Extract<Action, { readonly _tag: "Call" }>, at: number): string => {
  const used = nonce === undefined ? "" : `"nonce":{"value":"${nonce.value}","window":${nonce.window}},`
  return `{"at":${at},"action":{"_tag":"Call","apiKey":${quoted(apiKey)},${used}` +
    `"operation":${writeOperation(operation)}}}`
}

const encodeChecked = Schema.encodeResult(Entry)

/** Encodes a command as the text of an entry. Owner actions are validated again. */
export const encode = (command: Command): Result.Result<string, Schema.SchemaError> => {
  const { action, at } = command
  return action._tag === "Call" ? Result.succeed(writeCall(action, at)) : encodeChecked(command)
}

const decodeJson = Compiled.decodeUnknownResult(() => Json)

const decodeChecked = Schema.decodeUnknownResult(Entry)

/** Decodes the text of an entry. This function is optimized, because a recovery reads thousands of entries. */
export const decode = (text: string): Result.Result<Command, Schema.SchemaError> => {
  const json = Result.try(() => JSON.parse(text) as unknown)
  return Result.isSuccess(json) ? decodeJson(json.success) : decodeChecked(text)
}

/** The link before the first entry: 32 zero bytes. */
const beginning: Uint8Array = new Uint8Array(32)

/** The link of an entry: a hash of its text and of the link before it. */
export const link = (before: Uint8Array, text: string): Uint8Array => {
  const bytes = Buffer.allocUnsafe(before.length + Buffer.byteLength(text))
  bytes.set(before)
  bytes.write(text, before.length)
  return hash("sha256", bytes, "buffer")
}

/** Whether a value from the database is equal to this hash. */
export const isSame = (value: unknown, link: Uint8Array): boolean =>
  value instanceof Uint8Array && Buffer.compare(value, link) === 0

/** A row of the table of entries. */
export type Row = Readonly<Record<string, unknown>>

/** A position in the chain: an entry's number and link. */
export interface End {
  /** The entry's number; 0 before the first entry. */
  readonly sequence: number
  /** The entry's link. */
  readonly link: Uint8Array
}

/** The position before the first entry. */
export const start: End = { sequence: 0, link: beginning }

/** A part of a journal that can be checked. */
export interface Section {
  /** The journal's file, for errors. */
  readonly file: string
  /** The position after which this part begins. This position must be known to be valid. */
  readonly after: End
  /** The number of the last entry of this part; `undefined` if the part ends with the last row. */
  readonly to: number | undefined
}

/**
 * Follows the chain entry by entry, and returns the position where the chain ends. Fails at the first entry that is
 * missing or was changed. `visit` receives each valid entry, and may return a reason to reject it.
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
        `${reason}; the first ${sequence} commands are intact. Salvage these, or use another file`,
        sequence
      )
    )
  for (const row of rows) {
    const next = sequence + 1
    const text = String(row["command"])
    if (row["sequence"] !== next) return broken(`entry ${next} is missing`)
    const linked = link(last, text)
    if (!isSame(row["hash"], linked)) return broken(`entry ${next} was changed after it was written`)
    const wrong = visit(text, next, row)
    if (wrong !== undefined) return broken(`entry ${next}${wrong}`)
    last = linked
    sequence = next
  }
  return to !== undefined && sequence < to
    ? broken(`entry ${sequence + 1} is missing`)
    : Result.succeed({ sequence, link: last })
}

/**
 * The `recalled` column of an entry, which is not part of the chain. With this column, a recovery can find in advance
 * the command to which a restore returns.
 */
export const recalledBy = ({ action }: Command): number | null => action._tag === "Restore" ? action.sequence : null

/** Follows the chain as `check` does, and visits the commands. */
export const follow = (
  rows: Iterable<Row>,
  section: Section,
  visit: (command: Command, sequence: number, text: string) => void
): Result.Result<End, JournalError> =>
  check(rows, section, (text, sequence, row) => {
    const decoded = decode(text)
    if (Result.isFailure(decoded)) return `: ${decoded.failure.message}`
    if (row["recalled"] !== recalledBy(decoded.success)) return " does not match its column `recalled`"
    visit(decoded.success, sequence, text)
    return undefined
  })
