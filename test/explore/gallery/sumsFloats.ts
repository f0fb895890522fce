import { Decimal, Identifiers, MarketOrders, type OrderAnswer } from "effect-txc"
import { Explore, Invariant, Possibilities } from "effect-txc/explore"
import * as Effect from "effect/Effect"
import { minus, plus } from "./exact.ts"
import { exhibit } from "./exhibit.ts"

const market = Identifiers.marketName("BTC_USDT")

/** Spends 100 USDT four times, and keeps a ledger of its bitcoins. */
const save = <Money>(first: Money, add: (held: Money, order: OrderAnswer.Order) => Money) =>
  Effect.gen(function*() {
    const { create } = yield* MarketOrders.MarketOrders
    let held = first
    for (let time = 0; time < 4; time++) {
      held = add(held, yield* create({ market, side: "buy", amount: Decimal.amount("100") }))
      yield* Explore.say("ledger", { BTC: String(held) })
      yield* Effect.sleep("3 seconds")
    }
  })

/** The mistake: JavaScript numbers are rounded. */
const broken = save(10, (held, { dealFee, dealStock }) => held + Number(dealStock) - Number(dealFee))

/** Decimals are exact. */
const repaired = save(Decimal.of("10"), (held, { dealFee, dealStock }) => minus(plus(held, dealStock), dealFee))

export const sumsFloats = exhibit({
  name: "sums floats",
  mistake: "The program adds amounts as floating-point numbers.",
  within: 5,
  broken,
  repaired,
  invariants: [Invariant.ledgerMatches()],
  during: "15 seconds",
  calm: "1 second",
  possible: Possibilities.of("Price", "Walk", "Trade", "Book")
})
