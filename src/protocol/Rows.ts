/** Reads a list row by row if the response can't be decoded as a whole. */
import * as Result from "effect/Result"
import * as Json from "./Json.ts"

/** A list's readable rows, and the number of unreadable rows. */
export interface Rows {
  /** The readable rows as domain values, in order; for a map, its entries. */
  readonly readable: ReadonlyArray<unknown>
  readonly unreadable: number
}

/**
 * The maximum number of unreadable rows. A response with more unreadable rows is probably not the requested list, so no
 * rows are returned.
 */
export const mostUnreadable = 1000

/** The keys under which a response may contain its list. */
const envelopes = ["records", "data", "result"]

/**
 * Splits a list or a map into parts with one row each. The rows of a map are its entries; if an entry's value is a
 * list, each element becomes a separate part.
 */
const parts = function*(json: unknown): Generator {
  if (Array.isArray(json)) {
    for (const row of json) yield [row]
  } else if (Json.isObject(json)) {
    for (const [key, value] of Object.entries(json)) {
      if (Array.isArray(value) && value.length > 0) { for (const row of value) yield { [key]: [row] } }
      else yield { [key]: value }
    }
  }
}

/** Returns the rows of a decoded response; `undefined` if the response is not a list, a page or a map. */
const rowsOf = (answer: unknown): ReadonlyArray<unknown> | undefined => {
  if (answer instanceof Map) return [...answer]
  const rows = Json.isObject(answer) ? answer["records"] : answer
  return Array.isArray(rows) ? rows : undefined
}

/**
 * Reads each row of a list, or of a page, as a separate response. Returns `undefined` when all rows are readable, no
 * row is readable, or more than {@link mostUnreadable} rows are unreadable.
 */
export const read = (decode: (json: unknown) => Result.Result<unknown, unknown>, json: unknown): Rows | undefined => {
  const key = Json.isObject(json) ? envelopes.find((key) => Object.hasOwn(json, key)) : undefined
  // The response is copied once, and not once per row, because it may have many fields and many rows.
  const envelope: Record<string, unknown> = Json.isObject(json) && key !== undefined ? { ...json } : {}
  const readable: Array<unknown> = []
  let unreadable = 0
  for (const part of parts(key === undefined ? json : envelope[key])) {
    if (key !== undefined) envelope[key] = part
    const rows = Result.getOrUndefined(Result.map(decode(key === undefined ? part : envelope), rowsOf))
    if (rows !== undefined) { for (const row of rows) readable.push(row) }
    else if (++unreadable > mostUnreadable) return undefined
  }
  return readable.length > 0 && unreadable > 0 ? { readable, unreadable } : undefined
}
