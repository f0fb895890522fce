import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import * as Decimal from "../../src/domain/Decimal.ts"
import { amount, decimal, price } from "../support/arbitraries.ts"
import { bordered, closeDecimals, decimalAndDigits } from "../support/borders.ts"
import { property } from "../support/property.ts"
import { examples, noTexts } from "./examples.ts"
import * as Fraction from "./fraction.ts"

const decimalRule = { kind: "decimal" } as const
const positiveRule = { kind: "positive" } as const
const lengthRule = { kind: "length", max: 64 } as const

const noDecimals = [
  "",
  "-",
  ".",
  ".5",
  "5.",
  "-.5",
  "01",
  "-01",
  "00.5",
  "+1",
  "--1",
  "1e5",
  "1E5",
  "1.5e-7",
  " 1",
  "1 ",
  "1\n",
  "1,5",
  "1_000",
  "1.2.3",
  "0x10",
  "NaN",
  "Infinity",
  "１２",
  "٣"
]

describe("decimal schemas", () => {
  examples("Decimal", Decimal.Decimal, {
    accepted: ["0", "-0", "0.0", "1.50", "-12.034", "0.000000000000000001", "9".repeat(64), `0.${"1".repeat(62)}`],
    refused: [
      ...noDecimals.map((text) => [text, decimalRule] as const),
      ...noTexts.map((value) => [value, decimalRule] as const),
      ["9".repeat(65), lengthRule],
      [`-${"9".repeat(64)}`, lengthRule],
      [`1${"0".repeat(65)}e5`, decimalRule]
    ]
  })

  for (const [name, schema] of [["Price", Decimal.Price], ["Amount", Decimal.Amount]] as const) {
    examples(name, schema, {
      accepted: ["1", "1.50", "0.00000001", "9".repeat(64)],
      refused: [
        ["0", positiveRule],
        ["-0", positiveRule],
        ["0.000", positiveRule],
        ["-1", positiveRule],
        ["-0.5", positiveRule],
        ["01", decimalRule],
        [1, decimalRule],
        ["9".repeat(65), lengthRule]
      ]
    })
  }

  examples("FeeRate", Decimal.FeeRate, {
    accepted: ["0", "-0", "0.00", "0.001", "1"],
    refused: [["-0.001", { kind: "format" }], ["1e-3", decimalRule], [0.001, decimalRule], ["9".repeat(65), lengthRule]]
  })
})

describe("decimal constructors", () => {
  it("the constructors `of`, `price`, `amount` and `feeRate` preserve the literal's text", () => {
    assert.deepStrictEqual(
      [Decimal.of("-1.50"), Decimal.price("1.50"), Decimal.amount("0.10"), Decimal.feeRate("0.00"), Decimal.zero],
      ["-1.50", "1.50", "0.10", "0.00", "0"] as Array<string>
    )
  })

  property(
    "`parse` preserves a decimal's text",
    [decimal],
    (text) => Effect.sync(() => assert.deepStrictEqual(Decimal.parse(text), Result.succeed(text)))
  )

  property(
    "`parsePrice` and `parseAmount` preserve the text of positive decimals",
    [price],
    (text) =>
      Effect.sync(() => {
        assert.deepStrictEqual(Decimal.parsePrice(text), Result.succeed(text))
        assert.strictEqual<string>(Result.getOrThrow(Decimal.parseAmount(text)), text)
      })
  )

  property("`parse` accepts exactly the strings that match the decimal grammar", [
    fc.string({ unit: fc.constantFrom(..."-.0015e+ "), maxLength: 8 })
  ], (text) =>
    Effect.sync(() => {
      const [whole = "", fraction, ...more] = text.replace(/^-/u, "").split(".")
      const areDigits = (part: string) => part !== "" && [...part].every((digit) => "0123456789".includes(digit))
      const follows = areDigits(whole) && (whole === "0" || whole[0] !== "0") && more.length === 0 &&
        (fraction === undefined || areDigits(fraction))
      assert.strictEqual(Result.isSuccess(Decimal.parse(text)), follows)
    }))

  it("a parse failure's message describes the mistake", () => {
    const failure = Decimal.parse("1e5")
    assert.isTrue(Result.isFailure(failure) && failure.failure.message.includes("a decimal string"))
  })
})

describe("Decimal.normalize", () => {
  it("`normalize` drops trailing zeros and the sign of zero", () => {
    const normal = ["0", "-0", "0.00", "-0.00", "100", "100.00", "1.50", "-10.050", "0.10"].map((text) =>
      Decimal.normalize(Result.getOrThrow(Decimal.parse(text)))
    )
    assert.deepStrictEqual<ReadonlyArray<string>>(normal, ["0", "0", "0", "0", "100", "100", "1.5", "-10.05", "0.1"])
  })

  property(
    "`normalize` agrees with the fraction model",
    [decimal],
    (value) =>
      Effect.sync(() => assert.strictEqual<string>(Decimal.normalize(value), Fraction.write(Fraction.read(value))))
  )

  property("`normalize` is idempotent and preserves the value", [decimal], (value) =>
    Effect.sync(() => {
      const normal = Decimal.normalize(value)
      assert.strictEqual(Decimal.normalize(normal), normal)
      assert.isTrue(Result.isSuccess(Decimal.parse(normal)))
      assert.isTrue(Decimal.Equivalence(normal, value))
    }))

  property(
    "two decimals have the same normal form exactly when they are equal",
    [decimal, decimal, fc.nat(5)],
    (a, b, zeros) =>
      Effect.sync(() => {
        const sameAsA = a + (a.includes(".") ? "" : ".0") + "0".repeat(zeros) as Decimal.Decimal
        assert.isTrue(Decimal.Equivalence(a, sameAsA))
        assert.strictEqual(Decimal.normalize(a), Decimal.normalize(sameAsA))
        assert.strictEqual(Decimal.normalize(a) === Decimal.normalize(b), Decimal.Equivalence(a, b))
      })
  )
})

describe("comparing decimals", () => {
  property(
    "the Order and Equivalence of decimals agree with the fraction model",
    [closeDecimals],
    ([a, b]) =>
      Effect.sync(() => {
        const expected = Fraction.compare(Fraction.read(a), Fraction.read(b))
        assert.strictEqual(Decimal.Order(a, b), expected)
        assert.strictEqual(Decimal.Equivalence(a, b), expected === 0)
      })
  )

  property("the Order of decimals is a total order", [decimal, decimal, decimal], (a, b, c) =>
    Effect.sync(() => {
      assert.strictEqual(Decimal.Order(a, a), 0)
      assert.strictEqual(Decimal.Order(a, b), 0 - Decimal.Order(b, a))
      if (Decimal.Order(a, b) <= 0 && Decimal.Order(b, c) <= 0) assert.isAtMost(Decimal.Order(a, c), 0)
    }))

  property(
    "`isZero` is true exactly for values equal to zero",
    [decimal],
    (value) => Effect.sync(() => assert.strictEqual(Decimal.isZero(value), Decimal.Equivalence(value, Decimal.zero)))
  )

  /** Generates two factors, and a third decimal to compare with their product. */
  const products = fc.tuple(decimal, decimal, decimal)
  const closeProducts = closeDecimals.map(([a, b]) => [a, Decimal.of("1"), b] as const)
  property(
    "`compareProduct` agrees with the fraction model",
    [fc.oneof(products, closeProducts)],
    ([a, b, c]) =>
      Effect.sync(() => {
        const product = Fraction.multiply(Fraction.read(a), Fraction.read(b))
        assert.strictEqual(Decimal.compareProduct(a, b, c), Fraction.compare(product, Fraction.read(c)))
      })
  )

  it("`compareProduct` compares all digits of a product that is too long for a decimal", () => {
    const long = Decimal.of("1000000000000000000000000000000000000000.000000000000000000001")
    assert.strictEqual(Decimal.compareProduct(long, long, Decimal.zero), 1)
    assert.isTrue(Result.isFailure(Decimal.multiply(long, long)))
    assert.strictEqual(Decimal.compareProduct(Decimal.of("1.1"), Decimal.of("1.1"), Decimal.of("1.210")), 0)
    assert.strictEqual(Decimal.compareProduct(Decimal.of("1.1"), Decimal.of("1.1"), Decimal.of("1.2100001")), -1)
  })

  property(
    "`isMultipleOf` agrees with the fraction model",
    [decimal, amount],
    (value, step) =>
      Effect.sync(() =>
        assert.strictEqual(
          Decimal.isMultipleOf(value, step),
          Fraction.isWholeNumberOf(Fraction.read(value), Fraction.read(step))
        )
      )
  )

  property(
    "`isMultipleOf` is true for every integer number of steps",
    [fc.integer({ min: -999, max: 999 }), price],
    (n, step) =>
      Effect.sync(() => {
        const product = Decimal.multiply(Result.getOrThrow(Decimal.parse(n.toString())), step)
        if (Result.isSuccess(product)) assert.isTrue(Decimal.isMultipleOf(product.success, step))
      })
  )
})

describe("decimal arithmetic", () => {
  /** Asserts that the result is the canonical exact value, or a failure if that value has more than 64 characters. */
  const agrees = (actual: Result.Result<Decimal.Decimal, unknown>, expected: Fraction.Fraction) => {
    const text = Fraction.write(expected)
    assert.strictEqual(Result.getOrUndefined(actual), text.length > 64 ? undefined : text as Decimal.Decimal)
  }

  property(
    "`add` agrees with the fraction model",
    [decimal, decimal],
    (a, b) => Effect.sync(() => agrees(Decimal.add(a, b), Fraction.add(Fraction.read(a), Fraction.read(b))))
  )

  property(
    "`subtract` agrees with the fraction model",
    [decimal, decimal],
    (a, b) =>
      Effect.sync(() =>
        agrees(Decimal.subtract(a, b), Fraction.add(Fraction.read(a), Fraction.negate(Fraction.read(b))))
      )
  )

  property(
    "`multiply` agrees with the fraction model",
    [decimal, decimal],
    (a, b) => Effect.sync(() => agrees(Decimal.multiply(a, b), Fraction.multiply(Fraction.read(a), Fraction.read(b))))
  )

  property(
    "`floor` and `ceil` return the nearest decimals with the given number of digits",
    [decimalAndDigits(70)],
    ([value, digits]) =>
      Effect.sync(() => {
        const { d, n } = Fraction.read(value)
        const step = 10n ** BigInt(digits)
        const whole = n * step / d
        const isExact = n * step % d === 0n
        const below = isExact || n > 0n ? whole : whole - 1n
        const written = (units: bigint) => Fraction.write({ n: units, d: step }) as Decimal.Decimal
        assert.strictEqual(Decimal.floor(value, digits), written(below))
        assert.strictEqual(Decimal.ceil(value, digits), written(isExact ? below : below + 1n))
      })
  )

  it("`floor` and `ceil` accept every decimal, even the longest", () => {
    const long = Decimal.of("99999999999999999999999999999999999999999999999999999999999999.9")
    assert.strictEqual<string>(Decimal.ceil(long, 0), `1${"0".repeat(62)}`)
    assert.strictEqual<string>(Decimal.floor(long, 0), "9".repeat(62))
    assert.strictEqual<string>(Decimal.floor(Decimal.of("-0.04"), 1), "-0.1")
    assert.strictEqual<string>(Decimal.ceil(Decimal.of("-0.04"), 1), "0")
  })

  it("arithmetic never rounds, and fails if a result needs more than 64 characters", () => {
    const nines = Result.getOrThrow(Decimal.parse("9".repeat(64)))
    const one = Decimal.of("1")
    assert.isTrue(Result.isFailure(Decimal.add(nines, one)))
    assert.isTrue(Result.isFailure(Decimal.subtract(nines, Decimal.of("0.1"))))
    assert.isTrue(Result.isFailure(Decimal.multiply(nines, nines)))
    assert.isTrue(Result.isSuccess(Decimal.subtract(nines, one)))
  })

  it("0.1 plus 0.2 is 0.3", () => {
    assert.deepStrictEqual(Decimal.add(Decimal.of("0.1"), Decimal.of("0.2")), Result.succeed(Decimal.of("0.3")))
  })
})

describe("decimals as exact integers", () => {
  it("`writtenScale` counts all fractional digits, and `scale` ignores trailing zeros", () => {
    const examples = [["0", 0, 0], ["0.00", 2, 0], ["1.50", 2, 1], ["100", 0, 0], ["-1.005", 3, 3]] as const
    for (const [text, written, counting] of examples) {
      assert.strictEqual(Decimal.writtenScale(text), written, text)
      assert.strictEqual(Decimal.scale(Decimal.of(text)), counting, text)
    }
  })

  property(
    "`scale` is the smallest exponent of ten that makes the value an integer",
    [decimal],
    (value) =>
      Effect.sync(() => {
        const { d, n } = Fraction.read(value)
        let least = 0
        while ((n * 10n ** BigInt(least)) % d !== 0n) least++
        assert.strictEqual(Decimal.scale(value), least)
      })
  )

  property(
    "`fitsPrecision` is true when `scale` is at most the given number of digits",
    [decimalAndDigits(70)],
    ([value, digits]) =>
      Effect.sync(() => {
        const { d, n } = Fraction.read(value)
        assert.strictEqual(Decimal.fitsPrecision(value, digits), (n * 10n ** BigInt(digits)) % d === 0n)
      })
  )

  property(
    "`toUnits` multiplies by 10^scale, and returns undefined if the result is not an integer",
    [decimalAndDigits(70)],
    ([value, scale]) =>
      Effect.sync(() => {
        const { d, n } = Fraction.read(value)
        const units = n * 10n ** BigInt(scale)
        assert.strictEqual(Decimal.toUnits(value, scale), units % d === 0n ? units / d : undefined)
      })
  )

  property("`fromUnits` returns the canonical decimal", [
    fc.oneof(
      fc.bigInt({ min: -(10n ** 70n), max: 10n ** 70n }),
      // Integers with about as many digits as the scale, and the largest integers that fit into a decimal.
      fc.tuple(bordered({ max: 70 }, 62, 64), fc.constantFrom(-1n, 0n, 1n)).map(([digits, more]) =>
        10n ** BigInt(digits) + more
      )
    ),
    bordered({ max: 70 }, 62)
  ], (units, scale) =>
    Effect.sync(() => {
      const text = Fraction.write({ n: units, d: 10n ** BigInt(scale) })
      const expected = text.length > 64 ? undefined : text as Decimal.Decimal
      assert.strictEqual(Result.getOrUndefined(Decimal.fromUnits(units, scale)), expected)
    }))

  property("`fromUnits` reverses `toUnits`", [decimal], (value) =>
    Effect.sync(() => {
      const scale = Decimal.scale(value)
      const units = Decimal.toUnits(value, scale)
      assert.isDefined(units)
      assert.deepStrictEqual(Decimal.fromUnits(units, scale), Result.succeed(Decimal.normalize(value)))
    }))
})
