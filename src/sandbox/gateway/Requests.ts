/**
 * The calls that were made on the exchange, and what came of each: the latest, in memory.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * A call. Nothing in it is secret: no key, no signature, no payload, no passphrase and no code.
 *
 * - `number`: the first call since the venue was opened is 1
 * - `at`: in Unix microseconds, by the venue's clock
 * - `account`, `key`: whose call it was, and the title of the key, as far as the exchange knows the key
 * - `fields`: of the request, as far as the endpoint has such fields; what is secret is written `***`
 * - `verdict`: `answered` with what was asked for, `refused`, or `failed`: no answer, or not the exchange's own
 * - `refused`: why, in the exchange's own word; `violations`: the fields, and the constraint that each breaks
 * - `hint`: what probably went wrong
 * - `command`: the number of the command in the journal, when the call has become one
 * - `fault`: the fault that was fired at it, and what it was
 *
 * @category models
 * @since 0.1.0
 */
export const RequestRecord = Schema.Struct({
  number: Schema.Int,
  at: Schema.Int,
  method: Schema.String,
  path: Schema.String,
  from: Schema.String,
  account: Schema.optionalKey(Schema.String),
  key: Schema.optionalKey(Schema.String),
  endpoint: Schema.optionalKey(Schema.String),
  nonce: Schema.optionalKey(Schema.String),
  fields: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  verdict: Schema.Literals(["answered", "refused", "failed"]),
  status: Schema.optionalKey(Schema.Int),
  refused: Schema.optionalKey(Schema.String),
  violations: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  hint: Schema.optionalKey(Schema.String),
  command: Schema.optionalKey(Schema.Int),
  fault: Schema.optionalKey(Schema.Struct({ id: Schema.Int, symptom: Schema.String }))
})
/** @category models */
export type RequestRecord = typeof RequestRecord.Type

/** What may stand for a value that a request had. */
const hidden = "***"

/** Fields whose values are worth money, or open something that is. */
const secretFields: ReadonlySet<string> = new Set(["code", "passphrase"])

/** The longest text that is shown, and the longest one in a list. */
const longest = 200
const longestInList = 20

/** So many items of a list are shown. */
const items = 10

/**
 * A text without the secrets of the venue's keys, and not too long.
 *
 * @category showing
 * @since 0.1.0
 */
export const scrub = (text: string, secrets: ReadonlyArray<string>, most: number = longest): string => {
  let shown = text
  for (const secret of secrets) if (secret !== "") shown = shown.replaceAll(secret, hidden)
  return copy(shown.length > most ? `${shown.slice(0, most)}…` : shown)
}

/** The same text in memory of its own: a part of a text keeps the whole of it, which may be much longer. */
const copy = (text: string): string => Buffer.from(text).toString()

const showScalar = (value: unknown, secrets: ReadonlyArray<string>, most?: number): Schema.Json => {
  if (typeof value === "string" || typeof value === "bigint") return scrub(String(value), secrets, most)
  return typeof value === "number" || typeof value === "boolean" || value === null ? value : {}
}

/** No field is a list of lists: what a caller has nested deeper is not shown, however deep it is. */
const show = (value: unknown, secrets: ReadonlyArray<string>): Schema.Json =>
  Array.isArray(value)
    ? value.slice(0, items).map((item) => showScalar(item, secrets, longestInList))
    : showScalar(value, secrets)

/**
 * The fields of a request that the endpoint knows. What else is in it is nobody's to know.
 *
 * @category showing
 * @since 0.1.0
 */
export const shown = (
  keys: Readonly<Record<string, string>>,
  fields: Readonly<Record<string, unknown>>,
  secrets: ReadonlyArray<string>
): Readonly<Record<string, Schema.Json>> => {
  const known: Record<string, Schema.Json> = {}
  for (const [name, key] of Object.entries(keys)) {
    if (Object.hasOwn(fields, key)) known[name] = secretFields.has(name) ? hidden : show(fields[key], secrets)
  }
  return known
}

/** So many are kept. */
export const kept = 5000

/**
 * @category models
 * @since 0.1.0
 */
export interface Requests {
  readonly add: (request: Omit<RequestRecord, "number">) => RequestRecord
  /** Those that are kept with a greater number, the oldest first. */
  readonly after: (number: number) => ReadonlyArray<RequestRecord>
}

/** @category constructors */
export const make = (): Requests => {
  let last = 0
  let requests: Array<RequestRecord> = []
  return {
    add: (request) => {
      const added = { number: ++last, ...request }
      requests.push(added)
      if (requests.length > 2 * kept) requests = requests.slice(-kept)
      return added
    },
    after: (number) => {
      const latest = requests.slice(-kept)
      const first = latest[0]?.number ?? 0
      return latest.slice(Math.max(0, number + 1 - first))
    }
  }
}
