import { Decimal, Identifiers, StockMarketOrders } from "effect-txc"
import { Invariant, Possibilities } from "effect-txc/explore"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { exhibit } from "./exhibit.ts"

const buy = StockMarketOrders.StockMarketOrders.use(({ create }) =>
  create({ market: Identifiers.marketName("BTC_USDT"), side: "buy", amount: Decimal.amount("0.01") })
)

const often = { schedule: Schedule.spaced("2 seconds"), times: 8 }

/** The mistake: whatever goes wrong with one order, the program tries the next. */
const broken = Effect.repeat(Effect.ignore(buy), often)

/** A single order can fail, but a key that was refused will be refused again. */
const repaired = buy.pipe(
  Effect.catchIf(({ _tag }) => _tag !== "NotAuthorized", () => Effect.void),
  Effect.repeat(often)
)

export const keepsTradingWithDisabledKey = exhibit({
  name: "keeps trading with a disabled key",
  mistake: "The program continues to make calls after its API key was disabled.",
  within: 100,
  broken,
  repaired,
  invariants: [Invariant.noCallWithDisabledKey],
  during: "20 seconds",
  calm: "1 second",
  possible: Possibilities.of("Key", "Trade", "Price")
})
