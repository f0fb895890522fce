import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Envelope from "../../src/protocol/Envelope.ts"
import { entries } from "../endpoints/fixtures/all.ts"
import { property } from "../support/property.ts"

const path = "/api/v4/order/stop_limit"
const textOf = (bytes: Uint8Array): string => new TextDecoder("utf-8", { fatal: true }).decode(bytes)

describe("the bytes of a request body", () => {
  it("a request body contains the request's fields, the path and the nonce, in this order, without spaces", () => {
    const request = { market: "BTC_USDT", type: ["spot", "margin"], id: 9007199254740993n }
    assert.strictEqual(
      textOf(Envelope.bytes(request, path, Dialect.document.nonce(1700000000000000, true))),
      "{\"market\":\"BTC_USDT\",\"type\":[\"spot\",\"margin\"],\"id\":9007199254740993,"
        + "\"request\":\"/api/v4/order/stop_limit\",\"nonce\":\"1700000000000000\"}"
    )
    assert.strictEqual(
      textOf(Envelope.bytes({}, path, Dialect.live.nonce(1700000000000, true))),
      "{\"request\":\"/api/v4/order/stop_limit\",\"nonce\":1700000000000,\"nonceWindow\":true}"
    )
  })

  it("an endpoint's request body contains all request fields", () => {
    for (const { endpoint, golden: { wire } } of entries) {
      const body: unknown = JSON.parse(textOf(Envelope.bytes(wire.live.request, endpoint.path, { nonce: 1 })))
      assert.deepStrictEqual(body, { ...wire.live.request, request: endpoint.path, nonce: 1 }, endpoint.name)
    }
  })

  const key = fc.oneof(fc.constantFrom("request", "nonce", "__proto__", "toJSON"), fc.string())

  property("no request field can override the path or the nonce in a request body", [
    fc.dictionary(key, fc.jsonValue(), { noNullPrototype: true }),
    fc.nat()
  ], (request, nonce) =>
    Effect.sync(() => {
      const text = textOf(Envelope.bytes(request, path, { nonce }))
      const expected: unknown = JSON.parse(JSON.stringify(
        Object.fromEntries([...Object.entries(request), ["request", path], ["nonce", nonce]])
      ))
      assert.deepStrictEqual(JSON.parse(text), expected)
    }))

  property(
    "a request body is compact JSON",
    [fc.dictionary(key, fc.jsonValue()), fc.nat()],
    (request, nonce) =>
      Effect.sync(() => {
        const text = textOf(Envelope.bytes(request, path, { nonce }))
        assert.strictEqual(text, JSON.stringify(JSON.parse(text)))
      })
  )

  property("a request body encodes any text as UTF-8", [fc.string({ unit: "binary" })], (search) =>
    Effect.sync(() => {
      const body = JSON.parse(textOf(Envelope.bytes({ search }, path, { nonce: 1 }))) as { readonly search: string }
      assert.strictEqual(body.search, search)
    }))
})
