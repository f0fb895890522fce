import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { Windows } from "../../src/protocol/Windows.ts"
import { property } from "../support/property.ts"

const codesOf = (text: string) => Uint16Array.from(text, (character) => character.charCodeAt(0))

const found = (windows: Windows, text: string): ReadonlyArray<number> => {
  const places: Array<number> = []
  windows.find(codesOf(text), (at) => places.push(at))
  return places
}

describe("shared substrings of fixed width", () => {
  property(
    "Windows finds every substring that two strings share, and no other substring",
    // A small alphabet, so that the strings share and repeat substrings.
    [
      fc.string({ unit: fc.constantFrom("a", "b", "ÿ", "☃"), maxLength: 60 }),
      fc.string({ unit: fc.constantFrom("a", "b", "ÿ", "☃"), maxLength: 60 }),
      fc.integer({ min: 1, max: 8 })
    ],
    (text, other, width) =>
      Effect.sync(() => {
        const expected = Array.from(other, (_, at) => at).filter((at) =>
          at + width <= other.length && text.includes(other.slice(at, at + width))
        )
        assert.deepStrictEqual(found(new Windows(codesOf(text), width), other), expected)
      })
  )

  it("a string shorter than the width has no substrings", () => {
    assert.deepStrictEqual(found(new Windows(codesOf("abc"), 4), "abcabc"), [])
    assert.deepStrictEqual(found(new Windows(codesOf(""), 1), "a"), [])
  })
})
