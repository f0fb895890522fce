/** Numbers at and near boundaries, which a uniform distribution rarely produces. */
import * as fc from "fast-check"
import type { Decimal } from "../../src/domain/Decimal.ts"
import { decimal } from "./arbitraries.ts"

interface Bounds {
  readonly min?: number
  readonly max: number
}

/** Integers within bounds. About half of them equal or neighbor a bound or one of `borders`. */
export const bordered = ({ max, min = 0 }: Bounds, ...borders: ReadonlyArray<number>): fc.Arbitrary<number> => {
  const near = [min, max, ...borders].flatMap((border) => [border - 1, border, border + 1])
  const within = new Set(near.filter((number) => number >= min && number <= max))
  return fc.oneof(fc.constantFrom(...within), fc.integer({ min, max }))
}

/** Counts the fractional digits, with and without trailing zeros. */
const digitsOf = (value: string): ReadonlyArray<number> => {
  const [, fraction = ""] = value.split(".")
  return [fraction.length, fraction.replace(/0+$/u, "").length]
}

/** Adds `step` to the decimal's last digit, unless the sum needs a carry. */
const stepped = (value: Decimal, step: 1 | -1): Decimal => {
  const last = Number(value.at(-1)) + step
  return (last < 0 || last > 9 ? value : `${value.slice(0, -1)}${last}`) as Decimal
}

/** Appends fractional digits to the value, unless the result would be too long. */
const longer = (value: Decimal, digits: string): Decimal => {
  const text = `${value}${value.includes(".") ? "" : "."}${digits}`
  return digits === "" || text.length > 64 ? value : text as Decimal
}

/**
 * A decimal that may end in zeros, and a number of digits that often equals the decimal's number of fractional digits.
 */
export const decimalAndDigits = (max: number): fc.Arbitrary<readonly [Decimal, number]> =>
  fc.tuple(decimal, fc.constantFrom("", "0", "000")).chain(([drawn, zeros]) => {
    const value = longer(drawn, zeros)
    return fc.tuple(fc.constant(value), bordered({ max }, ...digitsOf(value)))
  })

/** Two decimals that are often equal, or that differ only in the last digit. */
export const closeDecimals: fc.Arbitrary<readonly [Decimal, Decimal]> = fc.oneof(
  fc.tuple(decimal, decimal),
  decimal.chain((value) =>
    fc.tuple(
      fc.constant(value),
      fc.constantFrom(
        value,
        stepped(value, 1),
        stepped(value, -1),
        longer(value, "0"),
        longer(value, "000"),
        longer(value, "1"),
        longer(value, "01")
      )
    )
  )
)
