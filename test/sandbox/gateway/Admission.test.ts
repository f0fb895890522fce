import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { all } from "../../../src/endpoints/all.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Endpoint from "../../../src/protocol/Endpoint.ts"
import { Control } from "../../../src/sandbox/control/Control.ts"
import * as Saved from "../../../src/sandbox/engine/Saved.ts"
import type { Request } from "../../../src/sandbox/gateway/Message.ts"
import { Venue } from "../../../src/sandbox/venue/Venue.ts"
import {
  addKey,
  alice,
  bob,
  dialects,
  disabled,
  fundedSubAccount,
  inProcess,
  restricted
} from "../../support/exchange.ts"
import { property } from "../../support/property.ts"
import { freshNonce, handle, hmac, type Read, signed, signedText } from "../../support/signed.ts"

const balance = "/api/v4/main-account/balance"
const cancelAll = "/api/v4/order/cancel/all"

/** Returns the current state of the exchange. */
const snapshot = Venue.use((venue) => Effect.sync(() => structuredClone(Saved.save(venue.state))))

type Refusal = readonly [status: number, code: number, message: string]

/** Checks that a refusal changes nothing, not even the used nonces. */
const refused = (request: Request, [status, code, message]: Refusal) =>
  Effect.gen(function*() {
    const before = yield* snapshot
    const { json, status: answered } = yield* handle(request)
    assert.deepStrictEqual({ answered, ...json }, { answered: status, code, message, errors: {} })
    assert.deepStrictEqual(yield* snapshot, before)
  })

const unauthorized: Refusal = [401, 10, "Unauthorized request."]
const payloadInvalid: Refusal = [400, 9, "Invalid payload."]
const payloadMissing: Refusal = [400, 9, "Payload not provided."]
const requestMissing: Refusal = [400, 9, "Request not provided."]
const nonceMissing: Refusal = [400, 9, "Nonce not provided."]

const accepted = ({ status }: Read) => assert.strictEqual(status, 200)

const withHeader = (request: Request, name: string, value: string | undefined): Request => ({
  ...request,
  headers: { ...request.headers, [name]: value }
})

const header = (request: Request, name: string): string => {
  const value = request.headers[name]
  return typeof value === "string" ? value : assert.fail(`no header ${name}`)
}

const flipped = (text: string, bit: number): string => {
  const at = Math.floor(bit / 7) % text.length
  return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << (bit % 7))) + text.slice(at + 1)
}

const flippedBody = (request: Request, bit: number): Request => {
  const body = Uint8Array.from(request.body)
  const at = Math.floor(bit / 8) % body.length
  body[at] = (body[at] ?? 0) ^ (1 << (bit % 8))
  return { ...request, body }
}

/** Builds a request whose signed payload is one string, and whose body is another string. */
const withBody = (payload: string, text: string): Request => ({
  ...signedText(cancelAll, payload),
  body: new TextEncoder().encode(text)
})

/**
 * Writes JSON text, and puts whitespace from a list before each token. A quote without a closing quote is treated as a
 * token.
 */
const spaced = (text: string, spaces: ReadonlyArray<string>): string => {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:"]|[^{}[\],:"]+/gu) ?? []
  return tokens.map((token, index) => spaces[index % spaces.length] + token).join("") + spaces[0]
}

const whitespace = fc.array(fc.stringMatching(/^[ \t\n\r]{0,3}$/u), { minLength: 1, maxLength: 9 })

/** Writes the JSON text of a cancel-all call with this value in one field. */
const cancelText = (dialect: Dialect.Dialect, value: unknown): string =>
  JSON.stringify({ value, "a \" :, b": [1, " , "], request: cancelAll, nonce: freshNonce(dialect) })

describe("a body with spaces and a payload without them", () => {
  property(
    "in the live dialect, a body may have different whitespace between its tokens than the signed payload",
    [fc.jsonValue(), whitespace],
    (value, spaces) =>
      Effect.gen(function*() {
        const text = cancelText(Dialect.live, value)
        accepted(yield* handle(withBody(text, spaced(text, spaces))))
      }).pipe(Effect.provide(inProcess(Dialect.live)))
  )

  property(
    "in the document's dialect, a body with any whitespace that the payload lacks is refused",
    [fc.jsonValue(), whitespace.filter((spaces) => spaces[0] !== "")],
    (value, spaces) =>
      Effect.gen(function*() {
        const text = cancelText(Dialect.document, value)
        yield* refused(withBody(text, spaced(text, spaces)), payloadInvalid)
      }).pipe(Effect.provide(inProcess(Dialect.document)))
  )

  property(
    "in the live dialect, a body that differs from the payload in one character is refused, whatever its whitespace",
    [fc.jsonValue(), whitespace, fc.nat(), fc.constantFrom(..."\"\\:,{}[]019.eaA_é\u00a0\u000b\ufeff"), fc.nat(2)],
    (value, spaces, place, character, dropped) =>
      Effect.gen(function*() {
        const text = cancelText(Dialect.live, value)
        const at = place % text.length
        const changed = text.slice(0, at) + character + text.slice(at + dropped)
        if (changed !== text) yield* refused(withBody(text, spaced(changed, spaces)), payloadInvalid)
      }).pipe(Effect.provide(inProcess(Dialect.live)))
  )

  const nonce = 1e15
  const envelope = `"request":"${cancelAll}","nonce":${nonce}`
  const others: ReadonlyArray<readonly [name: string, payload: string, body: string]> = [
    ["has its members in another order", `{"a":1,${envelope}}`, `{ ${envelope}, "a": 1 }`],
    ["writes a number differently", `{"a":1,${envelope}}`, `{ "a": 1.0, ${envelope} }`],
    ["writes an exponent", `{"a":100,${envelope}}`, `{ "a": 1e2, ${envelope} }`],
    ["escapes a character", `{"a":"b",${envelope}}`, `{ "a": "\\u0062", ${envelope} }`],
    ["has an extra space inside a string", `{"a":"b",${envelope}}`, `{ "a": "b ", ${envelope} }`],
    ["lacks a space inside a string", `{"a":"b c",${envelope}}`, `{ "a": "bc", ${envelope} }`],
    ["has a space inside a number", `{"a":12,${envelope}}`, `{ "a": 1 2, ${envelope} }`],
    ["has a space inside a name", `{"a":true,${envelope}}`, `{ "a": tr ue, ${envelope} }`],
    ["has another member", `{${envelope}}`, `{ ${envelope}, "a": 1 }`],
    ["lacks a member", `{"a":1,${envelope}}`, `{ ${envelope} }`],
    ["repeats a key, as the payload does", `{"a":1,"a":2,${envelope}}`, `{ "a": 1, "a": 2, ${envelope} }`],
    ["repeats a key that the payload has only once", `{"a":1,${envelope}}`, `{ "a": 1, "a": 1, ${envelope} }`],
    ["has a trailing comma", `{${envelope}}`, `{ ${envelope}, }`],
    ["has a second value", `{${envelope}}`, `{ ${envelope} } {}`],
    ["has a comment", `{${envelope}}`, `{ /* */ ${envelope} }`],
    ["begins with a byte order mark", `{${envelope}}`, `\ufeff{ ${envelope} }`],
    ["is compact, with spaces in the payload", `{ ${envelope} }`, `{${envelope}}`],
    ["has spaces, as the payload does", `{ ${envelope} }`, `{ ${envelope} }`]
  ]
  for (const [name, payload, body] of others) {
    it.effect(`a body is refused if it ${name}`, () =>
      refused(withBody(payload, body), payloadInvalid).pipe(Effect.provide(inProcess(Dialect.live))))
  }
})

it("no endpoint has a field that is named like an envelope field", () => {
  for (const endpoint of Object.values(all)) {
    for (const dialect of dialects) {
      const keys = Object.values(Endpoint.codec(endpoint, dialect).shape.keys)
      assert.deepStrictEqual(keys.filter((key) => ["request", "nonce", "nonceWindow"].includes(key)), [])
    }
  }
})

for (const dialect of dialects) {
  const make = (fields: object = { type: ["spot"] }) => signed(dialect, cancelAll, fields)

  describe(`admission in the ${dialect.name} dialect`, () => {
    it.effect("a request signed without the library's signer is accepted", () =>
      Effect.gen(function*() {
        accepted(yield* handle(make()))
        accepted(yield* handle(signed(dialect, balance)))
        accepted(yield* handle(withHeader(make(), "content-type", "application/json; charset=utf-8")))
        accepted(yield* handle(withHeader(make(), "content-type", "Application/JSON")))
      }).pipe(Effect.provide(inProcess(dialect))))

    property(
      "a request with one changed bit in the body, payload, signature or key is refused, and changes nothing",
      [fc.constantFrom("body", "x-txc-payload", "x-txc-signature", "x-txc-apikey"), fc.nat(5000), fc.jsonValue()],
      (part, bit, value) =>
        Effect.gen(function*() {
          const request = make({ value })
          const changed = part === "body"
            ? flippedBody(request, bit)
            : withHeader(request, part, flipped(header(request, part), bit))
          yield* refused(changed, part === "body" ? payloadInvalid : unauthorized)
        }).pipe(Effect.provide(inProcess(dialect))),
      { runs: 150 }
    )

    it.effect("the signature must be lower-case, complete, and computed over the payload", () =>
      Effect.gen(function*() {
        const request = make()
        const signature = header(request, "x-txc-signature")
        const payload = header(request, "x-txc-payload")
        for (
          const other of [
            signature.toUpperCase(),
            signature.slice(0, -2),
            `${signature}00`,
            `${signature}0`,
            `${signature}f`,
            `0x${signature}`,
            Buffer.from(signature, "hex").toString("base64"),
            hmac(alice.apiSecret, new TextDecoder().decode(request.body)),
            hmac(alice.apiKey, payload),
            ""
          ]
        ) yield* refused(withHeader(request, "x-txc-signature", other), unauthorized)
        accepted(yield* handle(request))
      }).pipe(Effect.provide(inProcess(dialect))))

    it.effect("a payload that is not exactly the body's Base64 encoding is refused, even with a valid signature", () =>
      Effect.gen(function*() {
        // The body's Base64 form contains padding, a plus and a slash, which other Base64 alphabets write differently.
        const request = make({ "a~~~?": "???>>>~~~" })
        const payload = header(request, "x-txc-payload")
        const signedOver = (text: string) =>
          withHeader(withHeader(request, "x-txc-payload", text), "x-txc-signature", hmac(alice.apiSecret, text))
        const others = [
          Buffer.from(request.body).toString("base64url"),
          payload.replace(/=+$/u, ""),
          `${payload}=`,
          `${payload}\n`,
          new TextDecoder().decode(request.body),
          header(make(), "x-txc-payload")
        ].filter((other) => other !== payload)
        assert.isAtLeast(others.length, 5)
        for (const other of others) yield* refused(signedOver(other), payloadInvalid)
        accepted(yield* handle(signedOver(payload)))
      }).pipe(Effect.provide(inProcess(dialect))))

    it.effect("every authentication header is required", () =>
      Effect.gen(function*() {
        const request = make()
        yield* refused(withHeader(request, "x-txc-apikey", undefined), unauthorized)
        yield* refused(withHeader(request, "x-txc-signature", undefined), unauthorized)
        yield* refused(withHeader(request, "x-txc-payload", undefined), payloadMissing)
        yield* refused(withHeader(request, "x-txc-payload", ""), payloadMissing)
        yield* refused(withHeader(request, "content-type", undefined), payloadInvalid)
        for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""]) {
          yield* refused(withHeader(request, "content-type", type), payloadInvalid)
        }
        accepted(yield* handle(request))
      }).pipe(Effect.provide(inProcess(dialect))))

    for (const text of ["", "no JSON", "[]", "[{}]", "null", "5", "\"text\"", "{\"a\":1", "{}{}", "\uFEFF{}"]) {
      it.effect(`a body that is not a JSON object is refused: ${JSON.stringify(text)}`, () =>
        refused(signedText(cancelAll, text), text === "" ? payloadMissing : payloadInvalid).pipe(
          Effect.provide(inProcess(dialect))
        ))
    }

    it.effect("a body that is not UTF-8 is refused", () =>
      Effect.gen(function*() {
        const request = make()
        const body = Uint8Array.from([...request.body.slice(0, -1), 0xff, 0x7d])
        const payload = Buffer.from(body).toString("base64")
        const headers = {
          ...request.headers,
          "x-txc-payload": payload,
          "x-txc-signature": hmac(alice.apiSecret, payload)
        }
        yield* refused({ ...request, body, headers }, payloadInvalid)
      }).pipe(Effect.provide(inProcess(dialect))))

    it.effect("`request` must equal the call's path", () =>
      Effect.gen(function*() {
        for (const path of [balance, "order/cancel/all", `${cancelAll}/`, 5, null, ""]) {
          const text = JSON.stringify({ request: path, nonce: freshNonce(dialect) })
          yield* refused(signedText(cancelAll, text), requestMissing)
        }
      }).pipe(Effect.provide(inProcess(dialect))))

    for (const endpoint of all.filter(({ access }) => access === "private")) {
      const optional = dialect === Dialect.document && endpoint.path === cancelAll
      it.effect(`the request and nonce fields of ${endpoint.name} are ${optional ? "optional" : "required"}`, () =>
        Effect.gen(function*() {
          const withoutRequest = signedText(endpoint.path, JSON.stringify({ nonce: freshNonce(dialect) }))
          const withoutNonce = signedText(endpoint.path, JSON.stringify({ request: endpoint.path }))
          if (optional) {
            accepted(yield* handle(withoutRequest))
            accepted(yield* handle(withoutNonce))
            accepted(yield* handle(signedText(endpoint.path, "{}")))
          } else {
            yield* refused(withoutRequest, requestMissing)
            yield* refused(withoutNonce, nonceMissing)
          }
        }).pipe(Effect.provide(inProcess(dialect))))
    }

    it.effect("a nonce must have the dialect's form", () =>
      Effect.gen(function*() {
        const withNonce = (nonce: unknown) => signedText(balance, JSON.stringify({ request: balance, nonce }))
        for (const nonce of [null, true, [], {}, "", "12a", "-5", "1.5", "1e9", " 1", -1, 1.5, "1".repeat(21)]) {
          yield* refused(withNonce(nonce), nonceMissing)
        }
        accepted(yield* handle(withNonce(String(freshNonce(dialect)))))
        const number = Number(freshNonce(dialect))
        if (dialect === Dialect.live) accepted(yield* handle(withNonce(number)))
        else yield* refused(withNonce(number), nonceMissing)
      }).pipe(Effect.provide(inProcess(dialect))))

    it.effect("`nonceWindow` must be a boolean in the dialect that defines it, and is ignored in the other dialect", () =>
      Effect.gen(function*() {
        const withWindow = (nonceWindow: unknown) =>
          signedText(balance, JSON.stringify({ request: balance, nonce: freshNonce(dialect), nonceWindow }))
        for (const nonceWindow of ["true", "", 1, 0, null, {}]) {
          if (dialect === Dialect.live) yield* refused(withWindow(nonceWindow), [400, 9, "Invalid nonceWindow."])
          else accepted(yield* handle(withWindow(nonceWindow)))
        }
        accepted(yield* handle(withWindow(false)))
      }).pipe(Effect.provide(inProcess(dialect))))

    it.effect("an unknown key gets the same response as a wrong signature", () =>
      Effect.gen(function*() {
        yield* refused(signed(dialect, balance, {}, { ...alice, apiKey: "nobody" }), unauthorized)
        yield* refused(signed(dialect, balance, {}, { ...alice, apiSecret: bob.apiSecret }), unauthorized)
        yield* refused(
          signed(dialect, balance, {}, { ...alice, apiKey: "nobody", apiSecret: "no secret" }),
          unauthorized
        )
        yield* refused(signed(dialect, balance, {}, { ...alice, apiKey: "", apiSecret: "no secret" }), unauthorized)
      }).pipe(Effect.provide(inProcess(dialect))))

    it.effect("a disabled key is refused until it is enabled", () =>
      Effect.gen(function*() {
        const control = yield* Control
        const off: Refusal = [401, 2, "This action is unauthorized. Enable your key in API settings"]
        yield* refused(signed(dialect, balance, {}, disabled), off)
        yield* control.setKey({ apiKey: disabled.apiKey as never, enabled: true })
        accepted(yield* handle(signed(dialect, balance, {}, disabled)))
      }).pipe(Effect.provide(inProcess(dialect))))

    it.effect("calls outside a key's restrictions or without B2B access are refused", () =>
      Effect.gen(function*() {
        const notAllowed: Refusal = [401, 4, "This API Key is not authorized to perform this action."]
        yield* refused(signed(dialect, balance, {}, restricted), notAllowed)
        accepted(yield* handle(signed(dialect, cancelAll, {}, restricted)))
        const interest = "/api/v4/main-account/smart/interest-payment-history"
        accepted(yield* handle(signed(dialect, interest)))
        const notPartner = "You don't have permission to use this endpoint. Please contact support for more details"
        yield* refused(signed(dialect, interest, {}, bob), [403, 0, notPartner])
      }).pipe(Effect.provide(inProcess(dialect))))

    it.effect("a wrong signature is refused before anything else about the key is checked", () =>
      Effect.gen(function*() {
        for (const account of [disabled, restricted]) {
          yield* refused(signed(dialect, balance, {}, { ...account, apiSecret: "wrong-secret" }), unauthorized)
        }
      }).pipe(Effect.provide(inProcess(dialect))))

    it.effect("a sub-account's key makes calls for the sub-account", () =>
      Effect.gen(function*() {
        const key = { account: fundedSubAccount, apiKey: "own-key", apiSecret: "own-secret" }
        yield* addKey(key)
        const { json } = yield* handle(signed(dialect, balance, {}, key))
        assert.deepStrictEqual(json, { USDT: { main_balance: "250" } })
      }).pipe(Effect.provide(inProcess(dialect))))
  })
}
