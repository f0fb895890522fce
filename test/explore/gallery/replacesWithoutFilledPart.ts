import { CancelOrder, Decimal, Identifiers, LimitOrders } from "effect-txc"
import { Invariant, Possibilities } from "effect-txc/explore"
import * as Effect from "effect/Effect"
import { exceeds, sum } from "./exact.ts"
import { exhibit } from "./exhibit.ts"

const market = Identifiers.marketName("BTC_USDT")
const amount = Decimal.amount("0.5")

/** Buys half a bitcoin, and raises its bid every three seconds. `rest` returns the next order's amount. */
const buy = (rest: (canceled: { readonly left: Decimal.Decimal }) => Decimal.Decimal) =>
  Effect.gen(function*() {
    const { create } = yield* LimitOrders.LimitOrders
    const { cancel } = yield* CancelOrder.CancelOrder
    let next = amount
    for (const price of ["39985", "39988", "39991", "39994"] as const) {
      const { orderId } = yield* create({ market, side: "buy", amount: next, price: Decimal.price(price) })
      yield* Effect.sleep("3 seconds")
      // If the order has been filled, the cancellation is refused, and the program ends.
      next = Decimal.Amount.make(rest(yield* cancel({ market, orderId })))
    }
  })

/** The mistake: the program forgets that part of the canceled order may have been filled. */
const broken = buy(() => amount)

/** The program orders only the amount that the canceled order has left. */
const repaired = buy(({ left }) => left)

export const replacesWithoutFilledPart = exhibit({
  name: "replaces without the filled part",
  mistake: "The program replaces a partly filled order with a new order for the full amount.",
  within: 300,
  broken,
  repaired,
  invariants: [
    Invariant.always("the program buys at most 0.5 BTC", ({ fills, openOrders }) => {
      const all = sum([...fills.map(({ amount }) => amount), ...openOrders.map(({ left }) => left)])
      return !exceeds(all, amount) || `it has bought or bids for ${all} BTC`
    })
  ],
  during: "12 seconds",
  calm: "2 seconds",
  possible: Possibilities.of("Price", "Trade")
})
