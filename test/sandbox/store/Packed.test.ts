import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { isDeepStrictEqual } from "node:util"
import { serialize } from "node:v8"
import * as Packed from "../../../src/sandbox/store/Packed.ts"
import { property } from "../../support/property.ts"

/** Any plain data, including strings with lone surrogates and numbers at the limits of each encoding. */
const { data } = fc.letrec((tie) => ({
  data: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(undefined, null, false, true, -0, 0, 127, 128, 0x7fffffff, 0x80000000, -1, NaN, Infinity),
    fc.double(),
    fc.string({ unit: "binary" }),
    fc.constantFrom("\ud800", "a\udfffb", "", "__proto__", "1"),
    fc.oneof(fc.bigInt(), fc.constant(0n)),
    fc.array(tie("data"), { maxLength: 4 }),
    fc.array(fc.tuple(tie("data"), tie("data")), { maxLength: 4 }).map((entries) => new Map(entries)),
    fc.array(tie("data"), { maxLength: 4 }).map((items) => new Set(items)),
    fc.dictionary(fc.oneof(fc.constantFrom("a", "b", "__proto__", "1"), fc.string()), tie("data"), {
      maxKeys: 4,
      noNullPrototype: true
    })
  )
}))

const again = <A>(value: A) => Packed.unpack(Packed.pack(value)) as A

describe("packing data", () => {
  property(
    "packed data equals the original after unpacking, even with hundreds of different strings",
    [data, fc.constantFrom(0, 300)],
    (value, texts) =>
      Effect.sync(() => {
        const whole = [
          Array.from({ length: texts }, (_, n) => `text ${n}`),
          value,
          Array.from({ length: texts }, String)
        ]
        assert.isTrue(isDeepStrictEqual(again(whole), whole))
        assert.deepStrictEqual(Packed.pack(again(whole)), Packed.pack(whole))
      })
  )

  it("unpacking restores shared and circular references, and shares nothing with the original", () => {
    const order = { id: "1", left: 5n }
    const book: { readonly orders: Map<string, object>; readonly best: object; self?: object } = {
      orders: new Map([["1", order]]),
      best: order
    }
    book.self = book
    const copy = again(book)
    assert.strictEqual(copy.best, copy.orders.get("1"))
    assert.strictEqual(copy.self, copy)
    assert.notStrictEqual(copy.best, book.best)
    assert.deepStrictEqual(copy.best, order)
  })

  it("equal strings and field names are packed only once", () => {
    const many = Array.from({ length: 1000 }, (_, n) => ({ account: "an account", market: "BTC_USDT", number: n }))
    assert.isBelow(Packed.pack(many).length, 10 * many.length)
  })

  it("packed data is distinguishable from other formats, and functions can't be packed", () => {
    assert.isTrue(Packed.isPacked(Packed.pack({})))
    for (const other of [serialize({}), new Uint8Array(), new TextEncoder().encode("TXC pack")]) {
      assert.isFalse(Packed.isPacked(other))
    }
    assert.throws(() => Packed.pack([() => 1]), "not plain data")
  })
})
