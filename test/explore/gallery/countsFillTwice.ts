import { Decimal, Fills, Identifiers, StockMarketOrders } from "effect-txc"
import { Explore, Invariant, Possibilities } from "effect-txc/explore"
import * as Effect from "effect/Effect"
import * as KeyValueStore from "effect/persistence/KeyValueStore"
import * as Schedule from "effect/Schedule"
import { minus, plus } from "./exact.ts"
import { exhibit } from "./exhibit.ts"

const market = Identifiers.marketName("BTC_USDT")

/**
 * Reads a stored bitcoin ledger: the amount held, and the ids of the trades that it includes. The ledger starts with 10
 * BTC.
 */
const read = (stored = "10") => {
  const [held = "10", ...trades] = stored.split(" ")
  return { held: Decimal.Decimal.make(held), trades }
}

/**
 * Buys three times, and from time to time adds new fills to the ledger. `counted` gets the stored list of included
 * trades, and returns the list with which the program starts.
 */
const trade = (counted: (stored: ReadonlyArray<string>) => ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const { create } = yield* StockMarketOrders.StockMarketOrders
    const { page } = yield* Fills.Fills
    const store = yield* KeyValueStore.KeyValueStore
    const first = read(yield* store.get("ledger"))
    let [held, trades] = [first.held, counted(first.trades)]
    const count = Effect.gen(function*() {
      for (const { amount, fee, tradeId } of (yield* page({ market })).records) {
        if (trades.includes(tradeId)) continue
        held = minus(plus(held, amount), fee)
        trades = [...trades, tradeId]
      }
      yield* store.set("ledger", [held, ...trades].join(" "))
      yield* Explore.say("ledger", { BTC: held })
    })
    const buy = Effect.delay(create({ market, side: "buy", amount: Decimal.amount("0.01") }), "2 seconds")
    const often = Effect.repeat(count, { schedule: Schedule.spaced("2 seconds"), times: 2 })
    yield* Effect.all([Effect.repeat(buy, { times: 2 }), often], { concurrency: "unbounded" })
    yield* count
  })

/** The mistake: the ledger survives a restart, but the list of included trades does not. */
const broken = trade(() => [])

/** The program stores the ledger together with its trades. */
const repaired = trade((stored) => stored)

export const countsFillTwice = exhibit({
  name: "counts a fill twice",
  mistake: "After a restart, the program counts fills again that it had already counted.",
  within: 50,
  broken,
  repaired,
  invariants: [Invariant.ledgerMatches()],
  during: "7 seconds",
  calm: "90 seconds",
  possible: { ...Possibilities.of("Kill", "KillAtCall"), most: 3 }
})
