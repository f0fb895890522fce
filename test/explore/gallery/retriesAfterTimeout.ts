import { Decimal, Identifiers, LimitOrders, Reconciliation } from "effect-txc"
import { Invariant, Possibilities } from "effect-txc/explore"
import * as Effect from "effect/Effect"
import { exhibit } from "./exhibit.ts"

const order = {
  market: Identifiers.marketName("BTC_USDT"),
  side: "buy",
  amount: Decimal.amount("0.01"),
  price: Decimal.price("39000")
} as const

/** The mistake: a timeout looks like a failure, so the program tries again. */
const broken = Effect.gen(function*() {
  const { create } = yield* LimitOrders.LimitOrders
  return yield* Effect.retry(create(order), { times: 3 })
})

/** The program tries again only once it is certain that the order was not placed. */
const repaired = Effect.gen(function*() {
  const { create } = yield* LimitOrders.LimitOrders
  const { reconcile } = yield* Reconciliation.Reconciliation
  const attempt = create(order).pipe(
    Effect.asVoid,
    Effect.catchTag("OutcomeUnknown", (lost) =>
      Effect.flatMap(
        reconcile(lost, { recordsCanceled: true }),
        ({ _tag }) => _tag === "NotPlaced" ? Effect.fail(lost) : Effect.void
      ))
  )
  return yield* Effect.retry(attempt, { times: 3, while: ({ outcome }) => outcome !== "applied" })
})

export const retriesAfterTimeout = exhibit({
  name: "retries after a timeout",
  mistake: "The program places an order again because no response arrived.",
  within: 100,
  broken,
  repaired,
  invariants: [Invariant.noOrderTwice()],
  during: "1 second",
  calm: "40 seconds",
  possible: Possibilities.lostAnswers
})
