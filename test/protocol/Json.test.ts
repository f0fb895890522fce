import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import * as Json from "../../src/protocol/Json.ts"
import { property } from "../support/property.ts"

const read = (text: string): unknown => Result.getOrThrow(Json.parse(text))

/** Generates integers of at most 40 digits, as JSON text. */
const integers = fc.bigInt({ min: -(10n ** 40n) + 1n, max: 10n ** 40n - 1n })

/** Generates numbers, except integers beyond 2^53. */
const ordinary = fc.oneof(
  fc.integer(),
  fc.double({ min: -1e15, max: 1e15, noNaN: true }),
  fc.constantFrom(1e21, 5e-324)
)

describe("Json.parse", () => {
  it("`parse` reads integers beyond 2^53 as bigints, and all other numbers as numbers", () => {
    assert.deepStrictEqual(read("[9007199254740991,9007199254740992,-9007199254740993,7]"), [
      9007199254740991,
      9007199254740992n,
      -9007199254740993n,
      7
    ])
  })

  it("`parse` finds large integers at every depth", () => {
    const body = read("{\"id\":18446744073709551616,\"stop_loss\":{\"ids\":[{\"order_id\":9007199254740993}]},\"n\":1}")
    assert.deepStrictEqual(body, {
      id: 18446744073709551616n,
      stop_loss: { ids: [{ order_id: 9007199254740993n }] },
      n: 1
    })
  })

  it("`parse` reads numbers with a fraction or an exponent as JSON.parse does, however long they are", () => {
    const numbers = "[1669338402.712101,0.12345678901234567890,1e300,1E20,12345678901234567890.5,1234567890123456789e1]"
    assert.deepStrictEqual(read(numbers), JSON.parse(numbers))
  })

  it("`parse` does not change digits in strings and keys", () => {
    assert.deepStrictEqual(read("{\"9007199254740993\":\"9007199254740993\"}"), {
      "9007199254740993": "9007199254740993"
    })
  })

  it("`parse` fails on text that is not JSON", () => {
    for (const text of ["", "{", "<html>", "{'a':1}", "[1,]", "nope", "9007199254740993x"]) {
      assert.isTrue(Result.isFailure(Json.parse(text)), text)
    }
  })

  property("`parse` returns the same value as JSON.parse if there are no integers beyond 2^53", [
    fc.object({ values: [ordinary, fc.string(), fc.boolean(), fc.constant(null)] })
  ], (value) =>
    Effect.sync(() => {
      const text = JSON.stringify({ value, long: "9007199254740993" })
      assert.deepStrictEqual(read(text), JSON.parse(text))
    }))
})

describe("Json.stringify", () => {
  it("`stringify` writes a bigint as a number at every depth", () => {
    const body = { id: 9007199254740993n, legs: [{ id: -1n }] }
    assert.strictEqual(Json.stringify(body), "{\"id\":9007199254740993,\"legs\":[{\"id\":-1}]}")
  })

  property(
    "`stringify` returns the same text as JSON.stringify if there are no bigints",
    [fc.array(fc.jsonValue())],
    (value) => Effect.sync(() => assert.strictEqual(Json.stringify(value), JSON.stringify(value)))
  )
})

describe("round trips through JSON", () => {
  property(
    "integers of any length round-trip through JSON, even when nested",
    [integers],
    (integer) =>
      Effect.sync(() => {
        const text = `{"id":${integer},"legs":[{"id":${integer},"more":{"ids":[${integer}]}}]}`
        assert.strictEqual(Json.stringify(read(text) as object), text)
      })
  )

  property("bodies of bigints, numbers and strings round-trip through JSON", [
    fc.array(fc.record({ id: integers, price: ordinary, text: fc.string() }, { noNullPrototype: true }))
  ], (orders) =>
    Effect.sync(() => {
      const back = read(Json.stringify(orders)) as ReadonlyArray<{ readonly id: number | bigint }>
      // Small integers are read as numbers, and `JSON.stringify` drops the sign of zero.
      const expected = orders.map((order) => ({ ...order, price: order.price + 0 }))
      assert.deepStrictEqual(back.map((order) => ({ ...order, id: BigInt(order.id) })), expected)
    }))
})

describe("Json.isObject", () => {
  it("`isObject` accepts objects, but not lists or null", () => {
    for (const value of [{}, { a: 1 }]) assert.isTrue(Json.isObject(value))
    for (const value of [[], null, "{}", 1, true, undefined]) assert.isFalse(Json.isObject(value))
  })
})

describe("Json.compact", () => {
  property(
    "`compact` removes exactly the whitespace that JSON.stringify adds when it indents",
    [fc.jsonValue(), fc.constantFrom(" ", "\t", 4)],
    (value, indent) =>
      Effect.sync(() =>
        assert.strictEqual(Json.compact(`\r\n${JSON.stringify(value, null, indent)} `), JSON.stringify(value))
      )
  )
})
