import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { createHmac } from "node:crypto"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Envelope from "../../src/protocol/Envelope.ts"
import * as Signature from "../../src/protocol/Signature.ts"
import { property } from "../support/property.ts"

/** A test vector published by another client of the live exchange. */
const vector = {
  secret: "test-secret",
  body: "{\"request\":\"/api/v4/trade-balance\",\"nonce\":1700000000000,\"nonceWindow\":true,\"ticker\":\"BTC\"}",
  payload: "eyJyZXF1ZXN0IjoiL2FwaS92NC90cmFkZS1iYWxhbmNlIiwibm9uY2UiOjE3MDAwMDAwMDAwMDAsIm5vbmNlV2luZG93"
    + "Ijp0cnVlLCJ0aWNrZXIiOiJCVEMifQ==",
  signature: "81d08e8576e565acb3da4ec9125fc4d87683c97a183a6034f4cf1cd2f2c2b70a"
    + "f2da3aaba2241afa785d5fb7ad6e25d8dbe7049608f409487a56067703df9b92"
}

describe("Signature.payloadOf", () => {
  it("payloadOf returns the Base64 encoding of the test vector's body", () => {
    const payload = Signature.payloadOf(new TextEncoder().encode(vector.body))
    assert.strictEqual(payload, vector.payload)
    assert.strictEqual(createHmac("sha512", vector.secret).update(payload).digest("hex"), vector.signature)
  })

  property(
    "payloadOf encodes exactly the given bytes, even if they are part of a larger buffer",
    [fc.uint8Array(), fc.nat(20)],
    (bytes, start) =>
      Effect.sync(() => {
        const part = bytes.subarray(start)
        assert.deepStrictEqual([...Buffer.from(Signature.payloadOf(part), "base64")], [...part])
        assert.match(Signature.payloadOf(part), /^[A-Za-z0-9+/]*={0,2}$/u)
      })
  )

  property(
    "payloadOf encodes exactly the bytes of a request body",
    [fc.dictionary(fc.string(), fc.string())],
    (fields) =>
      Effect.sync(() => {
        const bytes = Envelope.bytes(fields, "/api/v4/order/stop_limit", Dialect.live.nonce(1, true))
        const sent = new TextDecoder().decode(bytes)
        assert.strictEqual(Buffer.from(Signature.payloadOf(bytes), "base64").toString("utf8"), sent)
      })
  )
})

describe("the headers of a signed call", () => {
  it("a signed call has exactly the document's three headers, and secretHeaders matches all of them", () => {
    const names = ["X-TXC-APIKEY", "X-TXC-PAYLOAD", "X-TXC-SIGNATURE"]
    assert.sameMembers(Object.values(Signature.headers), names.map((name) => name.toLowerCase()))
    for (const name of names) assert.match(name, Signature.secretHeaders)
    for (const name of ["content-type", "not-x-txc-apikey"]) assert.notMatch(name, Signature.secretHeaders)
  })
})
