import { Decimal, Fills, Identifiers, LimitOrders } from "effect-txc"
import { Invariant, type Moment, Possibilities } from "effect-txc/explore"
import * as Effect from "effect/Effect"
import { exceeds, minus, plus, sum } from "./exact.ts"
import { exhibit } from "./exhibit.ts"

const market = Identifiers.marketName("BTC_USDT")
const amount = Decimal.amount("0.5")
const entry = { market, clientOrderId: Identifiers.ClientOrderId.make("entry") } as const

const enter = LimitOrders.LimitOrders.use(({ create }) =>
  create({ ...entry, side: "buy", amount, price: Decimal.price("39990") })
)

const leave = (amount: Decimal.Amount) =>
  LimitOrders.LimitOrders.use(({ create }) => create({ market, side: "sell", amount, price: Decimal.price("44000") }))

/** The amount bought so far. */
const bought = Effect.map(
  Fills.Fills.use(({ page }) => page(entry)),
  ({ records }) => sum(records.map(({ amount }) => amount))
)

/**
 * The mistake: after the first fill, the program offers the entry order's full amount, although the fill may be
 * partial.
 */
const broken = Effect.gen(function*() {
  yield* enter
  while (Decimal.isZero(yield* bought)) yield* Effect.sleep("1 second")
  yield* leave(amount)
})

/** The program offers each part as soon as it is filled. */
const repaired = Effect.gen(function*() {
  yield* enter
  let offered = Decimal.zero
  while (exceeds(amount, offered)) {
    yield* Effect.sleep("1 second")
    const rest = minus(yield* bought, offered)
    if (Decimal.isZero(rest)) continue
    yield* leave(Decimal.Amount.make(rest))
    offered = plus(offered, rest)
  }
})

/** Returns the traded amount and the open amount on one side. */
const traded = ({ fills, openOrders }: Moment, side: "buy" | "sell") => ({
  done: sum(fills.flatMap((fill) => fill.side === side ? [fill.amount] : [])),
  open: sum(openOrders.flatMap((order) => order.side === side ? [order.left] : []))
})

export const forgetsPartialFill = exhibit({
  name: "forgets a partial fill",
  mistake: "The program treats an order's first fill as the order's full amount.",
  within: 100,
  broken,
  repaired,
  invariants: [
    Invariant.always("the program never offers more than it has bought", (moment) => {
      const { done, open } = traded(moment, "sell")
      const bought = traded(moment, "buy").done
      return !exceeds(sum([done, open]), bought) || `it offers ${sum([done, open])}, and has bought ${bought}`
    })
  ],
  during: "10 seconds",
  calm: "2 seconds",
  possible: Possibilities.of("Price", "Trade")
})
