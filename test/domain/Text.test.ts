import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { Flag, hasForm, NonEmptyText, oneOf, Text } from "../../src/domain/Text.ts"
import { brokenConstraints, examples, noTexts } from "./examples.ts"

const stringRule = { kind: "type", type: "string" } as const
const noStrings = noTexts.map((value) => [value, stringRule] as const)

examples("Text", Text, { accepted: ["", "a", "\u0000"], refused: noStrings })

examples("NonEmptyText", NonEmptyText, {
  accepted: [" ", "a", "\n", "🙂"],
  refused: [...noStrings, ["", { kind: "notEmpty" }]]
})

examples("Flag", Flag, {
  accepted: [true, false],
  refused: [0, 1, "true", "", null, []].map((value) => [value, { kind: "type", type: "boolean" }])
})

examples("oneOf", oneOf(["a", "b"]), {
  accepted: ["a", "b"],
  refused: ["c", "", "A", null, 1].map((value) => [value, { kind: "oneOf", values: ["a", "b"] }])
})

describe("Text.hasForm", () => {
  it("hasForm reports the constraint `format`, but only for strings", () => {
    const schema = Text.check(hasForm(/^x$/u, "an x"))
    assert.deepStrictEqual(brokenConstraints(schema, "y"), [{ kind: "format" }])
    assert.deepStrictEqual(brokenConstraints(schema, 1), [stringRule])
  })

  it("the message of a failed hasForm check describes the expected form", () => {
    assert.throws(() => Schema.decodeSync(Text.check(hasForm(/^x$/u, "an x")))("y"), /an x/u)
  })
})
