import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import * as Decimal from "../../src/domain/Decimal.ts"
import { oneOf } from "../../src/domain/Text.ts"
import * as Json from "../../src/protocol/Json.ts"
import * as Wire from "../../src/protocol/Wire.ts"
import { brokenConstraints } from "../domain/examples.ts"
import { orderId } from "../support/arbitraries.ts"
import { property } from "../support/property.ts"

const decode = (schema: Schema.ConstraintDecoder<unknown>, wire: unknown): unknown =>
  Result.getOrUndefined(Schema.decodeUnknownResult(schema)(wire))

const encode = <A>(schema: Schema.Codec<A, unknown>, value: A): unknown =>
  Result.getOrUndefined(Schema.encodeResult(schema)(value))

interface Trade {
  readonly orderId: number
  readonly dealMoney: Decimal.Decimal
  readonly market: string
  readonly note?: string
}

interface Placed {
  readonly kind: string
  readonly clientId?: string
  readonly price?: string
}

describe("Wire.struct", () => {
  const { keys, nameOf, schema } = Wire.struct<Trade>({
    orderId: Schema.Int,
    dealMoney: Decimal.Decimal,
    market: Schema.String,
    note: Schema.optionalKey(Schema.String)
  }, { keys: { orderId: "order_id", dealMoney: "deal_money" } })

  const value = { orderId: 7, dealMoney: Decimal.of("0"), market: "BTC_USDT" }
  const wire = { order_id: 7, deal_money: "0", market: "BTC_USDT" }

  it("`struct` renames keys in both directions", () => {
    assert.deepStrictEqual(decode(schema, wire), value)
    assert.deepStrictEqual(encode(schema, value), wire)
    assert.deepStrictEqual(decode(schema, { ...wire, note: "n" }), { ...value, note: "n" })
    assert.deepStrictEqual(encode(schema, { ...value, note: "n" }), { ...wire, note: "n" })
  })

  it("`struct` ignores unknown keys, including the domain's names", () => {
    assert.deepStrictEqual(decode(schema, { ...wire, dealMoney: "5", other: {}, orderId: 8 }), value)
  })

  it("`struct` rejects an object without a required key", () => {
    for (const [key, name] of [["order_id", "orderId"], ["deal_money", "dealMoney"], ["market", "market"]] as const) {
      const { [key]: _, ...without }: Record<string, unknown> = wire
      assert.deepStrictEqual(brokenConstraints(schema, without), [{ kind: "required" }], name)
    }
  })

  it("`struct` rejects a value that is not an object", () => {
    for (const value of [null, undefined, [], [wire], "{}", 1]) {
      assert.deepStrictEqual(brokenConstraints(schema, value), [{ kind: "type", type: "object" }])
    }
  })

  it("`struct` finds field names only for its own keys", () => {
    assert.deepStrictEqual(keys, { orderId: "order_id", dealMoney: "deal_money", market: "market", note: "note" })
    assert.deepStrictEqual(["order_id", "orderId", "market", "other", "constructor", "__proto__", ""].map(nameOf), [
      "orderId",
      "orderId",
      "market",
      undefined,
      undefined,
      undefined,
      undefined
    ])
  })
})

describe("wire values that mean absent", () => {
  const shapeOf = (demanded: boolean) =>
    Wire.struct<Placed>({
      kind: Schema.String,
      clientId: Schema.optionalKey(Schema.String),
      price: Schema.optionalKey(Schema.String)
    }, {
      keys: { clientId: "client_id" },
      absent: {
        clientId: { value: "", when: () => true, demanded },
        price: { value: "0", when: (wire) => wire["kind"] === "market", demanded }
      }
    }).schema

  it("a value that means absent is dropped when decoding, and written for an absent field when encoding", () => {
    for (const schema of [shapeOf(true), shapeOf(false)]) {
      const wire = { kind: "market", client_id: "", price: "0" }
      assert.deepStrictEqual(decode(schema, wire), { kind: "market" })
      assert.deepStrictEqual(encode(schema, { kind: "market" }), wire)
    }
  })

  it("a value that means absent is an ordinary value where its condition does not apply", () => {
    const schema = shapeOf(true)
    assert.deepStrictEqual(decode(schema, { kind: "limit", client_id: "", price: "0" }), { kind: "limit", price: "0" })
    assert.deepStrictEqual(encode(schema, { kind: "limit", price: "0" }), { kind: "limit", client_id: "", price: "0" })
    assert.deepStrictEqual(encode(schema, { kind: "limit" }), { kind: "limit", client_id: "" })
  })

  it("only the exact string means absent, not an equal decimal or a blank string", () => {
    const wire = { kind: "market", client_id: " ", price: "0.0" }
    assert.deepStrictEqual(decode(shapeOf(true), wire), { kind: "market", clientId: " ", price: "0.0" })
  })

  it("the key of an absent field may be missing, unless the wire requires the key", () => {
    assert.deepStrictEqual(decode(shapeOf(false), { kind: "limit" }), { kind: "limit" })
    assert.isUndefined(decode(shapeOf(true), { kind: "market", client_id: "" }))
    assert.isUndefined(decode(shapeOf(true), { kind: "limit", price: "1" }))
  })
})

describe("`renamed` decodes all wire names of a value, and encodes the first", () => {
  const schema = Wire.renamed(oneOf(["NEW", "FILLED", "PARTIAL"]), { OPEN: "NEW", PART: "PARTIAL", PARTLY: "PARTIAL" })

  it("`renamed` reads all wire names of a value and writes the first", () => {
    assert.deepStrictEqual(["OPEN", "NEW", "PART", "PARTLY", "FILLED"].map((wire) => decode(schema, wire)), [
      "NEW",
      "NEW",
      "PARTIAL",
      "PARTIAL",
      "FILLED"
    ])
    assert.deepStrictEqual((["NEW", "PARTIAL", "FILLED"] as const).map((value) => encode(schema, value)), [
      "OPEN",
      "PART",
      "FILLED"
    ])
  })

  it("`renamed` passes unlisted names and other types to the enumeration's schema, and lists the values by their wire names", () => {
    for (const value of ["", "OTHER", "constructor", null, 1, {}]) {
      assert.deepStrictEqual(brokenConstraints(schema, value), [{
        kind: "oneOf",
        values: ["OPEN", "FILLED", "PART"]
      }])
    }
  })
})

describe("OrderId", () => {
  it("an order id is a JSON integer of any length on the wire and a string of digits in the domain", () => {
    assert.strictEqual(decode(Wire.OrderId, 0), "0")
    assert.strictEqual(decode(Wire.OrderId, 4180284841), "4180284841")
    assert.strictEqual(decode(Wire.OrderId, 9007199254740993n), "9007199254740993")
  })

  it("an order id rejects any wire value that is not an exact integer of zero or more", () => {
    for (const value of ["7", -7, -7n, 1.5, NaN, null, true, {}, 2 ** 53]) {
      assert.isUndefined(decode(Wire.OrderId, value))
    }
  })

  property("an order id preserves every digit", [orderId], (id) =>
    Effect.sync(() => {
      const wire = encode(Wire.OrderId, id)
      assert.strictEqual(String(wire), id)
      assert.strictEqual(typeof wire, BigInt(id) <= Number.MAX_SAFE_INTEGER ? "number" : "bigint")
      assert.strictEqual(decode(Wire.OrderId, wire), id)
    }))
})

describe("wire codes for values", () => {
  it("`Bit` is 0 or 1 on the wire", () => {
    assert.deepStrictEqual([0, 1].map((wire) => decode(Wire.Bit, wire)), [false, true])
    assert.deepStrictEqual([false, true].map((value) => encode(Wire.Bit, value)), [0, 1])
    for (const value of [2, -1, "0", true, null]) assert.isUndefined(decode(Wire.Bit, value))
  })

  it("BboRole is 1 or 2 on the wire, and any other value violates the constraint", () => {
    assert.deepStrictEqual([1, 2].map((wire) => decode(Wire.BboRole, wire)), ["queue", "counterparty"])
    assert.deepStrictEqual((["queue", "counterparty"] as const).map((value) => encode(Wire.BboRole, value)), [1, 2])
    for (const value of [0, 3, "1", "queue", null, true]) {
      assert.deepStrictEqual(brokenConstraints(Wire.BboRole, value), [{ kind: "oneOf", values: [1, 2] }])
    }
  })

  property("`Digits` encodes a digit count as a string", [fc.nat(99)], (count) =>
    Effect.sync(() => {
      assert.strictEqual(decode(Wire.Digits, count.toString()), count)
      assert.strictEqual(encode(Wire.Digits, count), count.toString())
    }))

  it("`Digits` rejects any value that is not a digit count in a string", () => {
    for (const value of ["", "06", "-1", "1.5", "100", " 1", "1e1", 6, null]) {
      assert.isUndefined(decode(Wire.Digits, value))
    }
  })

  it("`acknowledged` decodes an accepted response to undefined, and always encodes the same response", () => {
    const schema = Wire.acknowledged({}, (wire) => Json.isObject(wire) || wire === undefined)
    for (const wire of [{}, { a: 1 }, undefined]) {
      assert.deepStrictEqual(Schema.decodeResult(schema)(wire), Result.succeed(undefined))
    }
    for (const wire of [null, [], "ok"]) assert.isTrue(Result.isFailure(Schema.decodeResult(schema)(wire)))
    assert.deepStrictEqual(encode(schema, undefined), {})
  })
})
