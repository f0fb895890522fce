/** JSON without lost digits: an integer beyond 2^53 is read as a `bigint`, and a `bigint` is written as a number. */
import * as Result from "effect/Result"

const isDigit = (code: number): boolean => code >= 48 && code <= 57

/**
 * Whether the text may contain a number beyond 2^53: sixteen consecutive digits that do not start a string or a
 * fraction. Sixteen digits always cover one of the positions 15, 31, 47 and so on, so only these are checked.
 */
const mayBeLarge = (text: string): boolean => {
  const { length } = text
  for (let at = 15; at < length; at += 16) {
    // If sixteen digits are consecutive, the character eight places before or after this one is among them.
    if (!isDigit(text.charCodeAt(at)) || !(isDigit(text.charCodeAt(at - 8)) || isDigit(text.charCodeAt(at + 8))))
      continue
    let first = at
    let last = at
    while (isDigit(text.charCodeAt(first - 1))) first--
    while (isDigit(text.charCodeAt(last + 1))) last++
    at = last
    if (last - first < 15) continue
    const before = text.charCodeAt(first - 1)
    if (before !== 34 && before !== 46) return true
  }
  return false
}

const integer = /^-?[0-9]+$/u

// `JSON.parse` with access to a number's source text, and `JSON.rawJSON`: in Node since 21, but not yet in TypeScript's
// library.
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
 * Parses JSON text. Integers beyond 2^53 become a `bigint`. Fails with the error of `JSON.parse` when the text is not
 * JSON.
 */
export const parse = (text: string): Result.Result<unknown, unknown> => {
  try {
    return Result.succeed<unknown>(mayBeLarge(text) ? JSON.parse(text, exact) : JSON.parse(text))
  } catch (error) {
    return Result.fail(error)
  }
}

/** The error of {@link parseUnique} for JSON in which a key is repeated. */
export const repeatedKey = "an object has a key twice"

/** The number of keys written in a JSON text: strings followed by a colon. */
const writtenKeys = (text: string): number => {
  let count = 0
  for (let open = text.indexOf("\""); open !== -1;) {
    let close = text.indexOf("\"", open + 1)
    while (isEscaped(text, close)) close = text.indexOf("\"", close + 1)
    let next = close + 1
    while (isSpace(text.charCodeAt(next))) next++
    if (text[next] === ":") count++
    open = text.indexOf("\"", next)
  }
  return count
}

const isEscaped = (text: string, quote: number): boolean => {
  let first = quote
  while (text[first - 1] === "\\") first--
  return (quote - first) % 2 === 1
}

const isSpace = (code: number): boolean => code === 32 || code === 9 || code === 10 || code === 13

/** The number of keys of the objects in a JSON value. Iterative, because values may be nested to any depth. */
const keptKeys = (json: unknown): number => {
  let count = 0
  const left: Array<unknown> = [json]
  const add = (value: unknown) => {
    if (typeof value === "object" && value !== null) left.push(value)
  }
  while (left.length > 0) {
    const value = left.pop()
    if (Array.isArray(value)) value.forEach(add)
    else if (isObject(value)) {
      // Much faster than listing the values, especially for an object with many keys.
      for (const key in value) {
        count++
        add(value[key])
      }
    }
  }
  return count
}

const colons = (text: string): number => {
  let count = 0
  for (let at = text.indexOf(":"); at !== -1; at = text.indexOf(":", at + 1)) count++
  return count
}

/**
 * Whether no object of a JSON text repeats a key. `json` is the text's value, and `counted` a number of its keys
 * already found; there may be more.
 *
 * Each written key has a colon. If the value has as many keys as the text has colons, no key was lost. Strings may
 * contain other colons.
 */
export const isUnique = (text: string, json: unknown, counted = 0): boolean => {
  const written = colons(text)
  if (written === counted) return true
  const kept = keptKeys(json)
  return written === kept || writtenKeys(text) === kept
}

/**
 * Parses JSON text like {@link parse}, but fails with {@link repeatedKey} when an object repeats a key, because it is
 * unclear which value is meant.
 */
export const parseUnique = (text: string): Result.Result<unknown, unknown> =>
  Result.flatMap(parse(text), (json) => isUnique(text, json) ? Result.succeed(json) : Result.fail(repeatedKey))

/** Properties of JSON text that its value does not show. */
export interface Inspection {
  /** Whether an object repeats a key, even if one of them is written with escapes. */
  readonly repeatsKey: boolean
  /** Whether there is no whitespace between tokens. */
  readonly isCompact: boolean
}

/** Inspects JSON text. The result is only meaningful for text that {@link parse} accepts. */
export const inspect = (text: string): Inspection => {
  // The keys of each open object; `undefined` for an open array. Iterative, because the text may be nested to any
  // depth.
  const open: Array<Set<unknown> | undefined> = []
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
      while (isSpace(text.charCodeAt(next))) next++
      if (text[next] !== ":") continue
      const written = text.slice(start, at + 1)
      const key: unknown = written.includes("\\") ? JSON.parse(written) : written.slice(1, -1)
      const keys = open.at(-1)
      if (keys?.has(key) === true) repeatsKey = true
      keys?.add(key)
    } else if (isSpace(text.charCodeAt(at))) isCompact = false
  }
  return { repeatsKey, isCompact }
}

const replacer = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? JSON.rawJSON(value.toString()) : value

/** Writes compact JSON. A `bigint` becomes a number with all its digits. */
export const stringify = (value: object): string => {
  // Few values contain a bigint, and writing without a replacer is much faster.
  try {
    return JSON.stringify(value)
  } catch {
    return JSON.stringify(value, replacer)
  }
}

/** Whether the value is a JSON object, not an array or `null`. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
