/**
 * Texts of JSON values, for comparison. Equal values have the same text, even if their fields are in another sequence, or
 * their decimals have more zeros at the end: a response may write the same record differently than the response before.
 */
import * as Json from "../../protocol/Json.ts"

const decimal = /^-?[0-9]+\.[0-9]+$/u

/** Returns a value with sorted keys and short decimals, and with its lists as `listOf` returns them. */
const plain = (value: unknown, listOf: (items: ReadonlyArray<unknown>) => unknown): unknown => {
  if (typeof value === "string") return decimal.test(value) ? value.replace(/\.?0+$/u, "") : value
  if (Array.isArray(value)) return listOf(value.map((item) => plain(item, listOf)))
  if (!Json.isObject(value)) return value
  return Object.fromEntries(Object.keys(value).toSorted().map((key) => [key, plain(value[key], listOf)]))
}

const textIn = (value: unknown): string => Json.stringify([value]).slice(1, -1)

/** Returns a value as text. The sequence of fields does not matter; the sequence in lists does. */
export const textOf = (value: unknown): string => textIn(plain(value, (items) => items))

/** Returns records as text. The sequences of records, fields and inner lists do not matter. */
export const textOfSet = (records: ReadonlyArray<unknown>): string =>
  textIn(plain(records, (items) => items.map(textIn).toSorted()))
