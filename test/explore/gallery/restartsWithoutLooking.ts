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

/** The mistake: whenever the program starts, it places its quote, even if an earlier process has placed it already. */
const broken = Effect.gen(function*() {
  const { create } = yield* LimitOrders.LimitOrders
  const { clientOrderId: _, ...nameless } = quote
  yield* create(nameless)
  return yield* Effect.never
})

/**
 * The program first looks for its quote. An order of a killed process may still be in flight, so the quote also has a
 * client order id. The exchange refuses a second open order with the same id.
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
  mistake: "After a restart, the program does not look for its open orders.",
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
