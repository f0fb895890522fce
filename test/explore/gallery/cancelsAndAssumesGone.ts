import { ActiveOrders, CancelOrder, Decimal, Identifiers, LimitOrders } from "effect-txc"
import { Invariant, Possibilities } from "effect-txc/explore"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { exhibit } from "./exhibit.ts"

const market = Identifiers.marketName("BTC_USDT")

/** Raises its bid every three seconds. */
const raise = <E, R>(withdraw: (orderId: Identifiers.OrderId) => Effect.Effect<void, E, R>) =>
  Effect.gen(function*() {
    const { create } = yield* LimitOrders.LimitOrders
    let bid: Identifiers.OrderId | undefined
    for (const price of ["38000", "38200", "38400", "38600"] as const) {
      if (bid !== undefined) yield* withdraw(bid)
      const order = { market, side: "buy", amount: Decimal.amount("0.01"), price: Decimal.price(price) } as const
      bid = (yield* create(order)).orderId
      yield* Effect.sleep("3 seconds")
    }
  })

const cancel = (orderId: Identifiers.OrderId) =>
  CancelOrder.CancelOrder.use(({ cancel }) => cancel({ market, orderId }))

/** The mistake: if an order can't be canceled, the program assumes that it is gone. */
const broken = raise((bid) => Effect.ignore(cancel(bid)))

/** If an order can't be canceled, the program checks whether it is still open, and if so tries again. */
const repaired = raise((bid) =>
  cancel(bid).pipe(
    Effect.catch(Effect.fnUntraced(function*(failure) {
      const { page } = yield* ActiveOrders.ActiveOrders
      const { records } = yield* page({ market })
      if (records.some(({ orderId }) => orderId === bid)) return yield* failure
    })),
    Effect.retry({ schedule: Schedule.spaced("1 second"), times: 30 })
  )
)

export const cancelsAndAssumesGone = exhibit({
  name: "cancels, and assumes that it is gone",
  mistake: "The program treats an order that it could not cancel as gone.",
  within: 200,
  broken,
  repaired,
  invariants: [
    Invariant.always(
      "at most one bid is open",
      ({ openOrders }) => openOrders.length <= 1 || `${openOrders.length} bids are open`
    )
  ],
  during: "12 seconds",
  calm: "10 seconds",
  possible: { ...Possibilities.lostAnswers, symptoms: [...Possibilities.lostAnswers.symptoms ?? [], "Refuse"] }
})
