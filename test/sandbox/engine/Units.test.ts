import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Decimal from "../../../src/domain/Decimal.ts"
import * as Units from "../../../src/sandbox/engine/Units.ts"
import * as Fraction from "../../domain/fraction.ts"
import { amount, decimal, price } from "../../support/arbitraries.ts"
import { bordered } from "../../support/borders.ts"
import { property } from "../../support/property.ts"

const { scale } = Units

/** Decimals that often have about as many digits as a `number` or a quantity can hold, in total or after the point. */
const quantity = fc.tuple(
  fc.constantFrom("", "-"),
  fc.constantFrom("1", "9", "90", "19"),
  bordered({ max: 24 }, 15, 16, scale),
  bordered({ max: 24 }, 15, 16, scale)
).map(([sign, unit, length, digits]) => {
  const text = unit.repeat(25).slice(0, length + 1).padStart(digits + 1, "0")
  const whole = text.slice(0, text.length - digits).replace(/^0+(?=.)/u, "")
  return `${sign}${whole}${digits === 0 ? "" : `.${text.slice(-digits)}`}` as Decimal.Decimal
})

/** Returns the exact quantity, or `undefined` if it does not fit in eighteen decimal places. */
const exact = ({ d, n }: Fraction.Fraction) => (n * Units.one) % d === 0n ? n * Units.one / d : undefined

const units = fc.oneof(
  quantity.map((text) => Units.from(text) ?? Units.one),
  fc.constantFrom(0n, 1n, -1n, Units.one, Units.one - 1n, Units.one + 1n)
)

describe("Units", () => {
  property(
    "`Units.from` returns the exact quantity, even when it reads the same decimal again",
    [fc.oneof(quantity, decimal)],
    (text) =>
      Effect.sync(() => {
        const expected = exact(Fraction.read(text))
        assert.strictEqual(Units.from(text), expected)
        assert.strictEqual(Units.from(text), expected, "read again")
      }),
    { runs: 2000 }
  )

  it.effect("`Units.from` can read more quantities than its cache can store", () =>
    Effect.sync(() => {
      for (let round = 0; round < 2; round++) {
        for (let whole = 0; whole < 80_000; whole++) {
          assert.strictEqual(Units.from(Decimal.Decimal.make(`${whole}.5`)), BigInt(whole) * Units.one + Units.one / 2n)
        }
      }
    }))

  property(
    "`Units.product` is exact if the product fits in eighteen decimal places",
    [fc.oneof(quantity, amount), fc.oneof(quantity, price)],
    (a, b) =>
      Effect.sync(() => {
        const [x, y] = [Fraction.read(a), Fraction.read(b)]
        const isRead = exact(x) !== undefined && exact(y) !== undefined
        assert.strictEqual(Units.product(a, b), isRead ? exact(Fraction.multiply(x, y)) : undefined)
      }),
    { runs: 2000 }
  )

  property(
    "`Units.plus`, `minus`, `times` and `over` are exact integer arithmetic, rounded towards zero",
    [units, units],
    (a, b) =>
      Effect.sync(() => {
        assert.strictEqual(Units.plus(a, b), a + b)
        assert.strictEqual(Units.minus(a, b), a - b)
        assert.strictEqual(Units.minus(a, a), 0n)
        assert.strictEqual(Units.times(a, b), a * b / Units.one)
        if (b !== 0n) assert.strictEqual(Units.over(a, b), a * Units.one / b)
      })
  )

  property("`Units.toDecimal` restores the decimal that `Units.from` read", [quantity], (text) =>
    Effect.sync(() => {
      const quantity = Units.from(text)
      if (quantity !== undefined) assert.strictEqual(Units.toDecimal(quantity), Decimal.normalize(text))
    }))

  it("`Units.stepOf` returns the smallest step with the given number of digits", () => {
    for (let digits = 0; digits <= scale; digits++) {
      assert.strictEqual(Units.stepOf(digits), 10n ** BigInt(scale - digits))
    }
  })
})
