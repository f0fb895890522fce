/** Formats responses of any shape: as JSON for programs, or as tables that fit the terminal for people. */
import * as DateTime from "effect/DateTime"
import * as Redacted from "effect/Redacted"
import { cut, printable, type Screen } from "./Screen.ts"

/**
 * Converts a `Map` to an object, and reveals redacted values: the exchange shows a new key's secret only once, so the
 * user has to see it now.
 */
const reveal = (value: unknown): unknown =>
  Redacted.isRedacted(value)
    ? Redacted.value(value)
    : value instanceof Map
    ? reveal(Object.fromEntries(value))
    : Array.isArray(value)
    ? value.map(reveal)
    : typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, reveal(inner)]))
    : value

/** Formats a response as JSON with an indentation of `indent` spaces, or as `done` if it has no content. */
export const toJson = (answer: unknown, indent?: number): string =>
  JSON.stringify(reveal(answer), undefined, indent) ?? "done"

/** A record with named values. */
export type Row = Readonly<Record<string, unknown>>

const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null && !Array.isArray(value)

/** Matches the names of fields that contain a time. */
const isTime = /^(?:at|time|timestamp|since|.*(?:At|Time))$/u

/** The smallest number in a time field that is formatted as a time: September 2001, in Unix seconds. */
const earliest = 1e9

/** Formats a time: Unix seconds, as in the API, or Unix microseconds, as in a sandbox's control plane. */
const toTime = (value: number): string => {
  const millis = value < earliest * 100 ? value * 1000 : value / 1000
  return DateTime.formatIso(DateTime.makeUnsafe(Math.floor(millis))).slice(0, 19).replace("T", " ")
}

/**
 * Formats a value inside a nested record. A number or boolean follows its name, as in `limit=10`; other values are
 * shown without a name.
 */
const named = (name: string, value: unknown): string =>
  typeof value === "string" || typeof value === "object" ? cell(value, name) : `${name}=${cell(value, name)}`

/** Formats a value as the text of a table cell. */
export const cell = (value: unknown, name = ""): string => {
  if (value === undefined || value === null) return "-"
  if (typeof value === "number" && value >= earliest && isTime.test(name)) return toTime(value)
  if (Array.isArray(value)) return value.map((inner) => cell(inner)).join(", ")
  if (isRow(value)) return Object.entries(value).map(([key, inner]) => named(key, inner)).join(" ")
  return printable(typeof value === "string" ? value : JSON.stringify(value) ?? "-")
}

/** Converts a field name to a column heading: `apiKey` to `API KEY`. */
const heading = (name: string): string => name.replaceAll(/(?<=[a-z])(?=[A-Z])/gu, " ").toUpperCase()

const gap = 2

/** Narrows the widest columns until all columns together fit into `columns` characters. Returns their widths. */
const fitted = (widths: ReadonlyArray<number>, columns: number): ReadonlyArray<number> => {
  const room = columns - gap * (widths.length - 1)
  let left = room
  const fits = [...widths.entries()].toSorted(([, one], [, other]) => one - other)
  const chosen = new Map<number, number>()
  for (const [index, [column, width]] of fits.entries()) {
    const share = Math.max(1, Math.floor(left / (fits.length - index)))
    const given = Math.min(width, share)
    chosen.set(column, given)
    left -= given
  }
  return widths.map((width, column) => chosen.get(column) ?? width)
}

/**
 * Formats rows as lines with aligned columns. No line is longer than `columns` characters: long cells are truncated.
 */
export const lines = (
  rows: ReadonlyArray<ReadonlyArray<string>>,
  columns: number
): ReadonlyArray<string> => {
  const count = Math.max(0, ...rows.map((row) => row.length))
  const widest = Array.from({ length: count }, (_, at) => Math.max(0, ...rows.map((row) => row[at]?.length ?? 0)))
  const widths = columns === Infinity ? widest : fitted(widest, columns)
  return rows.map((row) =>
    row.map((text, at) => cut(text, widths[at] ?? 0).padEnd(widths[at] ?? 0)).join(" ".repeat(gap)).trimEnd()
  )
}

/** Formats records as a table, with a column for each field that any record has, and a row for each record. */
export const table = (rows: ReadonlyArray<Row>, { columns, paint }: Screen): ReadonlyArray<string> => {
  const names = [...new Set(rows.flatMap(Object.keys))]
  const [head = "", ...body] = lines(
    [names.map(heading), ...rows.map((row) => names.map((name) => cell(row[name], name)))],
    columns
  )
  return [paint.bold(head), ...body]
}

/** Formats a response for human readers: as a table of records, or with one line per field. */
export const show = (answer: unknown, screen: Screen): ReadonlyArray<string> => {
  const value = reveal(answer)
  if (Array.isArray(value)) {
    if (value.length === 0) return ["none"]
    return value.every(isRow) ? table(value, screen) : value.map((inner) => cut(cell(inner), screen.columns))
  }
  if (!isRow(value)) return [cell(value)]
  const fields = Object.entries(value)
  const plain = fields.filter(([, inner]) => !Array.isArray(inner) || !inner.every(isRow))
  const lists = fields.filter(([, inner]) => Array.isArray(inner) && inner.every(isRow))
  return [
    ...lines(plain.map(([name, inner]) => [heading(name), cell(inner, name)]), screen.columns),
    ...lists.flatMap(([name, inner]) => ["", screen.paint.bold(heading(name)), ...show(inner, screen)])
  ]
}
