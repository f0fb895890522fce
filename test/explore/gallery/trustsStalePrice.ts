import { Decimal, Identifiers, LastPriceChannel, MarketSummary, StockMarketOrders } from "effect-txc"
import { Invariant, type Moment, Possibilities } from "effect-txc/explore"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { exceeds } from "./exact.ts"
import { exhibit } from "./exhibit.ts"

const market = Identifiers.marketName("BTC_USDT")
const stop = Decimal.price("39000")
const amount = Decimal.amount("0.5")

/** The prices that the exchange pushes. */
const pushed = Stream.unwrap(
  LastPriceChannel.LastPriceChannel.useSync(({ stream }) =>
    Stream.map(
      stream({ market }),
      (item) => item._tag === "Event" ? item.event.price : item._tag === "Snapshot" ? item.state.price : stop
    )
  )
)

/** The prices that the program reads with a call every five seconds. */
const asked = Stream.fromEffectRepeat(
  Effect.delay(Effect.map(MarketSummary.MarketSummary.use(({ get }) => get(market)), ({ last }) => last), "5 seconds")
)

/** Sells once the price has fallen below the stop. */
const sellBelow = <E, R>(prices: Stream.Stream<Decimal.Decimal, E, R>) =>
  Effect.gen(function*() {
    const { create } = yield* StockMarketOrders.StockMarketOrders
    yield* Stream.runHead(Stream.filter(prices, (price) => exceeds(stop, price)))
    yield* create({ market, side: "sell", amount })
  })

const isBelow = ({ markets }: Moment): boolean =>
  markets.some(({ market: name, price = stop }) => name === market && exceeds(stop, price))

export const trustsStalePrice = exhibit({
  name: "trusts a stale price",
  mistake: "The program treats a silent stream as an unchanged price.",
  within: 1000,
  broken: sellBelow(pushed),
  repaired: sellBelow(Stream.merge(pushed, asked)),
  invariants: [
    Invariant.eventually("the program sells within ten seconds once the price is below 39000", {
      when: isBelow,
      holds: (moment) => moment.fills.length > 0 || !isBelow(moment) || "it has not sold",
      within: "10 seconds"
    })
  ],
  during: "15 seconds",
  calm: "15 seconds",
  possible: { ...Possibilities.of("Fault", "Price"), symptoms: ["Cut", "Lose", "Stale", "Stall"] }
})
