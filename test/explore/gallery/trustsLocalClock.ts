import { CancelOrder, Decimal, Identifiers, KillSwitch, LimitOrders } from "effect-txc"
import { Invariant, Possibilities } from "effect-txc/explore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { exhibit } from "./exhibit.ts"

const market = Identifiers.marketName("BTC_USDT")

const place = LimitOrders.LimitOrders.use(({ create }) =>
  create({ market, side: "buy", amount: Decimal.amount("0.01"), price: Decimal.price("39000") })
)

/** The mistake: the program's own clock determines when to cancel the order. */
const broken = Effect.gen(function*() {
  const { cancel } = yield* CancelOrder.CancelOrder
  const deadline = (yield* Clock.currentTimeMillis) + 10_000
  const { orderId } = yield* place
  while ((yield* Clock.currentTimeMillis) < deadline) yield* Effect.sleep("500 millis")
  yield* cancel({ market, orderId })
})

/** The program arms the exchange's kill switch, so the exchange's clock determines when the order is canceled. */
const repaired = Effect.gen(function*() {
  const { arm } = yield* KillSwitch.KillSwitch
  yield* arm({ market, timeout: KillSwitch.KillSwitchSeconds.make(10) })
  yield* place
  return yield* Effect.never
})

export const trustsLocalClock = exhibit({
  name: "trusts its own clock",
  mistake: "The program measures a deadline with its own clock, which may be wrong.",
  within: 100,
  broken,
  repaired,
  invariants: [
    Invariant.eventually("an order is no longer open after 12 seconds", {
      when: ({ openOrders }) => openOrders.length > 0,
      holds: ({ openOrders }) => openOrders.length === 0 || "it is still open",
      within: "12 seconds"
    })
  ],
  during: "15 seconds",
  calm: "10 seconds",
  possible: Possibilities.of("Drift", "Walk")
})
