import { CancelOrder, Decimal, Identifiers, LimitOrders } from "effect-txc"
import { Explore, Invariant, Possibilities } from "effect-txc/explore"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { exhibit } from "./exhibit.ts"

const market = Identifiers.marketName("BTC_USDT")

/** Places three bids, and cancels them three seconds later. */
const quote = <E, R>(withdraw: (orderId: Identifiers.OrderId) => Effect.Effect<unknown, E, R>) =>
  Effect.gen(function*() {
    const { create } = yield* LimitOrders.LimitOrders
    const bids = yield* Effect.forEach(
      ["38000", "38500", "39000"] as const,
      (price) => create({ market, side: "buy", amount: Decimal.amount("0.01"), price: Decimal.price(price) })
    )
    yield* Effect.sleep("3 seconds")
    yield* Effect.forEach(bids, ({ orderId }) => withdraw(orderId))
    yield* Explore.say("withdrawn", true)
  })

const cancel = (orderId: Identifiers.OrderId) =>
  CancelOrder.CancelOrder.use(({ cancel }) => cancel({ market, orderId }))

/** The mistake: if a cancellation is rate-limited, the program only logs a warning. */
const broken = quote((bid) => Effect.catchTag(cancel(bid), "RateLimited", ({ message }) => Effect.logWarning(message)))

/** The program tries a rate-limited cancellation again. */
const repaired = quote((bid) =>
  Effect.retry(cancel(bid), { while: ({ _tag }) => _tag === "RateLimited", schedule: Schedule.spaced("1 second") })
)

export const dropsCancelAtRateLimit = exhibit({
  name: "drops a cancellation at a rate limit",
  mistake: "The program forgets a cancellation that the exchange refused because of a rate limit.",
  within: 200,
  broken,
  repaired,
  invariants: [
    Invariant.always(
      "no bid is open once the program has reported its bids as withdrawn",
      ({ openOrders, said }) => !said.has("withdrawn") || openOrders.length === 0 || `${openOrders.length} are open`
    )
  ],
  during: "10 seconds",
  calm: "5 seconds",
  possible: { ...Possibilities.of("Fault"), symptoms: ["Refuse"] }
})
