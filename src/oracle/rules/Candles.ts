/** Rules about candles, which only the live exchange's documentation describes. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import { basePrice, priceText } from "../world/Markets.ts"
import * as Paths from "../world/Paths.ts"
import * as Trading from "../world/Trading.ts"
import type { World } from "../world/World.ts"

/** The length, in seconds, of each interval whose candles begin at multiples of that length in Unix time. */
const lengths = {
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
  "1d": 86_400
} as const

/** Returns the length of an interval in seconds. For a month, this is the longest possible length. */
const lengthOf = (interval: string): number =>
  interval in lengths
    ? lengths[interval as keyof typeof lengths]
    : { "3d": 259_200, "1w": 604_800 }[interval] ?? 2_678_400

/** Every interval that the live exchange's documentation lists. */
const intervals: ReadonlyArray<string> = [...Object.keys(lengths), "3d", "1w", "1M"]

/** A candle, decoded from the columns of its row. */
interface Candle {
  readonly at: number
  readonly open: number
  readonly close: number
  readonly high: number
  readonly low: number
  readonly volume: number
  readonly total: number
}

const decimal = /^(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/u

const isRow = (row: unknown): row is ReadonlyArray<unknown> =>
  Array.isArray(row) && row.length === 7 && Number.isSafeInteger(row[0]) &&
  row.slice(1).every((part) => typeof part === "string" && decimal.test(part))

const toCandle = (row: ReadonlyArray<unknown>): Candle => {
  const [at = 0, open = 0, close = 0, high = 0, low = 0, volume = 0, total = 0] = row.map(Number)
  return { at, open, close, high, low, volume, total }
}

/**
 * Returns a market's candles, by default those of `world.market`. Each must be a row of a time and six decimals.
 */
const candles = Effect.fnUntraced(function*(world: World, query: LivePublicCalls.Query = {}, market?: string) {
  const name = market ?? (yield* world.market).name
  const { answer, value } = yield* LivePublicCalls.results(world, Paths.candles, { market: name, ...query })
  yield* Verdict.expect(answer, "rows of a time and six decimals in strings", value.every(isRow))
  return { answer, name, found: value.filter(isRow).map(toCandle) }
})

/** Makes two sandbox accounts trade with each other. Returns the trade's amount and price. */
const traded = Effect.fnUntraced(function*(world: World) {
  const { price } = yield* Trading.take(world, "0.01")
  return { amount: 0.01, price: Number(price) }
})

/** Returns the candle with the latest time, because the documentation does not say how candles are sorted. */
const latest = (found: ReadonlyArray<Candle>): Candle | undefined =>
  found.toSorted((one, other) => one.at - other.at).at(-1)

const fits = ({ close, high, low, open }: Candle): boolean =>
  [open, close].every((price) => low <= price && price <= high)

const isClose = (one: number, other: number): boolean => Math.abs(one - other) < 1e-9

/** Invalid queries for candles, each with the field that is wrong. */
const wrong: ReadonlyArray<readonly [field: string, query: LivePublicCalls.Query]> = [
  ["market", { market: LivePublicCalls.noMarket }],
  ["interval", { interval: "7m" }],
  ["limit", { limit: 0 }],
  ["limit", { limit: 1441 }],
  ["limit", { limit: "ten" }],
  ["start", { start: -1 }],
  ["start", { start: "today" }],
  ["end", { end: "now" }],
  ["limit", { limit: -1 }],
  ["end", { start: 1_700_000_000, end: 1_600_000_000 }]
]

export const rules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("candles.rows", {
    statement: "Lists candles of every interval, in order, as rows of time, open, close, high, low, volume and total",
    level: "SHOULD",
    profile: "read-only",
    values: intervals,
    check: Effect.fnUntraced(function*(world, interval) {
      const { answer, found } = yield* candles(world, { interval })
      const isInOrder = found.every(({ at }, index) => index === 0 || at > (found[index - 1]?.at ?? 0))
      yield* Verdict.expect(answer, "candles in order of time", isInOrder)
      yield* Verdict.expect(answer, "open and close between low and high", found.every(fits))
    })
  }),
  LiveCalls.section.forEach("candles.bounds", {
    statement: "Shows in every candle an open and a close between low and high, and a time that is not in the future",
    profile: "read-only",
    values: intervals,
    check: Effect.fnUntraced(function*(world, interval) {
      if (world.profile === "control") yield* traded(world)
      const { answer, found } = yield* candles(world, { interval })
      const now = (yield* world.now) / 1000
      yield* Verdict.expect(answer, "open and close between low and high", found.every(fits))
      // A candle may show the time of its end, which is up to one interval in the future.
      const longest = 31 * 86_400
      yield* Verdict.expect(
        answer,
        `times in seconds, none after ${Math.ceil(now)}`,
        found.every(({ at }) => at < now + Math.min(longest, lengthOf(interval)) + 60) &&
          (world.profile !== "control" || now - (latest(found)?.at ?? 0) < lengthOf(interval) + 60)
      )
    })
  }),
  LiveCalls.section.forEach("candles.times", {
    statement: "Starts each candle at a multiple of its interval",
    level: "SHOULD",
    values: Object.keys(lengths) as ReadonlyArray<keyof typeof lengths>,
    check: Effect.fnUntraced(function*(world, interval) {
      yield* traded(world)
      const { answer, found } = yield* candles(world, { interval })
      yield* Verdict.expect(
        answer,
        `at least one candle, each at a multiple of ${lengths[interval]} seconds`,
        found.length > 0 && found.every(({ at }) => at % lengths[interval] === 0)
      )
    })
  }),
  LiveCalls.section.forEach("candles.trades", {
    statement: "Counts a trade in one candle of each interval, with its amount, price and total",
    values: intervals,
    check: (world, interval) =>
      world.whileFrozen(Effect.gen(function*() {
        // Ensures that no other trade falls into the same second.
        yield* world.advance(2000)
        const before = yield* candles(world, { interval, limit: 1440 })
        const { amount, price } = yield* traded(world)
        const { answer, found } = yield* candles(world, { interval, limit: 1440 })
        const sum = (of: "volume" | "total") =>
          found.reduce((all, candle) => all + candle[of], 0) - before.found.reduce((all, candle) => all + candle[of], 0)
        const last = latest(found)
        yield* Verdict.expect(
          answer,
          `a volume ${amount} higher, a total ${amount * price} higher, and a close at ${price}`,
          isClose(sum("volume"), amount) && isClose(sum("total"), amount * price) && last !== undefined &&
            last.close === price && last.high >= price && last.low <= price
        )
      }))
  }),
  LiveCalls.section.forEach("candles.prices", {
    statement: "Shows the first, highest, lowest and last price of an interval's trades, and the sums of their amounts",
    values: ["1s", "1m", "5m", "1h", "4h", "1d"] as const,
    check: (world, interval) =>
      world.whileFrozen(Effect.gen(function*() {
        const length = lengths[interval]
        // Advances to the start of an interval, so that it contains these trades and no others.
        yield* world.advance(Math.ceil(length * 1000 - (yield* world.now) % (length * 1000)))
        const market = yield* world.market
        const prices = [0.2, 0.9, -0.8, 0.4].map((percent) => priceText(market, basePrice * (1 + percent / 100)))
        for (const price of prices) yield* Trading.tradeAt(world, market, price)
        const { answer, found } = yield* candles(world, { interval }, market.name)
        const [open = 0, high = 0, low = 0, close = 0] = prices.map(Number)
        const last = latest(found)
        // The candle may open at the last price before the interval.
        yield* Verdict.expect(
          answer,
          `a last candle ${Json.stringify({ open, high, low, close, volume: 0.04 })}, with the total of all trades`,
          last !== undefined && (last.open === open || last.open === basePrice) && last.high === high &&
            last.low === low && last.close === close && isClose(last.volume, 0.04) &&
            Math.abs(last.total - 0.01 * (open + high + low + close)) < 1e-6
        )
      }))
  }),
  LiveCalls.section.always("candles.market", {
    statement: "Counts a trade only in the candles of its own market",
    check: (world) =>
      world.whileFrozen(Effect.gen(function*() {
        yield* world.advance(2000)
        const market = yield* world.market
        const other = (yield* world.markets).find(({ name }) => name !== market.name)
        if (other === undefined) return yield* Verdict.skip("needs a second market")
        const price = priceText(other, 2000)
        yield* world.control("MovePrice", { market: other.name, price })
        const query = { interval: "1s", limit: 1440 }
        const before = yield* candles(world, query)
        const account = yield* world.open()
        const funds = { account: account.id, wallet: "trade", ticker: other.stock, amount: "10" }
        yield* world.control("Fund", funds)
        const fields = { market: other.name, amount: "0.5", price }
        yield* Trading.placeOther(world, account, { ...fields, side: "sell" })
        yield* Trading.placeOther(world, yield* world.open(), { ...fields, side: "buy" })
        const after = yield* candles(world, query)
        yield* Verdict.expect(
          after.answer,
          `the same candles of ${market.name} as before a trade on ${other.name}`,
          Json.stringify(after.found) === Json.stringify(before.found)
        )
        const { answer, found } = yield* candles(world, query, other.name)
        const last = latest(found)
        yield* Verdict.expect(
          answer,
          `a last candle of ${other.name} that closes at ${price}, with a volume of 0.5`,
          last !== undefined && last.close === Number(price) && isClose(last.volume, 0.5)
        )
      }))
  }),
  LiveCalls.section.always("candles.window", {
    statement: "Lists only candles that begin between start and end, both included",
    check: (world) =>
      world.whileFrozen(Effect.gen(function*() {
        for (let trades = 0; trades < 3; trades++) {
          yield* traded(world)
          yield* world.advance(120_000)
        }
        const now = Math.floor((yield* world.now) / 1000)
        const [start, end] = [now - 250, now - 130]
        const { answer, found } = yield* candles(world, { interval: "1s", start, end })
        yield* Verdict.expect(
          answer,
          `at least one candle, all from ${start} to ${end}`,
          found.length > 0 && found.every(({ at }) => at >= start && at <= end)
        )
      }))
  }),
  LiveCalls.section.always("candles.limit", {
    statement: "Lists the latest candles, up to the limit",
    check: (world) =>
      world.whileFrozen(Effect.gen(function*() {
        yield* traded(world)
        yield* world.advance(1000)
        yield* traded(world)
        const all = yield* candles(world, { interval: "1s", limit: 10 })
        const one = yield* candles(world, { interval: "1s", limit: 1 })
        yield* Verdict.expect(all.answer, "at least two candles", all.found.length >= 2)
        yield* Verdict.expect(
          one.answer,
          "only the latest candle",
          one.found.length === 1 && one.found[0]?.at === all.found.at(-1)?.at
        )
      }))
  }),
  LiveCalls.section.always("candles.default", {
    statement: "Uses an interval of one hour by default",
    check: Effect.fnUntraced(function*(world) {
      yield* traded(world)
      const [plain, hours] = [yield* candles(world), yield* candles(world, { interval: "1h" })]
      yield* Verdict.expect(
        plain.answer,
        `hourly candles: ${Json.stringify(hours.found)}`,
        Json.stringify(plain.found) === Json.stringify(hours.found)
      )
    })
  }),
  LiveCalls.section.forEach("candles.refusal", {
    statement:
      "Refuses an invalid market, interval, limit or window: HTTP 200, success false, a message that names the field",
    profile: "read-only",
    values: wrong,
    check: (world, [field, query]) =>
      Effect.flatMap(
        world.market,
        ({ name }) => LivePublicCalls.refusesV1(world, Paths.candles, { market: name, ...query }, field)
      )
  })
]
