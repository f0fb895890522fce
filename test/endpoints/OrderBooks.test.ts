import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { marketName } from "../../src/domain/Identifiers.ts"
import { OrderBooks } from "../../src/endpoints/OrderBooks.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { InProcess } from "../../src/sandbox/index.ts"
import { alice, clientOf, Place } from "../support/exchange.ts"
import { answering, json } from "../support/http.ts"
import { btcUsdt, dialects, ethUsdt, failsWith, limit, rawPublic, same, traders } from "../support/trading.ts"

describe.each(dialects)("order books in the $name dialect", (dialect) => {
  it.live("a book level is the sum of all orders at its price, and the best price comes first", () =>
    Effect.gen(function*() {
      for (
        const [side, of, at] of [
          ["buy", "1", "990"],
          ["buy", "0.5", "995"],
          ["buy", "0.25", "995"],
          ["sell", "2", "1010"],
          ["sell", "1", "1005"]
        ] as const
      ) yield* limit(side, of, at)
      const books = yield* OrderBooks
      const book = yield* books.get(btcUsdt)
      same([book.market, book.asks, book.bids], [
        "BTC_USDT",
        [{ price: "1005", amount: "1" }, { price: "1010", amount: "2" }],
        [{ price: "995", amount: "0.75" }, { price: "990", amount: "1" }]
      ])
      const top = yield* books.get(btcUsdt, { limit: 1 })
      same([top.asks.length, top.bids.length], [1, 1])
      same((yield* books.get(ethUsdt)).asks, [])
      const { body, status } = yield* rawPublic("/api/v4/public/orderbook/BTC_USDT", "limit=1")
      const { timestamp, ...rest } = body as { readonly timestamp: unknown }
      same([status, typeof timestamp, rest], [200, "number", {
        ticker_id: "BTC_USDT",
        asks: [["1005", "1"]],
        bids: [["995", "0.75"]]
      }])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a book request with an unknown market or an invalid query is refused with the dialect's message", () =>
    Effect.gen(function*() {
      const refused = failsWith("PublicRequestRejected")
      const document = dialect === Dialect.document
      const status = document ? 400 : 422
      const error = yield* OrderBooks.use((books) => refused(books.get(marketName("NO_SUCH"))))
      same([error.status, error.reason, error.params], [
        status,
        document ? "Validation failed" : "market: Market is not available.",
        document ? ["Market is not available."] : []
      ])
      same(yield* rawPublic("/api/v4/public/orderbook/BTC_USDT", "limit=x"), {
        status,
        body: document
          ? { success: false, message: "Validation failed", params: ["Limit field should be an integer."] }
          : { limit: ["Limit field should be an integer."] }
      })
      same((yield* rawPublic("/api/v4/public/orderbook/no%20market")).status, status)
      same((yield* rawPublic("/api/v4/public/orderbook/%E0%A4%A")).status, status)
      for (const path of ["orderbook", "orderbook/", "orderbook/BTC_USDT/more", "books/BTC_USDT"]) {
        same((yield* rawPublic(`/api/v4/public/${path}`)).status, 404)
      }
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a book request with an invalid limit is refused before sending", () =>
    Effect.gen(function*() {
      const error = yield* OrderBooks.use((books) => failsWith("ValidationFailed")(books.get(btcUsdt, { limit: 101 })))
      same([error.origin, Object.keys(error.fields)], ["local", ["limit"]])
    }).pipe(Effect.provide(traders(dialect))))
})

it.effect("a book that arrives without a market name gets the name of the requested market", () =>
  Effect.gen(function*() {
    same(yield* OrderBooks.use((books) => books.get(ethUsdt)), { market: ethUsdt, timestamp: 0, asks: [], bids: [] })
  }).pipe(
    Effect.provide(
      clientOf(alice).pipe(
        Layer.provide(Layer.succeed(Place, { baseUrl: InProcess.baseUrl, dialect: Dialect.live })),
        Layer.provide(answering(() => json(200, { timestamp: 0, asks: null, bids: null })))
      )
    )
  ))
