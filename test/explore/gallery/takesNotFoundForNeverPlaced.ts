import { CancelOrder, Decimal, Fills, Identifiers, LimitOrders, StockMarketOrders } from "effect-txc"
import { Invariant, Possibilities } from "effect-txc/explore"
import * as Effect from "effect/Effect"
import { exceeds, sum } from "./exact.ts"
import { exhibit } from "./exhibit.ts"

const market = Identifiers.marketName("BTC_USDT")
const amount = Decimal.amount("0.001")
const bid = { market, clientOrderId: Identifiers.ClientOrderId.make("bid") } as const

/**
 * Bids, and buys with a market order if the bid is not filled within three seconds. `wasFilled` runs if the bid can't
 * be canceled.
 */
const buy = <E, R>(wasFilled: Effect.Effect<boolean, E, R>) =>
  Effect.gen(function*() {
    const limits = yield* LimitOrders.LimitOrders
    const markets = yield* StockMarketOrders.StockMarketOrders
    const { cancel } = yield* CancelOrder.CancelOrder
    yield* limits.create({ ...bid, side: "buy", amount, price: Decimal.price("39990") })
    yield* Effect.sleep("3 seconds")
    const isDone = yield* cancel(bid).pipe(
      Effect.as(false),
      Effect.catchIf(({ outcome }) => outcome === "not-applied", () => wasFilled)
    )
    if (!isDone) yield* markets.create({ market, side: "buy", amount })
  })

/** The mistake: the exchange does not find the bid, so the program assumes that it was never placed. */
const broken = buy(Effect.succeed(false))

/** The exchange does not find the bid, so the program looks for the bid's fills. */
const repaired = buy(Effect.map(Fills.Fills.use(({ page }) => page(bid)), ({ records }) => records.length > 0))

export const takesNotFoundForNeverPlaced = exhibit({
  name: "takes \"not found\" for \"never placed\"",
  mistake: "The program treats an order that can't be canceled as never placed, although the order was filled.",
  within: 50,
  broken,
  repaired,
  invariants: [
    Invariant.always("the program buys only once", ({ fills }) => {
      const bought = sum(fills.map(({ amount }) => amount))
      return !exceeds(bought, amount) || `it has bought ${bought} BTC`
    })
  ],
  during: "4 seconds",
  calm: "1 second",
  possible: Possibilities.of("Price", "Trade")
})
