/** Rules about candles over a WebSocket. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Kinds from "../world/Kinds.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import * as Paths from "../world/Paths.ts"
import * as StreamMarkets from "../world/StreamMarkets.ts"
import * as Streams from "../world/Streams.ts"
import type { Market, World } from "../world/World.ts"

const { always, forEach } = Streams.documented("Kline")

/** The intervals of the call for candles, keyed by their length in seconds. */
const intervals = { 60: "1m", 3600: "1h" } as const

/** A row: time, open, close, high, low, both volumes, and the market. */
const kinds = [Kinds.seconds, ...Array.from({ length: 6 }, () => Kinds.decimal), Kinds.market]

const rowsOf = (value: unknown): ReadonlyArray<ReadonlyArray<unknown>> => Streams.listOf(value).map(Streams.listOf)

/** Returns the candles of the HTTP call, oldest first, with the market, as rows in the stream's format. */
const listed = Effect.fnUntraced(function*(
  world: World,
  { name }: Market,
  seconds: keyof typeof intervals,
  more: LivePublicCalls.Query = {}
) {
  const query = { market: name, interval: intervals[seconds], ...more }
  const { value } = yield* LivePublicCalls.results(world, Paths.candles, query)
  return rowsOf(value).map((row) => [...row, name]).toSorted((one, other) => Number(one[0]) - Number(other[0]))
})

const hour = 3_600_000

/** Advances to ten minutes after the next full hour, so that the next one-minute candles do not start on the hour. */
const betweenHours = (world: World) =>
  Effect.flatMap(world.now, (now) => world.advance(Math.ceil(hour - now % hour) + 600_000))

/** Makes trades that give a candle four different prices. */
const trade = Effect.fnUntraced(function*(world: World, market: Market) {
  for (const percent of [1, 2, -1, 0.5]) {
    yield* StreamMarkets.trade(world, market, percent, { side: percent > 0 ? "buy" : "sell" })
  }
})

export const rules: ReadonlyArray<Rule.Rule> = [
  forEach("streams.candles.request", {
    statement:
      "Responds to the request for candles with rows of time, open, close, high, low and volumes, as in the HTTP call",
    profile: "read-only",
    values: [60, 3600] as const,
    check: Effect.fnUntraced(function*(world, seconds) {
      const market = yield* world.market
      if (world.profile === "control") {
        yield* trade(world, market)
        // It is not documented whether a candle that begins exactly at the end is included.
        yield* world.advance(2000)
      }
      const now = Math.floor((yield* world.now) / 1000)
      const [start, end] = [now - 10 * seconds, now]
      const connection = yield* world.connection
      const asked = [market.name, start, end, seconds]
      const { reply, result } = yield* Streams.ask(connection, "candles_request", ...asked)
      for (const row of rowsOf(result)) yield* Streams.hasKinds("a row", row, kinds)
      yield* Streams.expect(
        reply,
        "open and close between low and high",
        Array.isArray(result) &&
          rowsOf(result).every(([, open, close, high, low]) =>
            [open, close].every((price) => Number(low) <= Number(price) && Number(price) <= Number(high))
          )
      )
      if (world.profile !== "control") return
      const expected = (yield* listed(world, market, seconds, { start, end })).filter((row) => Number(row[5]) > 0)
      const rows = rowsOf(result).filter((row) => Number(row[5]) > 0)
        .toSorted((one, other) => Number(one[0]) - Number(other[0]))
      yield* Streams.expect(
        reply,
        `the candles ${Json.stringify(expected.slice(-2))}`,
        expected.length > 0 && rows.length === expected.length &&
          rows.every((row, at) => Streams.areEqual(row, expected[at] ?? []))
      )
    })
  }),
  always("streams.candles.range", {
    statement: "Responds to the request for candles with only the candles from start to end",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const times: Array<number> = []
      // Earlier trades on the market must not lie in the first range.
      yield* world.advance(10 * 60_000)
      for (const percent of [1, -1, 2]) {
        yield* StreamMarkets.trade(world, market, percent)
        times.push((yield* world.now) / 1000)
        yield* world.advance(10 * 60_000)
      }
      for (const time of times) {
        // A candle that begins exactly at `start` or `end` may be included or left out.
        const [start, end] = [Math.floor(time) - 150, Math.floor(time) + 150]
        const { reply, result } = yield* Streams.ask(
          yield* world.connection,
          "candles_request",
          market.name,
          start,
          end,
          60
        )
        const found = rowsOf(result).map(([at]) => Number(at))
        const traded = rowsOf(result).filter((row) => Number(row[5]) > 0)
        yield* Streams.expect(
          reply,
          `one candle with a trade, and no times outside ${start} to ${end}`,
          traded.length === 1 && found.every((at) => at >= start - 60 && at <= end)
        )
      }
      const [first = 0, last = 0] = [times[0], times.at(-1)].map(Number)
      const range = [Math.floor(first) - 150, Math.floor(last) + 150]
      const { reply, result } = yield* Streams.ask(
        yield* world.connection,
        "candles_request",
        market.name,
        ...range,
        60
      )
      const traded = rowsOf(result).filter((row) => Number(row[5]) > 0)
      yield* Streams.expect(
        reply,
        `${times.length} candles with trades, each once`,
        traded.length === times.length && new Set(traded.map(([at]) => at)).size === times.length
      )
    })
  }),
  always("streams.candles.replaces", {
    statement: "Replaces a candle subscription's interval with that of the connection's next subscription",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      yield* betweenHours(world)
      const connection = yield* world.connect
      yield* Streams.subscribe(connection, "candles", market.name, 60)
      yield* Streams.linger(connection)
      const listening = yield* Streams.subscribe(connection, "candles", market.name, 3600)
      yield* StreamMarkets.trade(world, market, 1)
      yield* Streams.pass(world)
      yield* Streams.seesOne(
        listening,
        "an hour's candle",
        (params) => rowsOf(params).some(([time]) => Number(time) % 3600 === 0) ? true : undefined
      )
      yield* Streams.linger(connection)
      yield* Streams.hasNone(
        listening,
        "about a minute",
        (params) => rowsOf(params).some(([time]) => Number(time) % 3600 !== 0)
      )
    })
  }),
  forEach("streams.candles.pushed", {
    statement: "Pushes the current candle after trades, as the call for candles shows it",
    values: [60, 3600] as const,
    check: Effect.fnUntraced(function*(world, seconds) {
      const market = yield* world.market
      yield* betweenHours(world)
      const listening = yield* Streams.subscribe(yield* world.connect, "candles", market.name, seconds)
      const agrees = Streams.settles(
        listening.connection,
        "the latest candle of the call for candles",
        Effect.gen(function*() {
          const expected = (yield* listed(world, market, seconds)).findLast((row) => Number(row[5]) > 0) ?? []
          const rows = Streams.pushed(listening).flatMap(rowsOf)
          const row = rows.findLast(([time]) => time === expected[0])
          return {
            holds: row !== undefined && Streams.areEqual(row, expected),
            got: { pushed: row ?? "none", expected }
          }
        })
      )
      // Later messages must be correct, too, so this is done twice.
      for (let count = 0; count < 2; count++) {
        yield* trade(world, market)
        yield* Streams.pass(world)
        yield* agrees
      }
      const rows = Streams.pushed(listening).flatMap(rowsOf)
      for (const row of rows) yield* Streams.hasKinds("a row", row, kinds)
      yield* Verdict.conclude(
        "only candles of the market and the interval",
        rows,
        rows.every((row) => row[7] === market.name && Number(row[0]) % seconds === 0)
      )
    })
  })
]
