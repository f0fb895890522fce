/**
 * Decimal numbers as text: how the exchange transports all amounts, prices and fees (document, "What the service does",
 * constraint 7).
 *
 * A decimal keeps the text it was given, so what was submitted is what comes back. Two decimals may be equal in value
 * and differ in text (`"1.50"`, `"1.5"`): compare with {@link Equivalence} and {@link Order}, never with `===`.
 * Arithmetic is exact; no floating point is involved anywhere.
 *
 * @since 0.1.0
 */
import type * as Brand from "effect/Brand"
import * as Equivalence_ from "effect/Equivalence"
import * as Order_ from "effect/Order"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Constraint from "./Constraint.ts"

/** The longest decimal text that is accepted, in characters. */
export const maxLength = 64

const grammar = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/u

// -----------------------------------------------------------------------------
// Models
// -----------------------------------------------------------------------------

/**
 * A decimal number as text: `-?(0|[1-9]\d*)(\.\d+)?`, at most 64 characters, no exponent, no leading `+`.
 *
 * @category models
 * @since 0.1.0
 */
export type Decimal = string & Brand.Brand<"Decimal">

/**
 * A price per unit of the base currency, in units of the quote currency; greater than zero.
 *
 * @category models
 * @since 0.1.0
 */
export type Price = Decimal & Brand.Brand<"Price">

/**
 * A quantity of a currency, in units of that currency; greater than zero.
 *
 * @category models
 * @since 0.1.0
 */
export type Amount = Decimal & Brand.Brand<"Amount">

/**
 * A fee as a ratio of the traded amount (`"0.001"` is 0.1 %); zero or more.
 *
 * @category models
 * @since 0.1.0
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
 * `S` when it is the text of a decimal, otherwise a sentence that the compiler shows.
 *
 * @category literals
 * @since 0.1.0
 */
export type Literal<S extends string> = string extends S ? "of() takes a literal; for a string use parse()"
  : (S extends `-${infer U}` ? IsUnsigned<U> : IsUnsigned<S>) extends true
    ? LongerThan64<S> extends true ? `a decimal has at most 64 characters` : S
  : `"${S}" is not a decimal: digits, optionally "-" before and "." with digits after; no exponent, no leading zeros`

/**
 * `S` when it is the text of a decimal greater than zero, otherwise a sentence that the compiler shows.
 *
 * @category literals
 * @since 0.1.0
 */
export type PositiveLiteral<S extends string> = string extends S ? Literal<S> :
  Literal<S> extends S ? S extends `-${string}` ? `"${S}" is negative: prices and amounts are greater than zero`
    : IsZero<S> extends true ? `"${S}" is zero: prices and amounts are greater than zero`
    : S
  : Literal<S>

/**
 * `S` when it is the text of a decimal that is zero or more, otherwise a sentence that the compiler shows.
 *
 * @category literals
 * @since 0.1.0
 */
export type NonNegativeLiteral<S extends string> = string extends S ? Literal<S> :
  Literal<S> extends S
    ? S extends `-${infer U}` ? IsZero<U> extends true ? S : `"${S}" is negative: a fee rate is zero or more` : S
  : Literal<S>

// -----------------------------------------------------------------------------
// Schemas
// -----------------------------------------------------------------------------

const isNegative = (text: string): boolean => text.charCodeAt(0) === 45 && /[1-9]/u.test(text)
const isPositive = (text: string): boolean => text.charCodeAt(0) !== 45 && /[1-9]/u.test(text)

/** A string, refused with the constraint `decimal` when it is none: what an amount of another JSON type is told. */
const Text = Schema.String.annotate(Constraint.annotation({ kind: "decimal" }))

// A text that is no decimal breaks this constraint only: the checks after it need one to judge.
const isDecimal = Schema.isPattern(grammar, {
  ...Constraint.annotation({ kind: "decimal" }),
  expected: "a decimal string"
})
  .abort()

const isShort = Schema.isMaxLength(maxLength, Constraint.annotation({ kind: "length", max: maxLength })).abort()

const isGreaterThanZero = Schema.makeFilter(isPositive, {
  ...Constraint.annotation({ kind: "positive" }),
  expected: "a decimal greater than zero"
})

/**
 * @category schemas
 * @since 0.1.0
 */
export const Decimal = Text.check(isDecimal, isShort).pipe(Schema.brand("Decimal"))
  .annotate({ identifier: "Decimal" })

/**
 * @category schemas
 * @since 0.1.0
 */
export const Price = Text.check(isDecimal, isShort, isGreaterThanZero).pipe(
  Schema.brand("Decimal"),
  Schema.brand("Price")
).annotate({ identifier: "Price" })

/**
 * @category schemas
 * @since 0.1.0
 */
export const Amount = Text.check(isDecimal, isShort, isGreaterThanZero).pipe(
  Schema.brand("Decimal"),
  Schema.brand("Amount")
).annotate({ identifier: "Amount" })

/**
 * @category schemas
 * @since 0.1.0
 */
export const FeeRate = Text.check(
  isDecimal,
  isShort,
  Schema.makeFilter((text: string) => !isNegative(text), { expected: "a decimal that is zero or more" })
).pipe(Schema.brand("Decimal"), Schema.brand("FeeRate")).annotate({ identifier: "FeeRate" })

// -----------------------------------------------------------------------------
// Constructors
// -----------------------------------------------------------------------------

/**
 * A decimal from a literal that the compiler checks: `Decimal.of("0.01")`. For text known only at run time use
 * {@link parse}.
 *
 * @category constructors
 * @since 0.1.0
 */
export const of = <const S extends string>(text: S extends Literal<S> ? S : Literal<S>): Decimal =>
  // The parameter's type has proved the grammar.
  text as string as Decimal

/**
 * A price from a literal that the compiler checks: greater than zero, in units of the quote currency.
 *
 * @category constructors
 * @since 0.1.0
 */
export const price = <const S extends string>(text: S extends PositiveLiteral<S> ? S : PositiveLiteral<S>): Price =>
  text as string as Price

/**
 * An amount from a literal that the compiler checks: greater than zero.
 *
 * @category constructors
 * @since 0.1.0
 */
export const amount = <const S extends string>(text: S extends PositiveLiteral<S> ? S : PositiveLiteral<S>): Amount =>
  text as string as Amount

/**
 * A fee rate from a literal that the compiler checks: a ratio, zero or more.
 *
 * @category constructors
 * @since 0.1.0
 */
export const feeRate = <const S extends string>(
  text: S extends NonNegativeLiteral<S> ? S : NonNegativeLiteral<S>
): FeeRate => text as string as FeeRate

const parser = <A>(schema: Schema.Codec<A, string>): (text: string) => Result.Result<A, Schema.SchemaError> =>
  Schema.decodeResult(schema)

/**
 * A decimal from text known only at run time; fails with what is wrong with the text.
 *
 * @category constructors
 * @since 0.1.0
 */
export const parse = parser(Decimal)

/**
 * A price from text known only at run time.
 *
 * @category constructors
 * @since 0.1.0
 */
export const parsePrice = parser(Price)

/**
 * An amount from text known only at run time.
 *
 * @category constructors
 * @since 0.1.0
 */
export const parseAmount = parser(Amount)

/** Zero. */
export const zero: Decimal = of("0")

// -----------------------------------------------------------------------------
// Exact integers behind the text
// -----------------------------------------------------------------------------

/**
 * The number of fractional digits as written: 2 for `"1.50"`.
 *
 * @category exact integers
 * @since 0.1.0
 */
export const writtenScale = (self: string): number => {
  const point = self.indexOf(".")
  return point === -1 ? 0 : self.length - point - 1
}

/**
 * The number of fractional digits that count: 1 for `"1.50"`. What a market's precision is compared with.
 *
 * @category exact integers
 * @since 0.1.0
 */
export const scale = (self: Decimal): number => {
  const written = writtenScale(self)
  let zeros = 0
  while (zeros < written && self.charCodeAt(self.length - 1 - zeros) === 48) zeros++
  return written - zeros
}

/**
 * The value in units of `10^-scale`, when it is a whole number of them; `undefined` when it has more fractional digits.
 *
 * @category exact integers
 * @since 0.1.0
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
 * The canonical decimal of a whole number of units of `10^-scale`; fails when it needs more than 64 characters.
 *
 * @category exact integers
 * @since 0.1.0
 */
export const fromUnits = (units: bigint, scale: number): Result.Result<Decimal, Schema.SchemaError> =>
  parse(format(units, scale))

/** Both values as whole numbers of the finer of their two units. */
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
 * Order by value: `"1.50"` and `"1.5"` are equal.
 *
 * @category comparing
 * @since 0.1.0
 */
export const Order: Order_.Order<Decimal> = Order_.make((self, that) => {
  if (self === that) return 0
  const [a, b] = align(self, that)
  return a < b ? -1 : a > b ? 1 : 0
})

/**
 * Equality by value: `"1.50"` and `"1.5"` are equal.
 *
 * @category comparing
 * @since 0.1.0
 */
export const Equivalence: Equivalence_.Equivalence<Decimal> = Equivalence_.make((self, that) => Order(self, that) === 0)

/**
 * Whether the value is zero, however it is written.
 *
 * @category comparing
 * @since 0.1.0
 */
export const isZero = (self: Decimal): boolean => !/[1-9]/u.test(self)

/**
 * The canonical text of the value: no trailing zeros, no `-0`. Equal values have equal canonical texts.
 *
 * @category computing
 * @since 0.1.0
 */
export const normalize = (self: Decimal): Decimal => {
  const written = writtenScale(self)
  const kept = written === 0 ? self : self.replace(/\.?0+$/u, "")
  // A shorter text of the same value is within the grammar and the length.
  return (kept === "-0" ? "0" : kept) as Decimal
}

/**
 * The exact sum, in canonical text; fails when it needs more than 64 characters.
 *
 * @category computing
 * @since 0.1.0
 */
export const add = (self: Decimal, that: Decimal): Result.Result<Decimal, Schema.SchemaError> => {
  const [a, b, scale] = align(self, that)
  return fromUnits(a + b, scale)
}

/**
 * The exact difference, in canonical text; fails when it needs more than 64 characters.
 *
 * @category computing
 * @since 0.1.0
 */
export const subtract = (self: Decimal, that: Decimal): Result.Result<Decimal, Schema.SchemaError> => {
  const [a, b, scale] = align(self, that)
  return fromUnits(a - b, scale)
}

/**
 * The exact product, in canonical text; fails when it needs more than 64 characters.
 *
 * @category computing
 * @since 0.1.0
 */
export const multiply = (self: Decimal, that: Decimal): Result.Result<Decimal, Schema.SchemaError> => {
  const [a, b, scale] = align(self, that)
  return fromUnits(a * b, scale * 2)
}

/**
 * Compares the exact product `self × factor` with `that`, whatever the product's length: -1, 0 or 1.
 *
 * @category comparing
 * @since 0.1.0
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
 * Whether the value is a whole multiple of a step greater than zero.
 *
 * @category comparing
 * @since 0.1.0
 */
export const isMultipleOf = (self: Decimal, step: Amount | Price): boolean => {
  const [a, b] = align(self, step)
  return a % b === 0n
}

/**
 * Whether the value has at most `digits` fractional digits that count.
 *
 * @category comparing
 * @since 0.1.0
 */
export const fitsPrecision = (self: Decimal, digits: number): boolean => scale(self) <= digits
