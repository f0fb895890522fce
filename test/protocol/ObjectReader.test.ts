import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as ObjectReader from "../../src/protocol/ObjectReader.ts"
import * as Parser from "../../src/protocol/Parser.ts"
import { withoutFunctionsOfText } from "../support/functions.ts"
import { property } from "../support/property.ts"

const name = fc.constantFrom("a", "b", "c", "7", "", "a b", "`${x}`", "\"]; return 1; [\"", "\u2028", "\\", "null")
const value = fc.constantFrom<unknown>("x", 0, null, undefined, "none")

const member: fc.Arbitrary<ObjectReader.Member> = fc.record({
  from: name,
  to: name,
  parse: fc.constantFrom<Parser.Parser>(
    Parser.anything,
    (value) => typeof value === "string" ? value.length : Parser.refused,
    () => undefined
  ),
  isOptional: fc.boolean(),
  isDemanded: fc.boolean(),
  isAbsent: fc.constantFrom(undefined, (found: unknown) => found === "none")
})

const members = fc.uniqueArray(member, { maxLength: 5, selector: ({ from }) => from })

describe("reading objects", () => {
  property(
    "the object reader returns the same results whether or not it may generate functions from source text",
    [members, fc.dictionary(name, value)],
    (members, object) =>
      Effect.sync(() => {
        const results = [ObjectReader.maker(members), withoutFunctionsOfText(() => ObjectReader.maker(members))].map(
          (make) => {
            Parser.tally.keys = 0
            const made = make?.(object)
            return { made, keys: Parser.tally.keys, order: made === Parser.refused ? [] : Object.keys(made as object) }
          }
        )
        assert.deepStrictEqual(results[0], results[1])
      })
  )

  const from = (from: string, isOptional = false): ObjectReader.Member => ({
    from,
    to: from.toUpperCase(),
    parse: (value) => value === "odd" ? Parser.refused : value,
    isOptional
  })

  for (
    const [how, within] of [["from text", (make) => make()], [
      "as a loop",
      withoutFunctionsOfText
    ]] as const satisfies ReadonlyArray<
      readonly [string, <A>(make: () => A) => A]
    >
  ) {
    it(`an object reader made ${how} writes fields in the order of its members, and counts the keys that it reads`, () => {
      const make = within(() => ObjectReader.maker([from("b"), from("a", true)]))
      Parser.tally.keys = 0
      assert.deepStrictEqual(Object.entries(make?.({ a: 1, c: 2, b: 3 }) as object), [["B", 3], ["A", 1]])
      assert.strictEqual(Parser.tally.keys, 2)
      assert.deepStrictEqual(make?.({ b: 3 }), { B: 3 })
      for (const refused of [{ a: 1 }, { b: undefined }, { a: undefined, b: 3 }, { b: "odd" }]) {
        assert.strictEqual(make?.(refused), Parser.refused)
      }
    })
  }

  it("no object reader is created for inherited or repeated keys", () => {
    for (const key of ["__proto__", "constructor"]) assert.isUndefined(ObjectReader.maker([from(key)]))
    assert.isUndefined(ObjectReader.maker([from("a"), { ...from("a"), to: "b" }]))
  })
})
