import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readdirSync } from "node:fs"
import { inspect } from "node:util"
import { all } from "../../src/endpoints/all.ts"
import type { Dialect } from "../../src/protocol/Dialect.ts"
import * as Endpoint from "../../src/protocol/Endpoint.ts"
import * as Json from "../../src/protocol/Json.ts"
import { anyRequest, response, revealed } from "../support/arbitraries.ts"
import { property } from "../support/property.ts"
import { dialects, goldens } from "./goldens.ts"

/** What the document says of each endpoint; of those that it does not describe, what the live exchange says. */
const table: ReadonlyArray<readonly [name: string, method: string, path: string, calls: number, mutates: boolean]> = [
  ["InterestPaymentHistory.page", "POST", "/api/v4/main-account/smart/interest-payment-history", 1000, false],
  ["CollateralOcoOrders.create", "POST", "/api/v4/order/collateral/oco", 10000, true],
  ["StopLimitOrders.create", "POST", "/api/v4/order/stop_limit", 10000, true],
  ["CancelAllOrders.cancel", "POST", "/api/v4/order/cancel/all", 10000, true],
  ["Fees.list", "POST", "/api/v4/main-account/fee", 1000, false],
  ["Codes.apply", "POST", "/api/v4/main-account/codes/apply", 60, true],
  ["MainBalance.all", "POST", "/api/v4/main-account/balance", 1000, false],
  ["ServerStatus.ping", "GET", "/api/v4/public/ping", 2000, false],
  ["SubAccounts.page", "POST", "/api/v4/sub-account/list", 1000, false],
  ["SubAccountApiKeys.page", "POST", "/api/v4/sub-account/api-key/list", 1000, false],
  ["DeleteSubAccount.delete", "POST", "/api/v4/sub-account/delete", 1000, true],
  ["Markets.all", "GET", "/api/v4/public/markets", 2000, false],
  ["LimitOrders.create", "POST", "/api/v4/order/new", 10000, true],
  ["MarketOrders.create", "POST", "/api/v4/order/market", 10000, true],
  ["StockMarketOrders.create", "POST", "/api/v4/order/stock_market", 10000, true],
  ["CollateralLimitOrders.create", "POST", "/api/v4/order/collateral/limit", 10000, true],
  ["CollateralMarketOrders.create", "POST", "/api/v4/order/collateral/market", 10000, true],
  ["CancelOrder.cancel", "POST", "/api/v4/order/cancel", 10000, true],
  ["ActiveOrders.page", "POST", "/api/v4/orders", 12000, false],
  ["OrderHistory.page", "POST", "/api/v4/trade-account/order/history", 12000, false],
  ["Fills.page", "POST", "/api/v4/trade-account/executed-history", 12000, false],
  ["UnexecutedOcoOrders.page", "POST", "/api/v4/oco-orders", 12000, false],
  ["CancelOcoOrder.cancel", "POST", "/api/v4/order/oco-cancel", 10000, true],
  ["TradeBalance.all", "POST", "/api/v4/trade-account/balance", 12000, false],
  ["CollateralBalance.all", "POST", "/api/v4/collateral-account/balance", 12000, false],
  ["OpenPositions.list", "POST", "/api/v4/collateral-account/positions/open", 12000, false],
  ["Transfers.create", "POST", "/api/v4/main-account/transfer", 1000, true],
  ["CodeCreation.create", "POST", "/api/v4/main-account/codes", 1000, true],
  ["SubAccountCreation.create", "POST", "/api/v4/sub-account/create", 1000, true],
  ["SubAccountApiKeyCreation.create", "POST", "/api/v4/sub-account/api-key/create", 1000, true],
  ["Tickers.all", "GET", "/api/v4/public/ticker", 2000, false],
  ["OrderBooks.get", "GET", "/api/v4/public/orderbook/{market}", 2000, false],
  ["PublicTrades.list", "GET", "/api/v4/public/trades/{market}", 2000, false],
  ["Assets.all", "GET", "/api/v4/public/assets", 2000, false],
  ["ServerTime.get", "GET", "/api/v4/public/time", 2000, false],
  ["TradingFees.get", "POST", "/api/v4/market/fee", 10000, false]
]

describe("endpoints", () => {
  it("are what the document lists", () => {
    assert.deepStrictEqual(
      goldens.map(({ endpoint: { method, mutates, name, path, rateLimit } }) =>
        [name, method, path, rateLimit.calls, mutates] as const
      ),
      table
    )
  })

  it("are all here", () => {
    const modules = readdirSync(new URL("../../src/endpoints", import.meta.url)).filter((file) => /^[A-Z]/u.test(file))
    assert.sameMembers(goldens.map(({ endpoint }) => `${endpoint.name.split(".")[0]}.ts`), modules)
    assert.sameMembers(goldens.map(({ endpoint }) => endpoint.name), all.map(({ name }) => name))
  })

  it("are public when they are read with GET, and only then", () => {
    for (const { endpoint } of goldens) {
      assert.strictEqual(endpoint.access, endpoint.method === "GET" ? "public" : "private", endpoint.name)
    }
  })

  it("are limited per ten seconds, except codes, which are limited per second", () => {
    for (const { endpoint } of goldens) {
      assert.strictEqual(endpoint.rateLimit.perSeconds, endpoint.name === "Codes.apply" ? 1 : 10, endpoint.name)
    }
  })

  it("need request and nonce in the body when they are private; canceling all orders lists both as optional", () => {
    for (const { endpoint } of goldens) {
      const listed = endpoint.name === "CancelAllOrders.cancel" ? "optional" : "required"
      assert.strictEqual(endpoint.envelope, endpoint.access === "public" ? "none" : listed, endpoint.name)
    }
  })

  it("are for business partners only where the document says so", () => {
    const b2b = goldens.filter(({ endpoint }) => endpoint.b2b).map(({ endpoint }) => endpoint.name)
    assert.deepStrictEqual(b2b, ["InterestPaymentHistory.page"])
  })

  it("refuse fields with the errors of their family", () => {
    for (const { endpoint } of goldens) {
      const other = endpoint.errorFamily === "order" ? "InvalidFields" : "ValidationFailed"
      assert.notInclude(endpoint.refusals, other, endpoint.name)
    }
    const reduceOnly = goldens.filter(({ endpoint }) => endpoint.refusals.includes("ReduceOnlyRejected"))
    assert.deepStrictEqual(reduceOnly.map(({ endpoint }) => endpoint.name), [
      "CollateralOcoOrders.create",
      "CollateralLimitOrders.create",
      "CollateralMarketOrders.create"
    ])
  })
})

describe("codec", () => {
  it("is built once per dialect", () => {
    for (const { endpoint } of goldens) {
      const [a, b] = dialects.map((dialect) => Endpoint.codec(endpoint, dialect))
      assert.deepStrictEqual(dialects.map((dialect) => Endpoint.codec(endpoint, dialect)), [a, b])
      assert.notStrictEqual(a, b)
    }
  })
})

/** The endpoints that answer with orders of any type. */
const ofOrders = [
  "StopLimitOrders.create",
  "LimitOrders.create",
  "MarketOrders.create",
  "StockMarketOrders.create",
  "CollateralLimitOrders.create",
  "CollateralMarketOrders.create",
  "CancelOrder.cancel",
  "ActiveOrders.page",
  "OrderHistory.page"
]

/** In the order in which their markets first occur. */
const byMarket = (orders: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const marketOf = (order: unknown) => (order as { readonly market: string }).market
  return [...new Set(orders.map(marketOf))].flatMap((market) => orders.filter((order) => marketOf(order) === market))
}

/**
 * On the wire every such order has a price, and "0" stands for none on market types: so none of these has a price of
 * zero, and all others have one. A history is grouped by market.
 */
const ordinary = (endpoint: string, response: unknown): unknown => {
  if (endpoint === "Fills.page" && Array.isArray(response)) {
    // Either all know their market, or none.
    const known = response.filter((fill: object) => Object.hasOwn(fill, "market"))
    return known.length > 0 ? byMarket(known) : response
  }
  if (!ofOrders.includes(endpoint)) return response
  if (Array.isArray(response)) {
    const orders = response.map((order) => ordinary(endpoint, order))
    return endpoint === "OrderHistory.page" ? byMarket(orders) : orders
  }
  if (!Json.isObject(response)) return response
  const { price = "1", ...rest } = response
  const isMarket = ["market", "stock market", "stop market"].includes(String(response["type"]))
  return isMarket && (response["price"] ?? "0") === "0" ? rest : { ...rest, price }
}

const throughJson = (wire: unknown): unknown =>
  wire === undefined ? undefined : Result.getOrThrow(Json.parse(Json.stringify(wire as object)))

/** The live exchange says of an order that was canceled in part only that it was canceled. */
const isSayable = ({ name }: Dialect) => (answer: unknown): boolean =>
  name !== "live" || !inspect(answer, { depth: Infinity }).includes("PARTIAL_CANCELED")

const suite = (dialect: Dialect) => {
  describe(`goldens, ${dialect.name} dialect`, () => {
    for (const { endpoint, ...golden } of goldens) {
      const codec = Endpoint.codec(endpoint, dialect)
      const wire = golden.wire[dialect.name]

      it(`${endpoint.name} request`, () => {
        assert.deepStrictEqual(codec.encodeRequest(golden.request), Result.succeed(wire.request))
        assert.deepStrictEqual(codec.decodeRequest(throughJson(wire.request)), Result.succeed(golden.request))
      })

      it(`${endpoint.name} answer`, () => {
        const decoded = codec.decodeResponse(throughJson(wire.response))
        assert.deepStrictEqual(Result.map(decoded, revealed), Result.succeed(revealed(golden.response)))
        assert.deepStrictEqual(codec.encodeResponse(golden.response), Result.succeed(wire.response))
      })
    }
  })

  describe(`round trips, ${dialect.name} dialect`, () => {
    for (const { endpoint } of goldens) {
      const codec = Endpoint.codec(endpoint, dialect)

      property(`${endpoint.name} requests`, [anyRequest(endpoint, dialect)], (request) =>
        Effect.sync(() => {
          const wire = Result.getOrThrow(codec.encodeRequest(request))
          assert.deepStrictEqual(codec.decodeRequest(throughJson(wire)), Result.succeed(request))
        }))

      property(
        `${endpoint.name} answers`,
        [response(endpoint, dialect).filter(isSayable(dialect))],
        (drawn) =>
          Effect.sync(() => {
            const response = ordinary(endpoint.name, drawn)
            const wire = Result.getOrThrow(codec.encodeResponse(response))
            const decoded = codec.decodeResponse(throughJson(wire))
            assert.deepStrictEqual(Result.map(decoded, revealed), Result.succeed(revealed(response)))
          })
      )
    }
  })
}

for (const dialect of dialects) suite(dialect)
