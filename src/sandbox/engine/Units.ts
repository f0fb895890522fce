/**
 * Exact quantities of an asset: whole numbers of 10^-18 of it.
 *
 * Eighteen digits hold every product of an amount and a price that the markets of this exchange trade in.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Decimal from "../../domain/Decimal.ts"

/** @category models */
export type Units = bigint

/** The fractional digits of a quantity. */
export const scale = 18

const one = 10n ** BigInt(scale)

/**
 * The exact quantity; `undefined` when it has more than eighteen fractional digits.
 *
 * @category conversions
 * @since 0.1.0
 */
export const from = (decimal: Decimal.Decimal): Units | undefined => Decimal.toUnits(decimal, scale)

/**
 * The quantity as a decimal in canonical text.
 *
 * @category conversions
 * @since 0.1.0
 */
export const toDecimal = (units: Units): Decimal.Decimal =>
  // A balance would need 46 digits before the point to be too long; what is funded is bounded far below.
  Result.getOrThrow(Decimal.fromUnits(units, scale))

/**
 * The exact product of an amount and a price; `undefined` when it has more than eighteen fractional digits.
 *
 * @category computing
 * @since 0.1.0
 */
export const product = (amount: Decimal.Decimal, price: Decimal.Decimal): Units | undefined => {
  const a = from(amount)
  const b = from(price)
  if (a === undefined || b === undefined) return undefined
  const exact = a * b
  return exact % one === 0n ? exact / one : undefined
}

/**
 * The product of two quantities, rounded towards zero when it has more than eighteen fractional digits.
 *
 * @category computing
 * @since 0.1.0
 */
export const times = (a: Units, b: Units): Units => a * b / one

/**
 * How often `b` goes into `a`, rounded towards zero.
 *
 * @category computing
 * @since 0.1.0
 */
export const over = (a: Units, b: Units): Units => a * one / b
