import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Hex from "../../src/protocol/Hex.ts"
import { property } from "../support/property.ts"

describe("hexadecimal digits", () => {
  property("are what Node writes and reads", [fc.uint8Array({ maxLength: 40 })], (bytes) =>
    Effect.sync(() => {
      const digits = Buffer.from(bytes).toString("hex")
      assert.strictEqual(Hex.encode(bytes), digits)
      assert.deepStrictEqual(Hex.decode(digits), bytes)
    }))

  it("are read in either case", () => {
    assert.deepStrictEqual(Hex.decode("00fFA0"), Uint8Array.of(0, 255, 160))
  })
})
