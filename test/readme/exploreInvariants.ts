import { Decimal, Identifiers, LimitOrders, TradeBalance } from "effect-txc"
import { Explore, Invariant, Possibilities } from "effect-txc/explore"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

const btc = Identifiers.ticker("BTC")

/** Bids for 0.1 BTC, and reports every second how much bitcoin it believes it has. */
const run = Effect.gen(function*() {
  const { create } = yield* LimitOrders.LimitOrders
  const { of } = yield* TradeBalance.TradeBalance
  yield* create({
    market: Identifiers.marketName("BTC_USDT"),
    side: "buy",
    amount: Decimal.amount("0.1"),
    price: Decimal.price("39900")
  })
  const tell = Effect.flatMap(of(btc), ({ available }) => Explore.say("ledger", { BTC: available }))
  yield* Effect.repeat(tell, Schedule.spaced("1 second"))
})

export const bidder = Explore.program({
  name: "bidder",
  run,
  invariants: [
    // Must hold at all times.
    Invariant.always(
      "at most one order is open",
      ({ openOrders }) => openOrders.length <= 1 || `${openOrders.length} orders are open`
    ),
    // Must hold within a time limit after something happens.
    Invariant.eventually("it notices a fill within five seconds", {
      when: ({ fills }) => fills.length > 0,
      holds: ({ fills, now, said }) =>
        (said.get("ledger")?.at ?? 0) > (fills[0]?.at ?? 0) / 1000 || `it has said nothing since the fill, at ${now}`,
      within: "5 seconds"
    }),
    // Must hold once the program has been stopped and a calm period has passed.
    Invariant.ledgerMatches(),
    // Must happen in at least one history. If it never happens, the other invariants were not tested.
    Invariant.reached("the bid is filled", ({ fills }) => fills.length > 0)
  ],
  possible: Possibilities.of("Price", "Trade")
})
