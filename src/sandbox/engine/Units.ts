/**
 * Exact quantities of an asset, as whole multiples of 10^-18.
 *
 * Eighteen fractional digits are enough for every product of an amount and a price on the markets of this exchange.
 */
import * as Result from "effect/Result"
import * as Decimal from "../../domain/Decimal.ts"

/** An exact quantity of an asset: a whole multiple of 10^-18 units. */
export type Units = bigint

/** The number of fractional digits of a quantity. */
export const scale = 18

/** The powers of ten, indexed by exponent. */
const powers = Array.from({ length: scale + 1 }, (_, exponent) => 10n ** BigInt(exponent))

/** The quantity 1. */
export const one: Units = 10n ** BigInt(scale)

/** The smallest step of a quantity with `digits` fractional digits. */
export const stepOf = (digits: number): Units => powers[scale - digits] ?? 1n

/**
 * The maximum size of the cache, and the number of misses after which a full cache is cleared. Prices change over time,
 * so a full cache would otherwise become useless.
 */
const [mostRead, mostMissed] = [4096, 65_536]

/**
 * A cache of quantities, keyed by the number of fractional digits and then by all digits as a whole number. The same
 * prices and amounts recur, so orders can share one value in memory. The keys are whole numbers, which are faster than
 * strings, because every order contains new string objects.
 */
const read = Array.from({ length: scale + 1 }, () => new Map<number, Units>())

/** The number of cached quantities, and the number of misses since the cache became full. */
let [remembered, missed] = [0, 0]

/** The exact quantity of a decimal; `undefined` if the decimal has more than eighteen fractional digits. */
export const from = (decimal: Decimal.Decimal): Units | undefined => {
  const digits = Decimal.writtenScale(decimal)
  const known = read[digits]
  // Up to 15 digits are parsed as a `number`, which is several times faster and just as exact.
  if (known === undefined || decimal.length > 15) return Decimal.toUnits(decimal, scale)
  const number = wholeNumberOf(decimal)
  return known.get(number) ?? remember(known, number, BigInt(number) * stepOf(digits))
}

const remember = (known: Map<number, Units>, number: number, units: Units): Units => {
  if (remembered < mostRead) {
    remembered++
    known.set(number, units)
  } else if (++missed === mostMissed) {
    remembered = missed = 0
    for (const numbers of read) numbers.clear()
  }
  return units
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

/** Converts a quantity to a decimal in canonical form. */
export const toDecimal = (units: Units): Decimal.Decimal =>
  // Fails only for quantities with 47 or more digits before the decimal point. Balances are far below that.
  Result.getOrThrow(Decimal.fromUnits(units, scale))

/**
 * `a` minus `b`. Returns `a` itself if `b` is zero, and a shared zero if both are equal, because a new value for each
 * order would take memory.
 */
export const minus = (a: Units, b: Units): Units => b === 0n ? a : a === b ? 0n : a - b

/** The sum of `a` and `b`. Returns `b` itself if `a` is zero. */
export const plus = (a: Units, b: Units): Units => a === 0n ? b : a + b

/** The exact product of an amount and a price; `undefined` if the product has more than eighteen fractional digits. */
export const product = (amount: Decimal.Decimal, price: Decimal.Decimal): Units | undefined => {
  const a = from(amount)
  const b = from(price)
  if (a === undefined || b === undefined) return undefined
  const exact = a * b
  return exact % one === 0n ? exact / one : undefined
}

/** The product of two quantities, rounded towards zero to eighteen fractional digits. */
export const times = (a: Units, b: Units): Units => a * b / one

/** Converts a percentage to a ratio: 0.1 % becomes 0.001. Markets state their fees in percent. */
export const ofPercent = (percent: Decimal.Decimal): Units => (from(percent) ?? 0n) / 100n

/** `a` divided by `b`, rounded towards zero to eighteen fractional digits. */
export const over = (a: Units, b: Units): Units => a * one / b
