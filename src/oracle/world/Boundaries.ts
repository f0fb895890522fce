/** Values at and beyond the bounds of fields, and JSON values of the wrong type. */
import * as fc from "fast-check"
import { alphanumeric, textOf } from "./Texts.ts"

/** Valid page limits, including the bounds. */
export const goodLimits = fc.oneof(fc.constantFrom(1, 2, 99, 100), fc.integer({ min: 1, max: 100 }))

/** Invalid page limits. */
export const badLimits = fc.oneof(
  fc.constantFrom(0, -1, 101, 1000),
  fc.integer({ min: 101 }),
  fc.integer({ max: 0 })
)

/** Valid page offsets, including the bounds. */
export const goodOffsets = fc.oneof(fc.constantFrom(0, 1, 9999, 10000), fc.integer({ min: 0, max: 10000 }))

/** Invalid page offsets. */
export const badOffsets = fc.oneof(fc.constantFrom(-1, 10001), fc.integer({ min: 10001 }), fc.integer({ max: -1 }))

/** JSON values that are not integers. */
export const noIntegers = fc.oneof(
  fc.constantFrom<Array<unknown>>(1.5, true, [], {}, "ten", ""),
  fc.double({ min: 0.01, max: 0.99 })
)

/** JSON values that are not strings. */
export const noTexts = fc.constantFrom<Array<unknown>>(1, true, false, [], {}, ["text"], { a: "text" })

/** Strings that are not decimals. */
export const noDecimals = fc.constantFrom("", " ", "ten", "1,5", "0x10", "NaN", "Infinity", "1.2.3", "--1", "1 000")

/** Passphrases of the maximum length, 25 characters of one to three bytes each. */
export const longestPassphrases = fc.constantFrom("p".repeat(25), "é".repeat(25), "漢".repeat(25))

/** Strings longer than the longest passphrase. */
export const tooLongPassphrases = fc.oneof(
  fc.constantFrom("p".repeat(26), "é".repeat(26), "漢".repeat(26)),
  fc.integer({ min: 26, max: 60 }).map((length) => "p".repeat(length))
)

/** Some of the characters that are not allowed in client order ids. */
export const forbidden = [..." /+@#:;,é漢\n\"\\$*(~|=&%!?'"]

/** Strings with one character that is not allowed in client order ids. */
export const badClientOrderIds = fc.tuple(
  textOf(alphanumeric, 0, 8),
  fc.constantFrom(...forbidden),
  textOf(alphanumeric, 0, 8)
).map((parts) => parts.join(""))

/** Client order ids that contain one of the allowed punctuation characters. */
export const goodClientOrderIds = fc.tuple(
  textOf(alphanumeric, 1, 6),
  fc.constantFrom("-", ".", "_", "-._", "A", "z", "0"),
  textOf(`${alphanumeric}-._`, 0, 6)
).map((parts) => parts.join(""))
