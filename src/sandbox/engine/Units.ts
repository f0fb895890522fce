/**
 * Exact quantities of an asset, as whole numbers of its 10^-18th part.
 *
 * Eighteen digits are enough for every product of an amount and a price on the markets of this exchange.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Decimal from "../../domain/Decimal.ts"

/**
 * An exact quantity.
 *
 * @category models
 * @since 0.1.0
 */
export type Units = bigint

/**
 * The fractional digits of a quantity.
 *
 * @category models
 * @since 0.1.0
 */
export const scale = 18

/** The powers of ten, by their exponents. */
const powers = Array.from({ length: scale + 1 }, (_, exponent) => 10n ** BigInt(exponent))

/**
 * The quantity 1.
 *
 * @category constants
 * @since 0.1.0
 */
export const one: Units = 10n ** BigInt(scale)

/**
 * The smallest step of quantities that have so many fractional digits.
 *
 * @category conversions
 * @since 0.1.0
 */
export const stepOf = (digits: number): Units => powers[scale - digits] ?? 1n

/** How many texts are remembered, and after how many others they are forgotten: prices move on. */
const [mostRead, mostMissed] = [4096, 65_536]

/**
 * What texts say. The same prices and amounts come again and again: most are read once, and all orders of them share one
 * value in memory.
 */
const read = new Map<Decimal.Decimal, Units>()

/** How many texts have come that there was no place for. To remember one costs more than to read it a second time. */
let missed = 0

/**
 * The exact quantity; `undefined` when it has more than eighteen fractional digits.
 *
 * @category conversions
 * @since 0.1.0
 */
export const from = (decimal: Decimal.Decimal): Units | undefined => {
  const known = read.get(decimal)
  if (known !== undefined) return known
  const units = unitsOf(decimal)
  if (units !== undefined && read.size < mostRead) read.set(decimal, units)
  else if (++missed === mostMissed) {
    missed = 0
    read.clear()
  }
  return units
}

const unitsOf = (decimal: Decimal.Decimal): Units | undefined => {
  const digits = Decimal.writtenScale(decimal)
  // Few digits are read as a number, which is several times faster and just as exact.
  if (decimal.length > 15 || digits > scale) return Decimal.toUnits(decimal, scale)
  return BigInt(digits === 0 ? Number(decimal) : wholeNumberOf(decimal)) * stepOf(digits)
}

/** The digits of a decimal as a whole number: 150 for `"1.50"`. */
const wholeNumberOf = (decimal: Decimal.Decimal): number => {
  let number = 0
  for (let i = 0; i < decimal.length; i++) {
    const digit = decimal.charCodeAt(i) - 48
    if (digit >= 0) number = number * 10 + digit
  }
  return decimal.charCodeAt(0) === 45 ? -number : number
}

/**
 * The quantity as a decimal in canonical text.
 *
 * @category conversions
 * @since 0.1.0
 */
export const toDecimal = (units: Units): Decimal.Decimal =>
  // Only 46 digits before the point would be too long. What can be funded is far below that.
  Result.getOrThrow(Decimal.fromUnits(units, scale))

/**
 * What is left of `a` without `b`. Nothing is always the same zero, and everything is `a` itself: a new one for each order
 * takes memory.
 *
 * @category computing
 * @since 0.1.0
 */
export const minus = (a: Units, b: Units): Units => b === 0n ? a : a === b ? 0n : a - b

/**
 * The sum of `a` and `b`. What is added to nothing stays the same value in memory.
 *
 * @category computing
 * @since 0.1.0
 */
export const plus = (a: Units, b: Units): Units => a === 0n ? b : a + b

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
 * The ratio that a percentage states: 0.001 for 0.1 %. Markets state their fees in percent.
 *
 * @category computing
 * @since 0.1.0
 */
export const ofPercent = (percent: Decimal.Decimal): Units => (from(percent) ?? 0n) / 100n

/**
 * `a` divided by `b`, rounded towards zero.
 *
 * @category computing
 * @since 0.1.0
 */
export const over = (a: Units, b: Units): Units => a * one / b
