import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { marketName } from "../../src/domain/Identifiers.ts"
import { UnixSeconds } from "../../src/domain/Time.ts"
import * as Candles from "../../src/endpoints/Candles.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { Control, make as makeControl } from "../../src/sandbox/control/Control.ts"
import * as Venue from "../../src/sandbox/venue/Venue.ts"
import { scratchFile } from "../support/files.ts"
import { asBob, btcUsdt, dialects, failsWith, limit, price, rawPublic, same, traders } from "../support/trading.ts"

/** A Wednesday, 2030-03-20T12:00:00Z. */
const start = 1_900_238_400

/** The length in seconds of every interval with a fixed length. */
const seconds: { readonly [K in Exclude<Candles.Interval, "1w" | "1M">]: number } = {
  "1s": 1,
  "10s": 10,
  "30s": 30,
  "1m": 60,
  "3m": 180,
  "5m": 300,
  "15m": 900,
  "30m": 1800,
  "1h": 3600,
  "2h": 7200,
  "4h": 14_400,
  "6h": 21_600,
  "8h": 28_800,
  "12h": 43_200,
  "1d": 86_400,
  "3d": 259_200
}

/** The Monday before `start`, and the first day of the same month. */
const [monday, first] = [start - 2.5 * 86_400, start - 19.5 * 86_400]

/** Returns the start of the interval that contains a time in `story`. */
const beginningOf = (interval: Candles.Interval, at: number): number => {
  if (interval === "1w") return monday
  return interval === "1M" ? first : Math.floor(at / seconds[interval]) * seconds[interval]
}

/**
 * A day and a half of trades and price moves. Each entry has the seconds since the previous entry, the price, and the
 * traded amount.
 */
const story = [
  [0, "1000", "0"],
  [0, "1001", "0.5"],
  [7, "990", "0"],
  [55, "995", "1"],
  [1, "1003", "0.25"],
  [600, "1010", "0"],
  [4000, "1005", "0.125"],
  [30_000, "1020", "0.1"],
  [60_000, "980", "0"],
  [40_000, "985", "1.5"]
] as const

/** The time at which `story` ends. */
const end = story.reduce((sum, [wait]) => sum + wait, start)

/** Moves the price, or makes Alice sell to Bob at that price. */
const happen = Effect.fnUntraced(function*([wait, at, amount]: (typeof story)[number]) {
  yield* TestClock.adjust(`${wait} seconds`)
  if (amount === "0") return yield* Control.use((control) => control.movePrice({ market: btcUsdt, price: price(at) }))
  yield* limit("sell", amount, at)
  yield* asBob(limit("buy", amount, at))
})

/** Computes an interval's expected candles from the entire `story`. */
const scanned = (interval: Candles.Interval) => {
  let now = start
  const seen = story.map(([wait, at, amount]) => ({ time: now += wait, price: Number(at), amount: Number(amount) }))
  return [...Map.groupBy(seen, ({ time }) => beginningOf(interval, time))].map(([time, all]) => {
    const prices = all.map(({ price }) => price)
    return [
      time,
      prices[0],
      prices.at(-1),
      Math.max(...prices),
      Math.min(...prices),
      all.reduce((sum, { amount }) => sum + amount, 0),
      all.reduce((sum, { amount, price }) => sum + amount * price, 0)
    ]
  })
}

const list = (options?: Candles.Options) => Candles.Candles.use((candles) => candles.list(btcUsdt, options))

const times = (options?: Candles.Options) => Effect.map(list(options), (found) => found.map(({ time }) => time))

const at = (second: number) => UnixSeconds.make(second)

describe.each(dialects)("candles in the $name dialect", (dialect) => {
  it.effect("the candles of every interval match the trades and price moves", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start * 1000)
      for (const step of story) yield* happen(step)
      for (const interval of Candles.intervals) {
        const found = yield* list({ interval, start: at(start - 40 * 86_400) })
        // Candles go back at most 1440 intervals.
        const reach = interval === "1w" || interval === "1M" ? start : Candles.maxCandles * seconds[interval]
        const expected = scanned(interval).filter(([time = 0]) => time > end - reach)
        const rows = found.map(({ close, high, low, open, time, total, volume }) =>
          [time, open, close, high, low, volume, total].map(Number)
        )
        assert.isNotEmpty(expected)
        assert.deepStrictEqual(rows, expected, interval)
      }
    }).pipe(Effect.provide(traders(dialect))))

  it.effect("the range of candles depends on the interval and `limit`, or on `start` and `end`", () =>
    Effect.gen(function*() {
      // `start` is on the hour, so every interval of up to an hour begins at this time.
      yield* TestClock.setTime((start - 10 * 86_400) * 1000)
      const move = (to: string) => Control.use((control) => control.movePrice({ market: btcUsdt, price: price(to) }))
      yield* move("1000")
      yield* TestClock.setTime((start - 3600) * 1000)
      yield* move("1001")
      yield* TestClock.setTime((start - 300) * 1000)
      yield* move("1002")
      yield* TestClock.setTime(start * 1000)
      yield* move("1003")
      same(yield* times(), [start - 3600, start])
      same(yield* times({ interval: "1m" }), [start - 3600, start - 300, start])
      same(yield* times({ interval: "10s" }), [start - 300, start])
      same((yield* times({ interval: "1d" })).length, 2)
      same(yield* times({ limit: 1 }), [start])
      same(yield* times({ limit: 241 }), [start - 10 * 86_400, start - 3600, start])
      same(yield* times({ limit: 240 }), [start - 3600, start])
      same(yield* times({ interval: "1m", limit: 5 }), [start])
      same(yield* times({ interval: "1m", limit: 6 }), [start - 300, start])
      same(yield* times({ interval: "1m", end: at(start), limit: 5 }), [start - 300])
      same(yield* times({ interval: "1m", start: at(start - 300), end: at(start) }), [start - 300])
      same(yield* times({ interval: "1m", start: at(start - 299) }), [start])
      same(yield* times({ interval: "1h", start: at(start - 11 * 86_400), end: at(start - 9 * 86_400) }), [
        start - 10 * 86_400
      ])
    }).pipe(Effect.provide(traders(dialect))))

  it.effect("a request for candles of an unknown market or in the future is refused with the dialect's message", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start * 1000)
      const refused = failsWith("PublicRequestRejected")
      const document = dialect === Dialect.document
      const status = document ? 400 : 200
      const error = yield* Candles.Candles.use((candles) => refused(candles.list(marketName("NO_SUCH"))))
      same([error.status, error.reason, error.params], [
        status,
        document ? "Validation failed" : "market: Market is not available.",
        document ? ["Market is not available."] : []
      ])
      const early = yield* refused(list({ end: at(start + 1) }))
      assert.include(JSON.stringify(early), `End should not be greater than ${start}.`)
      assert.include(JSON.stringify(yield* refused(list({ start: at(start + 1) }))), "Start should not be greater than")
      yield* list({ start: at(start - 1), end: at(start) })
      const message = { end: ["End field must be greater then start."] }
      same(yield* rawPublic("/api/v1/public/kline", "market=BTC_USDT&start=5&end=5"), {
        status,
        body: document
          ? { success: false, message: "Validation failed", params: message.end }
          : { success: false, message, result: null }
      })
      same(yield* rawPublic("/api/v1/public/kline", "market=BTC_USDT"), {
        status: 200,
        body: { success: true, message: null, result: [] }
      })
    }).pipe(Effect.provide(traders(dialect))))
})

it.live("candles survive a restart, a fork and a replay, and restoring a snapshot restores its candles", () =>
  Effect.gen(function*() {
    const file = yield* scratchFile
    const open = Effect.fnUntraced(function*() {
      const scope = yield* Scope.make()
      const venue = yield* Scope.provide(Venue.make({ dialect: Dialect.live, file }), scope)
      return { venue, control: makeControl(venue), close: Scope.close(scope, Exit.void) }
    })
    const shown = (venue: Venue.Venue["Service"], interval: string) =>
      Effect.map(
        venue.handle({
          method: "GET",
          path: "/api/v1/public/kline",
          query: `market=BTC_USDT&interval=${interval}&start=0`,
          headers: {},
          body: new Uint8Array(),
          from: "test"
        }),
        (answer) => answer._tag === "Answer" ? answer.body : assert.fail(answer._tag)
      )
    const all = (venue: Venue.Venue["Service"]) => Effect.forEach(["1s", "1m", "1h", "1d"], (of) => shown(venue, of))

    const first = yield* open()
    yield* first.control.setClock({ at: start * 1e6 })
    const move = (to: string) => first.control.movePrice({ market: btcUsdt, price: price(to) })
    for (const to of ["1000", "1010", "990"]) {
      yield* move(to)
      yield* first.control.advanceClock({ millis: 61_000 })
    }
    const early = yield* all(first.venue)
    assert.include(early[0], `[${start},"1000"`)
    const sequence = first.venue.sequence()
    yield* move("2000")
    const late = yield* all(first.venue)
    assert.notDeepEqual(late, early)
    assert.deepStrictEqual(yield* Effect.scoped(Effect.flatMap(first.control.fork(), all)), late)
    yield* first.close

    const second = yield* open()
    assert.deepStrictEqual(yield* all(second.venue), late)
    yield* second.control.restore(sequence)
    assert.deepStrictEqual(yield* all(second.venue), early)
    yield* second.close

    const third = yield* open()
    assert.deepStrictEqual(yield* all(third.venue), early)
    yield* third.close
  }).pipe(Effect.scoped))
