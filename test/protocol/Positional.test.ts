import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Compiled from "../../src/protocol/Compiled.ts"
import * as JsonSchema from "../../src/protocol/JsonSchema.ts"
import { positional } from "../../src/protocol/Positional.ts"

interface Row {
  readonly first: string
  readonly second?: string
  readonly third: number
  readonly fourth?: number
}

const row = positional<Row>({
  first: Schema.String,
  second: Schema.optionalKey(Schema.String),
  third: Schema.Finite,
  fourth: Schema.optionalKey(Schema.Finite)
}, { second: "" })

const decode = Compiled.decodeUnknownResult(() => row)
const encode = Compiled.encodeUnknownResult(() => row)

const read = (wire: unknown) => Result.getOrUndefined(decode(wire))
const written = (value: Row) => Result.getOrUndefined(encode(value))

describe("positional records", () => {
  it("a positional record reads and writes its fields in order", () => {
    const value = { first: "a", second: "b", third: 3, fourth: 4 }
    assert.deepStrictEqual(read(["a", "b", 3, 4]), value)
    assert.deepStrictEqual(written(value), ["a", "b", 3, 4])
  })

  it("a positional record reads an optional field as absent if its element is missing, null or the value that means absent", () => {
    assert.deepStrictEqual(read(["a", "", 3]), { first: "a", third: 3 })
    assert.deepStrictEqual(read(["a", null, 3, null]), { first: "a", third: 3 })
    assert.deepStrictEqual(written({ first: "a", third: 3 }), ["a", "", 3])
  })

  it("a positional record ignores elements after its last field", () => {
    assert.deepStrictEqual(read(["a", "b", 3, 4, 5, {}]), { first: "a", second: "b", third: 3, fourth: 4 })
  })

  it("a positional record refuses an array without a required element, and any value that is not an array", () => {
    for (
      const wire of [[], ["a"], ["a", "b"], ["a", "b", null], [null, "b", 3], { 0: "a", 2: 3, length: 3 }, "a", null]
    ) {
      assert.isUndefined(read(wire), JSON.stringify(wire))
    }
  })

  it("a positional record's JSON Schema accepts the documented arrays", () => {
    const accepts = new Ajv2020({ strict: false }).compile(JsonSchema.writer("#/").wire(row))
    for (const wire of [["a", "b", 3, 4], ["a", "", 3], ["a", "b", 3, null]])
      assert.isTrue(accepts(wire), JSON.stringify(wire))
    for (const wire of [["a"], ["a", "b"], [1, "b", 3], ["a", 2, 3], ["a", "b", 3, "4"]]) {
      assert.isFalse(accepts(wire), JSON.stringify(wire))
    }
  })
})
