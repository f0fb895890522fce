import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { oneOf } from "../../src/domain/Text.ts"
import * as Unrecognised from "../../src/domain/Unrecognised.ts"
import { property } from "../support/property.ts"

const Letter = Unrecognised.open(oneOf(["a", "b"]))

property(
  "an open enumeration keeps every string unchanged",
  [fc.oneof(fc.constantFrom("a", "b"), fc.string())],
  (text) =>
    Effect.sync(() => {
      const decoded = Schema.decodeResult(Letter)(text)
      assert.deepStrictEqual(decoded, Result.succeed(text as "a"))
      assert.deepStrictEqual(Result.flatMap(decoded, Schema.encodeResult(Letter)), Result.succeed(text))
    })
)

it("an open enumeration accepts only strings", () => {
  for (const value of [null, 1, true, [], {}]) assert.isFalse(Schema.is(Letter)(value))
})
