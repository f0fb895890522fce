/**
 * Makes signed calls to the sandbox in both dialects, with a client generated from the OpenAPI document.
 * `openapi-typescript` generates the types and `openapi-fetch` makes the calls. Only the signing is written here,
 * following the document's description.
 *
 * This is a separate package, so that working on the project does not require a generator. To run the tests, install
 * the project's own packages, then run in this folder:
 *
 * npm ci && npm test
 *
 * `npm test` generates the client, checks the types in this file, and runs the tests.
 */
import assert from "node:assert/strict"
import { createHmac } from "node:crypto"
import { describe, it } from "node:test"
import createClient, { type Middleware } from "openapi-fetch"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { alice, open } from "../ccxt/venue.ts"
import type { paths as DocumentPaths } from "./generated/document.d.ts"
import type { paths as LivePaths } from "./generated/live.d.ts"

const signing = (apiKey: string, apiSecret: string): Middleware => ({
  onRequest: async ({ request }) => {
    if (request.method === "GET") return request
    const body = await request.text()
    const payload = Buffer.from(body).toString("base64")
    const headers = new Headers(request.headers)
    headers.set("X-TXC-APIKEY", apiKey)
    headers.set("X-TXC-PAYLOAD", payload)
    headers.set("X-TXC-SIGNATURE", createHmac("sha512", apiSecret).update(payload).digest("hex"))
    return new Request(request.url, { method: request.method, headers, body })
  }
})

let lastNonce = Date.now()
const nextNonce = () => lastNonce++

/** Runs a test with its own exchange, at a price of 50000. */
const test = (
  title: string,
  dialect: Dialect.Dialect,
  body: (baseUrl: string) => Promise<void>
) =>
  it(title, { timeout: 600_000 }, async () => {
    const venue = await open(dialect)
    try {
      await venue.movePrice("BTC_USDT", "50000")
      await body(venue.baseUrl)
    } finally {
      await venue.close()
    }
  })

const clientOf = <Paths extends object>(baseUrl: string, { apiKey, apiSecret } = alice) => {
  const client = createClient<Paths>({ baseUrl })
  client.use(signing(apiKey, apiSecret))
  return client
}

describe("a client generated for the document's dialect", () => {
  const envelope = <const Path extends string>(request: Path) => ({ request, nonce: nextNonce().toString() })

  test(
    "a client generated for the document's dialect reads markets, and places, finds and cancels a stop-limit order",
    Dialect.document,
    async (url) => {
      const exchange = clientOf<DocumentPaths>(url)
      const { data: markets = [] } = await exchange.GET("/api/v4/public/markets")
      assert.deepEqual(markets.find(({ name }) => name === "BTC_USDT")?.stockPrec, "6")

      const { data: order, response } = await exchange.POST("/api/v4/order/stop_limit", {
        body: {
          ...envelope("/api/v4/order/stop_limit"),
          market: "BTC_USDT",
          side: "buy",
          amount: "0.01",
          price: "52000",
          activation_price: "51000",
          client_order_id: "generated-1",
          stp: "cancel_new"
        }
      })
      assert.equal(response.status, 200)
      assert.deepEqual([order?.status, order?.client_order_id, order?.activation_price], [
        "NEW",
        "generated-1",
        "51000"
      ])

      const { data: balances } = await exchange.POST("/api/v4/trade-account/balance", {
        body: envelope("/api/v4/trade-account/balance")
      })
      assert.equal(Number(Object(balances).USDT.freeze), 520)

      const { data: canceled } = await exchange.POST("/api/v4/order/cancel", {
        body: { ...envelope("/api/v4/order/cancel"), market: "BTC_USDT", order_id: order?.order_id ?? 0 }
      })
      assert.equal(canceled?.order_id, order?.order_id)
    }
  )
})

describe("a client generated for the live dialect", () => {
  const envelope = <const Path extends string>(request: Path) => ({ request, nonce: nextNonce(), nonceWindow: true })

  test(
    "a client generated for the live dialect reads a book, and places and cancels a stop-limit order",
    Dialect.live,
    async (url) => {
      const exchange = clientOf<LivePaths>(url)
      const { data: book } = await exchange.GET("/api/v4/public/orderbook/{market}", {
        params: { path: { market: "BTC_USDT" }, query: { limit: 5 } }
      })
      assert.equal(book?.ticker_id, "BTC_USDT")

      const { data: order } = await exchange.POST("/api/v4/order/stop_limit", {
        body: {
          ...envelope("/api/v4/order/stop_limit"),
          market: "BTC_USDT",
          side: "buy",
          amount: 0.01,
          price: "52000",
          activation_price: "51000",
          clientOrderId: "generated-1",
          stp: "cn"
        }
      })
      assert.deepEqual([order?.status, order?.clientOrderId, order?.stp], ["OPEN", "generated-1", "cn"])

      const { data: canceled } = await exchange.POST("/api/v4/order/cancel", {
        body: { ...envelope("/api/v4/order/cancel"), market: "BTC_USDT", orderId: order?.orderId ?? 0 }
      })
      assert.equal(canceled?.orderId, order?.orderId)
    }
  )

  test("a generated client reads refusals with their declared types", Dialect.live, async (url) => {
    const body = { ...envelope("/api/v4/order/cancel"), market: "BTC_USDT", orderId: 42 }
    const { error: notFound } = await clientOf<LivePaths>(url).POST("/api/v4/order/cancel", { body })
    assert.deepEqual(notFound?.errors, { orderId: ["Unexecuted order was not found."] })

    const stranger = clientOf<LivePaths>(url, { ...alice, apiSecret: "no secret" })
    const { error: unauthorized, response } = await stranger.POST("/api/v4/order/cancel", { body })
    assert.deepEqual([response.status, unauthorized?.code], [401, 10])
  })

  it("a generated client's call does not compile without a required field or with a field name from the other dialect", () => {
    const wrong = (exchange: ReturnType<typeof clientOf<LivePaths>>) => [
      // @ts-expect-error: the nonce is missing.
      exchange.POST("/api/v4/orders", { body: { request: "/api/v4/orders" } }),
      // @ts-expect-error: `request` is the path of another call.
      exchange.POST("/api/v4/orders", { body: envelope("/api/v4/order/cancel") }),
      exchange.POST("/api/v4/order/stop_limit", {
        body: {
          ...envelope("/api/v4/order/stop_limit"),
          market: "BTC_USDT",
          side: "buy",
          amount: "0.01",
          price: "52000",
          activation_price: "51000",
          // @ts-expect-error: in this dialect, the field is `clientOrderId`.
          client_order_id: "generated-1"
        }
      })
    ]
    assert.equal(wrong.length, 1)
  })
})
