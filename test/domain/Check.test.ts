import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import * as Check from "../../src/domain/Check.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import * as Identifiers from "../../src/domain/Identifiers.ts"
import { NonEmptyText } from "../../src/domain/Text.ts"
import { property } from "../support/property.ts"

const isWord = Check.matches(/^[a-z]+$/u)
const isShort = Check.passes((text: string) => text.length < 3, { expected: "a short text" })
const isTicker = Check.madeOf(/[A-Z]/u, /[A-Z_]/u, { expected: "a ticker" })
const isShortWord = Check.both((text) => /^[a-z]{1,2}$/u.test(text), isWord, isShort)

describe("predicates of checks", () => {
  const text = fc.oneof(
    fc.string({ maxLength: 4 }),
    fc.string({ unit: fc.constantFrom("A", "_", "a", "é"), maxLength: 4 })
  )

  property(
    "a check's predicate accepts exactly the strings that the check accepts",
    [text],
    (text) =>
      Effect.sync(() => {
        for (const check of [isWord, isShort, isTicker, isShortWord]) {
          assert.strictEqual(Check.testOf(check)?.(text), Schema.is(Schema.String.check(check))(text), text)
        }
      })
  )

  const ofDomain = [Decimal.Price, Decimal.FeeRate, Identifiers.OrderId, Identifiers.ClientOrderId, Identifiers.Ticker]
  const digits = fc.string({ unit: fc.constantFrom("0", "1", "9", ".", "-", "_", "a"), maxLength: 5 })

  property(
    "the predicate of a domain schema's check accepts exactly the strings that the check accepts",
    [fc.oneof(text, digits)],
    (text) =>
      Effect.sync(() => {
        for (const { ast } of [...ofDomain, NonEmptyText]) {
          for (const check of ast.checks ?? []) {
            const passes = Schema.is(Schema.String.check(check as typeof isWord))(text)
            assert.strictEqual(Check.testOf<string>(check as typeof isWord)?.(text), passes, text)
          }
        }
      }),
    { runs: 500 }
  )

  it("a check created by another module has no predicate", () => {
    assert.isUndefined(Check.testOf(Schema.isMinLength(1)))
  })
})

describe("strings made of given characters", () => {
  it("madeOf checks the first character against a separate set of characters", () => {
    const accepted = ["A", "AB", "A_", "", "_A", "a", "Aa", "Aé", "\uD800"].map((text) =>
      Check.testOf(isTicker)?.(text)
    )
    assert.deepStrictEqual(accepted, [true, true, true, false, false, false, false, false, false])
  })
})
