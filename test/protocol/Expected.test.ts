import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Price } from "../../src/domain/Decimal.ts"
import * as Expected from "../../src/protocol/Expected.ts"

describe("descriptions of expected values", () => {
  it("the description of an expected value states the bound, the step or the allowed values", () => {
    const words = [
      Expected.words({ kind: "min", min: 3 }),
      Expected.words({ kind: "minAmount", min: "0.001" }),
      Expected.words({ kind: "max", max: 100 }),
      Expected.words({ kind: "length", max: 32 }),
      Expected.words({ kind: "minTotal", min: "5.05" }),
      Expected.words({ kind: "maxTotal", max: "1000000" }),
      Expected.words({ kind: "priceBand", side: "above", bound: "200000" }),
      Expected.words({ kind: "priceBand", side: "below", bound: "4000" }),
      Expected.words({ kind: "step", step: "0.05" }),
      Expected.words({ kind: "precision", step: "0.01" }),
      Expected.words({ kind: "precision", step: "1" }),
      Expected.words({ kind: "oneOf", values: ["buy", "sell"] }),
      Expected.words({ kind: "oneOf", values: Array.from({ length: 14 }, (_, index) => index) }),
      Expected.words({ kind: "characters", allowed: "letters and dashes" }),
      Expected.words({ kind: "type", type: "integer" }),
      Expected.words({ kind: "after", than: "start" }),
      Expected.words({ kind: "exclusive", with: "ioc" })
    ]
    assert.deepStrictEqual(words, [
      "at least 3",
      "at least 0.001",
      "at most 100",
      "at most 32 characters",
      "amount × price of at least 5.05",
      "amount × price of at most 1000000",
      "at most 200000, near the market's last price",
      "at least 4000, near the market's last price",
      "a multiple of 0.05",
      "at most 2 digits after the point: a multiple of 0.01",
      "a whole number: a multiple of 1",
      "one of buy, sell",
      "one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more",
      "only letters and dashes",
      "an integer",
      "later than start",
      "not true together with ioc"
    ])
  })

  it("the description of a schema issue states which part of the value is wrong, and what that part must be", () => {
    const Order = Schema.Struct({
      side: Schema.Literals(["buy", "sell"]),
      price: Price,
      steps: Schema.Array(Schema.Struct({ at: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)) })),
      symptom: Schema.TaggedUnion({ Reset: { applied: Schema.Boolean }, Slow: { bytesPerSecond: Schema.Int } }),
      note: Schema.optionalKey(Schema.String)
    })
    const read = Schema.decodeUnknownResult(Order, { errors: "all", onExcessProperty: "error" })
    const said = (value: unknown) =>
      Result.match(read(value), {
        onFailure: (error) => Expected.inWords(error, "the order").split("; "),
        onSuccess: () => []
      })
    const order = { side: "buy", price: "1", steps: [{ at: 0 }], symptom: { _tag: "Reset", applied: true } }
    assert.deepStrictEqual(said(order), [])
    assert.deepStrictEqual(said(5), ["the order must be an object"])
    assert.deepStrictEqual(said({ ...order, side: "hold", price: 5, notes: "" }), [
      "there is no field notes",
      "side must be one of buy, sell",
      "price must be a decimal number as text, such as \"0.5\""
    ])
    assert.deepStrictEqual(said({ ...order, price: "0", steps: [{ at: -1 }, {}], note: 1 }), [
      "price must be more than 0",
      "steps.0.at must be a value greater than or equal to 0",
      "steps.1.at is missing",
      "note must be text"
    ])
    assert.deepStrictEqual(said({ ...order, symptom: { _tag: "Rest" } }), [
      "symptom must be an object whose _tag is one of Reset, Slow"
    ])
    assert.deepStrictEqual(said({ ...order, symptom: { _tag: "Reset" } }), ["symptom.applied is missing"])
  })
})
