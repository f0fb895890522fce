import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { createHmac } from "node:crypto"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { Control } from "../../../src/sandbox/control/Control.ts"
import { ControlClient } from "../../../src/sandbox/control/ControlClient.ts"
import type { Request } from "../../../src/sandbox/gateway/Message.ts"
import { Venue } from "../../../src/sandbox/venue/Venue.ts"
import { inProcess, overHttp, post } from "../../support/control.ts"
import { type Account, addKey, alice, bob, disabled, restricted } from "../../support/exchange.ts"
import { freshNonce, hmac, signed, signedHeaders, signedText } from "../../support/signed.ts"

const path = "/api/v4/main-account/balance"

/** 01:30 UTC on 2 January 2026, in milliseconds. */
const now = Date.UTC(2026, 0, 2, 1, 30)

const { document, live } = Dialect

/** A correctly signed call whose headers were changed after signing. */
const but = (headers: Readonly<Record<string, string>>, dialect = document, from = signed(dialect, path)): Request => ({
  ...from,
  headers: { ...from.headers, ...headers }
})

/** Replaces a call's signature with another one, computed from its payload and body. */
const signedBy = (sign: (payload: string, body: Uint8Array) => string): Request => {
  const request = signed(document, path)
  return but({ "x-txc-signature": sign(String(request.headers["x-txc-payload"]), request.body) }, document, request)
}

/** A signed call that lacks one of its headers. */
const without = (name: string): Request => {
  const { headers, ...request } = signed(document, path)
  const { [name]: _, ...rest } = headers
  return { ...request, headers: rest }
}

/** A call whose body was replaced after its headers were computed. */
const withBody = (text: string, of: string): Request => ({
  ...signedText(path, of),
  body: new TextEncoder().encode(text)
})

const bytes = (body: Uint8Array, account: Account = alice): Request => ({
  method: "POST",
  path,
  headers: signedHeaders(account, body),
  body,
  from: "test"
})

const text = (fields: object, account = alice) => signedText(path, JSON.stringify(fields), account)

const of = (nonce: unknown, window?: boolean) =>
  text({ request: path, nonce, ...(window === undefined ? {} : { nonceWindow: window }) })

const compact = `{"request":"${path}","nonce":"1"}`

const rows: ReadonlyArray<
  readonly [
    title: string,
    dialect: Dialect.Dialect,
    calls: ReadonlyArray<Request>,
    refused: string,
    hint: string
  ]
> = [
  ["no key", document, [without("x-txc-apikey")], "unauthorized", "there is no X-TXC-APIKEY header"],
  ["an unknown key", document, [but({ "x-txc-apikey": "nobody" })], "unauthorized", "the key is unknown"],
  [
    "a key in a different letter case",
    document,
    [but({ "x-txc-apikey": ` ${alice.apiKey.toUpperCase()}` })],
    "unauthorized",
    "the key differs from a known one only in case or spaces"
  ],
  ["no signature", document, [without("x-txc-signature")], "unauthorized", "there is no X-TXC-SIGNATURE header"],
  [
    "an upper-case signature",
    document,
    [signedBy((payload) => hmac(alice.apiSecret, payload).toUpperCase())],
    "unauthorized",
    "the signature is right, but must be in lower case"
  ],
  [
    "a Base64 signature",
    document,
    [signedBy((payload) => createHmac("sha512", alice.apiSecret).update(payload).digest("base64"))],
    "unauthorized",
    "the signature is right, but must be hexadecimal, not Base64"
  ],
  [
    "the body signed instead of the payload",
    document,
    [signedBy((_, body) => createHmac("sha512", alice.apiSecret).update(body).digest("hex"))],
    "unauthorized",
    "the body was signed instead of the payload header"
  ],
  [
    "an HMAC-SHA256 signature",
    document,
    [signedBy((payload) => createHmac("sha256", alice.apiSecret).update(payload).digest("hex"))],
    "unauthorized",
    "it was signed with HMAC-SHA256 instead of HMAC-SHA512"
  ],
  [
    "a line feed after the secret",
    document,
    [signedBy((payload) => hmac(`${alice.apiSecret}\n`, payload))],
    "unauthorized",
    "it was signed with the secret followed by a line feed"
  ],
  [
    "the API key used as the secret",
    document,
    [signedBy((payload) => hmac(alice.apiKey, payload))],
    "unauthorized",
    "it was signed with the API key instead of the secret"
  ],
  [
    "a different payload signed",
    document,
    [but({ "x-txc-payload": Buffer.from("{}").toString("base64") })],
    "unauthorized",
    "the signature is for a different payload: the one that matches the body"
  ],
  [
    "the secret of another key",
    document,
    [signedBy((payload) => hmac(bob.apiSecret, payload))],
    "unauthorized",
    "it was signed with the secret of another key, \"key of bob\""
  ],
  [
    "a signature with an unknown mistake",
    document,
    [signedBy(() => "00".repeat(64))],
    "unauthorized",
    "the signature does not match this payload and this key's secret"
  ],
  [
    "no payload",
    document,
    [without("x-txc-payload")],
    "payloadMissing",
    "the X-TXC-PAYLOAD header is missing; it must contain the body in Base64"
  ],
  [
    "the content type of a form",
    document,
    [but({ "content-type": "application/x-www-form-urlencoded" })],
    "payloadInvalid",
    "the content type is \"application/x-www-form-urlencoded\", not application/json"
  ],
  [
    "no content type",
    document,
    [without("content-type")],
    "payloadInvalid",
    "the content type is \"\", not application/json"
  ],
  [
    "a different Base64 alphabet",
    document,
    [
      (() => {
        const request = text({ request: path, nonce: "1", note: "??>>~~" })
        const payload = Buffer.from(request.body).toString("base64url")
        return but({ "x-txc-payload": payload, "x-txc-signature": hmac(alice.apiSecret, payload) }, document, request)
      })()
    ],
    "payloadInvalid",
    "the payload header is the body, but not in standard Base64 with its padding"
  ],
  [
    "the body used as the payload",
    document,
    [signedText(path, compact)].map((request) =>
      but({ "x-txc-payload": compact, "x-txc-signature": hmac(alice.apiSecret, compact) }, document, request)
    ),
    "payloadInvalid",
    "the payload header is the body itself; it must be the body in Base64"
  ],
  [
    "no body",
    document,
    [withBody("", compact)],
    "payloadInvalid",
    "there is no body: send the one that the payload header encodes"
  ],
  [
    "another body",
    document,
    [withBody(`{"request":"${path}","nonce":"2","limit":3}`, compact)],
    "payloadInvalid",
    "the payload header decodes to a different body; they differ in nonce, limit"
  ],
  [
    "the same body with a space",
    document,
    [withBody(`${compact} `, compact)],
    "payloadInvalid",
    "the payload header decodes to a different body: send exactly the bytes that were encoded"
  ],
  ["a body that is not JSON", document, [signedText(path, "{")], "payloadInvalid", "the body is not JSON"],
  [
    "a body that is not an object",
    document,
    [signedText(path, "[1]")],
    "payloadInvalid",
    "the body is JSON, but not an object"
  ],
  [
    "a duplicate key",
    document,
    [signedText(path, `{"request":"${path}","nonce":"1","nonce":"2"}`)],
    "payloadInvalid",
    "the body contains a duplicate key"
  ],
  [
    "spaces in the payload",
    live,
    [signedText(path, `{"request": "${path}", "nonce": 1}`)],
    "payloadInvalid",
    "the payload header has spaces between its JSON tokens; this dialect requires compact JSON there"
  ],
  [
    "another body with spaces",
    live,
    [withBody(`{"request": "${path}", "nonce": 2}`, `{"request":"${path}","nonce":1}`)],
    "payloadInvalid",
    "the payload header decodes to a different body; they differ in nonce"
  ],
  [
    "a duplicate key in a body with spaces",
    live,
    [withBody(`{"request": "${path}", "nonce": 1, "nonce": 2}`, `{"request":"${path}","nonce":1,"nonce":2}`)],
    "payloadInvalid",
    "the body contains a duplicate key"
  ],
  [
    "bytes that are not UTF-8",
    document,
    [bytes(Buffer.from(`{"request":"${path}","nonce":"1","ticker":"\xff"}`, "latin1"))],
    "payloadInvalid",
    "the body is not well-formed UTF-8"
  ],
  [
    "no request field",
    document,
    [text({ nonce: "1" })],
    "requestMissing",
    "the body has no field \"request\""
  ],
  [
    "another path in the request field",
    document,
    [text({ request: "/api/v4/other", nonce: "1" })],
    "requestMissing",
    `the body's "request" is not the path that was called, ${path}`
  ],
  ["no nonce", document, [text({ request: path })], "nonceMissing", "the body has no field \"nonce\""],
  [
    "a nonce that is a number",
    document,
    [of(1)],
    "nonceMissing",
    "the nonce must be a string of digits; the live dialect sends a number: set TXC_DIALECT=document, or serve --dialect live"
  ],
  ["a nonce that is a fraction", live, [of(1.5)], "nonceMissing", "the nonce must be an integer or a string of digits"],
  [
    "a nonce that is used twice",
    document,
    [of("77"), of("77")],
    "nonceUsed",
    "signed with the right secret, but the nonce was used at 2026-01-02T01:30:00.000Z"
  ],
  [
    "a nonce that is used twice",
    live,
    [of(77), of(77)],
    "nonceUsed",
    "signed with the right secret, but the nonce was used at 2026-01-02T01:30:00.000Z"
  ],
  [
    "a nonce that is too small",
    live,
    [of(77), of(76)],
    "nonceUsed",
    "signed with the right secret, but the nonce must be greater than 77, the greatest so far"
  ],
  [
    "a nonce in seconds",
    live,
    [of(now / 1000, true)],
    "nonceOutsideWindow",
    "the nonce counts seconds; it must be Unix milliseconds"
  ],
  [
    "a nonce in microseconds",
    live,
    [of(String(now * 1000), true)],
    "nonceOutsideWindow",
    "the nonce counts microseconds; it must be Unix milliseconds"
  ],
  [
    "a nonce in nanoseconds",
    live,
    [of(`${now}000000`, true)],
    "nonceOutsideWindow",
    "the nonce counts nanoseconds; it must be Unix milliseconds"
  ],
  [
    "a nonce behind the clock",
    live,
    [of(now - 5001, true)],
    "nonceOutsideWindow",
    "the nonce is 5.001 s behind the exchange's clock, which is 2026-01-02T01:30:00.000Z; it may differ by 5 s"
  ],
  [
    "a nonce ahead of the clock",
    live,
    [of(now + 60_000, true)],
    "nonceOutsideWindow",
    "the nonce is 60 s ahead of the exchange's clock, which is 2026-01-02T01:30:00.000Z; it may differ by 5 s"
  ],
  [
    "a nonce window in quotes",
    live,
    [of(now, "true" as never)],
    "nonceWindowInvalid",
    "nonceWindow must be true or false, without quotes"
  ],
  ["a disabled key", document, [signed(document, path, {}, disabled)], "keyDisabled", "the key is disabled"],
  [
    "a restricted key",
    document,
    [signed(document, path, {}, restricted)],
    "endpointNotAllowed",
    "the key may only call /api/v4/order/cancel/all"
  ],
  [
    "an account that is not a business partner",
    document,
    [signed(document, "/api/v4/main-account/smart/interest-payment-history", {}, bob)],
    "noB2bAccess",
    "the endpoint is B2B-only, and the account is not a business partner"
  ],
  [
    "too many calls",
    document,
    Array.from({ length: 3 }, () => signed(document, "/api/v4/main-account/fee")),
    "rateLimited",
    "more than 2 calls in 60 s"
  ],
  [
    "a misspelled path",
    document,
    [{ ...signed(document, path), path: "/api/v4/main-acount/balance" }],
    "notFound",
    `did you mean ${path}?`
  ],
  [
    "a call of the live exchange that is not served",
    document,
    [{ ...signed(document, path), path: "/api/v4/convert/estimate" }],
    "notServed",
    "this sandbox does not serve conversion"
  ],
  ["an unknown path", document, [{ ...signed(document, path), path: "/nowhere/at/all" }], "notFound", "no such path"],
  [
    "another method",
    document,
    [{ ...signed(document, path), method: "GET" }],
    "methodNotAllowed",
    "the method of this path is POST"
  ]
]

/** Makes the calls, and returns the record of the last one. */
const refused = Effect.fnUntraced(function*(calls: ReadonlyArray<Request>) {
  const control = yield* Control
  const venue = yield* Venue
  yield* control.freezeClock
  yield* control.setClock({ at: now * 1000 })
  yield* TestClock.setTime(now)
  yield* control.limit({ calls: 2, perSeconds: 60 }, "/api/v4/main-account/fee")
  for (const call of calls) yield* venue.handle(call)
  const records = yield* control.requests()
  assert.strictEqual(records.length, calls.length)
  return records.at(-1) ?? assert.fail()
})

describe("hints for refused calls", () => {
  for (const [title, dialect, calls, kind, hint] of rows) {
    it.effect(`the hint for a refused call names the caller's mistake: ${title} (${dialect.name})`, () =>
      Effect.gen(function*() {
        const record = yield* refused(calls)
        const { status } = dialect.refusals[kind as "unauthorized"]
        assert.deepInclude(record, { verdict: "refused", refused: kind, hint, status })
        assert.isUndefined(record.command)
      }).pipe(Effect.provide(inProcess({ dialect }))))
  }

  it.effect("a call that is refused because of its fields gets no hint", () =>
    Effect.gen(function*() {
      const record = yield* refused([signed(document, "/api/v4/order/stop_limit", { market: "BTC_USDT" })])
      assert.deepInclude(record, { verdict: "refused", refused: "invalid", account: "alice", key: "key of alice" })
      assert.deepStrictEqual(record.violations, {
        side: "required",
        amount: "required",
        price: "required",
        activationPrice: "required"
      })
      assert.isUndefined(record.hint)
      // The call still uses up its nonce, so it is recorded as a command.
      assert.isDefined(record.command)
    }).pipe(Effect.provide(inProcess())))

  it.effect("a signature is compared with the secrets of at most a hundred keys", () =>
    Effect.gen(function*() {
      const { keys } = (yield* Venue).state
      const others = Array.from({ length: 101 }, (_, n) => ({ ...bob, apiKey: `key ${n}`, apiSecret: `secret ${n}` }))
      yield* Effect.forEach(others, (other) => addKey(other))
      const secrets = [...keys.values()].map(({ apiSecret }) => apiSecret).slice(99, 101)
      yield* refused(secrets.map((secret) => signedBy((payload) => hmac(secret, payload))))
      assert.deepStrictEqual((yield* Control.use((control) => control.requests())).map(({ hint }) => hint), [
        "it was signed with the secret of another key, \"key of bob\"",
        "the signature does not match this payload and this key's secret"
      ])
    }).pipe(Effect.provide(inProcess())))

  it.live("a call that is refused over HTTP also gets a hint", () =>
    Effect.gen(function*() {
      const request = signed(document, path, {}, { ...alice, apiSecret: bob.apiSecret })
      assert.strictEqual((yield* post(request)).status, 401)
      const [record] = yield* ControlClient.use((control) => control.requests({ query: {} }))
      assert.deepInclude(record, { refused: "unauthorized", account: "alice", from: "127.0.0.1" })
      assert.strictEqual(record?.hint, "it was signed with the secret of another key, \"key of bob\"")
    }).pipe(Effect.provide(overHttp())))

  it.effect("an order that is canceled because the book is empty gets a hint, and an order that waits gets none", () =>
    Effect.gen(function*() {
      const terms = { market: "BTC_USDT", side: "buy", amount: "0.1" }
      const placed = [
        signed(document, "/api/v4/order/stock_market", terms),
        signed(document, "/api/v4/order/new", { ...terms, price: "1000", ioc: true }),
        signed(document, "/api/v4/order/new", { ...terms, price: "1000" })
      ]
      for (const request of placed) yield* (yield* Venue).handle(request)
      const records = yield* Control.use((control) => control.requests())
      assert.deepStrictEqual(records.map(({ status }) => status), [200, 200, 200])
      const hints = records.map(({ hint }) => hint)
      assert.match(hints[0] ?? "", /^the order was canceled, because no order in the book .* SetCounterparty/u)
      assert.strictEqual(hints[1], hints[0])
      assert.isUndefined(hints[2])
    }).pipe(Effect.provide(inProcess())))

  it.effect("a call that succeeds gets no hint", () =>
    Effect.gen(function*() {
      const nonce = freshNonce(document)
      const record = yield* refused([of(nonce)])
      assert.deepInclude(record, {
        verdict: "answered",
        status: 200,
        nonce: String(nonce),
        endpoint: "MainBalance.all"
      })
      assert.isUndefined(record.hint)
      assert.isUndefined(record.refused)
    }).pipe(Effect.provide(inProcess())))
})
