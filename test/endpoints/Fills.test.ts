import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ClientOrderId } from "../../src/domain/Identifiers.ts"
import { Limit } from "../../src/domain/Paging.ts"
import { Fills, type Request } from "../../src/endpoints/Fills.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import { asBob, btcPerp, btcUsdt, dialects, limit, perp, price, raw, same, traders } from "../support/trading.ts"

const path = "/api/v4/trade-account/executed-history"

const page = (request?: Request) => Fills.use((fills) => fills.page(request))

describe.each(dialects)("fills in the $name dialect", (dialect) => {
  it.live("an account without trades has no fills", () =>
    Effect.gen(function*() {
      yield* limit("buy", "1", "1000")
      same((yield* page()).records, [])
      same((yield* raw(path, {})).body, [])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("both sides of a trade get a fill", () =>
    Effect.gen(function*() {
      const clientOrderId = ClientOrderId.make("mine")
      const { orderId, timestamp } = yield* limit("sell", "2", "1000", { clientOrderId })
      const theirs = yield* asBob(limit("buy", "1", "1100"))
      const [{ timestamp: at, tradeId, ...fill } = { timestamp: 0 }] = (yield* page()).records
      same(at >= timestamp, true)
      const trade = { market: "BTC_USDT", amount: "1", price: "1000", total: "1000" }
      same(fill, { ...trade, orderId, clientOrderId: "mine", side: "sell", role: "maker", fee: "1", feeAsset: "USDT" })
      same((yield* asBob(page())).records, [{
        ...trade,
        timestamp: at,
        tradeId,
        orderId: theirs.orderId,
        clientOrderId: theirs.sentClientOrderId,
        side: "buy",
        role: "taker",
        fee: "0.001",
        feeAsset: "BTC"
      }])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("fills are listed by page, for one market, one order or the whole account", () =>
    Effect.gen(function*() {
      const clientOrderId = ClientOrderId.make("mine")
      yield* limit("sell", "3", "1000", { clientOrderId })
      yield* perp("buy", "1", "900")
      for (let index = 0; index < 3; index++) yield* asBob(limit("buy", "1", "1000"))
      yield* Control.use((control) => control.movePrice({ market: btcPerp, price: price("850") }))
      const found = (request?: Request) =>
        Effect.map(page(request), ({ records }) => records.map(({ market }): string => market))
      same(yield* found(), ["BTC_PERP", "BTC_USDT", "BTC_USDT", "BTC_USDT"])
      same(yield* found({ market: btcPerp }), ["BTC_PERP"])
      same(yield* found({ clientOrderId }), ["BTC_USDT", "BTC_USDT", "BTC_USDT"])
      same(yield* found({ market: btcPerp, clientOrderId }), [])
      const unfilled = ClientOrderId.make("unfilled")
      yield* limit("buy", "1", "100", { clientOrderId: unfilled })
      same(yield* found({ clientOrderId: unfilled }), [])
      const { body } = yield* raw("/api/v4/trade-account/executed-history", { [dialect.keys.clientOrderId]: "other" })
      same((body as { readonly errors: object }).errors, { orderHistory: ["OrderHistory was not found."] })
      const trades = yield* Fills.use((fills) =>
        fills.stream({ limit: Limit.make(2) }).pipe(Stream.map(({ tradeId }) => tradeId), Stream.runCollect)
      )
      same([trades.length, new Set(trades).size], [4, 4])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("fills are sent as a list for one market, and grouped by market otherwise", () =>
    Effect.gen(function*() {
      yield* limit("sell", "1", "1000")
      yield* asBob(limit("buy", "1", "1000"))
      const { keys } = dialect
      const [fill] = (yield* raw(path, { market: btcUsdt })).body as ReadonlyArray<Record<string, unknown>>
      same(
        ["id", "time", keys.orderId, keys.clientOrderId, "role", "deal", "market"].map((key) => typeof fill?.[key]),
        ["number", "number", "number", "string", "number", "string", "undefined"]
      )
      same((yield* raw(path, {})).body, { BTC_USDT: [fill] })
    }).pipe(Effect.provide(traders(dialect))))
})
