/** Rules about public streams on several days, in several intervals, and on two markets at once. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import * as Paths from "../world/Paths.ts"
import * as StreamBooks from "../world/StreamBooks.ts"
import * as StreamMarkets from "../world/StreamMarkets.ts"
import * as Streams from "../world/Streams.ts"
import type { Body, Market, World } from "../world/World.ts"

const statistics = Streams.documented("Market statistics")
const overview = Streams.documented("Overview")
const kline = Streams.documented("Kline")
const depth = Streams.documented("Depth")

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

/** Advances to a time after the next midnight UTC, in milliseconds. */
const toDay = (world: World, after: number) =>
  Effect.flatMap(world.now, (now) => world.advance(Math.ceil(day - now % day) + after))

/** The sums and extremes of some trades. */
const figuresOf = (trades: ReadonlyArray<{ readonly amount: number; readonly price: number }>): Body => {
  const prices = trades.map(({ price }) => price)
  return {
    last: prices.at(-1) ?? 0,
    high: Math.max(...prices),
    low: Math.min(...prices),
    volume: trades.reduce((sum, { amount }) => sum + amount, 0),
    deal: trades.reduce((sum, { amount, price }) => sum + amount * price, 0)
  }
}

/** Whether statistics show these figures. */
const areFigures = (body: unknown, expected: Body): boolean =>
  Object.entries(expected).every(([key, value]) => Math.abs(Number(Streams.objectOf(body)[key]) - Number(value)) < 1e-6)

/** Returns the statistics in a channel's latest message about a market. */
const pushedBody = (listening: Streams.Listening, { name }: Pick<Market, "name">): unknown =>
  Streams.pushed(listening).map(Streams.listOf).findLast(([market]) => market === name)?.[1]

/** Makes a trade that leaves nothing in the book, so that a later trade has its own price. */
const tradeAll = (world: World, market: Market, percent: number, amount = "0.02") =>
  StreamMarkets.trade(world, market, percent, { side: percent > 0 ? "buy" : "sell", taken: amount })

const statisticsRules: ReadonlyArray<Rule.Rule> = [
  statistics.always("streams.statistics.days", {
    statement:
      "Counts yesterday's trades in the statistics of 24 hours, but only those since midnight UTC in today's, in "
      + "responses and messages",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      yield* toDay(world, day - hour)
      const yesterday = [yield* tradeAll(world, market, 3), yield* tradeAll(world, market, -2)]
      const connection = yield* world.connect
      const rolling = yield* Streams.subscribe(connection, "market", market.name)
      const since = yield* Streams.subscribe(connection, "marketToday", market.name)
      yield* world.advance(hour + 30 * minute)
      const today = [yield* tradeAll(world, market, -3), yield* tradeAll(world, market, 1)]
      yield* Streams.pass(world)
      for (
        const [method, params, trades, listening] of [
          ["market_request", [86_400], [...yesterday, ...today], rolling],
          ["market_request", [7200], [...yesterday, ...today], undefined],
          ["market_request", [3600], today, undefined],
          ["marketToday_query", [], today, since]
        ] as const
      ) {
        const expected = figuresOf(trades)
        const { reply, result } = yield* Streams.ask(connection, method, market.name, ...params)
        yield* Streams.expect(reply, `the figures ${Json.stringify(expected)}`, areFigures(result, expected))
        if (listening === undefined) continue
        yield* Streams.sees(
          listening,
          `a message with the figures ${Json.stringify(expected)}`,
          () => areFigures(pushedBody(listening, market), expected) ? true : undefined
        )
      }
    })
  })
]

// -----------------------------------------------------------------------------
// Two markets
// -----------------------------------------------------------------------------

/** Expects that the responses about a market show its own trade, and no other. */
const areOwn = Effect.fnUntraced(function*(
  world: World,
  { name }: Market,
  { amount, price }: { readonly amount: number; readonly price: number }
) {
  const connection = yield* world.connection
  const now = Math.floor((yield* world.now) / 1000)
  const own: ReadonlyArray<
    readonly [method: string, params: ReadonlyArray<unknown>, read: (result: unknown) => unknown]
  > = [
    ["lastprice_request", [name], (result) => [price, Number(result)]],
    [
      "market_request",
      [name, 3600],
      (result) => [Streams.objectOf(result)["last"], Streams.objectOf(result)["volume"]]
    ],
    ["marketToday_query", [name], (result) => [Streams.objectOf(result)["last"]]],
    ["trades_request", [name, 1, 0], (result) => {
      const [trade] = Streams.listOf(result).map(Streams.objectOf)
      return [trade?.["price"], trade?.["amount"]]
    }],
    [
      "depth_request",
      [name, 1, "0"],
      (result) => [Streams.listOf(Streams.listOf(Streams.objectOf(result)["asks"])[0])[0]]
    ],
    ["candles_request", [name, now - 600, now + 60, 60], (result) => {
      const row = Streams.listOf(Streams.listOf(result).findLast((row) => Number(Streams.listOf(row)[5]) > 0))
      return [row[2], row[5]]
    }]
  ]
  for (const [method, params, read] of own) {
    const { reply, result } = yield* Streams.ask(connection, method, ...params)
    const [first, second = amount] = Streams.listOf(read(result)).map(Number)
    yield* Streams.expect(
      reply,
      `the price ${price} and the amount ${amount} of ${name}`,
      first === price && (second === price || Math.abs(second - amount) < 1e-9)
    )
  }
})

const marketRules: ReadonlyArray<Rule.Rule> = [
  overview.always("streams.markets.own", {
    statement: "Shows each of two markets with its own prices, amounts and statistics, in responses and in messages",
    check: Effect.fnUntraced(function*(world) {
      const { market, other } = yield* StreamMarkets.pair(world)
      // No earlier trade is in the statistics of 24 hours.
      yield* toDay(world, day + 2 * hour)
      const connection = yield* world.connect
      const all = yield* Effect.forEach(
        ["lastprice", "market", "marketToday"],
        (channel) => Streams.subscribe(connection, channel, market.name, other.name)
      )
      const one = yield* StreamMarkets.trade(world, market, 1, { taken: "0.01" })
      const two = yield* StreamMarkets.trade(world, other, 2, { taken: "0.015" })
      yield* areOwn(world, market, one)
      yield* areOwn(world, other, two)
      yield* Streams.pass(world)
      for (const [each, { amount, price }] of [[market, one], [other, two]] as const) {
        for (const listening of all) {
          yield* Streams.sees(listening, `the price ${price} of ${each.name} and its volume ${amount}`, () => {
            const body = pushedBody(listening, each)
            const isIt = listening.channel === "lastprice"
              ? Number(body) === price
              : areFigures(body, { last: price, volume: amount, deal: price * amount })
            return isIt ? true : undefined
          })
        }
      }
    })
  }),
  depth.always("streams.depth.several", {
    statement: "Chains the changes of each of a connection's books by itself, with the levels of its own market",
    check: Effect.fnUntraced(function*(world) {
      const { market, other } = yield* StreamMarkets.pair(world)
      const connection = yield* world.connect
      const from = connection.messages.length
      const limits = [20, 5] as const
      for (const [at, { name }] of [market, other].entries()) {
        yield* Streams.subscribe(connection, "depth", name, limits[at] ?? 20, "0", true)
      }
      const listening = { connection, channel: "depth", from }
      for (const percent of [3, 2, 1]) {
        for (const each of [market, other]) {
          yield* StreamMarkets.trade(world, each, percent)
          yield* Streams.pass(world, 150)
        }
      }
      // Each book is repeated ten seconds after its own last message.
      yield* Streams.pass(world, 10_150)
      for (const each of [other, market]) {
        yield* StreamMarkets.trade(world, each, 0.5)
        yield* Streams.pass(world, 150)
      }
      for (const [at, each] of [market, other].entries()) {
        const messages = () => StreamBooks.messagesOf(Streams.pushed(listening), each.name)
        const current = Effect.sync(() => StreamBooks.states(messages()).at(-1))
        yield* StreamBooks.equalsRest(world, each, limits[at] ?? 20, connection, current)
        const all = messages()
        yield* Verdict.conclude(
          `changes of ${each.name} that follow each other: past_update_id is the update_id before it`,
          all,
          all[0]?.isSnapshot === true &&
            all.every(({ body, isSnapshot }, at) =>
              isSnapshot || body["past_update_id"] === all[at - 1]?.body["update_id"]
            )
        )
      }
    })
  })
]

// -----------------------------------------------------------------------------
// Candles
// -----------------------------------------------------------------------------

/** The intervals that are compared with the HTTP call, by their length in seconds. */
const intervals = { 180: "3m", 900: "15m", 7200: "2h", 86_400: "1d" } as const

const rowsOf = (value: unknown): ReadonlyArray<ReadonlyArray<unknown>> => Streams.listOf(value).map(Streams.listOf)

const traded = (rows: ReadonlyArray<ReadonlyArray<unknown>>) =>
  rows.filter((row) => Number(row[5]) > 0).toSorted((one, two) => Number(one[0]) - Number(two[0]))

const candleRules: ReadonlyArray<Rule.Rule> = [
  kline.always("streams.candles.next", {
    statement: "Pushes a new candle with its own time, prices and volumes in the next interval, and updates it there",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const listening = yield* Streams.subscribe(yield* world.connect, "candles", market.name, 60)
      // Each minute has two trades, of which the second one changes the candle.
      for (const [first, second] of [[1, 2], [-1, -2], [0.6, 0.3]] as const) {
        yield* world.advance(Math.ceil(minute - (yield* world.now) % minute) + 10_000)
        const start = Math.floor((yield* world.now) / minute) * 60
        const trades = []
        for (const percent of [first, second]) {
          trades.push(yield* tradeAll(world, market, percent))
          yield* Streams.pass(world)
          const { deal, high, last, low, volume } = figuresOf(trades)
          yield* Streams.seesOne(
            listening,
            `a candle at ${start} with close ${String(last)} and volume ${String(volume)}`,
            (params) =>
              rowsOf(params).some(([time, , close, , , stock, money, name]) =>
                  time === start && name === market.name && Number(close) === last &&
                  Math.abs(Number(stock) - Number(volume)) < 1e-9 && Math.abs(Number(money) - Number(deal)) < 1e-6
                )
                ? true
                : undefined
          )
          const row = Streams.pushed(listening).flatMap(rowsOf).findLast(([time]) => time === start) ?? []
          // A candle may open at the close of the candle before it.
          yield* Verdict.conclude(
            `a high of at least ${String(high)} and a low of at most ${String(low)}`,
            row,
            Number(row[3]) >= Number(high) && Number(row[4]) <= Number(low) && Number(row[4]) > 0
          )
        }
      }
    })
  }),
  kline.always("streams.candles.intervals", {
    statement: "Responds with the candles of the given interval, as the HTTP call shows them",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const from = Math.floor((yield* world.now) / 1000)
      for (
        const [percent, after] of [
          [1, 4 * minute],
          [-1, 16 * minute],
          [2, 2 * hour],
          // At any time of day, two of these trades belong to the same day, but to different halves of it.
          [-2, 13 * hour],
          [0.5, 13 * hour],
          [-0.5, 13 * hour],
          [1.5, minute]
        ] as const
      ) {
        yield* tradeAll(world, market, percent)
        yield* world.advance(after)
      }
      const now = Math.floor((yield* world.now) / 1000)
      for (const [text, interval] of Object.entries(intervals)) {
        const seconds = Number(text)
        // The range begins at a candle's beginning, which is before the first trade.
        const start = Math.floor((from - 60) / seconds) * seconds
        const query = { market: market.name, interval, start, end: now, limit: 1440 }
        const { value } = yield* LivePublicCalls.results(world, Paths.candles, query)
        const expected = traded(rowsOf(value))
        const { reply, result } = yield* Streams.ask(
          yield* world.connection,
          "candles_request",
          market.name,
          start,
          now,
          seconds
        )
        const rows = traded(rowsOf(result))
        yield* Streams.expect(
          reply,
          `the candles ${Json.stringify(expected)}`,
          rows.length === expected.length &&
            rows.every((row, at) => Streams.areEqual(row.slice(0, 7), (expected[at] ?? []).slice(0, 7)))
        )
      }
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...statisticsRules, ...marketRules, ...candleRules]
