import { Decimal, Identifiers, Reconciliation, StockMarketOrders } from "effect-txc"
import { Explore, Invariant } from "effect-txc/explore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as KeyValueStore from "effect/persistence/KeyValueStore"

const market = Identifiers.marketName("BTC_USDT")
const clientOrderId = Identifiers.ClientOrderId.make("saver-2026-01-05")

/** Buys bitcoin once a day, no matter when and how often the program is started. */
const run = Effect.gen(function*() {
  const { create } = yield* StockMarketOrders.StockMarketOrders
  const { reconcile } = yield* Reconciliation.Reconciliation
  const store = yield* KeyValueStore.KeyValueStore
  const intended = yield* store.get("2026-01-05")
  if (intended !== undefined) {
    // An earlier process may have bought already. Buying is safe only with proof that it has not.
    const verdict = yield* reconcile(
      { market, clientOrderId, endpoint: StockMarketOrders.endpoint.name, sentAt: Number(intended) },
      { horizon: "30 seconds", recordsCanceled: true }
    )
    if (verdict._tag !== "NotPlaced") return
  }
  yield* store.set("2026-01-05", String((yield* Clock.currentTimeMillis) * 1000))
  yield* create({ market, clientOrderId, side: "buy", amount: Decimal.amount("0.01") })
})

export const saver = Explore.program({
  name: "saver",
  run,
  restarts: true,
  invariants: [
    Invariant.noOrderTwice(),
    Invariant.reached("it has bought after a restart", ({ fills, starts }) => fills.length > 0 && starts > 1)
  ]
})
