import { CollateralMarketOrders, DealsChannel, Decimal, Fills, Identifiers, LimitOrders } from "effect-txc"
import { Invariant, Possibilities } from "effect-txc/explore"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { exceeds, minus, sum } from "./exact.ts"
import { exhibit } from "./exhibit.ts"

const market = Identifiers.marketName("BTC_USDT")

type Fill = Pick<Fills.Fill, "amount" | "tradeId">

const short = (amount: Decimal.Decimal) =>
  CollateralMarketOrders.CollateralMarketOrders.use(({ create }) =>
    create({ market: Identifiers.marketName("BTC_PERP"), side: "sell", amount: Decimal.Amount.make(amount) })
  )

/** Bids for five bitcoins, and hedges each fill, whether it was pushed or found by a read. */
const hedgeWith = <E, R>(hedge: (fill: Fill) => Effect.Effect<void, E, R>) =>
  Effect.gen(function*() {
    const { create } = yield* LimitOrders.LimitOrders
    const { stream } = yield* DealsChannel.DealsChannel
    const { page } = yield* Fills.Fills
    yield* create({ market, side: "buy", amount: Decimal.amount("5"), price: Decimal.price("39990") })
    const pushed = Stream.runForEach(stream({ market }), (item) =>
      item._tag === "Event" ? hedge(item.event) : Effect.void)
    const asked = Effect.flatMap(page({ market }), ({ records }) =>
      Effect.forEach(records, hedge, { discard: true }))
    yield* Effect.all([pushed, Effect.forever(Effect.delay(asked, "1 second"))], { concurrency: "unbounded" })
  })

/** The mistake: a fill is remembered only after it has been hedged, so the other fiber may hedge it too. */
const broken = Effect.suspend(() => {
  const hedged = new Set<string>()
  return hedgeWith(Effect.fnUntraced(function*({ amount, tradeId }) {
    if (hedged.has(tradeId)) return
    yield* short(amount)
    hedged.add(tradeId)
  }))
})

/** The program remembers a fill before it hedges the fill. */
const repaired = Effect.suspend(() => {
  const hedged = new Set<string>()
  return hedgeWith(Effect.fnUntraced(function*({ amount, tradeId }) {
    if (hedged.has(tradeId)) return
    hedged.add(tradeId)
    yield* short(amount)
  }))
})

export const hedgesTwice = exhibit({
  name: "hedges twice",
  mistake: "The program hedges a fill when it is pushed, and again when a read finds the same fill.",
  within: 200,
  broken,
  repaired,
  invariants: [
    Invariant.always("the hedge is no larger than the fills", ({ fills, position }) => {
      const bought = sum(fills.flatMap((fill) => fill.market === market ? [fill.amount] : []))
      const hedged = minus(Decimal.zero, position("BTC_PERP"))
      return !exceeds(hedged, bought) || `it is short by ${hedged} BTC, and has bought ${bought} BTC`
    })
  ],
  during: "10 seconds",
  calm: "2 seconds",
  possible: Possibilities.of("Trade")
})
