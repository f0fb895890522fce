import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import * as Call from "../../src/client/call/Call.ts"
import * as Credentials from "../../src/client/Credentials.ts"
import * as Nonce from "../../src/client/Nonce.ts"
import * as RateLimits from "../../src/client/RateLimits.ts"
import * as Region from "../../src/client/Region.ts"
import * as Signer from "../../src/client/Signer.ts"
import * as HttpClientTransport from "../../src/client/transport/HttpClientTransport.ts"
import { all } from "../../src/endpoints/all.ts"
import type * as Endpoint from "../../src/protocol/Endpoint.ts"
import * as Arbitraries from "../support/arbitraries.ts"
import { credentialsOf, dialects, once } from "../support/exchange.ts"
import { answering, fieldsOf, html, privateCalls } from "../support/http.ts"
import { property } from "../support/property.ts"
import { hmac } from "../support/signed.ts"

/** A key or a secret: at least eight printable ASCII characters without spaces. */
const secret = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((n) => String.fromCharCode(n)),
  minLength: 8
})

const signerOf = (layer: typeof Signer.layerNode, apiSecret: string) =>
  Effect.provide(
    Signer.Signer,
    Layer.provide(
      layer,
      Credentials.layer({ apiKey: Redacted.make("some-api-key"), apiSecret: Redacted.make(apiSecret) })
    )
  )

const privateEndpoints = all.filter(({ access }) => access === "private")

/** Calls to every private endpoint in every dialect, with arbitrary requests. */
const calls = fc.constantFrom(...dialects).chain((dialect) =>
  fc.constantFrom(...privateEndpoints).chain((endpoint) =>
    Arbitraries.request(endpoint, dialect).map((request) => ({
      dialect,
      endpoint: endpoint as Endpoint.Endpoint<object, unknown, "private", boolean, Endpoint.RefusalTag>,
      request: request as object,
      toString: () => `${endpoint.name} ${dialect.name} ${JSON.stringify(request)}`
    }))
  )
)

/**
 * Keeps a number's digits as a string, because an identifier may have more digits than a JavaScript number can
 * represent.
 */
const asWritten = (_key: string, value: unknown, { source }: { readonly source?: string }): unknown =>
  typeof value === "number" && source !== undefined ? JSON.rawJSON(source) : value

describe("a signed request", () => {
  property(
    "a request's payload and signature match its body",
    [calls, secret, secret],
    ({ dialect, endpoint, request }, apiKey, apiSecret) =>
      Effect.gen(function*() {
        yield* Effect.flip(Call.Call.use((call) => call.make(endpoint)(request))).pipe(once)
        const [sent = assert.fail("nothing was sent"), ...more] = yield* privateCalls
        assert.deepStrictEqual(more, [])
        const { "x-txc-apikey": key, "x-txc-payload": payload = "", "x-txc-signature": signature } = sent.headers
        assert.strictEqual(key, apiKey)
        assert.deepStrictEqual(new Uint8Array(Buffer.from(payload, "base64")), new Uint8Array(sent.bytes))
        assert.strictEqual(Buffer.from(payload, "base64").toString("base64"), payload)
        assert.strictEqual(signature, hmac(apiSecret, payload))
        assert.match(signature ?? "", /^[0-9a-f]{128}$/u)
        assert.strictEqual(fieldsOf(sent)["request"], endpoint.path)
        assert.strictEqual(sent.path, endpoint.path)
        assert.strictEqual(JSON.stringify(JSON.parse(sent.body, asWritten)), sent.body, "compact")
      }).pipe(
        Effect.provide(
          Call.layer.pipe(
            Layer.provide([Signer.layerNode, Nonce.layerWindow, RateLimits.layerNone, HttpClientTransport.layer]),
            Layer.provide([
              Credentials.layer(credentialsOf({ account: "", apiKey, apiSecret })),
              Region.layer({ baseUrl: "https://exchange.invalid", dialect })
            ]),
            Layer.provideMerge(answering(() => html(404)))
          )
        )
      ),
    { runs: 300 }
  )
})

describe("Signer.sign", () => {
  property(
    "node:crypto and WebCrypto sign exactly as the document specifies",
    [secret, fc.oneof(fc.base64String(), fc.string({ unit: "binary" }))],
    (apiSecret, payload) =>
      Effect.gen(function*() {
        const node = yield* signerOf(Signer.layerNode, apiSecret)
        const web = yield* signerOf(Signer.layerWebCrypto, apiSecret)
        const expected = hmac(apiSecret, payload)
        assert.strictEqual(yield* node.sign(payload), expected)
        assert.strictEqual(yield* web.sign(payload), expected)
      })
  )

  it("a signer's error states why nothing was signed", () => {
    const error = new Signer.SigningFailed({ reason: "the key management service did not answer" })
    assert.strictEqual(error.message, "The request can't be signed: the key management service did not answer")
  })

  it("the test's own HMAC matches the results published in RFC 4231", () => {
    assert.strictEqual(
      hmac("Jefe", "what do ya want for nothing?"),
      "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
        + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
    )
  })
})

describe("Signer.scrub", () => {
  property(
    "`scrub` removes the key and the secret from any text",
    [secret, secret, fc.array(fc.oneof(fc.string(), fc.constantFrom(0, 1)), { maxLength: 8 })],
    (apiKey, apiSecret, parts) =>
      Effect.gen(function*() {
        const { scrub } = yield* Effect.provide(
          Signer.Signer,
          Layer.provide(Signer.layerNode, Credentials.layer(credentialsOf({ account: "", apiKey, apiSecret })))
        )
        const text = parts.map((part) => part === 0 ? apiKey : part === 1 ? apiSecret : part).join("")
        const scrubbed = scrub(text)
        assert.notInclude(scrubbed, apiKey)
        assert.notInclude(scrubbed, apiSecret)
        if (!text.includes(apiKey) && !text.includes(apiSecret)) assert.strictEqual(scrubbed, text)
      })
  )
})
