import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { marketName } from "../../src/domain/Identifiers.ts"
import { MarketSummaries } from "../../src/endpoints/MarketSummaries.ts"
import { MarketSummary } from "../../src/endpoints/MarketSummary.ts"
import { Tickers } from "../../src/endpoints/Tickers.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import {
  asBob,
  btcUsdt,
  dialects,
  ethUsdt,
  failsWith,
  limit,
  price,
  rawPublic,
  same,
  traders
} from "../support/trading.ts"

const move = (to: string) => Control.use((control) => control.movePrice({ market: btcUsdt, price: price(to) }))

const summary = MarketSummary.use((summary) => summary.get(btcUsdt))

/** Reads the market's volumes, which must be the same in all three calls. */
const volumes = Effect.gen(function*() {
  const one = yield* summary
  const ofAll = (yield* MarketSummaries.use(({ all }) => all)).get(btcUsdt)
  const ticker = (yield* Tickers.use(({ all }) => all)).get(btcUsdt)
  same([ofAll?.volume, ofAll?.total, ofAll?.change], [one.volume, one.total, one.change])
  same([ticker?.baseVolume, ticker?.quoteVolume, ticker?.change], [one.volume, one.total, one.change])
  return [one.volume, one.total]
})

describe.each(dialects)("market summaries in the $name dialect", (dialect) => {
  it.effect("24-hour statistics include every trade and price move, with a precision of one second", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_900_000_000_500)
      yield* limit("sell", "1", "1000")
      yield* asBob(limit("buy", "1", "1000"))
      yield* TestClock.adjust("1 hour")
      yield* move("1050")
      yield* move("900")
      yield* TestClock.adjust("1 hour")
      yield* limit("sell", "2", "1020")
      yield* asBob(limit("buy", "0.5", "1020"))
      yield* limit("buy", "1", "1010")
      const all = {
        open: "1000",
        bid: "1010",
        ask: "1020",
        low: "900",
        high: "1050",
        last: "1020",
        volume: "1.5",
        total: "1510",
        change: "2"
      }
      same(yield* summary, all)
      const { open: _, ...rest } = all
      same((yield* MarketSummaries.use(({ all }) => all)).get(btcUsdt), { ...rest, at: 1_900_007_200 })
      same(yield* volumes, ["1.5", "1510"])

      yield* TestClock.setTime(1_900_086_399_999)
      same(yield* volumes, ["1.5", "1510"])
      // The first trade is now more than a day old.
      yield* TestClock.setTime(1_900_086_400_000)
      same(yield* volumes, ["0.5", "510"])
      const { change, high, low, open } = yield* summary
      same([open, low, high, change], ["1050", "900", "1050", "-2.85"])
      yield* TestClock.adjust("1 day")
      same(yield* summary, {
        ...all,
        open: "1020",
        low: "1020",
        high: "1020",
        volume: "0",
        total: "0",
        change: "0"
      })
    }).pipe(Effect.provide(traders(dialect))))

  it.effect("the summary of a market without trades has only zeros", () =>
    Effect.gen(function*() {
      const none = yield* MarketSummary.use((summary) => summary.get(ethUsdt))
      same([...new Set(Object.values(none))], ["0"])
    }).pipe(Effect.provide(traders(dialect))))

  it.effect("a request for the summary of an unknown market is refused with the dialect's message", () =>
    Effect.gen(function*() {
      const document = dialect === Dialect.document
      const refused = failsWith("PublicRequestRejected")
      const error = yield* MarketSummary.use((summary) => refused(summary.get(marketName("NO_SUCH"))))
      same(
        [error.status, error.reason],
        document
          ? [400, "Validation failed"]
          : [200, "market: Market is not available."]
      )
      same(
        yield* rawPublic("/api/v1/public/ticker"),
        document
          ? {
            status: 400,
            body: { success: false, message: "Validation failed", params: ["Market field is required."] }
          }
          : { status: 200, body: { success: false, message: { market: ["Market field is required."] }, result: null } }
      )
    }).pipe(Effect.provide(traders(dialect))))
})
