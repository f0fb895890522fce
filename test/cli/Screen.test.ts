import { assert, describe } from "@effect/vitest"
import { displayWidth } from "effect/cli/CliOutput"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Screen from "../../src/cli/Screen.ts"
import { property } from "../support/property.ts"

/** A word that may be styled. */
const word = fc.stringMatching(/^[a-zé!]{1,12}$/u).map((text) => text.replaceAll("!", "\u001B[1m"))

describe("Screen", () => {
  property(
    "`wrap` breaks lines between words and loses no word",
    [fc.array(fc.array(word, { maxLength: 20 }), { maxLength: 4 }), fc.integer({ min: 30, max: 60 }), fc.boolean()],
    (lines, width, hasColumn) =>
      Effect.sync(() => {
        const text = lines.map(([first = "", ...others]) => first + (hasColumn ? "   " : " ") + others.join(" ")).join(
          "\n"
        )
        const wrapped = Screen.wrap(text, width)
        for (const line of wrapped.split("\n")) assert.isAtMost(displayWidth(line.trimEnd()), width)
        assert.deepStrictEqual(wrapped.match(/\S+/gu), text.match(/\S+/gu))
        assert.strictEqual(Screen.wrap(text, Infinity), text)
      })
  )

  property(
    "`fit` returns text with exactly the given width, and marks truncation",
    [fc.stringMatching(/^[a-z ]{0,30}$/u), fc.integer({ min: 1, max: 20 })],
    (text, width) =>
      Effect.sync(() => {
        const fitted = Screen.fit(text, width)
        assert.strictEqual(fitted.length, width)
        assert.strictEqual(fitted.endsWith("…"), text.length > width)
      })
  )
})
