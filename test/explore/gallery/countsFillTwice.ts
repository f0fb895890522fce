import { DealsChannel, Decimal, Identifiers, StockMarketOrders, TradeBalance } from "effect-txc"
import { Explore, Invariant, Possibilities } from "effect-txc/explore"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { minus, plus } from "./exact.ts"
import { exhibit } from "./exhibit.ts"

const market = Identifiers.marketName("BTC_USDT")
const btc = Identifiers.ticker("BTC")

/** It buys ten times, and keeps a ledger of the deals that it is told of. `isNew` says whether to count a deal. */
const trade = (isNew: (deal: DealsChannel.Deal) => boolean) =>
  Effect.gen(function*() {
    const { stream } = yield* DealsChannel.DealsChannel
    const { create } = yield* StockMarketOrders.StockMarketOrders
    const { of } = yield* TradeBalance.TradeBalance
    let held = (yield* of(btc)).available
    const count = Effect.fnUntraced(function*(deals: ReadonlyArray<DealsChannel.Deal>) {
      for (const deal of deals.filter(isNew)) {
        held = minus(plus(held, deal.amount), deal.feeAsset === btc ? deal.fee : Decimal.zero)
      }
      yield* Explore.say("ledger", { BTC: held })
    })
    const listen = stream({ market }).pipe(
      // After an interruption it subscribes again, to be safe.
      Stream.takeUntil(({ _tag }) => _tag === "Interrupted"),
      Stream.runForEach((item) =>
        item._tag === "Event" ? count([item.event]) : item._tag === "Snapshot" ? count(item.state) : Effect.void
      )
    )
    const buy = Effect.delay(create({ market, side: "buy", amount: Decimal.amount("0.01") }), "3 seconds")
    yield* Effect.all([Effect.forever(listen), Effect.repeat(buy, { times: 9 })], { concurrency: "unbounded" })
  })

/** After a reconnection the first item has all latest deals, those that it has counted among them. */
const broken = trade(() => true)

/** It remembers which deals it has counted. */
const repaired = Effect.suspend(() => {
  const counted = new Set<string>()
  return trade(({ tradeId }) => !counted.has(tradeId) && counted.add(tradeId).has(tradeId))
})

export const countsFillTwice = exhibit({
  name: "counts a fill twice",
  mistake: "After a reconnection it counts again the fills that it had counted before.",
  within: 100,
  broken,
  repaired,
  invariants: [Invariant.ledgerMatches()],
  during: "30 seconds",
  // Time to connect again after several attempts that failed.
  calm: "1 minute",
  possible: { ...Possibilities.of("Fault"), symptoms: ["Cut", "Duplicate"] }
})
