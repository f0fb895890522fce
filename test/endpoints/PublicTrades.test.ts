import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { marketName } from "../../src/domain/Identifiers.ts"
import { PublicTrades } from "../../src/endpoints/PublicTrades.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { asBob, btcUsdt, dialects, ethUsdt, failsWith, limit, rawPublic, same, traders } from "../support/trading.ts"

describe.each(dialects)("public trades in the $name dialect", (dialect) => {
  it.live("public trades are listed for one or both taker sides, latest first", () =>
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
        // Here, the exchange sends the base currency's amount as `quote_volume`.
        quote_volume: "0.1",
        base_volume: "100.1",
        type: "sell",
        rpi: false
      }])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a request for the trades of an unknown market is refused with the dialect's message", () =>
    Effect.gen(function*() {
      const document = dialect === Dialect.document
      const error = yield* PublicTrades.use((trades) =>
        failsWith("PublicRequestRejected")(trades.list(marketName("NO_SUCH")))
      )
      same([error.status, error.reason, error.params], [
        document ? 400 : 422,
        document ? "Validation failed" : "market: Market is not available.",
        document ? ["Market is not available."] : []
      ])
    }).pipe(Effect.provide(traders(dialect))))
})
