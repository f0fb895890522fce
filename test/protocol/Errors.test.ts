import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { inspect } from "node:util"
import { ClientOrderId, marketName, OrderId } from "../../src/domain/Identifiers.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Errors from "../../src/protocol/Errors.ts"

const endpoint = "StopLimitOrders.create"

const refused: Errors.Refused = {
  endpoint,
  origin: "exchange",
  status: 422,
  code: 32,
  fields: { amount: ["Too small.", "Too fine."], price: ["Too high."] },
  otherFields: { expiry: ["Unknown."] },
  body: "{}"
}

const local = { origin: "local", code: 0, otherFields: {} } as const

const answered = { endpoint, status: 400, reason: "No.", body: "{}" }

const unknown = new Errors.OutcomeUnknown({
  endpoint,
  why: "timeout",
  reason: "no response within 10s",
  request: Redacted.make({ code: "voucher-1", passphrase: "open sesame" }),
  clientOrderId: ClientOrderId.make("my-1"),
  market: marketName("BTC_USDT"),
  key: "0011223344556677",
  nonce: 1700000000000,
  nonceForm: "window",
  sentAt: 1700000000001000
})

const rows: ReadonlyArray<
  readonly [
    error: Errors.CallError | Errors.PageCeilingReached | Errors.ListShifted,
    isRetryable: boolean,
    outcome: Errors.Outcome,
    string
  ]
> = [
  [
    new Errors.ValidationFailed(refused),
    false,
    "not-applied",
    "StopLimitOrders.create was refused with HTTP 422, code 32: "
    + "expiry: Unknown.; amount: Too small.; Too fine.; price: Too high."
  ],
  [
    new Errors.InvalidFields({ ...refused, ...local, fields: { limit: ["Too big."] } }),
    false,
    "not-applied",
    "StopLimitOrders.create was refused before it was sent, code 0: limit: Too big."
  ],
  [
    new Errors.ReduceOnlyRejected({
      ...refused,
      code: 116,
      reason: "Validation failed",
      otherFields: {},
      fields: { reduceOnly: ["No position."] }
    }),
    false,
    "not-applied",
    "StopLimitOrders.create was refused with HTTP 422, code 116: Validation failed. reduceOnly: No position."
  ],
  [
    new Errors.RequestRejected({ ...answered, code: 10, fields: { amount: ["Not enough."] }, otherFields: {} }),
    false,
    "not-applied",
    "StopLimitOrders.create was refused with HTTP 400, code 10: No. amount: Not enough."
  ],
  [
    new Errors.RequestRejected({ ...answered, fields: {}, otherFields: {} }),
    false,
    "not-applied",
    "StopLimitOrders.create was refused with HTTP 400: No."
  ],
  [
    new Errors.RequestRejected({
      ...answered,
      reason: Dialect.document.refusals.nonceMissing.message,
      fields: {},
      otherFields: {}
    }),
    false,
    "not-applied",
    "StopLimitOrders.create was refused with HTTP 400: Nonce not provided. The client sent a nonce: check that it uses the "
    + "exchange's dialect."
  ],
  [
    new Errors.PublicRequestRejected({ ...answered, params: ["BTC_X"] }),
    false,
    "not-applied",
    "StopLimitOrders.create was refused with HTTP 400: No."
  ],
  [
    new Errors.NotAuthorized({ ...answered, why: "key-disabled", code: 2 }),
    false,
    "not-applied",
    "StopLimitOrders.create is not authorized (key-disabled), HTTP 400: No. "
    + "Enable the key in the exchange's API settings."
  ],
  [
    new Errors.NotAuthorized({ ...answered, why: "not-permitted", reason: "Not for you" }),
    false,
    "not-applied",
    "StopLimitOrders.create is not authorized (not-permitted), HTTP 400: Not for you."
  ],
  [
    new Errors.NonceRejected(answered),
    true,
    "not-applied",
    "StopLimitOrders.create was refused because of its nonce, HTTP 400: No. Retry; if this happens often, check "
    + "this machine's clock, and whether another program uses the key."
  ],
  [
    new Errors.RateLimited({ ...answered, origin: "exchange" }),
    true,
    "not-applied",
    "StopLimitOrders.create was refused by the rate limit, HTTP 400: No. Wait before you retry."
  ],
  [
    new Errors.RateLimited({ endpoint, origin: "local", status: 429, reason: "9 calls in 1 seconds", retryAfter: 250 }),
    true,
    "not-applied",
    "StopLimitOrders.create was not sent, to stay within the rate limit: 9 calls in 1 seconds. Retry after 250 ms."
  ],
  [
    new Errors.AcceptedUnreadable({
      endpoint,
      status: 200,
      orderIds: [OrderId.make("7"), OrderId.make("9007199254740993")],
      problem: "Missing key",
      body: "{}"
    }),
    false,
    "applied",
    "StopLimitOrders.create was applied as order 7, 9007199254740993, but its response can't be read: Missing key. "
    + "Do not retry; read the order by its id, and check that the client uses the exchange's dialect."
  ],
  [
    unknown,
    false,
    "unknown",
    "StopLimitOrders.create may have been applied (timeout, client order id my-1): no response within 10s. "
    + "Do not retry before you have found out whether it was: see Reconciliation."
  ],
  [
    new Errors.ExchangeUnreachable({ endpoint, why: "dns", reason: "no such host" }),
    true,
    "not-applied",
    "StopLimitOrders.create did not reach the exchange (dns): no such host. "
    + "Nothing was applied; you may retry."
  ],
  [
    new Errors.UnexpectedResponse({ endpoint, status: 200, problem: "another page", body: "{}" }),
    false,
    "not-applied",
    "StopLimitOrders.create got an unexpected response, HTTP 200: another page. "
    + "Check that you use the exchange's dialect; see the body."
  ],
  [
    new Errors.UnexpectedResponse({ endpoint, status: 500, problem: "HTTP 500", body: "" }),
    true,
    "not-applied",
    "StopLimitOrders.create got an unexpected response, HTTP 500: HTTP 500. Retry later."
  ],
  [
    new Errors.UnexpectedResponse({ endpoint, status: 499, problem: "HTTP 499", body: "" }),
    false,
    "not-applied",
    "StopLimitOrders.create got an unexpected response, HTTP 499: HTTP 499. "
    + "Check that you use the exchange's dialect; see the body."
  ],
  [
    new Errors.UnexpectedResponse({
      endpoint,
      status: 200,
      problem: "a string at [3]",
      body: "[]",
      unreadable: 2,
      readable: Redacted.make<ReadonlyArray<unknown>>([1])
    }),
    false,
    "not-applied",
    "StopLimitOrders.create got an unexpected response, HTTP 200: a string at [3]. Unreadable rows: 2; the others can "
    + "be read. Check that you use the exchange's dialect; see the body."
  ],
  [
    new Errors.ListShifted({ endpoint, emitted: 200 }),
    true,
    "not-applied",
    "StopLimitOrders.create: the list shifted while it was read. Records may be missing after the first 200. Read it again."
  ],
  [
    new Errors.PageCeilingReached({ endpoint, emitted: 10100 }),
    false,
    "not-applied",
    "StopLimitOrders.create: 10100 records were read. The list may have more records, but no "
    + "page can reach them. Narrow the query."
  ]
]

describe("error messages and tags", () => {
  for (const [error, isRetryable, outcome, message] of rows) {
    it(`the message of ${error._tag} is "${message}"`, () => {
      assert.strictEqual(error.isRetryable, isRetryable)
      assert.strictEqual(error.outcome, outcome)
      assert.strictEqual(error.message, message)
      assert.instanceOf(error, Error)
      assert.strictEqual(error.name, error._tag)
      assert.strictEqual(String(error), `${error._tag}: ${message}`)
    })
  }

  it("the examples of errors cover every error class", () => {
    const classes = Object.values(Errors).filter((value) => "prototype" in value && value.prototype instanceof Error)
    assert.strictEqual(new Set(rows.map(([error]) => error._tag)).size, classes.length)
  })

  it("an error is retryable only if nothing was applied", () => {
    for (const [error] of rows) if (error.isRetryable) assert.strictEqual(error.outcome, "not-applied")
  })

  it.effect("errors can be caught by tag", () =>
    Effect.gen(function*() {
      const caught = yield* Effect.fail(new Errors.ValidationFailed<"amount">(refused)).pipe(
        Effect.catchTag("ValidationFailed", ({ fields }) => Effect.succeed(fields.amount))
      )
      assert.deepStrictEqual(caught, ["Too small.", "Too fine."])
    }))
})

describe("OutcomeUnknown", () => {
  it("OutcomeUnknown contains the request but never prints it, because the request may contain a code or a passphrase", () => {
    const texts = [
      String(unknown),
      unknown.stack ?? "",
      JSON.stringify(unknown),
      inspect(unknown, { depth: Infinity, showHidden: true })
    ]
    for (const text of texts) {
      assert.notInclude(text, "voucher-1")
      assert.notInclude(text, "open sesame")
    }
    assert.deepStrictEqual(Redacted.value(unknown.request), { code: "voucher-1", passphrase: "open sesame" })
  })
})

describe("errors as values", () => {
  it("an error that is encoded and decoded stays the same", () => {
    const error = new Errors.AcceptedUnreadable({
      endpoint,
      status: 200,
      orderIds: [OrderId.make("7")],
      problem: "p",
      body: "b"
    })
    const written = Schema.encodeSync(Errors.AcceptedUnreadable)(error)
    const back = Schema.decodeSync(Errors.AcceptedUnreadable)(written)
    assert.instanceOf(back, Errors.AcceptedUnreadable)
    assert.deepInclude(back, { _tag: "AcceptedUnreadable", endpoint, orderIds: ["7"] as never, outcome: "applied" })
  })

  it("OutcomeUnknown includes its request when it is encoded, even as JSON", () => {
    const request = { market: "BTC_USDT", code: "voucher-1" }
    const error = new Errors.OutcomeUnknown({
      endpoint,
      why: "timeout",
      reason: "r",
      request: Redacted.make<unknown>(request),
      key: "k",
      nonce: 1,
      nonceForm: "window",
      sentAt: 1
    })
    for (const codec of [Errors.OutcomeUnknown, Schema.toCodecJson(Errors.OutcomeUnknown)]) {
      const back = Schema.decodeUnknownSync(codec)(Schema.encodeUnknownSync(codec)(error))
      assert.instanceOf(back, Errors.OutcomeUnknown)
      assert.deepStrictEqual(Redacted.value(back.request), request)
      assert.strictEqual(JSON.stringify(back.request), "\"<redacted>\"")
    }
  })
})
