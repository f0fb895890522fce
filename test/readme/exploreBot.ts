import { Decimal, Identifiers, StockMarketOrders } from "effect-txc"
import { Explore, Invariant, Possibilities } from "effect-txc/explore"
import * as Effect from "effect/Effect"
import * as KeyValueStore from "effect/persistence/KeyValueStore"

/** Buys bitcoin once a day, no matter when and how often the program is started. */
const run = Effect.gen(function*() {
  const { create } = yield* StockMarketOrders.StockMarketOrders
  const store = yield* KeyValueStore.KeyValueStore
  if (yield* store.has("2026-01-05")) return
  const buy = create({ market: Identifiers.marketName("BTC_USDT"), side: "buy", amount: Decimal.amount("0.01") })
  yield* Effect.retry(buy, { times: 3 })
  yield* store.set("2026-01-05", "bought")
})

export const saver = Explore.program({
  name: "saver",
  run,
  invariants: [Invariant.noOrderTwice()],
  possible: Possibilities.lostAnswers
})
