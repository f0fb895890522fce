/** Exact arithmetic with decimals as plain strings. These functions throw where `Decimal` returns a `Result`. */
import * as Result from "effect/Result"
import * as Decimal from "./domain/Decimal.ts"

const read = (text: string): Decimal.Decimal => Result.getOrThrow(Decimal.parse(text))

/**
 * Exact arithmetic with amounts and prices, which are strings. Every function throws a `SchemaError` if an argument is
 * not a decimal, or the result has more than 64 characters.
 *
 * @category arithmetic
 */
export const decimal = {
  /** The exact sum. */
  add: (one: string, other: string): Decimal.Decimal => Result.getOrThrow(Decimal.add(read(one), read(other))),
  /** The exact difference. */
  subtract: (one: string, other: string): Decimal.Decimal =>
    Result.getOrThrow(Decimal.subtract(read(one), read(other))),
  /** The exact product. */
  multiply: (one: string, other: string): Decimal.Decimal =>
    Result.getOrThrow(Decimal.multiply(read(one), read(other))),
  /**
   * Compares two decimals by value: -1 if the first is less, 0 if they are equal (such as `"1.50"` and `"1.5"`), 1 if
   * the first is greater.
   */
  compare: (one: string, other: string): -1 | 0 | 1 => Decimal.Order(read(one), read(other)),
  /** Rounds down to `digits` decimal places: `floor("1.29", 1)` is `"1.2"`. */
  floor: (text: string, digits: number): Decimal.Decimal => Decimal.floor(read(text), digits),
  /** Rounds up to `digits` decimal places: `ceil("1.21", 1)` is `"1.3"`. */
  ceil: (text: string, digits: number): Decimal.Decimal => Decimal.ceil(read(text), digits)
}
