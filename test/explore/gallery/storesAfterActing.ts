import { Decimal, Identifiers, Reconciliation, StockMarketOrders } from "effect-txc"
import { Invariant, Possibilities } from "effect-txc/explore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as KeyValueStore from "effect/persistence/KeyValueStore"
import { exhibit } from "./exhibit.ts"

const market = Identifiers.marketName("BTC_USDT")
const clientOrderId = Identifiers.ClientOrderId.make("monday")

const buy = StockMarketOrders.StockMarketOrders.use(({ create }) =>
  create({ market, clientOrderId, side: "buy", amount: Decimal.amount("0.01") })
)

/** The mistake: every Monday, the program buys first, and then records that it has bought. */
const broken = Effect.gen(function*() {
  const store = yield* KeyValueStore.KeyValueStore
  if (yield* store.has("monday")) return
  yield* buy
  yield* store.set("monday", "bought")
})

/**
 * The program first records that it will buy. If it finds this record when it starts, it checks whether it has bought.
 */
const repaired = Effect.gen(function*() {
  const store = yield* KeyValueStore.KeyValueStore
  const { reconcile } = yield* Reconciliation.Reconciliation
  const intended = yield* store.get("monday")
  if (intended !== undefined) {
    const lost = { market, clientOrderId, endpoint: StockMarketOrders.endpoint.name, sentAt: Number(intended) }
    const { _tag } = yield* reconcile(lost, { horizon: "10 seconds", recordsCanceled: true })
    if (_tag !== "NotPlaced") return
  }
  yield* store.set("monday", String((yield* Clock.currentTimeMillis) * 1000))
  yield* buy
})

export const storesAfterActing = exhibit({
  name: "stores after acting",
  mistake: "The program records an order only after placing the order.",
  within: 200,
  broken,
  repaired,
  invariants: [Invariant.noOrderTwice()],
  during: "5 seconds",
  calm: "40 seconds",
  possible: Possibilities.crashes
})
