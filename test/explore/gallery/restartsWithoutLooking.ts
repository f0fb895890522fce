import { ActiveOrders, Decimal, Identifiers, LimitOrders } from "effect-txc"
import { Invariant, Possibilities } from "effect-txc/explore"
import * as Effect from "effect/Effect"
import { exhibit } from "./exhibit.ts"

const quote = {
  market: Identifiers.marketName("BTC_USDT"),
  clientOrderId: Identifiers.ClientOrderId.make("quote"),
  side: "buy",
  amount: Decimal.amount("0.01"),
  price: Decimal.price("39000")
} as const

/** Whenever it starts, it places its quote. It forgets that it may have been running before. */
const broken = Effect.gen(function*() {
  const { create } = yield* LimitOrders.LimitOrders
  const { clientOrderId: _, ...nameless } = quote
  yield* create(nameless)
  return yield* Effect.never
})

/**
 * It first looks for its quote. The order of a process that was killed may still be on its way, so the quote also has a
 * name: the exchange refuses a second open order with the same client order id.
 */
const repaired = Effect.gen(function*() {
  const { page } = yield* ActiveOrders.ActiveOrders
  const { create } = yield* LimitOrders.LimitOrders
  const { records } = yield* page({ market: quote.market, clientOrderId: quote.clientOrderId })
  if (records.length === 0) yield* Effect.catchTag(create(quote), "ValidationFailed", () => Effect.void)
  return yield* Effect.never
})

export const restartsWithoutLooking = exhibit({
  name: "restarts without looking",
  mistake: "When it is started again, it does not look for the orders that it has open.",
  within: 50,
  broken,
  repaired,
  invariants: [
    Invariant.always(
      "at most one quote is open",
      ({ openOrders }) => openOrders.length <= 1 || `${openOrders.length} quotes are open`
    )
  ],
  during: "20 seconds",
  calm: "5 seconds",
  possible: Possibilities.of("Kill", "KillAtCall", "Stop")
})
