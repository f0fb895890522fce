import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { Amount, Decimal } from "../../src/domain/Decimal.ts"
import { ClientOrderId, Ticker } from "../../src/domain/Identifiers.ts"
import * as Order from "../../src/domain/Order.ts"
import { Limit } from "../../src/domain/Paging.ts"
import * as JsonSchema from "../../src/protocol/JsonSchema.ts"
import * as Wire from "../../src/protocol/Wire.ts"

/** What is written of a schema, and what it defines. */
const written = (schema: Schema.Constraint) => {
  const { definitions, wire } = JsonSchema.writer("#/")
  return [wire(schema), definitions]
}

describe("the JSON Schema of the wire", () => {
  it("defines what has an identifier, once", () => {
    assert.deepStrictEqual(written(Schema.Struct({ a: Limit, b: Schema.optionalKey(Limit) })), [
      { type: "object", properties: { a: { $ref: "#/Limit" }, b: { $ref: "#/Limit" } }, required: ["a"] },
      { Limit: { type: "integer", minimum: 1, maximum: 100 } }
    ])
  })

  it("has every pattern of a text", () => {
    assert.deepStrictEqual(written(Amount)[1], {
      Amount: {
        type: "string",
        pattern: "^-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?$",
        maxLength: 64,
        allOf: [{ pattern: "^[^\\-]*[1-9]" }]
      }
    })
  })

  it("has the wire's keys, and the values that mean that a field is absent", () => {
    const { schema } = Wire.answer<{ readonly id?: ClientOrderId; readonly is: boolean }>({
      id: Schema.optionalKey(ClientOrderId),
      is: Wire.Bit
    }, { keys: { id: "client_order_id" }, absent: { id: { value: "", when: () => true, demanded: true } } })
    assert.deepStrictEqual(written(schema)[0], {
      type: "object",
      properties: {
        client_order_id: { anyOf: [{ $ref: "#/ClientOrderId" }, { const: "" }, { type: "null" }] },
        is: { type: "integer", enum: [0, 1] }
      },
      required: ["client_order_id", "is"]
    })
  })

  it("has no key that is joined into another", () => {
    const { schema } = Wire.struct<{ readonly type: string; readonly margin?: boolean }>({
      type: Schema.String,
      margin: Schema.optionalKey(Schema.Boolean)
    }, {
      joint: {
        split: (wire) => wire,
        join: ({ margin, type }) => ({ type: margin === true ? `margin ${String(type)}` : type })
      }
    })
    assert.deepStrictEqual(written(schema)[0], {
      type: "object",
      properties: { type: { type: "string" } },
      required: ["type"]
    })
  })

  it("has the wire's names of an enumeration, each once, and any other text where it is open", () => {
    const names = { cb: "cancel_both", cn: "cancel_new" } as const
    const SelfTradePrevention = { type: "string", enum: ["no", "cb", "cn"] }
    const aliased = { cancel_old: "cn" }
    assert.deepStrictEqual(written(Wire.renamed(Order.SelfTradePrevention, names, aliased)), [
      { $ref: "#/SelfTradePrevention" },
      { SelfTradePrevention }
    ])
    assert.deepStrictEqual(written(Wire.renamed(Order.ReceivedSelfTradePrevention, names, aliased)), [
      { anyOf: [{ $ref: "#/SelfTradePrevention" }, { $ref: "#/Unrecognised" }] },
      { SelfTradePrevention, Unrecognised: { type: "string" } }
    ])
  })

  it("has numbers beside the texts of a decimal that may be either, and integers of any length", () => {
    assert.deepStrictEqual(written(Wire.LooseDecimal)[0], { anyOf: [{ $ref: "#/Decimal" }, { type: "number" }] })
    assert.deepStrictEqual(written(Wire.OrderId), [{ $ref: "#/OrderId" }, { OrderId: { type: "integer" } }])
  })

  it("leaves a name to what has it: another schema of that name stays where it is", () => {
    const { definitions, wire } = JsonSchema.writer("#/")
    assert.deepStrictEqual(wire(Wire.OrderId), { $ref: "#/OrderId" })
    assert.deepStrictEqual(wire(Wire.RequestedOrderId), {
      anyOf: [{ type: "integer" }, { type: "string", pattern: "^[0-9]+$" }]
    })
    assert.deepStrictEqual(definitions, { OrderId: { type: "integer" } })
  })

  it("has maps as objects with names", () => {
    const map = { type: "object", propertyNames: { $ref: "#/Ticker" }, additionalProperties: { $ref: "#/Decimal" } }
    assert.deepStrictEqual(written(Wire.keyed(Ticker, Decimal))[0], map)
    assert.deepStrictEqual(written(Schema.Record(Ticker, Decimal))[0], map)
  })

  it("has what a codec says of its wire's side, and the number that a text of digits means", () => {
    const counted = Wire.counted(Limit)
    assert.deepStrictEqual(JsonSchema.writer("#/").meaning(counted), { $ref: "#/Limit" })
    const total = Schema.String.annotate(Wire.describedBy(() => Decimal)).pipe(
      Schema.decodeTo(Schema.Int, {
        decode: SchemaGetter.transform((text) => Number(text)),
        encode: SchemaGetter.transform((value) => value.toString())
      })
    )
    assert.deepStrictEqual(written(total)[0], { $ref: "#/Decimal" })
  })

  it("has lists with as many elements as they must have", () => {
    assert.deepStrictEqual(written(Schema.Tuple([Schema.Boolean, Schema.Null])), [
      { type: "array", prefixItems: [{ type: "boolean" }, { type: "null" }], minItems: 2, maxItems: 2 },
      {}
    ])
    assert.deepStrictEqual(written(Schema.Array(Schema.Boolean).check(Schema.isMinLength(1)))[0], {
      type: "array",
      items: { type: "boolean" },
      minItems: 1
    })
  })
})
