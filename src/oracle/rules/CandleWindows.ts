/** Rules about the lengths of candles, and about the time that they cover by default, which only the live exchange's documentation describes. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import * as LongTime from "../world/LongTime.ts"
import { priceText } from "../world/Markets.ts"
import * as Paths from "../world/Paths.ts"
import * as Trading from "../world/Trading.ts"
import type { Market, World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

/** Returns the times of a market's candles. */
const timesOf = Effect.fnUntraced(function*(world: World, query: LivePublicCalls.Query) {
  const { name } = yield* world.market
  const { answer, value } = yield* LivePublicCalls.results(world, Paths.candles, { market: name, ...query })
  return { answer, times: value.filter(Array.isArray).map((row: ReadonlyArray<unknown>) => Number(row[0])) }
})

const seconds = (world: World) => Effect.map(world.now, (now) => Math.floor(now / 1000))

/**
 * Intervals with their length, and with an age of a candle that is surely inside the default window and one that is the
 * longest window, in seconds. A candle may begin up to one interval before its trade, and months differ in length.
 */
const windows = [
  ["1s", 1, 598, 600],
  ["1m", 60, 86_280, 86_400],
  ["1h", 3600, 597_600, 604_800],
  ["1d", 86_400, 20 * 86_400, 31 * 86_400],
  ["1w", 604_800, 20 * 86_400, 31 * 86_400],
  ["1M", 31 * 86_400, 300 * 86_400, 366 * 86_400]
] as const

/** Every interval of a fixed length, with its length in seconds. */
const lengths = [
  ["1s", 1],
  ["10s", 10],
  ["30s", 30],
  ["1m", 60],
  ["3m", 180],
  ["5m", 300],
  ["15m", 900],
  ["30m", 1800],
  ["1h", 3600],
  ["2h", 7200],
  ["4h", 14_400],
  ["6h", 21_600],
  ["8h", 28_800],
  ["12h", 43_200],
  ["1d", 86_400],
  ["3d", 259_200],
  ["1w", 604_800]
] as const

/**
 * The number of trades, each half an interval after the one before. They fall into exactly three intervals, whenever an
 * interval begins. With intervals half as long they would fall into five, and with intervals twice as long into two.
 */
const halves = 5

/** Trades half an interval apart, and expects that the candles of this interval show these trades. */
const inIntervals = Effect.fnUntraced(function*(
  world: World,
  market: Market,
  [interval, length]: (typeof lengths)[number]
) {
  // Two intervals without trades.
  yield* LongTime.advance(world, 2 * length * 1000)
  // A key that was idle for that long may be deactivated, so each interval has its own accounts.
  const [maker, taker] = [yield* world.open(), yield* world.open()]
  const order = { market: market.name, amount: "0.01", price: priceText(market, market.price) }
  const first = yield* seconds(world)
  for (let index = 0; index < halves; index++) {
    if (index > 0) yield* world.advance(length * 500)
    yield* Trading.placeOther(world, maker, { ...order, side: "sell" })
    yield* Trading.placeOther(world, taker, { ...order, side: "buy" })
  }
  const query = { market: market.name, interval, limit: 1440 }
  const { answer, value } = yield* LivePublicCalls.results(world, Paths.candles, query)
  const candles = value.filter(Array.isArray).map((row: ReadonlyArray<unknown>) => row.map(Number))
    .filter(([time = 0, , , , , volume = 0]) => time > first - length && volume > 0)
    .toSorted(([one = 0], [other = 0]) => one - other)
  const volume = candles.reduce((sum, [, , , , , volume = 0]) => sum + volume, 0)
  yield* Verdict.expect(
    answer,
    `three candles since ${first}, ${length} seconds apart, with a volume of ${halves / 100} in all`,
    candles.length === 3 && Math.abs(volume - halves / 100) < 1e-9 &&
      candles.every(([time = 0], index) => index === 0 || time - (candles[index - 1]?.[0] ?? 0) === length)
  )
})

export const rules: ReadonlyArray<Rule.Rule> = [
  always("candles.lengths", {
    statement: "Shows one candle for the trades of each interval, and candles that are whole intervals apart",
    check: (world) =>
      world.whileFrozen(Effect.gen(function*() {
        const market = yield* world.market
        for (const one of lengths) yield* inIntervals(world, market, one)
      }))
  }),
  forEach("candles.windows", {
    statement: "Lists by default the candles of the last ten minutes for seconds, a day for minutes, a week for hours, "
      + "a month for days and weeks, a year for months",
    values: windows,
    check: (world, [interval, length, inside, window]) =>
      world.whileFrozen(Effect.gen(function*() {
        yield* Trading.take(world, "0.01")
        const at = yield* seconds(world)
        yield* LongTime.advance(world, inside * 1000)
        yield* Trading.take(world, "0.01")
        const whole = yield* timesOf(world, { interval })
        // A candle may show the time of its end.
        const isThere = whole.times.some((time) => Math.abs(time - at) <= length)
        yield* Verdict.expect(whole.answer, `a candle at ${at}, within the last ${window} seconds`, isThere)
        yield* LongTime.advance(world, (window - inside + 2 * length) * 1000)
        // The default window may begin after the candle of the second trade.
        yield* Trading.take(world, "0.01")
        const earliest = (yield* seconds(world)) - window - length
        const { answer, times } = yield* timesOf(world, { interval })
        yield* Verdict.expect(
          answer,
          `candles, none of them before ${earliest}`,
          times.length > 0 && times.every((time) => time >= earliest)
        )
      }))
  }),
  always("candles.derived", {
    statement: "Derives the start of candles from end, limit and interval if the call has a limit but no start",
    check: (world) =>
      world.whileFrozen(Effect.gen(function*() {
        // Ensures that no other trade falls into the same seconds.
        yield* world.advance(10_000)
        yield* Trading.take(world, "0.01")
        const end = (yield* seconds(world)) + 2
        yield* world.advance(30_000)
        yield* Trading.take(world, "0.01")
        const now = yield* seconds(world)
        for (const [query, last] of [[{}, now], [{ end }, end]] as const) {
          const { answer, times } = yield* timesOf(world, { interval: "1s", limit: 5, ...query })
          yield* Verdict.expect(
            answer,
            `candles from ${last - 5} to ${last} for ${Json.stringify(query)}`,
            times.length > 0 && times.every((time) => time >= last - 6 && time <= last + 1)
          )
        }
      }))
  }),
  always("candles.future", {
    statement: "Refuses candles with an end in the future: HTTP 200, success false, and a message that names end",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const { name } = yield* world.market
      const end = (yield* seconds(world)) + 86_400
      yield* LivePublicCalls.refusesV1(world, Paths.candles, { market: name, interval: "1h", end }, "end")
    })
  })
]
