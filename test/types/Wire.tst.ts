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

describe("the wire form of a model", () => {
  it("states a schema for each field", () => {
    expect(struct).type.toBeCallableWith({ market, count, note })
    expect(Wire.struct<Model>({ market, count, note })).type.toBe<Wire.Shape<Model>>()
  })

  it("may require a field that is optional in the domain: every decoded value has it", () => {
    expect(struct).type.toBeCallableWith({ market, count, note: Schema.String })
  })

  it("does not compile without a field, even one that is optional", () => {
    expect(struct).type.not.toBeCallableWith({})
    expect(struct).type.not.toBeCallableWith({ market, note })
    expect(struct).type.not.toBeCallableWith({ market, count })
  })

  it("does not compile with a field that the model does not have", () => {
    expect(struct).type.not.toBeCallableWith({ market, count, note, amount: Schema.String })
  })

  it("does not compile with a schema of another type", () => {
    expect(struct).type.not.toBeCallableWith({ market: Schema.String, count, note })
    expect(struct).type.not.toBeCallableWith({ market, count: Schema.String, note })
  })

  it("spells fields of the model, and no others", () => {
    const fields = { market, count, note }
    expect(struct).type.toBeCallableWith(fields, { keys: { count: "count_" } })
    expect(struct).type.not.toBeCallableWith(fields, { keys: { amount: "amount_" } })
    expect(struct).type.not.toBeCallableWith(fields, {
      absent: { amount: { value: "", when: () => true, demanded: true } }
    })
  })

  it("has constraints between fields of the model, and no others", () => {
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
