/**
 * Decimal numbers as text. The exchange sends all amounts, prices and fees in this form (the document, "What the
 * service does", 7).
 *
 * A decimal keeps its original text. Two decimals may be equal in value and differ in text (`"1.50"`, `"1.5"`), so
 * compare them with {@link Equivalence} and {@link Order}, never with `===`. Arithmetic is exact and never uses
 * floating point.
 *
 * @example
 * ```ts
 * import { Decimal } from "effect-txc"
 *
 * const price = Decimal.price("60000.50") // checked by the compiler
 * const amount = Decimal.amount("0.01")
 * const total = Decimal.multiply(price, amount) // Result.succeed("600.005")
 * const isEqual = Decimal.Equivalence(Decimal.of("1.50"), Decimal.of("1.5")) // true
 *
 * const read = (text: string) => Decimal.parseAmount(text) // checked at run time; a Result
 * ```
 */
import type * as Brand from "effect/Brand"
import type * as Equivalence_ from "effect/Equivalence"
import type * as Order_ from "effect/Order"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Check from "./Check.ts"
import * as Constraint from "./Constraint.ts"

/**
 * The maximum length of a decimal's text, in characters.
 *
 * @category constants
 */
export const maxLength = 64

// -----------------------------------------------------------------------------
// Models
// -----------------------------------------------------------------------------

/**
 * A decimal number as text: `-?(0|[1-9]\d*)(\.\d+)?`, at most 64 characters, no exponent, no leading `+`. Use {@link
 * of} for a literal, {@link parse} for other text.
 *
 * @category models
 */
export type Decimal = string & Brand.Brand<"Decimal">

/**
 * The price of one unit of the base currency, in the quote currency; greater than zero. Use {@link price} for a
 * literal, {@link parsePrice} for other text.
 *
 * @category models
 */
export type Price = Decimal & Brand.Brand<"Price">

/**
 * An amount, in units of its currency; greater than zero. Use {@link amount} for a literal, {@link parseAmount} for
 * other text.
 *
 * @category models
 */
export type Amount = Decimal & Brand.Brand<"Amount">

/**
 * A fee as a ratio of the traded amount (`"0.001"` is 0.1 %); zero or more. Use {@link feeRate} for a
 * literal, {@link parseFeeRate} for other text.
 *
 * @category models
 */
export type FeeRate = Decimal & Brand.Brand<"FeeRate">

// -----------------------------------------------------------------------------
// Literals, checked by the compiler
// -----------------------------------------------------------------------------

type Digit = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9"

type AllDigits<S extends string> = S extends "" ? true : S extends `${Digit}${infer Rest}` ? AllDigits<Rest> : false

type IsInteger<S extends string> = S extends "" ? false
  : S extends "0" ? true
  : S extends `0${string}` ? false
  : AllDigits<S>

type IsUnsigned<S extends string> = S extends `${infer I}.${infer F}`
  ? F extends "" ? false : IsInteger<I> extends true ? AllDigits<F> : false
  : IsInteger<S>

type IsZero<S extends string> = S extends "" ? true : S extends `${"0" | "."}${infer Rest}` ? IsZero<Rest> : false

type LongerThan64<S extends string, Seen extends ReadonlyArray<unknown> = []> = Seen["length"] extends 64
  ? S extends "" ? false : true
  : S extends `${string}${infer Rest}` ? LongerThan64<Rest, [...Seen, unknown]>
  : false

/**
 * `S` itself if it is a valid decimal; otherwise the error message that the compiler shows. The message recommends the
 * function named `Parse` for text known only at run time.
 *
 * @category literals
 */
export type Literal<S extends string, Parse extends string = "parse"> = string extends S
  ? `write the number in quotes; for text known only at run time use Decimal.${Parse}(text)`
  : (S extends `-${infer U}` ? IsUnsigned<U> : IsUnsigned<S>) extends true
    ? LongerThan64<S> extends true ? `a decimal has at most 64 characters` : S
  : `"${S}" is not a decimal: digits, optionally "-" before and "." with digits after; no exponent, no leading zeros`

/**
 * `S` itself if it is a valid decimal greater than zero; otherwise the error message that the compiler shows.
 *
 * @category literals
 */
export type PositiveLiteral<S extends string, Parse extends string = "parse"> = string extends S ? Literal<S, Parse> :
  Literal<S> extends S ? S extends `-${string}` ? `"${S}" is negative: prices and amounts are greater than zero`
    : IsZero<S> extends true ? `"${S}" is zero: prices and amounts are greater than zero`
    : S
  : Literal<S>

/**
 * `S` itself if it is a valid decimal of zero or more; otherwise the error message that the compiler shows.
 *
 * @category literals
 */
export type NonNegativeLiteral<S extends string> = string extends S ? Literal<S, "parseFeeRate"> :
  Literal<S> extends S
    ? S extends `-${infer U}` ? IsZero<U> extends true ? S : `"${S}" is negative: a fee rate is zero or more` : S
  : Literal<S>

// -----------------------------------------------------------------------------
// Schemas
// -----------------------------------------------------------------------------

const isDigit = (code: number): boolean => code >= 48 && code <= 57

/**
 * Whether the text matches `-?(0|[1-9][0-9]*)(\.[0-9]+)?`. Written as a loop, because a response may contain thousands
 * of decimals, and a regular expression is several times slower.
 */
const hasGrammar = (text: string): boolean => {
  const { length } = text
  const first = text.charCodeAt(0) === 45 ? 1 : 0
  let at = first
  if (text.charCodeAt(at) === 48) at++
  else while (at < length && isDigit(text.charCodeAt(at))) at++
  if (at === first || at === length) return at !== first
  if (text.charCodeAt(at) !== 46 || ++at === length) return false
  while (at < length && isDigit(text.charCodeAt(at))) at++
  return at === length
}

const isNegative = (text: string): boolean => text.charCodeAt(0) === 45 && /[1-9]/u.test(text)
const isPositive = (text: string): boolean => text.charCodeAt(0) !== 45 && /[1-9]/u.test(text)

/**
 * A string. A value of another JSON type breaks the constraint `decimal` and not `type`, because according to the
 * document, an amount sent as a JSON number is refused in the same way as text that is not a decimal.
 */
const Text = Schema.String.annotate(Constraint.annotation({ kind: "decimal" }))

// `abort` skips the later checks if the text is not a decimal, because they only work on decimals.
const isDecimal = Check.passes(hasGrammar, {
  ...Constraint.annotation({ kind: "decimal" }),
  expected: "a decimal string",
  toJsonSchema: () => ({ pattern: "^-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?$" })
}).abort()

const isShort = Check.passes((text: string) => text.length <= maxLength, {
  ...Constraint.annotation({ kind: "length", max: maxLength }),
  expected: `a value with a length of at most ${maxLength}`,
  toJsonSchema: () => ({ maxLength })
}).abort()

const isShortDecimal = Check.both((text) => text.length <= maxLength && hasGrammar(text), isDecimal, isShort)

const isGreaterThanZero = Check.passes(isPositive, {
  ...Constraint.annotation({ kind: "positive" }),
  expected: "a decimal greater than zero",
  toJsonSchema: () => ({ pattern: "^[^\\-]*[1-9]" })
})

/**
 * The schema of a {@link Decimal}. `Decimal.make(text)` throws when the text is not a decimal.
 *
 * @category schemas
 */
export const Decimal = Text.check(isShortDecimal).pipe(Schema.brand("Decimal"))
  .annotate({ identifier: "Decimal" })

/**
 * The schema of a {@link Price}. `Price.make(text)` throws when the text is not a decimal greater than zero.
 *
 * @category schemas
 */
export const Price = Text.check(isShortDecimal, isGreaterThanZero).pipe(
  Schema.brand("Decimal"),
  Schema.brand("Price")
).annotate({ identifier: "Price" })

/**
 * The schema of an {@link Amount}. `Amount.make(text)` throws when the text is not a decimal greater than zero.
 *
 * @category schemas
 */
export const Amount = Text.check(isShortDecimal, isGreaterThanZero).pipe(
  Schema.brand("Decimal"),
  Schema.brand("Amount")
).annotate({ identifier: "Amount" })

/**
 * The schema of a {@link FeeRate}. `FeeRate.make(text)` throws when the text is negative or not a decimal.
 *
 * @category schemas
 */
export const FeeRate = Text.check(
  isShortDecimal,
  Check.passes((text: string) => !isNegative(text), {
    expected: "a decimal that is zero or more",
    toJsonSchema: () => ({ pattern: "^(?!-.*[1-9])" })
  })
).pipe(Schema.brand("Decimal"), Schema.brand("FeeRate")).annotate({ identifier: "FeeRate" })

// -----------------------------------------------------------------------------
// Constructors
// -----------------------------------------------------------------------------

/**
 * Creates a decimal from a literal that the compiler checks: `Decimal.of("0.01")`. For text known only at run time, use
 * {@link parse}.
 *
 * @category constructors
 */
export const of = <const S extends string>(text: S extends Literal<S> ? S : Literal<S>): Decimal =>
  // The cast is safe: the parameter's type only accepts valid decimals.
  text as string as Decimal

/**
 * Creates a price from a literal that the compiler checks: `Decimal.price("60000.50")`. Greater than zero, in the quote
 * currency. For text known only at run time, use {@link parsePrice}.
 *
 * @category constructors
 */
export const price = <const S extends string>(
  text: S extends PositiveLiteral<S, "parsePrice"> ? S : PositiveLiteral<S, "parsePrice">
): Price => text as string as Price

/**
 * Creates an amount from a literal that the compiler checks: `Decimal.amount("0.01")`. Greater than zero. For text
 * known only at run time, use {@link parseAmount}.
 *
 * @category constructors
 */
export const amount = <const S extends string>(
  text: S extends PositiveLiteral<S, "parseAmount"> ? S : PositiveLiteral<S, "parseAmount">
): Amount => text as string as Amount

/**
 * Creates a fee rate from a literal that the compiler checks: `Decimal.feeRate("0.001")` is 0.1 %. Zero or more. For
 * text known only at run time, use {@link parseFeeRate}.
 *
 * @category constructors
 */
export const feeRate = <const S extends string>(
  text: S extends NonNegativeLiteral<S> ? S : NonNegativeLiteral<S>
): FeeRate => text as string as FeeRate

const parser = <A>(schema: Schema.Codec<A, string>): (text: string) => Result.Result<A, Schema.SchemaError> =>
  Schema.decodeResult(schema)

/**
 * Parses a decimal from text known only at run time. The failure explains what is wrong with the text.
 *
 * @category constructors
 */
export const parse = parser(Decimal)

/**
 * Parses a price from text known only at run time. The failure explains what is wrong with the text.
 *
 * @category constructors
 */
export const parsePrice = parser(Price)

/**
 * Parses an amount from text known only at run time. The failure explains what is wrong with the text.
 *
 * @category constructors
 */
export const parseAmount = parser(Amount)

/**
 * Parses a fee rate from text known only at run time. The failure explains what is wrong with the text.
 *
 * @category constructors
 */
export const parseFeeRate = parser(FeeRate)

/**
 * Zero, written `"0"`.
 *
 * @category constants
 */
export const zero: Decimal = of("0")

// -----------------------------------------------------------------------------
// Conversion to exact integers
// -----------------------------------------------------------------------------

/**
 * The number of fractional digits as written: 2 for `"1.50"`.
 *
 * @category exact integers
 */
export const writtenScale = (self: string): number => {
  // Searches from the end, because the decimal point of a price or an amount is usually near the end.
  for (let at = self.length - 1; at >= 0; at--) if (self.charCodeAt(at) === 46) return self.length - at - 1
  return 0
}

/**
 * The number of fractional digits, not counting trailing zeros: 1 for `"1.50"`. In an order's amounts and prices, this
 * number must not exceed the market's precision.
 *
 * @category exact integers
 */
export const scale = (self: Decimal): number => {
  const written = writtenScale(self)
  let zeros = 0
  while (zeros < written && self.charCodeAt(self.length - 1 - zeros) === 48) zeros++
  return written - zeros
}

/**
 * Converts a decimal to an integer number of units of `10^-scale`: `toUnits("1.5", 2)` is `150n`. Returns `undefined`
 * when the value has more than `scale` fractional digits. `scale` must be zero or more.
 *
 * @category exact integers
 */
export const toUnits = (self: Decimal, scale: number): bigint | undefined => {
  const point = self.indexOf(".")
  if (point === -1) return BigInt(self + "0".repeat(scale))
  const fraction = self.slice(point + 1)
  if (fraction.length <= scale) return BigInt(self.slice(0, point) + fraction + "0".repeat(scale - fraction.length))
  for (let i = scale; i < fraction.length; i++) if (fraction.charCodeAt(i) !== 48) return undefined
  return BigInt(self.slice(0, point) + fraction.slice(0, scale))
}

const format = (units: bigint, scale: number): string => {
  const negative = units < 0n
  const digits = (negative ? -units : units).toString().padStart(scale + 1, "0")
  const integer = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale).replace(/0+$/u, "")
  const sign = negative ? "-" : ""
  return fraction === "" ? sign + integer : `${sign}${integer}.${fraction}`
}

/**
 * Converts an integer number of units of `10^-scale` to a canonical decimal: `fromUnits(150n, 2)` is `"1.5"`. Fails
 * when the text needs more than 64 characters.
 *
 * @category exact integers
 */
export const fromUnits = (units: bigint, scale: number): Result.Result<Decimal, Schema.SchemaError> =>
  parse(format(units, scale))

/** Converts two decimals to integers with the same scale: the larger of their own scales. */
const align = (self: Decimal, that: Decimal): readonly [bigint, bigint, number] => {
  const a = writtenScale(self)
  const b = writtenScale(that)
  const units = (text: string, from: number, to: number) => BigInt(text.replace(".", "") + "0".repeat(to - from))
  const finer = Math.max(a, b)
  return [units(self, a, finer), units(that, b, finer), finer]
}

// -----------------------------------------------------------------------------
// Comparing and computing
// -----------------------------------------------------------------------------

/**
 * Compares by value: -1, 0 or 1. `"1.50"` and `"1.5"` are equal.
 *
 * @category comparing
 */
export const Order: Order_.Order<Decimal> = (self, that) => {
  if (self === that) return 0
  const [a, b] = align(self, that)
  return a < b ? -1 : a > b ? 1 : 0
}

/**
 * Equality by value: `"1.50"` and `"1.5"` are equal.
 *
 * @category comparing
 */
export const Equivalence: Equivalence_.Equivalence<Decimal> = (self, that) => Order(self, that) === 0

/**
 * Whether the value is zero, such as `"0"`, `"0.00"` or `"-0"`.
 *
 * @category comparing
 */
export const isZero = (self: Decimal): boolean => self.charCodeAt(0) < 49 && !/[1-9]/u.test(self)

/**
 * The value in canonical text: no trailing zeros, no `-0`. Equal values have the same canonical text.
 *
 * @category computing
 */
export const normalize = (self: Decimal): Decimal => {
  // Text that does not end with a zero, which is the usual case, is already canonical.
  if (self.charCodeAt(self.length - 1) !== 48) return self
  const written = writtenScale(self)
  const kept = written === 0 ? self : self.replace(/\.?0+$/u, "")
  // The cast is safe: without its trailing zeros, a valid decimal is still valid.
  return (kept === "-0" ? "0" : kept) as Decimal
}

/**
 * The exact sum, in canonical text. Fails when the sum needs more than 64 characters.
 *
 * @category computing
 */
export const add = (self: Decimal, that: Decimal): Result.Result<Decimal, Schema.SchemaError> => {
  const [a, b, scale] = align(self, that)
  return fromUnits(a + b, scale)
}

/**
 * The exact difference, in canonical text. Fails when the difference needs more than 64 characters.
 *
 * @category computing
 */
export const subtract = (self: Decimal, that: Decimal): Result.Result<Decimal, Schema.SchemaError> => {
  const [a, b, scale] = align(self, that)
  return fromUnits(a - b, scale)
}

/**
 * The exact product, in canonical text. Fails when the product needs more than 64 characters.
 *
 * @category computing
 */
export const multiply = (self: Decimal, that: Decimal): Result.Result<Decimal, Schema.SchemaError> => {
  const [a, b, scale] = align(self, that)
  return fromUnits(a * b, scale * 2)
}

/** Rounds down or up to `digits` decimal places. */
const round = (self: Decimal, digits: number, isUp: boolean): Decimal => {
  const written = writtenScale(self)
  if (written <= digits) return normalize(self)
  const unit = 10n ** BigInt(written - digits)
  const units = BigInt(self.replace(".", ""))
  const above = ((units % unit) + unit) % unit
  // Rounding drops at least one digit, and a carry adds at most one digit, so the text can't become too long.
  return format(above === 0n ? units : isUp ? units + unit - above : units - above, written) as Decimal
}

/**
 * Rounds down to `digits` decimal places, in canonical text: `floor("-1.25", 1)` is `"-1.3"`. Use this function to
 * round a bid's price, or an amount, to the market's precision.
 *
 * @category computing
 */
export const floor = (self: Decimal, digits: number): Decimal => round(self, digits, false)

/**
 * Rounds up to `digits` decimal places, in canonical text: `ceil("1.21", 1)` is `"1.3"`. Use this function to round an
 * ask's price to the market's precision.
 *
 * @category computing
 */
export const ceil = (self: Decimal, digits: number): Decimal => round(self, digits, true)

/**
 * Compares the exact product `self × factor` with `that`: -1, 0 or 1. Unlike {@link multiply}, works even if the
 * product needs more than 64 characters.
 *
 * @category comparing
 */
export const compareProduct = (self: Decimal, factor: Decimal, that: Decimal): -1 | 0 | 1 => {
  const [a, b, scale] = align(self, factor)
  const [product, bound] = ((): readonly [bigint, bigint] => {
    const target = writtenScale(that)
    const units = BigInt(that.replace(".", ""))
    return target <= scale * 2
      ? [a * b, units * 10n ** BigInt(scale * 2 - target)]
      : [a * b * 10n ** BigInt(target - scale * 2), units]
  })()
  return product < bound ? -1 : product > bound ? 1 : 0
}

/**
 * Whether the value is an integer multiple of `step`.
 *
 * @category comparing
 */
export const isMultipleOf = (self: Decimal, step: Amount | Price): boolean => {
  const [a, b] = align(self, step)
  return a % b === 0n
}

/**
 * Whether the value has at most `digits` fractional digits, not counting trailing zeros.
 *
 * @category comparing
 */
export const fitsPrecision = (self: Decimal, digits: number): boolean => scale(self) <= digits
