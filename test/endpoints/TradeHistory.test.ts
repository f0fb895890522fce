import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { TradeId } from "../../src/domain/Identifiers.ts"
import * as TradeHistory from "../../src/endpoints/TradeHistory.ts"
import { asBob, btcUsdt, dialects, ethUsdt, limit, rawPublic, same, traders } from "../support/trading.ts"

describe.each(dialects)("the trade history in the $name dialect", (dialect) => {
  it.effect("the trade history lists the trades after a given trade, latest first", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_900_000_000_250)
      yield* limit("sell", "1", "1000")
      for (const amount of ["0.1", "0.2", "0.3"]) yield* asBob(limit("buy", amount, "1000"))
      const history = yield* TradeHistory.TradeHistory
      const all = yield* history.list(btcUsdt)
      same(
        all.map(({ amount, price, side, timestamp }) => [side, amount, price, timestamp]),
        [["buy", "0.3", "1000", 1_900_000_000.25], ["buy", "0.2", "1000", 1_900_000_000.25], [
          "buy",
          "0.1",
          "1000",
          1_900_000_000.25
        ]]
      )
      const [third, second, first] = all.map(({ tradeId }) => tradeId)
      const after = (id: TradeId | undefined, limit = 50) =>
        Effect.map(
          history.list(btcUsdt, { ...(id === undefined ? {} : { after: id }), limit }),
          (trades) => trades.map(({ tradeId }) => tradeId)
        )
      same(yield* after(first), [third, second])
      same(yield* after(third), [])
      same(yield* after(undefined, 1), [third])
      same(yield* after(TradeId.make("99999999999999999999999")), [])
      same(yield* history.list(ethUsdt), [])
      const { body } = yield* rawPublic("/api/v1/public/history", "market=BTC_USDT&lastId=0&limit=1")
      same(body, {
        success: true,
        message: null,
        result: [{ id: Number(third), time: 1_900_000_000.25, price: "1000", amount: "0.3", type: "buy" }]
      })
    }).pipe(Effect.provide(traders(dialect))))

  it.effect("the trade history contains at most fifty trades by default", () =>
    Effect.gen(function*() {
      yield* limit("sell", "1", "1000")
      for (let n = 0; n < TradeHistory.defaultLimit + 2; n++) yield* asBob(limit("buy", "0.01", "1000"))
      const history = yield* TradeHistory.TradeHistory
      same((yield* history.list(btcUsdt)).length, TradeHistory.defaultLimit)
      same((yield* history.list(btcUsdt, { limit: 60 })).length, TradeHistory.defaultLimit + 2)
    }).pipe(Effect.provide(traders(dialect))))
})
