import { ActiveOrders, CancelOrder, Decimal, Identifiers, LimitOrders, MarketSummary, Paging } from "effect-txc"
import { Invariant, Possibilities } from "effect-txc/explore"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { exceeds, times } from "./exact.ts"
import { exhibit } from "./exhibit.ts"

const market = Identifiers.marketName("BTC_USDT")
const limit = Paging.Limit.make(5)

/**
 * Adds an order to its ladder whenever the price falls by half a percent, and cancels the ladder when it is stopped.
 */
const ladder = <E, R>(openOrders: Effect.Effect<ReadonlyArray<{ readonly orderId: Identifiers.OrderId }>, E, R>) =>
  Effect.gen(function*() {
    const { get } = yield* MarketSummary.MarketSummary
    const { create } = yield* LimitOrders.LimitOrders
    const { cancel } = yield* CancelOrder.CancelOrder
    yield* Effect.addFinalizer(Effect.fnUntraced(function*() {
      const orders = yield* Effect.orDie(openOrders)
      yield* Effect.forEach(orders, ({ orderId }) => Effect.ignore(cancel({ market, orderId })))
    }))
    for (let next = Decimal.of("40000");; yield* Effect.sleep("1 second")) {
      const { last } = yield* get(market)
      if (exceeds(last, next)) continue
      const price = Decimal.Price.make(times(last, Decimal.of("0.8")))
      yield* Effect.uninterruptible(create({ market, side: "buy", amount: Decimal.amount("0.01"), price }))
      next = times(last, Decimal.of("0.995"))
    }
  })

export const readsOnlyFirstPage = exhibit({
  name: "reads only the first page",
  mistake: "The program treats the first page of its open orders as the complete list.",
  within: 200,
  broken: ladder(
    Effect.map(ActiveOrders.ActiveOrders.use(({ page }) => page({ market, limit })), ({ records }) => records)
  ),
  repaired: ladder(ActiveOrders.ActiveOrders.use(({ stream }) => Stream.runCollect(stream({ market, limit })))),
  invariants: [Invariant.noOrdersLeft],
  during: "20 seconds",
  calm: "1 second",
  possible: Possibilities.of("Walk", "Price", "Trade")
})
