import { describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { marketName, ticker } from "../../src/domain/Identifiers.ts"
import { Assets } from "../../src/endpoints/Assets.ts"
import { OrderBooks } from "../../src/endpoints/OrderBooks.ts"
import { PublicTrades } from "../../src/endpoints/PublicTrades.ts"
import { ServerTime } from "../../src/endpoints/ServerTime.ts"
import { Tickers } from "../../src/endpoints/Tickers.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import {
  asBob,
  btc,
  btcUsdt,
  dialects,
  ethUsdt,
  failsWith,
  limit,
  price,
  rawPublic,
  same,
  traders
} from "../support/trading.ts"

const nowhere = marketName("NO_SUCH")

describe.each(dialects)("in the $name dialect", (dialect) => {
  it.live("the book: all orders of a price together, the best price first", () =>
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

  it.live("the trades, the latest first, of one side or of both", () =>
    Effect.gen(function*() {
      yield* limit("sell", "1", "1000")
      yield* asBob(limit("buy", "0.5", "1000"))
      yield* asBob(limit("buy", "2", "1001"))
      yield* limit("sell", "0.1", "1001")
      const trades = yield* PublicTrades
      const seen = (list: Effect.Success<ReturnType<typeof trades.list>>) =>
        list.map(({ amount, price, side, total }) => [side, amount, price, total])
      const sold = ["sell", "0.1", "1001", "100.1"]
      const bought = ["buy", "0.5", "1000", "500"]
      same(seen(yield* trades.list(btcUsdt)), [sold, bought, bought])
      same(seen(yield* trades.list(btcUsdt, { side: "sell" })), [sold])
      same(yield* trades.list(ethUsdt), [])
      const { body } = yield* rawPublic("/api/v4/public/trades/BTC_USDT")
      const [{ trade_timestamp: at, tradeID: id, ...rest } = { trade_timestamp: 0, tradeID: 0 }] =
        body as ReadonlyArray<
          { readonly trade_timestamp: unknown; readonly tradeID: unknown }
        >
      same([typeof at, typeof id, rest], ["number", "number", {
        price: "1001",
        // The exchange's own names: the base currency is `quote` here.
        quote_volume: "0.1",
        base_volume: "100.1",
        type: "sell",
        rpi: false
      }])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("the ticker of every market", () =>
    Effect.gen(function*() {
      yield* limit("sell", "1", "1000")
      yield* asBob(limit("buy", "1", "1000"))
      yield* Control.use((control) => control.movePrice({ market: btcUsdt, price: price("1012.5") }))
      const tickers = yield* Tickers
      same(Option.getOrUndefined(yield* tickers.get(btcUsdt)), {
        baseId: 0,
        quoteId: 0,
        lastPrice: "1012.5",
        quoteVolume: "1000",
        baseVolume: "1",
        isFrozen: false,
        change: "1.25"
      })
      same((yield* tickers.all).get(ethUsdt)?.lastPrice, "0")
      same(yield* tickers.get(nowhere), Option.none())
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a market that is not there is refused in the words of the dialect, and so is a wrong query", () =>
    Effect.gen(function*() {
      const refused = failsWith("PublicRequestRejected")
      const document = dialect === Dialect.document
      const status = document ? 400 : 422
      for (
        const error of [
          yield* OrderBooks.use((books) => refused(books.get(nowhere))),
          yield* PublicTrades.use((trades) => refused(trades.list(nowhere)))
        ]
      ) {
        same([error.status, error.reason, error.params], [
          status,
          document ? "Validation failed" : "market: Market is not available.",
          document ? ["Market is not available."] : []
        ])
      }
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

  it.live("a wrong limit is refused before anything is sent", () =>
    Effect.gen(function*() {
      const error = yield* OrderBooks.use((books) => failsWith("ValidationFailed")(books.get(btcUsdt, { limit: 101 })))
      same([error.origin, Object.keys(error.fields)], ["local", ["limit"]])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("the assets", () =>
    Effect.gen(function*() {
      const assets = yield* Assets
      same([...(yield* assets.all).keys()], ["BTC", "ETH", "USDT", "SHIB"])
      const bitcoin = Option.getOrUndefined(yield* assets.get(btc))
      same([bitcoin?.name, bitcoin?.canDeposit, bitcoin?.minWithdraw], ["Bitcoin", true, "0.001"])
      same(yield* assets.get(ticker("NOSUCH")), Option.none())
    }).pipe(Effect.provide(traders(dialect))))

  it.live("the time", () =>
    Effect.gen(function*() {
      const before = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const time = yield* ServerTime.use((service) => service.get)
      same(time >= before && time <= before + 2, true)
    }).pipe(Effect.provide(traders(dialect))))
})
