/** The market maker from the documentation, with the invariants that it should keep. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Decimal from "../../src/domain/Decimal.ts"
import { ticker } from "../../src/domain/Identifiers.ts"
import { Explore, Invariant } from "../../src/explore/index.ts"
import { settings } from "../readme/day.ts"
import * as Maker from "../readme/maker.ts"

const tickers = [ticker("BTC"), ticker("USDT")]

/** Makes the market for a while after the last fault, then stops and reports its ledger. */
const run = Effect.gen(function*() {
  const begun = yield* Clock.currentTimeMillis
  const maker = yield* Maker.make(settings)
  const tick = Effect.andThen(maker.tick, Effect.sleep("5 seconds"))
  while ((yield* Clock.currentTimeMillis) < begun + 65_000) yield* tick
  yield* Effect.retry(maker.stop, Schedule.spaced("1 second"))
  yield* Explore.say("found", maker.report.found)
  yield* Explore.say("owns", Object.fromEntries(tickers.map((ticker) => [ticker, maker.ledger.of(ticker)])))
})

/** The program is never killed, because its state is in memory. */
export const making = Explore.program({
  name: "making",
  run,
  restarts: true,
  invariants: [
    Invariant.always(
      "at most one quote is open on each side",
      ({ openOrders }) =>
        ["buy", "sell"].every((side) => openOrders.filter((order) => order.side === side).length <= 1) ||
        `${openOrders.length} orders are open`
    ),
    Invariant.atTheEnd(
      "no quote is open once the maker has stopped",
      ({ openOrders, said }) => !said.has("owns") || openOrders.length === 0 || `${openOrders.length} orders are open`
    ),
    Invariant.atTheEnd("the maker's ledger matches the exchange's", ({ balances, said }) => {
      const owns = said.get("owns")?.value
      if (owns === undefined) return true
      for (const [asset, own] of Object.entries(owns as Readonly<Record<string, Decimal.Decimal>>)) {
        const theirs = balances.find((balance) => balance.wallet === "trade" && balance.ticker === asset)?.free
        if (theirs === undefined || !Decimal.Equivalence(own, theirs)) return `it has ${own} ${asset}, not ${theirs}`
      }
      return true
    }),
    Invariant.reached("the maker stops after it has traded", ({ fills, said }) => said.has("owns") && fills.length > 0),
    Invariant.reached("the maker finds a lost order", ({ said }) => Number(said.get("found")?.value) > 0)
  ],
  calm: "3 minutes",
  possible: { weights: { Fault: 8, Price: 3, Walk: 2, Trade: 6, Book: 1, Outage: 1 } }
})
