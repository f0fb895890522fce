import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as MapReader from "../../src/protocol/MapReader.ts"
import * as Parser from "../../src/protocol/Parser.ts"
import { withoutFunctionsOfText } from "../support/functions.ts"
import { property } from "../support/property.ts"

const isKey: Parser.Parser = (key) => typeof key === "string" && key !== "odd" ? key : Parser.refused
const read: Parser.Parser = (value) => typeof value === "number" ? value + 1 : Parser.refused

/**
 * Returns a reader's result for an object, and the number of keys that the reader counts. The result is either the
 * entries in order, or a refusal.
 */
const madeBy = (make: ReturnType<typeof MapReader.maker>, object: Readonly<Record<string, unknown>>) => {
  Parser.tally.keys = 0
  const made = make(object)
  return { made: made instanceof Map ? [...made] : made, keys: Parser.tally.keys }
}

const ofText = MapReader.maker(isKey, read)
const asLoop = withoutFunctionsOfText(() => MapReader.maker(isKey, read))

describe("reading maps", () => {
  const key = fc.oneof(fc.constantFrom("a", "7", "", "odd", "constructor", "__proto__", "\u2028"), fc.string())
  property(
    "the map reader returns the same results whether or not it may generate functions from source text",
    [fc.array(fc.tuple(key, fc.constantFrom<unknown>(1, 2, 3, "x", null)), { maxLength: 6 })],
    (entries) => {
      const object = Object.fromEntries(entries)
      return Effect.sync(() => assert.deepStrictEqual(madeBy(ofText, object), madeBy(asLoop, object)))
    }
  )

  for (const [how, make] of [["from text", ofText], ["as a loop", asLoop]] as const) {
    it(`a map reader made ${how} preserves the order of the entries, and counts the keys that it reads`, () => {
      assert.deepStrictEqual(madeBy(make, { b: 1, a: 2 }), { made: [["b", 2], ["a", 3]], keys: 2 })
      assert.deepStrictEqual(madeBy(make, JSON.parse(`{"__proto__":1}`) as Record<string, unknown>), {
        made: [["__proto__", 2]],
        keys: 1
      })
      assert.deepStrictEqual(madeBy(make, {}), { made: [], keys: 0 })
      for (const refused of [{ a: 1, b: "2" }, { odd: 1 }, { a: 1, odd: 1 }]) {
        assert.strictEqual(madeBy(make, refused).made, Parser.refused)
      }
    })
  }
})
