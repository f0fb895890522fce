/**
 * Sends requests over a socket exactly as third-party clients write them, with the same headers, bodies and nonce
 * formats. The tests sign each request again. The requests were recorded from the exchange's own SDKs for Go and Python
 * (the Python SDK from before 2026 and the generated one) and from ccxt.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Server from "../../src/sandbox/server/Server.ts"
import { alice, inProcess } from "../support/exchange.ts"
import { lastBody, raw, say, statuses } from "../support/hostile.ts"
import { hmac } from "../support/signed.ts"

type Headers = ReadonlyArray<readonly [name: string, value: string]>

/** A request as its client writes it, before the length and the signature are added. */
interface Written {
  readonly headers: Headers
  /** The body, as the client writes it. */
  readonly body: string
  /** The JSON text that is signed. By default, this is the body itself. */
  readonly signed?: string
}

/** How a client writes its requests. */
interface Client {
  readonly get: Headers
  readonly post: (path: string, fields: object, nonce: number) => Written
  /** The client's header names for the key, the payload and the signature. */
  readonly names: readonly [apiKey: string, payload: string, signature: string]
}

const json = ["Content-Type", "application/json"] as const

/** Writes JSON text as Python does by default: with a space after each colon and comma. */
const asPython = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\.)*"|[:,]/gu, (token) => token.length === 1 ? `${token} ` : token)

const ascii = (text: string): string =>
  text.replace(/[^ -~]/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

const upper = ["X-TXC-APIKEY", "X-TXC-PAYLOAD", "X-TXC-SIGNATURE"] as const

const go: Client = {
  get: [["User-Agent", "Go-http-client/1.1"], json, ["Accept-Encoding", "gzip"]],
  post: (path, fields, nonce) => ({
    headers: [["User-Agent", "Go-http-client/1.1"], json, ["Accept-Encoding", "gzip"]],
    body: JSON.stringify({ request: path, nonce, nonceWindow: true, ...fields })
  }),
  names: ["X-Txc-Apikey", "X-Txc-Payload", "X-Txc-Signature"]
}

const pythonHeaders: Headers = [
  ["User-Agent", "python-whitebit-sdk"],
  ["Accept-Encoding", "gzip, deflate"],
  ["Accept", "*/*"],
  json
]

const oldPython: Client = {
  get: pythonHeaders,
  post: (path, fields, nonce) => {
    const signed = ascii(JSON.stringify({ ...fields, request: path, nonce, nonceWindow: true }))
    return { headers: pythonHeaders, body: asPython(signed), signed }
  },
  names: upper
}

const generated: Headers = [
  ["Accept", "*/*"],
  ["Accept-Encoding", "gzip, deflate"],
  ["User-Agent", "python-httpx/0.28.1"],
  ["X-Fern-Language", "Python"],
  ["Authorization", "Bearer token"]
]

const newPython: Client = {
  get: [...generated, ["X-TXC-APIKEY", alice.apiKey]],
  post: (path, fields, nonce) => ({
    headers: [...generated, ["content-type", "application/json"]],
    body: JSON.stringify({ ...fields, request: path, nonce: String(nonce) })
  }),
  names: upper
}

/** The generated SDK never signs. It sends the key and a token that only its OAuth calls can obtain. */
const unsigned: Client = { ...newPython, names: ["X-TXC-APIKEY", "", ""] }

const ccxt: Client = {
  get: [["User-Agent", "ccxt/whitebit-4.5.84"], ["Connection", "keep-alive"]],
  post: (path, fields, nonce) => ({
    headers: [["User-Agent", "ccxt/whitebit-4.5.84"], json],
    body: JSON.stringify({ request: path, nonce: String(nonce), nonceWindow: false, ...fields })
  }),
  names: upper
}

/** A client that writes its JSON bodies by hand, without a library. */
const byHand = (write: (path: string, nonce: number) => string, ...headers: Headers): Client => ({
  get: headers,
  post: (path, _fields, nonce) => ({ headers: headers.length > 0 ? headers : [json], body: write(path, nonce) }),
  names: upper
})

const sent = ({ names, post }: Client, path: string, fields: object, nonce: number): Buffer => {
  const { body, headers, signed = body } = post(path, fields, nonce)
  const payload = Buffer.from(signed).toString("base64")
  const values = [alice.apiKey, payload, hmac(alice.apiSecret, payload)]
  const proofs = names.flatMap((name, index) => name === "" ? [] : [[name, values[index] ?? ""] as const])
  const length = Buffer.byteLength(body)
  return raw(
    `POST ${path} HTTP/1.1`,
    [...headers, ...proofs, ["Content-Length", String(length)], ["Connection", "close"]],
    body
  )
}

const limit = { market: "BTC_USDT", side: "sell", amount: "0.01", price: "51000" }

const placed = { market: "BTC_USDT", side: "sell", type: "limit", amount: "0.01", price: "51000", left: "0.01" }

const refusal = (code: number, message: string, errors: object = {}) => ({ code, message, errors })

type Row = readonly [
  client: string,
  peculiarity: string,
  writes: Client,
  path: string,
  /** The request's fields, or `undefined` for a GET. */
  fields: object | undefined,
  status: number,
  /** The expected response, or some of its fields. */
  answer: unknown
]

const rows: ReadonlyArray<Row> = [
  ["the Go SDK", "sends a content type without a body", go, "/api/v4/public/ping", undefined, 200, ["pong"]],
  [
    "the Go SDK",
    "sends an empty query",
    go,
    "/api/v4/public/orderbook/BTC_USDT?",
    undefined,
    200,
    { ticker_id: "BTC_USDT" }
  ],
  [
    "the Go SDK",
    "writes the envelope first, an integer nonce, and its headers in Go's letter case",
    go,
    "/api/v4/order/new",
    { ...limit, postOnly: false, ioc: false },
    200,
    placed
  ],
  [
    "the Go SDK",
    "names the market of positions in another letter case",
    go,
    "/api/v4/collateral-account/positions/open",
    { Market: "BTC_PERP" },
    200,
    []
  ],
  [
    "the Go SDK",
    "sends an empty timeout to cancel a kill switch",
    go,
    "/api/v4/order/kill-switch",
    { market: "BTC_USDT", timeout: "" },
    422,
    refusal(30, "Validation failed", { timeout: ["Timeout field should be an integer."] })
  ],
  [
    "the Go SDK",
    "names a wallet that the exchange does not have",
    go,
    "/api/v4/main-account/transfer",
    { ticker: "USDT", amount: "10", from: "trade", to: "main" },
    400,
    refusal(0, "Validation failed", { from: ["The selected from is invalid."] })
  ],
  [
    "the Go SDK",
    "places several orders, with their switches",
    go,
    "/api/v4/order/bulk",
    { orders: [{ ...limit, postOnly: false, ioc: false }] },
    200,
    [{ result: placed, error: null }]
  ],
  ["the old Python SDK", "sends no body", oldPython, "/api/v4/public/ping", undefined, 200, ["pong"]],
  [
    "the old Python SDK",
    "sends a body with spaces and a payload without spaces",
    oldPython,
    "/api/v4/order/new",
    { ...limit, postOnly: false, ioc: false },
    200,
    placed
  ],
  [
    "the old Python SDK",
    "sends numbers as numbers",
    oldPython,
    "/api/v4/order/new",
    { ...limit, amount: 0.01, price: 51000 },
    200,
    placed
  ],
  [
    "the old Python SDK",
    "escapes all characters outside ASCII",
    oldPython,
    "/api/v4/order/new",
    { ...limit, clientOrderId: "é : ," },
    422,
    { code: 36, message: "Validation failed" }
  ],
  [
    "the old Python SDK",
    "sends null to cancel a kill switch",
    oldPython,
    "/api/v4/order/kill-switch",
    { market: "BTC_USDT", timeout: null },
    200,
    []
  ],
  [
    "the old Python SDK",
    "sends an order id as text",
    oldPython,
    "/api/v4/orders",
    { market: "BTC_USDT", orderId: "424242", limit: 10, offset: 0 },
    200,
    []
  ],
  [
    "the old Python SDK",
    "requests all balances with an empty ticker",
    oldPython,
    "/api/v4/main-account/balance",
    { ticker: "" },
    400,
    refusal(0, "Validation failed", { ticker: ["The ticker format is invalid."] })
  ],
  [
    "the generated Python SDK",
    "sends a key and a token with public calls",
    newPython,
    "/api/v4/public/ping",
    undefined,
    200,
    ["pong"]
  ],
  [
    "the generated Python SDK",
    "never signs",
    unsigned,
    "/api/v4/order/new",
    limit,
    400,
    refusal(9, "Payload not provided.")
  ],
  [
    "the generated Python SDK, signed by its user",
    "writes the nonce as text and adds a token",
    newPython,
    "/api/v4/order/new",
    limit,
    200,
    placed
  ],
  [
    "the generated Python SDK, signed by its user",
    "names the order in snake case",
    newPython,
    "/api/v4/order/oco-cancel",
    { market: "BTC_USDT", order_id: 1 },
    422,
    refusal(30, "Validation failed", { orderId: ["OrderId field is required."] })
  ],
  [
    "ccxt",
    "writes the nonce as text, and declines the nonce window",
    ccxt,
    "/api/v4/order/new",
    { ...limit, clientOrderId: "ccxt53ee50941d6d4a89" },
    200,
    { ...placed, clientOrderId: "ccxt53ee50941d6d4a89" }
  ],
  [
    "ccxt",
    "writes the word null to cancel a kill switch",
    ccxt,
    "/api/v4/order/kill-switch",
    { market: "BTC_USDT", timeout: "null" },
    200,
    []
  ],
  [
    "a bot",
    "writes header names in lower case, and adds a charset",
    {
      ...byHand(
        (request, nonce) => JSON.stringify({ ...limit, request, nonce }),
        ["content-type", "application/json; charset=utf-8"]
      ),
      names: ["x-txc-apikey", "x-txc-payload", "x-txc-signature"]
    },
    "/api/v4/order/new",
    {},
    200,
    placed
  ],
  [
    "a bot",
    "writes small numbers with an exponent",
    byHand((request, nonce) =>
      `{"market":"BTC_USDT","side":"sell","amount":1e-02,"price":5.1E4,"request":"${request}","nonce":${nonce}}`
    ),
    "/api/v4/order/new",
    {},
    200,
    placed
  ],
  [
    "a bot",
    "writes the nonce with a fraction",
    byHand((request, nonce) => `{"request":"${request}","nonce":${nonce}.5}`),
    "/api/v4/orders",
    {},
    400,
    refusal(9, "Nonce not provided.")
  ],
  [
    "a bot",
    "writes nonceWindow as text",
    byHand((request, nonce) => JSON.stringify({ request, nonce, nonceWindow: "true" })),
    "/api/v4/orders",
    {},
    400,
    refusal(9, "Invalid nonceWindow.")
  ],
  [
    "a bot",
    "sends a form instead of JSON",
    byHand((request, nonce) => JSON.stringify({ request, nonce }), [
      "Content-Type",
      "application/x-www-form-urlencoded"
    ]),
    "/api/v4/orders",
    {},
    400,
    refusal(9, "Invalid payload.")
  ],
  [
    "a bot",
    "adds a query to a signed call",
    byHand((_path, nonce) => JSON.stringify({ request: "/api/v4/orders", nonce })),
    "/api/v4/orders?market=BTC_USDT",
    {},
    200,
    []
  ],
  [
    "a bot",
    "adds a slash to the path",
    byHand((request, nonce) => JSON.stringify({ request, nonce })),
    "/api/v4/orders/",
    {},
    404,
    refusal(0, "Not found.")
  ]
]

/** Checks whether a response has the expected fields. */
const has = (actual: unknown, expected: unknown): void => {
  if (Array.isArray(expected)) {
    assert.isArray(actual)
    assert.lengthOf(actual as ReadonlyArray<unknown>, expected.length)
    expected.forEach((item, index) => has((actual as ReadonlyArray<unknown>)[index], item))
  } else if (typeof expected === "object" && expected !== null) {
    for (const [name, value] of Object.entries(expected))
      has((actual as Readonly<Record<string, unknown>>)[name], value)
  } else assert.strictEqual(actual, expected)
}

describe("third-party clients' requests in the live dialect", () => {
  for (const [client, peculiarity, writes, path, fields, status, answer] of rows) {
    it.live(`${client} ${peculiarity}, and gets HTTP ${status}`, () =>
      Effect.gen(function*() {
        const { baseUrl } = yield* Server.serve()
        const nonce = yield* Clock.currentTimeMillis
        const bytes = fields === undefined
          ? raw(`GET ${path} HTTP/1.1`, [...writes.get, ["Connection", "close"]])
          : sent(writes, path, fields, nonce)
        const said = yield* say(baseUrl, bytes)
        assert.deepStrictEqual(statuses(said), [status], said)
        has(JSON.parse(lastBody(said)), answer)
      }).pipe(Effect.scoped, Effect.provide(inProcess(Dialect.live))))
  }
})
