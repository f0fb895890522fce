/**
 * JSON without losing digits: an integer beyond 2^53 is read as a `bigint` and written back as a number.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"

/** Sixteen digits or more in a row: only then may a number of the text be beyond 2^53. */
const maybeLarge = /[0-9]{16}/u

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
  Result.try((): unknown => maybeLarge.test(text) ? JSON.parse(text, exact) : JSON.parse(text))

const replacer = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? JSON.rawJSON(value.toString()) : value

/**
 * Writes compact JSON text.
 *
 * @category encoding
 * @since 0.1.0
 */
export const stringify = (value: object): string => JSON.stringify(value, replacer)

/**
 * Whether the value is a JSON object: no array, not `null`.
 *
 * @category guards
 * @since 0.1.0
 */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
