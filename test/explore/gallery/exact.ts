/** Exact arithmetic. It fails only if a result has more than 64 characters. */
import { Decimal } from "effect-txc"
import * as Result from "effect/Result"

/** Returns the sum of two decimals. */
export const plus = (one: Decimal.Decimal, other: Decimal.Decimal): Decimal.Decimal =>
  Result.getOrThrow(Decimal.add(one, other))

/** Returns the difference of two decimals. */
export const minus = (one: Decimal.Decimal, other: Decimal.Decimal): Decimal.Decimal =>
  Result.getOrThrow(Decimal.subtract(one, other))

/** Returns the sum of any number of decimals. */
export const sum = (decimals: ReadonlyArray<Decimal.Decimal>): Decimal.Decimal => decimals.reduce(plus, Decimal.zero)

/** Whether the first decimal is greater than the second. */
export const exceeds = (one: Decimal.Decimal, other: Decimal.Decimal): boolean => Decimal.Order(one, other) > 0

/** Multiplies a price by a factor, and rounds the result down to cents. */
export const times = (price: Decimal.Decimal, factor: Decimal.Decimal): Decimal.Decimal =>
  Decimal.floor(Result.getOrThrow(Decimal.multiply(price, factor)), 2)
