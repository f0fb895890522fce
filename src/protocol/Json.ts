/**
 * Reads and writes JSON without losing digits: integers beyond 2^53 are read as `bigint`, and a `bigint` is written as
 * a number.
 */
import * as Result from "effect/Result"

const isDigit = (code: number): boolean => code >= 48 && code <= 57

/**
 * Whether the text may contain an integer beyond 2^53: at least sixteen consecutive digits that do not follow a quote
 * or a decimal point. Such a run always covers one of the positions 15, 31, 47 and so on, so the loop checks only these
 * positions.
 */
const mayBeLarge = (text: string): boolean => {
  const { length } = text
  for (let at = 15; at < length; at += 16) {
    // A run of sixteen digits that includes this character also includes the character eight places before or after it.
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

// `JSON.parse` with access to a number's source text, and `JSON.rawJSON`. Node has had both since version 21, but
// TypeScript's library does not declare them yet.
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
 * Parses JSON text. Integers beyond 2^53 become a `bigint`. Fails with the error from `JSON.parse` when the text is not
 * JSON.
 */
export const parse = (text: string): Result.Result<unknown, unknown> => {
  try {
    return Result.succeed<unknown>(mayBeLarge(text) ? JSON.parse(text, exact) : JSON.parse(text))
  } catch (error) {
    return Result.fail(error)
  }
}

/** The error that {@link parseUnique} returns when an object has a duplicate key. */
export const repeatedKey = "an object has a duplicate key"

/** Counts the keys in JSON text: the strings that are followed by a colon. */
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

/**
 * Counts the keys of all objects in a JSON value. The function is not recursive, because a deeply nested value would
 * overflow the stack.
 */
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
      // A loop is much faster than `Object.values`, especially for objects with many keys.
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
 * Whether no object in a JSON text has duplicate keys. `json` is the parsed text. `counted` is the number of keys that
 * the caller has already counted in `json`; it may be too low.
 *
 * In the text, a colon follows each key. If the text has as many colons as the value has keys, there are no duplicate
 * keys. If the text has more colons, some of them may be inside strings, so the keys in the text are counted exactly.
 */
export const isUnique = (text: string, json: unknown, counted = 0): boolean => {
  const written = colons(text)
  if (written === counted) return true
  const kept = keptKeys(json)
  return written === kept || writtenKeys(text) === kept
}

/**
 * Parses JSON text like {@link parse}, but fails with {@link repeatedKey} if an object has a duplicate key, because it
 * would be unclear which value applies.
 */
export const parseUnique = (text: string): Result.Result<unknown, unknown> =>
  Result.flatMap(parse(text), (json) => isUnique(text, json) ? Result.succeed(json) : Result.fail(repeatedKey))

/**
 * Removes the whitespace between the tokens of JSON text. As a result, text that is not JSON, such as `[1 2]`, may
 * become JSON.
 */
export const compact = (text: string): string => {
  let kept = ""
  let from = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\"") { for (at++; at < text.length && text[at] !== "\""; at++) if (text[at] === "\\") at++ }
    if (!isSpace(text.charCodeAt(at))) continue
    kept += text.slice(from, at)
    from = at + 1
  }
  return kept + text.slice(from)
}

const replacer = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? JSON.rawJSON(value.toString()) : value

/**
 * Writes compact JSON. A `bigint` becomes a number with all its digits. Like `JSON.stringify`, it returns `undefined`
 * for `undefined`, which its type does not show.
 */
export const stringify = (value: unknown): string => {
  // Few values contain a `bigint`, and writing without a replacer is much faster.
  try {
    return JSON.stringify(value)
  } catch {
    return JSON.stringify(value, replacer)
  }
}

/** Whether the value is a JSON object, not an array or `null`. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
