import { ActiveOrders, Decimal, Identifiers, LimitOrders } from "effect-txc"
import { Invariant, Possibilities } from "effect-txc/explore"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { exhibit } from "./exhibit.ts"

const market = Identifiers.marketName("BTC_USDT")
const most = 2

/** Three signals arrive shortly after one another. Each signal places an order if there is room for another one. */
const trade = (
  guard: (act: Effect.Effect<void, unknown, ActiveOrders.ActiveOrders | LimitOrders.LimitOrders>) => typeof act
) =>
  Effect.forEach(["38900", "38950", "39000"] as const, (price, index) =>
    Effect.gen(function*() {
      const { page } = yield* ActiveOrders.ActiveOrders
      const { create } = yield* LimitOrders.LimitOrders
      const { records } = yield* page({ market })
      if (records.length >= most) return
      yield* create({ market, side: "buy", amount: Decimal.amount("0.01"), price: Decimal.price(price) })
    }).pipe(guard, Effect.delay(150 * index)), { concurrency: "unbounded" })

/** The mistake: between a fiber's check and its order, another fiber can check too. */
const broken = trade((act) => act)

/** Only one fiber at a time checks and acts. */
const repaired = Effect.gen(function*() {
  const semaphore = yield* Semaphore.make(1)
  return yield* trade(semaphore.withPermits(1))
})

export const checksThenActs = exhibit({
  name: "checks, then acts",
  mistake: "Two fibers check the same limit, and then both fibers act.",
  within: 50,
  broken,
  repaired,
  invariants: [
    Invariant.always(
      "at most two orders are open",
      ({ openOrders }) => openOrders.length <= most || `${openOrders.length} orders are open`
    )
  ],
  possible: Possibilities.of("Walk", "Trade")
})
