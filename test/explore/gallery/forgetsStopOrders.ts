import { CancelAllOrders, CancelOrder, Decimal, Fills, Identifiers, LimitOrders, StopLimitOrders } from "effect-txc"
import { Invariant, Possibilities } from "effect-txc/explore"
import * as Effect from "effect/Effect"
import { exhibit } from "./exhibit.ts"

const market = Identifiers.marketName("BTC_USDT")
const amount = Decimal.amount("0.001")
const entry = { market, clientOrderId: Identifiers.ClientOrderId.make("entry") } as const

/** Bids, and protects what it has bought with a stop order. `tidy` runs when the program is stopped. */
const tradeAnd = <E, R>(tidy: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function*() {
    const { create } = yield* LimitOrders.LimitOrders
    const { page } = yield* Fills.Fills
    const stops = yield* StopLimitOrders.StopLimitOrders
    yield* Effect.addFinalizer(() => Effect.ignore(tidy))
    yield* create({ ...entry, side: "buy", amount, price: Decimal.price("39990") })
    while ((yield* page(entry)).records.length === 0) yield* Effect.sleep("2 seconds")
    const [price, activationPrice] = [Decimal.price("30000"), Decimal.price("31000")]
    yield* Effect.uninterruptible(stops.create({ market, side: "sell", amount, price, activationPrice }))
    return yield* Effect.never
  })

/** The mistake: the program cancels only its bid. */
const broken = tradeAnd(CancelOrder.CancelOrder.use(({ cancel }) => cancel(entry)))

/** The program cancels all its orders, including stop orders. */
const repaired = tradeAnd(CancelAllOrders.CancelAllOrders.use(({ cancel }) => cancel({ market })))

export const forgetsStopOrders = exhibit({
  name: "forgets its stop orders",
  mistake: "When the program is stopped, it cancels its limit orders but forgets its stop orders.",
  within: 50,
  broken,
  repaired,
  invariants: [Invariant.noOrdersLeft],
  during: "8 seconds",
  calm: "3 seconds",
  possible: Possibilities.of("Price", "Trade")
})
