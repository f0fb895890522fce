import * as Schema from "effect/Schema"
import { describe, expect, it } from "tstyche"
import { MarketName } from "../../src/domain/Identifiers.ts"
import * as Wire from "../../src/protocol/Wire.ts"

interface Model {
  readonly market: MarketName
  readonly count: number
  readonly note?: string
}

const market = MarketName
const count = Schema.Int
const note = Schema.optionalKey(Schema.String)

const struct = (fields: Wire.Fields<Model>, spelling?: Wire.Spelling<Model>) => Wire.struct<Model>(fields, spelling)

describe("a model's wire form", () => {
  it("a model's wire form has a schema for every field", () => {
    expect(struct).type.toBeCallableWith({ market, count, note })
    expect(Wire.struct<Model>({ market, count, note })).type.toBe<Wire.Shape<Model>>()
  })

  it("a model's wire form may require a field that is optional in the domain", () => {
    expect(struct).type.toBeCallableWith({ market, count, note: Schema.String })
  })

  it("a model's wire form does not compile without a field, even an optional field", () => {
    expect(struct).type.not.toBeCallableWith({})
    expect(struct).type.not.toBeCallableWith({ market, note })
    expect(struct).type.not.toBeCallableWith({ market, count })
  })

  it("a model's wire form does not compile with an unknown field", () => {
    expect(struct).type.not.toBeCallableWith({ market, count, note, amount: Schema.String })
  })

  it("a model's wire form does not compile with a schema of a different type", () => {
    expect(struct).type.not.toBeCallableWith({ market: Schema.String, count, note })
    expect(struct).type.not.toBeCallableWith({ market, count: Schema.String, note })
  })

  it("a model's wire form can rename only the model's fields", () => {
    const fields = { market, count, note }
    expect(struct).type.toBeCallableWith(fields, { keys: { count: "count_" } })
    expect(struct).type.not.toBeCallableWith(fields, { keys: { amount: "amount_" } })
    expect(struct).type.not.toBeCallableWith(fields, {
      absent: { amount: { value: "", when: () => true, demanded: true } }
    })
  })

  it("the constraints of a model's wire form can refer only to the model's fields", () => {
    const constraint = { kind: "unique" } as const
    const holds = () => true
    expect(struct).type.toBeCallableWith({ market, count, note }, {
      constraints: [{ field: "count", constraint, holds }]
    })
    expect(struct).type.not.toBeCallableWith({ market, count, note }, {
      constraints: [{ field: "amount", constraint, holds }]
    })
  })
})
