/**
 * JSON without losing digits: an integer beyond 2^53 is read as a `bigint` and written back as a number.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"

const isDigit = (code: number): boolean => code >= 48 && code <= 57

/**
 * Whether a number of the text may be beyond 2^53: whether sixteen digits stand in a row that neither begins a text nor a
 * fraction. Such a row holds one of every sixteen characters, so only these are looked at.
 */
const mayBeLarge = (text: string): boolean => {
  for (let at = 15; at < text.length; at += 16) {
    if (!isDigit(text.charCodeAt(at))) continue
    let first = at
    let last = at
    while (isDigit(text.charCodeAt(first - 1))) first--
    while (isDigit(text.charCodeAt(last + 1))) last++
    at = last
    const before = text[first - 1]
    if (last - first >= 15 && before !== "\"" && before !== ".") return true
  }
  return false
}

const integer = /^-?[0-9]+$/u

// `JSON.parse` with access to a number's own text, and `JSON.rawJSON`: in Node since 21, not yet in TypeScript's library.
declare global {
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown
    ): unknown
    rawJSON(text: string): unknown
  }
}

const exact = (_key: string, value: unknown, context: { readonly source?: string }): unknown =>
  typeof value === "number" && !Number.isSafeInteger(value) && context.source !== undefined &&
    integer.test(context.source)
    ? BigInt(context.source)
    : value

/**
 * Reads JSON text; fails when it is none.
 *
 * @category decoding
 * @since 0.1.0
 */
export const parse = (text: string): Result.Result<unknown, unknown> =>
  Result.try((): unknown => mayBeLarge(text) ? JSON.parse(text, exact) : JSON.parse(text))

/**
 * What the text of JSON says and its value no longer shows:
 *
 * - `repeatsKey`: an object has a key twice, however it is written
 * - `isCompact`: there is no whitespace between the tokens
 *
 * Only for text that {@link parse} reads.
 *
 * @category decoding
 * @since 0.1.0
 */
export const inspect = (text: string): { readonly repeatsKey: boolean; readonly isCompact: boolean } => {
  // The keys of every object that is open, `undefined` for a list. No recursion: the text may be nested to any depth.
  const open: Array<Set<unknown> | undefined> = []
  const isSpace = (at: number) => " \t\n\r".includes(text.charAt(at)) && at < text.length
  let repeatsKey = false
  let isCompact = true
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === "{") open.push(new Set())
    else if (character === "[") open.push(undefined)
    else if (character === "}" || character === "]") open.pop()
    else if (character === "\"") {
      const start = at
      for (at++; at < text.length && text[at] !== "\""; at++) if (text[at] === "\\") at++
      let next = at + 1
      while (isSpace(next)) next++
      if (text[next] !== ":") continue
      const written = text.slice(start, at + 1)
      const key: unknown = written.includes("\\") ? JSON.parse(written) : written.slice(1, -1)
      const keys = open.at(-1)
      if (keys?.has(key) === true) repeatsKey = true
      keys?.add(key)
    } else if (isSpace(at)) isCompact = false
  }
  return { repeatsKey, isCompact }
}

const replacer = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? JSON.rawJSON(value.toString()) : value

/**
 * Writes compact JSON text.
 *
 * @category encoding
 * @since 0.1.0
 */
export const stringify = (value: object): string => {
  // Few values hold a bigint, and without a replacer all others are written much faster.
  try {
    return JSON.stringify(value)
  } catch {
    return JSON.stringify(value, replacer)
  }
}

/**
 * Whether the value is a JSON object: no array, not `null`.
 *
 * @category guards
 * @since 0.1.0
 */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
