import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { Amount, Decimal } from "../../src/domain/Decimal.ts"
import { ClientOrderId, Ticker } from "../../src/domain/Identifiers.ts"
import * as Order from "../../src/domain/Order.ts"
import { Limit } from "../../src/domain/Paging.ts"
import * as JsonSchema from "../../src/protocol/JsonSchema.ts"
import * as Wire from "../../src/protocol/Wire.ts"

/** Writes the JSON Schema for a schema, with its definitions. */
const written = (schema: Schema.Constraint) => {
  const { definitions, wire } = JsonSchema.writer("#/")
  return [wire(schema), definitions]
}

describe("the JSON Schema of the wire format", () => {
  it("the JSON Schema defines each identifier once", () => {
    assert.deepStrictEqual(written(Schema.Struct({ a: Limit, b: Schema.optionalKey(Limit) })), [
      { type: "object", properties: { a: { $ref: "#/Limit" }, b: { $ref: "#/Limit" } }, required: ["a"] },
      { Limit: { type: "integer", minimum: 1, maximum: 100 } }
    ])
  })

  it("the JSON Schema contains all of a string's patterns", () => {
    assert.deepStrictEqual(written(Amount)[1], {
      Amount: {
        type: "string",
        pattern: "^-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?$",
        maxLength: 64,
        allOf: [{ pattern: "^[^\\-]*[1-9]" }]
      }
    })
  })

  it("the JSON Schema contains the wire keys, and the values that mean absent", () => {
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

  it("the JSON Schema omits fields that are merged into another key", () => {
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

  it("the JSON Schema lists each wire name of an enumeration once, and allows any string if the enumeration is open", () => {
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

  it("the JSON Schema allows a number as well as a decimal string where the exchange sends both, and integers of any length", () => {
    assert.deepStrictEqual(written(Wire.LooseDecimal)[0], { anyOf: [{ $ref: "#/Decimal" }, { type: "number" }] })
    assert.deepStrictEqual(written(Wire.OrderId), [{ $ref: "#/OrderId" }, { OrderId: { type: "integer" } }])
  })

  it("the JSON Schema does not redefine a name that is already defined", () => {
    const { definitions, wire } = JsonSchema.writer("#/")
    assert.deepStrictEqual(wire(Wire.OrderId), { $ref: "#/OrderId" })
    assert.deepStrictEqual(wire(Wire.RequestedOrderId), {
      anyOf: [{ type: "integer" }, { type: "string", pattern: "^[0-9]+$" }]
    })
    assert.deepStrictEqual(definitions, { OrderId: { type: "integer" } })
  })

  it("the JSON Schema of a map is an object with a schema for its property names", () => {
    const map = { type: "object", propertyNames: { $ref: "#/Ticker" }, additionalProperties: { $ref: "#/Decimal" } }
    assert.deepStrictEqual(written(Wire.keyed(Ticker, Decimal))[0], map)
    assert.deepStrictEqual(written(Schema.Record(Ticker, Decimal))[0], map)
  })

  it("the JSON Schema describes a codec's wire side, or the domain side of a string of digits", () => {
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

  it("the JSON Schema of a list has its minimum and maximum length", () => {
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
