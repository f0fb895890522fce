import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { inspect } from "node:util"
import type { Name } from "../../src/endpoints/all.ts"
import * as Classify from "../../src/protocol/Classify.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Endpoint from "../../src/protocol/Endpoint.ts"
import type * as Errors from "../../src/protocol/Errors.ts"
import * as Json from "../../src/protocol/Json.ts"
import * as Refusals from "../../src/protocol/Refusals.ts"
import * as Violation from "../../src/protocol/Violation.ts"
import { entries, type Entry, entryOf, goldenIn } from "../endpoints/fixtures/all.ts"
import { revealed } from "../support/arbitraries.ts"
import { dialects } from "../support/exchange.ts"
import { property } from "../support/property.ts"

const keep = (text: string): string => text

const judge = (
  endpoint: Endpoint.Any,
  dialect: Dialect.Dialect,
  status: number,
  body: unknown,
  scrub: (text: string) => string = keep
): Classify.Verdict<unknown> =>
  Classify.classify(endpoint, dialect, {
    status,
    text: typeof body === "string" ? body : Json.stringify(body as object),
    scrub
  })

// -----------------------------------------------------------------------------
// One row per response
// -----------------------------------------------------------------------------

type Expected =
  | "Answered"
  | { readonly uncertain: Errors.UnknownCause }
  | { readonly _tag: Errors.CallError["_tag"]; readonly [property: string]: unknown }

/**
 * `provenIn` lists the dialects (by default, both) in which the body has the exchange's own error format. In any other
 * dialect, the body does not prove that a mutating call was refused.
 */
type Row = readonly [
  status: number,
  body: unknown,
  expected: Expected,
  name: string,
  provenIn?: ReadonlyArray<Dialect.Dialect["name"]>
]

const check = (name: Name, rows: ReadonlyArray<Row>, which = "its own responses"): void => {
  const { endpoint } = entryOf(name)
  it(`${endpoint.name} classifies ${which}`, () => {
    for (const [status, body, ofProof, title, provenIn = ["document", "live"]] of rows) {
      for (const dialect of dialects) {
        const row = `${dialect.name}, HTTP ${status}: ${title}`
        const expected = endpoint.mutates && !provenIn.includes(dialect.name)
          ? { uncertain: "unreadable-answer" } as const
          : ofProof
        const verdict = judge(endpoint, dialect, status, body)
        if (expected === "Answered") assert.strictEqual(verdict._tag, "Answered", row)
        else if ("uncertain" in expected) {
          assert.strictEqual(verdict._tag, "Uncertain", row)
          assert.strictEqual(verdict._tag === "Uncertain" && verdict.why, expected.uncertain, row)
        } else {
          const error = verdict._tag === "Refused" ? verdict.error : {}
          assert.deepInclude(error, { endpoint: endpoint.name, ...expected }, row)
        }
      }
    }
  })
}

const failed = "Validation failed"
const html = "<html><head><title>502 Bad Gateway</title></head></html>"
const uncertain = { uncertain: "unreadable-answer" } as const
const exchangeSays = (code: number, message: string, errors: unknown = {}) => ({ code, message, errors })

/** Responses that every private endpoint can get, whatever it declares. */
const toAllPrivate: ReadonlyArray<Row> = [
  [401, exchangeSays(10, "Unauthorized request."), {
    _tag: "NotAuthorized",
    why: "unauthenticated",
    code: 10,
    reason: "Unauthorized request."
  }, "code 10: a wrong signature"],
  [
    400,
    exchangeSays(10, "Unauthorized request."),
    { _tag: "NotAuthorized", why: "unauthenticated" },
    "the same refusal"
  ],
  [
    401,
    { code: 0, message: "Invalid API key, signature, or nonce" },
    {
      _tag: "NotAuthorized",
      why: "unauthenticated"
    },
    "code 0",
    ["live"]
  ],
  [401, exchangeSays(2, "This action is unauthorized. Enable your key in API settings"), {
    _tag: "NotAuthorized",
    why: "key-disabled",
    code: 2
  }, "code 2: a disabled key"],
  [401, exchangeSays(4, "This API Key is not authorized to perform this action."), {
    _tag: "NotAuthorized",
    why: "endpoint-not-allowed",
    code: 4
  }, "code 4: a restricted key"],
  [401, exchangeSays(77, "Something else"), { _tag: "NotAuthorized", why: "not-permitted", code: 77 }, "another code"],
  [401, { message: "Unauthorized" }, { _tag: "NotAuthorized", why: "not-permitted" }, "no code", []],
  [
    429,
    { code: 0, errors: {}, message: "Too many requests." },
    { _tag: "NonceRejected", status: 429 },
    "a reused nonce"
  ],
  [429, { code: 0, message: "Too Many Attempts." }, { _tag: "RateLimited", status: 429 }, "too many calls", ["live"]],
  [400, exchangeSays(9, "Your nonce is more than 5 seconds lesser than the current nonce"), {
    _tag: "NonceRejected",
    status: 400
  }, "a nonce outside the window"],
  [400, exchangeSays(9, "Invalid payload."), {
    _tag: "RequestRejected",
    code: 9,
    reason: "Invalid payload."
  }, "code 9"],
  [400, exchangeSays(10, "Not enough balance."), {
    _tag: "RequestRejected",
    code: 10,
    reason: "Not enough balance."
  }, "code 10: an insufficient balance"],
  [422, exchangeSays(1, "Inner validation failed", { amount: ["Not enough balance."] }), {
    _tag: "RequestRejected",
    code: 1,
    reason: "Inner validation failed"
  }, "an engine's refusal"],
  [404, exchangeSays(0, "Not found."), {
    _tag: "RequestRejected",
    code: 0,
    fields: {},
    otherFields: {}
  }, "an unknown path"],
  [404, { message: "API key not found" }, { _tag: "RequestRejected", reason: "API key not found" }, "no code", []],
  [422, { code: 12 }, { _tag: "RequestRejected", code: 12, reason: "" }, "no message", []],
  [
    400,
    { message: "upstream request timeout" },
    {
      _tag: "RequestRejected",
      reason: "upstream request timeout"
    },
    "a gateway's message",
    []
  ],
  [499, { message: "x" }, { _tag: "RequestRejected", reason: "x" }, "a proxy whose client disconnected", []],
  [
    400,
    { code: 1.5, message: "x", errors: {} },
    { _tag: "RequestRejected", reason: "x" },
    "a code that is not an integer",
    []
  ],
  [
    400,
    { code: 9, message: "x", errors: "none" },
    { _tag: "RequestRejected", code: 9 },
    "errors that are not an object",
    []
  ],
  [400, { code: 9, message: "x", errors: null }, { _tag: "RequestRejected", code: 9 }, "errors that are null", [
    "live"
  ]],
  [
    400,
    "{\"code\":9,\"message\":\"x\",\"errors\":{},\"code\":9}",
    { uncertain: "unreadable-answer" },
    "a repeated key"
  ],
  [421, exchangeSays(30, failed), { uncertain: "server-error" }, "a misdirected request, whatever its body"],
  [200, "{\"a\":{\"b\":1,\"\\u0062\":1}}", { uncertain: "unreadable-answer" }, "a key repeated with different escapes"],
  [422, { code: "12", message: 5 }, { uncertain: "unreadable-answer" }, "a code and message of the wrong types"],
  [400, "[]", { uncertain: "unreadable-answer" }, "a list"],
  [400, "null", { uncertain: "unreadable-answer" }, "null"],
  [301, "", { uncertain: "redirected" }, "a redirect"],
  [307, exchangeSays(30, failed), { uncertain: "redirected" }, "a redirect, whatever its body"],
  [408, "", { uncertain: "server-error" }, "a server that timed out"],
  [500, exchangeSays(30, failed), { uncertain: "server-error" }, "a server failure, whatever its body"],
  [502, html, { uncertain: "server-error" }, "a gateway's HTML page"],
  [503, "", { uncertain: "server-error" }, "an empty body"],
  [404, html, uncertain, "HTML"],
  [403, "", uncertain, "an empty body"],
  [200, html, uncertain, "HTML"],
  [200, "{\"order_id\":", uncertain, "a truncated response"]
]

/** Finds a request field whose name is the same in both dialects and in the domain. */
const fieldOf = ({ golden: { request, wire } }: Entry): string | undefined =>
  Object.keys(request).find((key) => Object.hasOwn(wire.document.request, key) && Object.hasOwn(wire.live.request, key))

/** Error bodies of private calls, each with the error that it becomes for this endpoint. */
const refusalsOf = (entry: Entry): ReadonlyArray<Row> => {
  const { refusals } = entry.documented
  const field = fieldOf(entry)
  const errors = { [field ?? "unheardOf"]: ["x"] }
  const named = field === undefined ? { fields: {}, otherFields: errors } : { fields: errors, otherFields: {} }
  const declared = (tag: Endpoint.RefusalTag) => refusals.includes(tag) ? tag : "RequestRejected"
  const reduceOnly = { reduceOnly: ["x"] }
  const validation = refusals.includes("ValidationFailed") ? 30 : 0
  return [
    [400, exchangeSays(30, failed, errors), { _tag: declared("ValidationFailed"), code: 30, ...named }, "code 30"],
    [422, exchangeSays(37, failed, errors), { _tag: declared("ValidationFailed"), code: 37, ...named }, "code 37"],
    [400, exchangeSays(0, failed, errors), { _tag: declared("InvalidFields"), code: 0, ...named }, "code 0"],
    [422, exchangeSays(0, failed, errors), { _tag: "RequestRejected", code: 0, ...named }, "the engine's code 0"],
    [422, exchangeSays(116, failed, reduceOnly), {
      _tag: declared("ReduceOnlyRejected"),
      code: 116,
      ...(refusals.includes("ReduceOnlyRejected")
        ? { fields: reduceOnly, otherFields: {} }
        : { fields: {}, otherFields: reduceOnly })
    }, "code 116"],
    [400, exchangeSays(2, "Inner validation failed", errors), {
      _tag: "RequestRejected",
      code: 2,
      ...named
    }, "an engine's refusal by number"],
    [400, exchangeSays(validation, failed, { unheardOf: ["x"] }), {
      _tag: declared(validation === 30 ? "ValidationFailed" : "InvalidFields"),
      fields: {},
      otherFields: { unheardOf: ["x"] }
    }, "a field that the request does not have"]
  ]
}

/**
 * Responses that have a success status but do not decode. Endpoints with empty responses, or with responses whose keys
 * are data, have fewer of them.
 */
const unreadableOf = (
  { documented: { errorFamily, mutates, name }, golden: { response }, names }: Entry
): ReadonlyArray<Row> => {
  const withId = mutates && errorFamily === "order"
    ? { _tag: "AcceptedUnreadable", orderIds: ["7"] } as const
    : uncertain
  return response === undefined ? [] : [
    // Only the client's `BulkService` knows the orders, so it checks that each order has a result or an error.
    [
      200,
      [{ order_id: 7 }],
      name.includes("Bulk") ? "Answered" : uncertain,
      "a list with little more than an order id"
    ],
    [200, "", uncertain, "nothing"],
    ...(names === "" ? [] : [
      [200, { order_id: 7 }, withId, "little more than an order id"],
      [200, { id: 7 }, withId, "little more than an id"],
      [200, { result: "x" }, uncertain, "an object without an id"]
    ] as const)
  ]
}

/** Responses that private endpoints can get, adapted to what each endpoint declares. */
const toPrivate = (entry: Entry): ReadonlyArray<Row> => [
  ...toAllPrivate,
  [
    429,
    "<h1>Too Many Requests</h1>",
    entry.documented.mutates ? uncertain : { _tag: "RateLimited", status: 429 },
    entry.documented.mutates
      ? "a response from elsewhere, after which the call may have been applied"
      : "a response from elsewhere to a read, which applies nothing"
  ],
  ...refusalsOf(entry),
  ...unreadableOf(entry)
]

/** Responses that any public endpoint can return. */
const toPublic = ({ names }: Entry): ReadonlyArray<Row> => [
  [400, { success: false, message: "Market is not available.", params: ["BTC_X"] }, {
    _tag: "PublicRequestRejected",
    status: 400,
    reason: "Market is not available.",
    params: ["BTC_X"]
  }, "success: false"],
  [200, { success: false, message: { market: ["a", "b"], limit: "c" }, result: null }, {
    _tag: "PublicRequestRejected",
    status: 200,
    reason: "market: a b; limit: c",
    params: []
  }, "success: false with a field map as its message"],
  [422, { market: ["Market is not available."] }, {
    _tag: "PublicRequestRejected",
    reason: "market: Market is not available."
  }, "a bare field map"],
  [451, { success: false, message: "Not here", errors: [] }, { _tag: "PublicRequestRejected" }, "a blocked region"],
  [401, exchangeSays(10, "Unauthorized request."), {
    _tag: "PublicRequestRejected",
    reason: "Unauthorized request."
  }, "a private call's message, which no public call gets"],
  [429, "<h1>429</h1>", { _tag: "RateLimited", status: 429 }, "HTML"],
  [429, { success: false, message: "Too many requests." }, { _tag: "RateLimited" }, "JSON"],
  [404, "", uncertain, "an empty body"],
  [404, html, uncertain, "HTML"],
  [400, "[]", uncertain, "a list"],
  [302, "", { uncertain: "redirected" }, "a redirect"],
  [500, { error: ["Internal server error."] }, { uncertain: "server-error" }, "a server failure"],
  [408, "", { uncertain: "server-error" }, "a server that timed out"],
  // An empty object is a valid response if the response's keys are data.
  [200, names === "" ? { BTC_USDT: {} } : {}, uncertain, "a response that does not decode"],
  ...(names === "" ? [] : [[200, { success: true, id: 7 }, uncertain, "success: true, but no result"] as const])
]

describe("classifying responses by endpoint", () => {
  for (const entry of entries) {
    const { access } = entry.documented
    check(
      entry.name,
      access === "public" ? toPublic(entry) : toPrivate(entry),
      `responses that all ${access} calls share`
    )
  }

  check("StopLimitOrders", [
    [400, exchangeSays(30, failed, { amount: ["a", "b"], activation_price: ["c"] }), {
      _tag: "ValidationFailed",
      origin: "exchange",
      status: 400,
      code: 30,
      fields: { amount: ["a", "b"], activationPrice: ["c"] },
      otherFields: {}
    }, "code 30 with fields"],
    ...[31, 32, 33, 35, 36, 37, 40, 43].map((code): Row => [422, exchangeSays(code, failed, { price: ["x"] }), {
      _tag: "ValidationFailed",
      status: 422,
      code,
      fields: { price: ["x"] }
    }, `code ${code}`]),
    [422, exchangeSays(29, failed), { _tag: "RequestRejected", code: 29 }, "code 29"],
    [422, exchangeSays(44, failed), { _tag: "RequestRejected", code: 44 }, "code 44"],
    [400, exchangeSays(30, "Inner validation failed"), { _tag: "RequestRejected", code: 30 }, "the engine's code 30"],
    [400, exchangeSays(0, failed, { market: ["x"] }), {
      _tag: "RequestRejected",
      code: 0,
      fields: { market: ["x"] }
    }, "code 0, which order endpoints do not use"],
    [400, exchangeSays(116, failed, { reduceOnly: ["x"] }), {
      _tag: "RequestRejected",
      code: 116,
      fields: {},
      otherFields: { reduceOnly: ["x"] }
    }, "code 116, which the endpoint does not use"],
    [400, exchangeSays(30, failed, { market: ["x"], newField: ["y"], expiry: "z" }), {
      _tag: "ValidationFailed",
      fields: { market: ["x"] },
      otherFields: { newField: ["y"], expiry: ["z"] }
    }, "fields that the request does not have"],
    [400, exchangeSays(30, failed, { market: "x", side: [1, { deep: true }] }), {
      _tag: "ValidationFailed",
      fields: { market: ["x"], side: ["1", "{\"deep\":true}"] }
    }, "messages that are not lists, or not strings"],
    [
      400,
      exchangeSays(30, failed, []),
      { _tag: "ValidationFailed", fields: {}, otherFields: {} },
      "an empty list of messages",
      [
        "live"
      ]
    ],
    [400, { code: 30, message: failed }, { _tag: "ValidationFailed", fields: {}, otherFields: {} }, "no errors", [
      "live"
    ]],
    [403, exchangeSays(0, "You don't have permission to use this endpoint."), {
      _tag: "NotAuthorized",
      why: "not-permitted",
      code: 0
    }, "forbidden"],
    [200, {}, uncertain, "an object without an order id"],
    [200, "", uncertain, "nothing"],
    [200, "{\"orderId\":9007199254740993}", {
      _tag: "AcceptedUnreadable",
      orderIds: ["9007199254740993"],
      status: 200
    }, "little more than an order id"],
    [201, { order_id: 7, client_order_id: 5 }, {
      _tag: "AcceptedUnreadable",
      orderIds: ["7"],
      status: 201
    }, "an order id under its other name"],
    [200, { result: { order: { order_id: 8 } } }, {
      _tag: "AcceptedUnreadable",
      orderIds: ["8"]
    }, "an order id nested deeper"],
    [200, { order_id: "7", id: -1, orderId: 1.5 }, uncertain, "an invalid order id"]
  ])

  check("CollateralOcoOrders", [
    [400, exchangeSays(30, failed, { stop_limit_price: ["x"], activation_price: ["y"], reduceOnly: ["z"] }), {
      _tag: "ValidationFailed",
      fields: { stopLimitPrice: ["x"], activationPrice: ["y"], reduceOnly: ["z"] },
      otherFields: {}
    }, "code 30 with fields"],
    [400, exchangeSays(116, failed, { reduceOnly: ["x"] }), {
      _tag: "ReduceOnlyRejected",
      origin: "exchange",
      code: 116,
      status: 400,
      fields: { reduceOnly: ["x"] }
    }, "code 116"],
    [
      422,
      { code: 116, message: "Reduce-only: no position" },
      {
        _tag: "ReduceOnlyRejected",
        reason: "Reduce-only: no position",
        status: 422
      },
      "code 116 with another message",
      ["live"]
    ],
    [200, {
      id: 4180284841,
      stop_loss: { order_id: 4180284842, amount: "1" },
      take_profit: { orderId: 4180284843, left: null }
    }, {
      _tag: "AcceptedUnreadable",
      orderIds: ["4180284841", "4180284842", "4180284843"]
    }, "little more than the ids of both legs"]
  ])

  check("CancelAllOrders", [
    [400, exchangeSays(30, failed, { type: ["x"] }), { _tag: "ValidationFailed", fields: { type: ["x"] } }, "code 30"],
    [400, exchangeSays(116, failed), { _tag: "RequestRejected", code: 116 }, "code 116, which other endpoints use"],
    [200, [], "Answered", "an empty list"],
    [204, "", uncertain, "nothing"]
  ])

  check("InterestPaymentHistory", [
    [400, exchangeSays(0, failed, { planId: ["The selected planId is invalid."], ticker: ["x"] }), {
      _tag: "InvalidFields",
      origin: "exchange",
      status: 400,
      code: 0,
      fields: { planId: ["The selected planId is invalid."], ticker: ["x"] }
    }, "code 0 with fields"],
    [422, exchangeSays(0, failed, { planId: ["x"] }), {
      _tag: "RequestRejected",
      code: 0,
      fields: { planId: ["x"] }
    }, "the engine's code 0"],
    [400, exchangeSays(30, failed, { planId: ["x"] }), {
      _tag: "RequestRejected",
      code: 30
    }, "code 30, which only order endpoints use"],
    [403, { code: 0, message: "You don't have permission to use this endpoint." }, {
      _tag: "NotAuthorized",
      why: "no-b2b-access",
      code: 0
    }, "an account that is not a business partner"],
    [200, { id: 7 }, uncertain, "a response to a read that does not decode"]
  ])

  check("Codes", [
    [400, exchangeSays(0, failed, { code: ["x"] }), {
      _tag: "InvalidFields",
      fields: { code: ["x"] }
    }, "code 0 with fields"],
    [201, entryOf("Codes").golden.wire.live.response, "Answered", "a success other than 200"]
  ])

  check("DeleteSubAccount", [
    [400, exchangeSays(0, failed, { id: ["x"] }), {
      _tag: "InvalidFields",
      fields: { id: ["x"] }
    }, "code 0 with fields"],
    [200, {}, "Answered", "an empty object"]
  ])

  check("Transfers", [
    [
      400,
      exchangeSays(0, failed, { to: ["x"] }),
      { _tag: "InvalidFields", fields: { to: ["x"] } },
      "code 0 with fields"
    ],
    [422, exchangeSays(3, "Inner validation failed", { amount: ["Not enough balance."] }), {
      _tag: "RequestRejected",
      code: 3,
      fields: { amount: ["Not enough balance."] }
    }, "code 3: a missing balance"],
    [201, [], "Answered", "an empty list"],
    [204, "", uncertain, "nothing"]
  ])

  check("Assets", [
    [200, { success: true, id: 7 }, uncertain, "success: true, which is not an asset"]
  ])
})

describe("responses that decode", () => {
  for (const dialect of dialects) {
    it(`${dialect.name}: a response that decodes is a success with any 2xx status`, () => {
      for (const entry of entries) {
        const { endpoint } = entry
        const { response, wire } = goldenIn(entry, dialect)
        for (const status of [200, 201, 299]) {
          assert.deepStrictEqual(revealed(judge(endpoint, dialect, status, wire.response)), {
            _tag: "Answered",
            value: revealed(response)
          }, endpoint.name)
        }
      }
    })
  }

  it("only the live exchange may confirm the deletion of a sub-account with an empty body", () => {
    const { endpoint } = entryOf("DeleteSubAccount")
    assert.strictEqual(judge(endpoint, Dialect.document, 200, "")._tag, "Uncertain")
    assert.strictEqual(judge(endpoint, Dialect.live, 200, "")._tag, "Answered")
  })

  const acknowledgements = [
    "CancelAllOrders",
    "CancelConditionalOrder",
    "CancelOtoOrder",
    "Transfers",
    "DeleteSubAccount"
  ]
  for (const name of acknowledgements as ReadonlyArray<Name>) {
    const { endpoint } = entryOf(name)
    const sayNothing = [
      null,
      true,
      0,
      "\"ok\"",
      "<html></html>",
      { error: "x" },
      { error: null },
      { errors: ["x"] },
      { errors: { id: ["x"] } },
      { errors: "x" },
      { success: false },
      { status: "error" },
      { status: "error", id: 7, orderId: 7 },
      { error: "x", orderId: 7 },
      { code: "x", message: "x" }
    ]
    for (const body of sayNothing) {
      const text = typeof body === "string" ? body : JSON.stringify(body)
      it(`${endpoint.name} does not accept ${text} as an acknowledgement`, () => {
        for (const dialect of dialects) {
          for (const status of [200, 201, 202]) {
            assert.deepInclude(judge(endpoint, dialect, status, text), { _tag: "Uncertain", why: "unreadable-answer" })
          }
        }
      })
    }

    it(`${endpoint.name} accepts an acknowledgement of a different shape only in the document's dialect`, () => {
      const other = { done: 1, errors: {}, message: "x" }
      assert.strictEqual(judge(endpoint, Dialect.document, 200, other)._tag, "Answered")
      assert.strictEqual(judge(endpoint, Dialect.live, 200, other)._tag, "Uncertain")
    })
  }

  it("a response that reports an error is never treated as a placed order, even with an order id", () => {
    const { endpoint } = entryOf("LimitOrders")
    for (const body of [{ error: "x", orderId: 7 }, { status: "error", orderId: 7 }, { errors: ["x"], orderId: 7 }]) {
      for (const dialect of dialects) assert.strictEqual(judge(endpoint, dialect, 200, body)._tag, "Uncertain")
    }
  })
})

// -----------------------------------------------------------------------------
// The exchange's own refusals
// -----------------------------------------------------------------------------

describe("refusals by each dialect's exchange", () => {
  const meaning: Readonly<Record<Dialect.RefusalKind, Errors.CallError["_tag"] | "Uncertain">> = {
    unauthorized: "NotAuthorized",
    keyDisabled: "NotAuthorized",
    endpointNotAllowed: "NotAuthorized",
    noB2bAccess: "NotAuthorized",
    payloadInvalid: "RequestRejected",
    payloadMissing: "RequestRejected",
    requestMissing: "RequestRejected",
    nonceMissing: "RequestRejected",
    nonceUsed: "NonceRejected",
    nonceOutsideWindow: "NonceRejected",
    rateLimited: "RateLimited",
    nonceWindowInvalid: "RequestRejected",
    reduceOnly: "ReduceOnlyRejected",
    notEnoughBalance: "RequestRejected",
    notEnoughToModify: "RequestRejected",
    notMakerModified: "RequestRejected",
    takeProfitNotMaker: "RequestRejected",
    wrongStopLoss: "RequestRejected",
    notEnoughToTransfer: "RequestRejected",
    notEnoughForCode: "RequestRejected",
    transferNotPermitted: "RequestRejected",
    depositDisabled: "RequestRejected",
    withdrawDisabled: "RequestRejected",
    tooManyKeys: "RequestRejected",
    orderNotFound: "RequestRejected",
    orderNotThere: "RequestRejected",
    notMaker: "RequestRejected",
    noQuote: "RequestRejected",
    positionNotFound: "RequestRejected",
    leverageNotCovered: "RequestRejected",
    positionTooBig: "RequestRejected",
    pendingTooBig: "RequestRejected",
    hasPositions: "RequestRejected",
    wrongSide: "RequestRejected",
    oppositePosition: "RequestRejected",
    unavailable: "Uncertain",
    notFound: "RequestRejected",
    // HTTP 501 proves nothing, because the response may come from a proxy.
    notServed: "Uncertain",
    methodNotAllowed: "RequestRejected",
    bodyTooLarge: "RequestRejected"
  }

  for (const dialect of dialects) {
    it(`${dialect.name}: each refusal becomes the expected error`, () => {
      for (const [kind, tag] of Object.entries(meaning)) {
        const { code, message, status } = dialect.refusals[kind as Dialect.RefusalKind]
        const verdict = judge(entryOf("CollateralOcoOrders").endpoint, dialect, status, { code, message, errors: {} })
        assert.strictEqual(verdict._tag === "Refused" ? verdict.error._tag : verdict._tag, tag, kind)
      }
    })

    it(`${dialect.name}: the exchange's refusal of invalid fields becomes the same error that the client would raise`, () => {
      for (const { endpoint, golden: { request } } of entries) {
        const { encodeRequest, shape } = Endpoint.codec(endpoint, dialect)
        for (const field of Object.keys(request)) {
          const violations = Result.getOrThrow(Result.flip(encodeRequest({ ...request, [field]: {} })))
          const wireKey = (field: string) => shape.keys[field] ?? field
          const errors = Violation.toErrors(violations, endpoint.errorFamily, wireKey)
          if (endpoint.access === "public") {
            const { body, status } = Refusals.publicRefusalOf(endpoint, dialect, violations)
            const verdict = judge(endpoint, dialect, status, body)
            const error = verdict._tag === "Refused" ? verdict.error : undefined
            assert.deepInclude(error, { _tag: "PublicRequestRejected", status }, `${endpoint.name} ${field}`)
            for (const words of Object.values(errors).flat()) assert.include(JSON.stringify(error), words)
            continue
          }
          const { code, message, status } = Refusals.refusalOf(endpoint, dialect, violations)
          const verdict = judge(endpoint, dialect, status, { code, message, errors })
          assert.deepInclude(verdict._tag === "Refused" ? verdict.error : {}, {
            _tag: endpoint.errorFamily === "order" ? "ValidationFailed" : "InvalidFields",
            code,
            status,
            fields: Violation.toErrors(violations, endpoint.errorFamily, wireKey, (field) => field),
            otherFields: {}
          }, `${endpoint.name} ${field}`)
        }
      }
    })
  }
})

// -----------------------------------------------------------------------------

// Arbitrary responses
// -----------------------------------------------------------------------------

/** The errors that an endpoint declares. */
const declared = ({ access, mutates, refusals }: Endpoint.Any): ReadonlyArray<string> => [
  ...refusals,
  "RateLimited",
  ...(access === "public" ? ["PublicRequestRejected"] : ["RequestRejected", "NotAuthorized", "NonceRejected"]),
  ...(mutates ? ["AcceptedUnreadable"] : [])
]

const messages = fc.oneof(
  fc.constantFrom(failed, "Too many requests.", "Unauthorized request.", "Inner validation failed"),
  fc.string()
)

/** Generates field names, including some that every object inherits. */
const keys = fc.oneof(
  fc.constantFrom("market", "activation_price", "constructor", "__proto__", "toString", "hasOwnProperty"),
  fc.string()
)

const errorBodies = fc.record({
  code: fc.oneof(fc.constantFrom(0, 2, 4, 9, 10, 30, 31, 116), fc.double(), fc.bigInt(), fc.string(), fc.jsonValue()),
  message: fc.oneof(messages, fc.jsonValue()),
  errors: fc.oneof(fc.dictionary(keys, fc.oneof(fc.array(fc.string()), fc.jsonValue())), fc.jsonValue()),
  success: fc.boolean(),
  params: fc.jsonValue()
}, { requiredKeys: [] })

const accepted = fc.tuple(fc.constantFrom(...entries), fc.constantFrom(...dialects), fc.jsonValue(), fc.nat()).map(
  ([{ golden: { wire } }, { name }, value, at]) => {
    const body = wire[name].response
    if (!Json.isObject(body)) return body
    const key = Object.keys(body)[at % Object.keys(body).length]
    return key === undefined ? body : { ...body, [key]: value }
  }
)

const texts = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.json(),
  fc.oneof(errorBodies, accepted).map((body) => Json.stringify(body as object))
)

// Endpoints are generated by name, so that counterexamples are readable.
const endpoints = fc.constantFrom(...entries.map(({ name }) => name))
const dialectNames = fc.constantFrom<Array<Dialect.Dialect["name"]>>("document", "live")
const statuses = fc.oneof(
  fc.integer({ min: 100, max: 599 }),
  fc.constantFrom(200, 201, 400, 401, 403, 404, 422, 429)
)

describe("arbitrary responses", () => {
  property("every response is classified as a success or an error that the endpoint declares", [
    endpoints,
    dialectNames,
    statuses,
    texts
  ], (
    name,
    dialect,
    status,
    text
  ) =>
    Effect.sync(() => {
      const { endpoint } = entryOf(name)
      const verdict = judge(endpoint, Dialect.byName[dialect], status, text)
      if (verdict._tag === "Answered") assert.isTrue(status >= 200 && status < 300)
      else if (verdict._tag === "Refused") {
        assert.include(declared(endpoint), verdict.error._tag)
        assert.include(JSON.stringify(verdict.error), verdict.error._tag)
      } else if (status < 300) assert.strictEqual(verdict.why, "unreadable-answer")
    }), { runs: 3000 })

  it("a response's fields may have the names of inherited properties", () => {
    for (const key of ["constructor", "__proto__", "toString", "valueOf"]) {
      const text = `{"code":30,"message":"Validation failed","errors":{"${key}":["x"],"market":["y"]}}`
      const verdict = judge(entryOf("StopLimitOrders").endpoint, Dialect.document, 400, text)
      const error = verdict._tag === "Refused" && verdict.error._tag === "ValidationFailed" ? verdict.error : undefined
      assert.deepStrictEqual(error?.fields, { market: ["y"] }, key)
      assert.deepStrictEqual(Object.entries(error?.otherFields ?? {}), [[key, ["x"]]])
    }
  })

  it("a response's code may be too large for a 64-bit integer", () => {
    for (const status of [401, 403, 422]) {
      const verdict = judge(entryOf("Fees").endpoint, Dialect.live, status, "{\"code\":1e300,\"message\":\"x\"}")
      assert.strictEqual(verdict._tag, "Refused", `HTTP ${status}`)
    }
  })

  it("the error for a response with integers beyond 2^53 can be written as JSON", () => {
    const verdict = judge(entryOf("Markets").endpoint, Dialect.live, 400, "{\"params\":[9007199254740993]}")
    assert.include(JSON.stringify(verdict), "9007199254740993")
  })

  it("a response may be nested to any depth", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
    const errors = `{"code":30,"message":"Validation failed","errors":{"market":${deep}}}`
    assert.strictEqual(judge(entryOf("StopLimitOrders").endpoint, Dialect.live, 422, errors)._tag, "Refused")
    assert.strictEqual(judge(entryOf("Markets").endpoint, Dialect.live, 400, `{"message":${deep}}`)._tag, "Refused")
  })
})

// -----------------------------------------------------------------------------
// How errors show responses
// -----------------------------------------------------------------------------

describe("responses shown in errors", () => {
  const words = "the beginning ".repeat(400)

  it("an error shows a short body in full, and only the beginning of a long body", () => {
    assert.strictEqual(Classify.shown({ text: words.slice(0, 4096), scrub: keep }), words.slice(0, 4096))
    const long = Classify.shown({ text: words, scrub: keep })
    assert.strictEqual(long, `${words.slice(0, 4096)}… (5600 characters)`)
  })

  it("secrets are removed before a body is shortened, so no part of a secret remains", () => {
    const secret = "abcdefghijklmnop"
    const text = `${words.slice(0, 4090)}${secret}${words}`
    const shown = Classify.shown({ text, scrub: (text) => text.replaceAll(secret, "<redacted>") })
    assert.notInclude(shown, secret.slice(0, 4))
  })
})

describe("secrets in responses", () => {
  const secrets = fc.array(
    fc.string({ unit: fc.constantFrom(..."abcdefGHIJKL0123456789"), minLength: 12, maxLength: 40 }),
    { minLength: 1, maxLength: 3 }
  )

  /** Bodies that contain a given string in every place that errors quote. */
  const bodies: ReadonlyArray<(secret: string) => unknown> = [
    (secret) => secret,
    (secret) => `<html>${secret}</html>`,
    (secret) => ({ code: 10, message: secret, errors: {} }),
    (secret) => ({ code: 30, message: failed, errors: { market: [secret, { of: secret }], [secret]: [`x${secret}`] } }),
    (secret) => ({ code: 0, message: failed, errors: { ticker: secret, [secret]: { [secret]: 1 } } }),
    (secret) => ({ code: 116, message: secret, errors: { reduceOnly: [[secret]] } }),
    (secret) => ({ code: 0, message: "Too many requests.", secret }),
    (secret) => ({ code: secret, message: `${secret} ${secret}` }),
    (secret) => ({ order_id: 7, orderId: 7, market: secret, [secret]: secret }),
    (secret) => ({ id: 7, stop_loss: { order_id: 8, orderId: 8, side: secret, timestamp: secret } }),
    (secret) => ({ success: false, message: secret, params: [secret, { [secret]: secret }] }),
    (secret) => ({ success: false, message: { [secret]: [secret] } }),
    (secret) => ({ [secret]: secret })
  ]

  const renderings = (error: Errors.CallError): ReadonlyArray<string> => [
    String(error),
    error.message,
    error.stack ?? "",
    JSON.stringify(error),
    inspect(error, { depth: Infinity, showHidden: true, maxStringLength: Infinity, maxArrayLength: Infinity })
  ]

  property("no printed form of an error contains a secret from the response", [
    endpoints,
    dialectNames,
    statuses,
    secrets,
    fc.nat(bodies.length - 1)
  ], (name, dialect, status, secrets, body) =>
    Effect.sync(() => {
      const scrub = (text: string) => secrets.reduce((clean, secret) => clean.replaceAll(secret, "<redacted>"), text)
      const answered = bodies[body]?.(secrets.join("-"))
      const verdict = judge(entryOf(name).endpoint, Dialect.byName[dialect], status, answered, scrub)
      if (verdict._tag === "Refused") {
        for (const text of renderings(verdict.error)) {
          for (const secret of secrets) assert.notInclude(text, secret)
        }
      }
    }), { runs: 3000 })
})
