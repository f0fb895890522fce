/**
 * Rules about market data that hold whatever happens on a market: the values of one response fit together, a list
 * matches the parameters of its call, and all summaries of a market that did not trade in the meantime agree. Only the
 * live exchange's documentation describes these calls.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import type * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as Books from "../world/Books.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import * as Numbers from "../world/Numbers.ts"
import * as Paths from "../world/Paths.ts"
import { cached } from "../world/Settling.ts"
import * as Trading from "../world/Trading.ts"
import type { Body, World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

/**
 * A market's daily statistics, under the keys of the market summary. Values that a response does not show are absent.
 */
interface Day {
  readonly market: string
  readonly last: number
  readonly volume: number
  readonly deal: number
  readonly low?: number
  readonly high?: number
  readonly bid?: number
  readonly ask?: number
  readonly change?: number
  readonly open?: number
}

/** The daily statistics, keyed by market, and the response that shows them. */
interface Days {
  readonly answer: Target.Answer
  readonly days: ReadonlyMap<string, Day>
}

const toDay = (market: string, body: Body, keys: Readonly<Record<string, string>>): Day => {
  const figures = Object.entries(keys).map(([key, shown]) => [key, Number(body[shown] ?? Number.NaN)])
  return { market, last: 0, volume: 0, deal: 0, ...Object.fromEntries(figures) }
}

const listed = (answer: Target.Answer, days: ReadonlyArray<Day>): Days => ({
  answer,
  days: new Map(days.map((day) => [day.market, day]))
})

const prices = { low: "low", high: "high", bid: "bid", ask: "ask" }

const summaries = Effect.fnUntraced(function*(world: World) {
  const { answer, value } = yield* LivePublicCalls.result(world, Paths.marketSummaries)
  const keys = { ...prices, last: "last", volume: "vol", deal: "deal", change: "change" }
  const entries = Object.entries(Json.isObject(value) ? value : {})
  return listed(
    answer,
    entries.map(([market, entry]) =>
      toDay(market, Json.isObject(entry) && Json.isObject(entry["ticker"]) ? entry["ticker"] : {}, keys)
    )
  )
})

const tickers = Effect.fnUntraced(function*(world: World) {
  const { answer, value } = yield* LivePublicCalls.object(world, Paths.tickers)
  const keys = { last: "last_price", volume: "base_volume", deal: "quote_volume", change: "change" }
  return listed(
    answer,
    Object.entries(value).map(([market, entry]) => toDay(market, Json.isObject(entry) ? entry : {}, keys))
  )
})

const futures = Effect.fnUntraced(function*(world: World) {
  const { answer, value } = yield* LivePublicCalls.results(world, Paths.futures)
  const keys = { ...prices, last: "last_price", volume: "stock_volume", deal: "money_volume" }
  return listed(answer, value.filter(Json.isObject).map((entry) => toDay(String(entry["ticker_id"]), entry, keys)))
})

const summary = (name: string) =>
  Effect.fnUntraced(function*(world: World) {
    const { answer, value } = yield* LivePublicCalls.result(world, Paths.marketSummary, { market: name })
    const keys = { ...prices, last: "last", volume: "volume", deal: "deal", change: "change", open: "open" }
    return listed(answer, [toDay(name, Json.isObject(value) ? value : {}, keys)])
  })

/**
 * Makes trades on a sandbox's market in two different minutes, so that there is data to show. Returns the market's
 * name.
 */
const traded = Effect.fnUntraced(function*(world: World) {
  const market = yield* world.market
  if (world.profile === "control") {
    yield* Trading.take(world, "0.01")
    yield* world.advance(61_000)
    yield* Trading.tradeAt(world, market, Books.near(market, 0.5))
  }
  return market.name
})

/** The maximum relative difference between two prices or volumes because of rounding. */
const rounding = 1e-3

/** Whether a number lies between two others, apart from rounding. */
const isBetween = (value: number, low: number, high: number): boolean =>
  value >= low * (1 - rounding) && value <= high * (1 + rounding)

/**
 * Returns the expectations that a market's daily statistics do not meet, or an empty result if the values fit together.
 */
const misfits = ({ ask, bid, change, deal, high, last, low, open, volume }: Day): ReadonlyArray<string> => {
  if (!(volume > 0)) return deal > 0 ? ["no total without a volume"] : []
  const isKnown = low !== undefined && high !== undefined
  return [
    ...(bid !== undefined && ask !== undefined && bid > 0 && ask > 0 && bid >= ask ? ["a bid below the ask"] : []),
    ...(isKnown && !isBetween(last, low, high) ? ["a last price between low and high"] : []),
    ...(isKnown && open !== undefined && open > 0 && !isBetween(open, low, high)
      ? ["an open between low and high"]
      : []),
    ...(isKnown && !isBetween(deal, low * volume, high * volume) ? ["a total from low to high times the volume"] : []),
    ...(!isKnown && !isBetween(deal / volume, last / 10, last * 10)
      ? ["a total near the last price times the volume"]
      : []),
    ...(change !== undefined && open !== undefined && open > 0 && Math.abs((last - open) / open * 100 - change) > 0.011
      ? ["the change from open to last in percent"]
      : [])
  ]
}

/** The calls that return daily statistics. */
const sources = ["summary", "summaries", "tickers", "futures"] as const

const readerOf = { summaries, tickers, futures }

const figures = ["last", "volume", "deal", "low", "high", "bid", "ask", "change"] as const

const isSame = (one: number | undefined, other: number | undefined): boolean =>
  one === undefined || other === undefined || Number.isNaN(one) || Number.isNaN(other) ||
  Math.abs(one - other) <= 1e-8 * Math.max(1, Math.abs(one))

/** Returns the values in which two responses differ. */
const differing = (one: Day, other: Day): ReadonlyArray<string> =>
  figures.filter((key) => !isSame(one[key], other[key]))

const dayRules: ReadonlyArray<Rule.Rule> = [
  forEach("market-data.day", {
    statement: "Shows in every market summary a last price, an open and a total that fit its low, high and volume",
    profile: "read-only",
    values: sources,
    check: Effect.fnUntraced(function*(world, source) {
      const name = yield* traded(world)
      const { answer, days } = yield* (source === "summary" ? summary(name) : readerOf[source])(world)
      for (const day of days.values()) {
        const wrong = misfits(day)
        yield* Verdict.conclude(`${wrong.join(", ")} on ${day.market}`, day, wrong.length === 0, answer)
      }
    })
  }),
  always("market-data.agree", {
    statement: "Shows the same values in all summaries of a market while nothing changes on the market",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const name = yield* traded(world)
      // A response may be a second old, so only values that stay the same for longer can be compared.
      const before = [yield* tickers(world), yield* summaries(world)] as const
      yield* Effect.sleep(cached)
      const others = [yield* summary(name)(world), yield* futures(world)]
      const book = yield* Books.read(world, Paths.orderBook, name, { limit: 1 })
      // In a sandbox, only the check changes a market.
      if (world.profile !== "control") yield* Effect.sleep(cached)
      const after = [yield* tickers(world), yield* summaries(world)] as const
      const isStable = ({ market }: Day) =>
        before.every(({ days }, index) => {
          const [one, other] = [days.get(market), after[index]?.days.get(market)]
          return one !== undefined && other !== undefined && differing(one, other).length === 0
        })
      const stable = [...before[1].days.values()].filter(isStable)
      if (stable.length === 0) return yield* Verdict.skip("every market changes all the time")
      for (const day of stable) {
        for (const { answer, days } of [before[0], ...others]) {
          const other = days.get(day.market)
          const wrong = other === undefined ? [] : differing(day, other)
          yield* Verdict.conclude(
            `the same ${wrong.join(", ")} as ${Json.stringify(day)}`,
            other,
            wrong.length === 0,
            answer
          )
        }
      }
      const day = stable.find(({ market }) => market === name)
      if (day === undefined) return
      const [[bid = 0] = [], [ask = 0] = []] = [book.bids[0], book.asks[0]]
      yield* Verdict.expect(
        book.answer,
        `the best bid ${day.bid} and the best ask ${day.ask} of the summary`,
        isSame(day.bid, bid) && isSame(day.ask, ask)
      )
    })
  })
]

// -----------------------------------------------------------------------------
// Books and trades
// -----------------------------------------------------------------------------

const tradesOf = Effect.fnUntraced(function*(world: World, market: string, query: LivePublicCalls.Query = {}) {
  const answer = yield* LivePublicCalls.get(world, `${Paths.trades}/${market}`, query)
  const trades = Array.isArray(answer.json) ? answer.json.filter(Json.isObject) : []
  if (trades.length === 0 && world.profile !== "control") return yield* Verdict.skip("nothing has traded on the market")
  yield* Verdict.expect(answer, "HTTP 200 with trades", answer.status === 200 && trades.length > 0)
  return { answer, trades }
})

const areDifferent = (values: ReadonlyArray<unknown>): boolean => new Set(values).size === values.length

const listRules: ReadonlyArray<Rule.Rule> = [
  forEach("market-data.book", {
    statement:
      "Lists at most the requested number of book levels, and in the depth only prices within 2% of the last price",
    profile: "read-only",
    values: Books.paths,
    check: Effect.fnUntraced(function*(world, path) {
      const name = yield* traded(world)
      if (path === Paths.orderBook) {
        for (const limit of [1, 2]) {
          const { answer, asks, bids } = yield* Books.read(world, path, name, { limit })
          yield* Verdict.expect(answer, `at most ${limit} levels`, asks.length <= limit && bids.length <= limit)
        }
        return
      }
      const { answer, asks, bids } = yield* Books.read(world, path, name)
      const { days } = yield* tickers(world)
      const last = days.get(name)?.last ?? 0
      // The price may move between the two responses.
      const isNear = ([price]: Books.Level) => !(last > 0) || Math.abs(price / last - 1) < 0.05
      yield* Verdict.expect(answer, `prices within 2% of ${last}`, [...asks, ...bids].every(isNear))
    })
  }),
  always("market-data.trades", {
    statement: "Lists past trades of a market once each, with a total of price times amount and a time in the past",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const name = yield* traded(world)
      const { answer, trades } = yield* tradesOf(world, name)
      yield* Verdict.conclude("every id once", answer.text, areDifferent(trades.map(({ tradeID }) => tradeID)), answer)
      const now = Math.max(yield* world.now, yield* world.serverTime) / 1000 + 60
      for (const trade of trades) {
        const total = Number(trade["price"]) * Number(trade["quote_volume"])
        yield* Verdict.conclude(
          `a base_volume of ${total}, and a trade_timestamp before ${now}`,
          trade,
          isBetween(Number(trade["base_volume"]), total, total) && Number(trade["trade_timestamp"]) < now,
          answer
        )
      }
    })
  }),
  always("market-data.sides", {
    statement: "Lists for each type only past trades with that taker side, including the latest such trade",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const name = yield* traded(world)
      const all = yield* tradesOf(world, name)
      for (const type of ["buy", "sell"]) {
        const answer = yield* LivePublicCalls.get(world, `${Paths.trades}/${name}`, { type })
        const trades = Array.isArray(answer.json) ? answer.json.filter(Json.isObject) : []
        yield* Verdict.expect(answer, `only type ${type}`, trades.every((trade) => trade["type"] === type))
        const known = all.trades.filter((trade) => trade["type"] === type)
        // New trades may have arrived in the meantime, and the list of one side may reach further back than the list of
        // both sides.
        const isShown = known.slice(0, 1).every(({ tradeID }) => trades.some((trade) => trade["tradeID"] === tradeID))
        yield* Verdict.expect(answer, `the trade ${String(known[0]?.["tradeID"])}`, isShown)
      }
    })
  }),
  always("market-data.history", {
    statement: "Lists past trades up to the limit, none older than lastId, and with the values of the trades list",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const name = yield* traded(world)
      const read = (query: LivePublicCalls.Query) =>
        Effect.map(
          LivePublicCalls.results(world, Paths.tradeHistory, { market: name, lastId: 0, ...query }),
          ({ answer, value }) => ({ answer, trades: value.filter(Json.isObject) })
        )
      const all = yield* read({ limit: 100 })
      if (all.trades.length === 0) return yield* Verdict.skip("nothing has traded on the market")
      yield* Verdict.expect(all.answer, "every id once", areDifferent(all.trades.map(({ id }) => id)))
      const one = yield* read({ limit: 1 })
      yield* Verdict.expect(one.answer, "one trade", one.trades.length === 1)
      const ids = all.trades.map(({ id }) => Numbers.idAt(id)).toSorted(Numbers.byId)
      const middle = ids[Math.floor(ids.length / 2)] ?? 0
      const newer = yield* read({ limit: 100, lastId: `${middle}` })
      const isNewer = newer.trades.every(({ id }) => Numbers.idAt(id) >= middle)
      const isWhole = ids.filter((id) => id > middle).every((id) =>
        newer.trades.some((trade) => Numbers.idAt(trade["id"]) === id)
      )
      yield* Verdict.expect(newer.answer, `no trade before ${middle}`, isNewer)
      yield* Verdict.expect(newer.answer, `the trades after ${middle}`, newer.trades.length === 100 || isWhole)
    })
  })
]

// -----------------------------------------------------------------------------
// Candles
// -----------------------------------------------------------------------------

/** Returns candles as rows of time, open, close, high, low, volume and total. */
const candlesOf = Effect.fnUntraced(function*(world: World, market: string, query: LivePublicCalls.Query) {
  const { answer, value } = yield* LivePublicCalls.results(world, Paths.candles, { market, ...query })
  return { answer, rows: value.filter(Array.isArray).map((row: ReadonlyArray<unknown>) => row.map(Number)) }
})

const at = (row: ReadonlyArray<number>, column: number): number => row[column] ?? Number.NaN

/** Returns the times of rows. */
const timesOf = (rows: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<number> => rows.map((row) => at(row, 0))

const sum = (rows: ReadonlyArray<ReadonlyArray<number>>, column: number): number =>
  rows.reduce((sum, row) => sum + at(row, column), 0)

const candleRules: ReadonlyArray<Rule.Rule> = [
  always("market-data.candles", {
    statement:
      "Lists each candle once, up to the limit and from start to end, with a total that fits its volume and prices",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const name = yield* traded(world)
      const { answer, rows } = yield* candlesOf(world, name, { interval: "1m", limit: 50 })
      if (rows.length === 0) return yield* Verdict.skip("nothing has traded on the market")
      yield* Verdict.expect(answer, "at most 50 candles, each once", rows.length <= 50 && areDifferent(timesOf(rows)))
      for (const row of rows) {
        const [volume, total] = [at(row, 5), at(row, 6)]
        const isWhole = isBetween(total, at(row, 4) * volume, at(row, 3) * volume)
        yield* Verdict.conclude("a total between low and high times volume", row, isWhole, answer)
      }
      // The current minute may have no candle.
      const few = yield* candlesOf(world, name, { interval: "1m", limit: 1 })
      yield* Verdict.expect(few.answer, "at most one candle", few.rows.length <= 1)
      const times = timesOf(rows).toSorted((one, other) => one - other)
      const [start = 0] = times
      const end = Math.max(start + 1, times.at(-2) ?? 0)
      const window = yield* candlesOf(world, name, { interval: "1m", start, end })
      const found = timesOf(window.rows)
      // A candle may show the time of its end.
      const isInside = found.every((time) => time >= start - 60 && time <= end + 60)
      const isThere = times.filter((time) => time > start && time < end).every((time) => found.includes(time))
      yield* Verdict.expect(window.answer, `the candles from ${start} to ${end}`, isInside && isThere)
    })
  }),
  always("market-data.intervals", {
    statement: "Shows in an hourly candle the volume sums and the extreme prices of its minute candles",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const name = yield* traded(world)
      if (world.profile === "control") yield* world.advance(2 * 3_600_000)
      const hours = yield* candlesOf(world, name, { interval: "1h", limit: 3 })
      const now = Math.floor((yield* world.now) / 1000)
      for (const hour of hours.rows) {
        const start = at(hour, 0)
        // The candle of the current hour still changes, and an interval without volume may have no candle.
        if (start % 3600 !== 0 || start + 3660 > now || !(at(hour, 5) > 0)) continue
        const query = { interval: "1m", start, end: start + 3599, limit: 100 }
        const { answer, rows: minutes } = yield* candlesOf(world, name, query)
        const rows = minutes.filter((row) => at(row, 5) > 0)
        const isSum = [5, 6].every((column) => isBetween(sum(rows, column), at(hour, column), at(hour, column)))
        const isExtreme = isSame(Math.max(...rows.map((row) => at(row, 3))), at(hour, 3)) &&
          isSame(Math.min(...rows.map((row) => at(row, 4))), at(hour, 4))
        yield* Verdict.expect(answer, `minutes that add up to ${Json.stringify(hour)}`, isSum && isExtreme)
        return
      }
      return yield* Verdict.skip("nothing has traded in the last hours")
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...dayRules, ...listRules, ...candleRules]
