/**
 * Rules about what public lists show after several trades, by several calls and at different times. Only the live
 * exchange's documentation describes these calls.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Books from "../world/Books.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import * as LongTime from "../world/LongTime.ts"
import * as MarketFigures from "../world/MarketFigures.ts"
import { basePrice, digits, perpetual, priceText } from "../world/Markets.ts"
import { isNear, number } from "../world/Numbers.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Trading from "../world/Trading.ts"
import type { World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

/** A trade of a market, in the terms that both public lists of trades share. */
interface Trade {
  readonly id: number
  readonly price: number
  readonly amount: number
  readonly time: number
  readonly type: unknown
}

/** Reads a market's past trades with both calls that list them. */
const tradesOf = Effect.fnUntraced(function*(world: World, market: string) {
  const answer = yield* LivePublicCalls.get(world, `${Paths.trades}/${market}`)
  const recent = (Array.isArray(answer.json) ? answer.json.filter(Json.isObject) : []).map((trade): Trade => ({
    id: number(trade, "tradeID"),
    price: number(trade, "price"),
    amount: number(trade, "quote_volume"),
    time: number(trade, "trade_timestamp"),
    type: trade["type"]
  }))
  const query = { market, lastId: 0, limit: 100 }
  const older = yield* LivePublicCalls.results(world, Paths.tradeHistory, query)
  const past = older.value.filter(Json.isObject).map((trade): Trade => ({
    id: number(trade, "id"),
    price: number(trade, "price"),
    amount: number(trade, "amount"),
    time: number(trade, "time"),
    type: trade["type"]
  }))
  return [{ answer, trades: recent }, { answer: older.answer, trades: past }] as const
})

/** Expects that both lists show exactly one trade with these values, at about this time. */
const areListed = Effect.fnUntraced(function*(
  world: World,
  market: string,
  expected: ReadonlyArray<Omit<Trade, "id">>
) {
  for (const { answer, trades } of yield* tradesOf(world, market)) {
    for (const { amount, price, time, type } of expected) {
      const found = trades.filter((trade) =>
        Books.isClose(trade.amount, amount) && Books.isClose(trade.price, price) && trade.type === type &&
        isNear(trade.time, time, 30)
      )
      yield* Verdict.expect(
        answer,
        `one trade of ${amount} at ${price} with type ${String(type)}, at about ${Math.floor(time)}`,
        found.length === 1
      )
    }
  }
})

const seconds = (world: World) => Effect.map(world.now, (now) => now / 1000)

const tradeRules: ReadonlyArray<Rule.Rule> = [
  forEach("trades.times", {
    statement: "Lists a trade for each order that a taker executes, with that order's price, all digits of its amount "
      + "and, also later, its time",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const market = yield* world.market
      const expected: Array<Omit<Trade, "id">> = []
      const away = side === "buy" ? 1 : -1
      for (const unit of [3, 4]) {
        // No other such trade is as recent, even if the value is evaluated again.
        yield* world.advance(120_000)
        const [maker, taker] = [yield* world.open(), yield* world.open()]
        // Amounts and prices with all digits that the market allows, so that a list that rounds them is noticed.
        const offers = [[0.0112, 0.3 * away], [0.0123, 0.6 * away]].map(([amount = 0, percent = 0]) => ({
          amount: digits(amount + 17 * unit * market.step, market.stockPrecision),
          price: priceText(market, basePrice * (1 + percent / 100) + 7 * unit * market.tick)
        }))
        for (const offer of offers) {
          const fields = { market: market.name, side: Orders.opposite(side), ...offer }
          yield* Trading.placeOther(world, maker, fields)
        }
        const { answer, asks, bids } = yield* Books.read(world, Paths.orderBook, market.name)
        yield* Verdict.expect(
          answer,
          offers.map(({ amount, price }) => `${amount} at ${price}`).join(" and "),
          offers.every(({ amount, price }) =>
            Books.isClose(Books.amountAt(side === "buy" ? asks : bids, price), Number(amount))
          )
        )
        // The limit crosses both prices, so a list that shows the taker's limit shows a wrong price.
        const amount = digits(offers.reduce((sum, { amount }) => sum + Number(amount), 0), market.stockPrecision)
        const price = Books.near(market, away)
        yield* Trading.placeOther(world, taker, { market: market.name, side, amount, price })
        const time = yield* seconds(world)
        expected.push(
          ...offers.map(({ amount, price }) => ({ amount: Number(amount), price: Number(price), time, type: side }))
        )
        yield* areListed(world, market.name, expected)
        yield* world.advance(3_600_000)
      }
      yield* areListed(world, market.name, expected)
    })
  }),
  forEach("trades.calls", {
    statement: "Shows the orders of every call in the book until they are canceled, and their trades in past trades, "
      + "candles and summaries",
    values: [
      { path: Paths.marketOrder, side: "buy", rests: Paths.limitOrder, cancel: Paths.cancelOrder },
      { path: Paths.marketOrder, side: "sell", rests: Paths.collateralLimit, cancel: Paths.cancelOrder },
      { path: Paths.stockMarketOrder, side: "buy", rests: Paths.limitOrder, cancel: Paths.cancelBulk },
      { path: Paths.collateralLimit, side: "sell", rests: Paths.limitOrder, cancel: Paths.cancelAll },
      { path: Paths.collateralMarketOrder, side: "buy", rests: Paths.collateralLimit, cancel: Paths.cancelAll },
      { path: Paths.collateralMarketOrder, side: "sell", rests: Paths.limitOrder, cancel: Paths.cancelBulk }
    ] as const,
    check: Effect.fnUntraced(function*(world, { cancel, path, rests, side }) {
      const market = yield* world.market
      const [maker, taker] = [yield* world.open(), yield* world.open()]
      const price = Books.near(market, side === "buy" ? 0.3 : -0.3)
      const amount = 0.0125
      // No other such trade is as recent.
      yield* world.advance(120_000)
      const before = yield* MarketFigures.read(world, "ticker", market.name)
      const offer = { market: market.name, side: Orders.opposite(side), amount: String(amount), price }
      yield* Trading.placeOther(world, maker, offer, rests)
      const book = yield* Books.read(world, Paths.orderBook, market.name)
      const key = side === "buy" ? "asks" : "bids"
      yield* Verdict.expect(book.answer, `${amount} at ${price}`, Books.amountAt(book[key], price) >= amount - 1e-8)
      // The amount of a market buy is its cost.
      const spent = path === Paths.marketOrder && side === "buy" ? amount * Number(price) : amount
      const limit = path === Paths.collateralLimit ? { price } : {}
      const order = { market: market.name, side, amount: String(spent), ...limit }
      yield* Trading.placeOther(world, taker, order, path)
      yield* areListed(world, market.name, [{ amount, price: Number(price), time: yield* seconds(world), type: side }])
      const candles = yield* LivePublicCalls.results(world, Paths.candles, { market: market.name, interval: "1h" })
      const times = candles.value.filter(Array.isArray).toSorted((one, other) => Number(one[0]) - Number(other[0]))
      yield* Verdict.expect(
        candles.answer,
        `a last candle that closes at ${price}`,
        Number(times.at(-1)?.[2]) === Number(price)
      )
      // A new account, because one of the calls cancels all orders of an account.
      const canceler = yield* world.open()
      const { orderId } = yield* Trading.placeOther(world, canceler, offer, rests)
      const by = { market: market.name, ...(cancel === Paths.cancelAll ? {} : { orderId }) }
      yield* world.call(canceler, cancel, cancel === Paths.cancelBulk ? { orders: [by] } : by)
      const after = yield* Books.read(world, Paths.orderBook, market.name)
      yield* Verdict.expect(
        after.answer,
        `${amount} less at ${price} than before the trade and the cancellation`,
        Books.isClose(Books.amountAt(book[key], price) - Books.amountAt(after[key], price), amount)
      )
      const { answer, numbers } = yield* MarketFigures.read(world, "ticker", market.name)
      const volume = (before.numbers["volume"] ?? Number.NaN) + amount
      yield* Verdict.expect(
        answer,
        `a last price ${price}, and a volume of ${volume}`,
        numbers["last"] === Number(price) && Books.isClose(numbers["volume"], volume)
      )
    })
  })
]

/** The prices of the trades in consecutive intervals, in percent from the base price. No interval reaches the next. */
const series = [[0.9, 0.6, 0.7], [0.1, -0.2], [], [-0.8, -0.5]] as const

/** Some intervals with their lengths, in seconds. */
const lengths = [["10s", 10], ["1m", 60], ["1h", 3600], ["1d", 86_400]] as const

const candleRules: ReadonlyArray<Rule.Rule> = [
  forEach("candles.series", {
    statement: "Shows in each of several candles the prices and volumes of its own interval, and no volume in between",
    values: lengths,
    check: (world, [interval, length]) =>
      world.whileFrozen(Effect.gen(function*() {
        const market = yield* world.market
        // Advances to the start of an interval, after an interval without trades.
        const rest = length * 1000 - (yield* world.now) % (length * 1000)
        yield* world.advance(Math.ceil(rest + length * 1000))
        const first = yield* seconds(world)
        for (const percents of series) {
          for (const percent of percents) yield* Trading.tradeAt(world, market, Books.near(market, percent))
          yield* world.advance(length * 1000)
        }
        const query = { market: market.name, interval }
        const { answer, value } = yield* LivePublicCalls.results(world, Paths.candles, query)
        const shown = value.filter(Array.isArray).map((row: ReadonlyArray<unknown>) => row.map(Number))
          .filter(([time = 0, , , , , volume = 0]) => time > first - 1 && volume > 0)
          .toSorted(([one = 0], [other = 0]) => one - other)
        const traded = series.map((percents) => percents.map((percent) => Number(Books.near(market, percent))))
          .filter((prices) => prices.length > 0)
        yield* Verdict.expect(
          answer,
          `${traded.length} candles with a volume since ${Math.floor(first)}`,
          shown.length === traded.length
        )
        for (const [index, prices] of traded.entries()) {
          const { close, open, ways } = candlesFor(prices, traded[index - 1]?.at(-1))
          const [, ...values] = shown[index] ?? []
          const total = prices.reduce((sum, price) => sum + 0.01 * price, 0)
          yield* Verdict.conclude(
            `a candle from ${open} to ${close} between ${Math.min(...prices)} and ${Math.max(...prices)}, with a `
              + `volume of ${0.01 * prices.length} and a total of ${total}`,
            shown[index],
            ways(values) && isNear(values[4] ?? Number.NaN, 0.01 * prices.length) &&
              isNear(values[5] ?? Number.NaN, total),
            answer
          )
        }
      }))
  })
]

/**
 * Returns the first and the last price of a candle, and whether its open, close, high and low fit its trades. A candle
 * may open at its first price, or at the last price before it.
 */
const candlesFor = (prices: ReadonlyArray<number>, before: number | undefined) => {
  const [open = 0, close = 0] = [prices[0], prices.at(-1)]
  const way = (opened: number, all: ReadonlyArray<number>) => [opened, close, Math.max(...all), Math.min(...all)]
  const all = [
    way(open, prices),
    way(before ?? basePrice, prices),
    way(before ?? basePrice, [before ?? basePrice, ...prices])
  ]
  const ways = (values: ReadonlyArray<number>): boolean =>
    all.some((way) => way.every((value, index) => value === values[index]))
  return { close, open, ways }
}

/** The trades of two days: hours before the next one, the distance of the price from the base price, and the amount. */
const days = [[0, 3, "0.031"], [0, 0.2, "0.013"], [10, 0.5, "0.012"], [9, -0.5, "0.021"]] as const

const summaryRules: ReadonlyArray<Rule.Rule> = [
  forEach("summary.rolling", {
    statement: "Shows in every summary of a market the trades of the last 24 hours, and none before",
    values: [
      { source: "ticker", isFuture: false },
      { source: "summary", isFuture: false },
      { source: "summaries", isFuture: false },
      { source: "futures", isFuture: true }
    ] as const,
    check: Effect.fnUntraced(function*(world, { isFuture, source }) {
      const market = isFuture ? { name: perpetual, moneyPrecision: 1, tick: 0.1 } : yield* world.market
      yield* world.control("MovePrice", { market: market.name, price: String(basePrice) })
      // After 25 hours, no earlier trade counts.
      yield* world.advance(25 * 3_600_000)
      const path = isFuture ? Paths.collateralLimit : Paths.limitOrder
      const [one, two] = [yield* world.open(), yield* world.open()]
      for (const [hours, percent, amount] of days) {
        yield* world.advance(hours * 3_600_000)
        const order = { market: market.name, amount, price: Books.near(market, percent) }
        yield* Trading.placeOther(world, one, { ...order, side: "sell" }, path)
        yield* Trading.placeOther(world, two, { ...order, side: "buy" }, path)
      }
      // Now the first two trades are 25 hours old, and the others 15 and 6 hours.
      yield* world.advance(6 * 3_600_000)
      const [early = 0, high = 0, last = 0] = days.slice(1).map(([, percent]) => Number(Books.near(market, percent)))
      const { answer, numbers } = yield* MarketFigures.read(world, source, market.name)
      const expected = { last, low: last, high, volume: 0.033, deal: 0.012 * high + 0.021 * last }
      // The day may open at the last price before it.
      const changes = [high, early].map((open) => (last / open - 1) * 100)
      yield* Verdict.expect(
        answer,
        `${market.name} with ${Json.stringify({ ...expected, changes })}`,
        Object.entries(expected).every(([key, value]) =>
          !(key in numbers) || isNear(numbers[key] ?? Number.NaN, value)
        ) &&
          (!("change" in numbers) || changes.some((change) => isNear(numbers["change"] ?? Number.NaN, change, 0.011)))
      )
    })
  }),
  always("markets.trading", {
    statement: "Shows USDT as the money of every futures market",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const answer = yield* LivePublicCalls.get(world, Paths.markets)
      const markets = Array.isArray(answer.json) ? answer.json.filter(Json.isObject) : []
      yield* Verdict.expect(
        answer,
        "USDT as money of every market of type futures",
        markets.every(({ money, type }) => type !== "futures" || money === "USDT")
      )
    })
  })
]

/** The default and the maximum number of funding rates on a page. */
const mostRates = 100

const fundingRules: ReadonlyArray<Rule.Rule> = [
  always("funding-rates.default", {
    statement: "Lists the 100 latest funding rates by default, older ones from an offset, and none past the last",
    check: Effect.fnUntraced(function*(world) {
      // A market without a price or without positions need not settle funding.
      const order = { market: perpetual, side: "buy", amount: "0.002", price: String(basePrice) } as const
      yield* world.control("MovePrice", { market: perpetual, price: order.price })
      yield* Trading.onMargin(world, yield* world.open(), order)
      const { value } = yield* LivePublicCalls.results(world, Paths.futures)
      const future = value.filter(Json.isObject).find(({ ticker_id: name }) => name === perpetual) ?? {}
      const interval = number(future, "funding_interval_minutes") * 60_000
      if (!(interval > 0)) return yield* Verdict.skip(`needs ${Paths.futures} to announce funding`)
      yield* LongTime.advance(world, (mostRates + 5) * interval)
      const times = Effect.fnUntraced(function*(query: LivePublicCalls.Query) {
        const answer = yield* LivePublicCalls.get(world, `${Paths.fundingRates}/${perpetual}`, query)
        const rates = Array.isArray(answer.json) ? answer.json.filter(Json.isObject) : []
        return { answer, times: rates.map((rate) => number(rate, "fundingTime")) }
      })
      const first = yield* times({})
      yield* Verdict.expect(
        first.answer,
        `${mostRates} rates, the latest first`,
        first.times.length === mostRates &&
          first.times.every((time, index) => index === 0 || time < (first.times[index - 1] ?? 0))
      )
      const whole = yield* times({ limit: mostRates, offset: 0 })
      yield* Verdict.expect(whole.answer, "the same rates", whole.times.join() === first.times.join())
      const rest = yield* times({ offset: mostRates })
      yield* Verdict.expect(
        rest.answer,
        `at least four rates, all before ${first.times.at(-1)}`,
        rest.times.length >= 4 && rest.times.every((time) => time < (first.times.at(-1) ?? 0))
      )
      const none = yield* times({ offset: 1_000_000 })
      yield* Verdict.expect(
        none.answer,
        "HTTP 200 with an empty list",
        none.answer.status === 200 && none.times.length === 0
      )
    })
  })
]

/** The number of levels on each side of a book that are so close to each other that grouping must combine some. */
const close = 60

const bookRules: ReadonlyArray<Rule.Rule> = [
  always("book.aggregates", {
    statement: "Combines prices that lie next to each other at level 5 of a book, best first, without losing an amount",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const account = yield* world.open()
      for (const side of Orders.sides) {
        yield* Trading.ladder(world, account, market, close, side)
        // One price far away, so that there are at least two groups.
        const far = { market: market.name, side, amount: "0.01", price: Books.near(market, side === "buy" ? -20 : 20) }
        yield* Trading.placeOther(world, account, far)
      }
      const fine = yield* Books.read(world, Paths.orderBook, market.name, { level: 0 })
      const answer = yield* LivePublicCalls.get(world, `${Paths.orderBook}/${market.name}`, { level: 5 })
      const { json } = answer
      for (const side of ["asks", "bids"] as const) {
        const shown = Json.isObject(json) && Array.isArray(json[side]) ? json[side].filter(Array.isArray) : []
        const prices = shown.map((level: ReadonlyArray<unknown>) => Number(level[0]))
        const sum = shown.reduce((sum, level: ReadonlyArray<unknown>) => sum + Number(level[1]), 0)
        const whole = fine[side].reduce((sum, [, amount]) => sum + amount, 0)
        const sign = side === "asks" ? 1 : -1
        yield* Verdict.expect(
          answer,
          `fewer than ${fine[side].length} ${side} with ${whole} in all, the best first`,
          shown.length > 0 && shown.length < fine[side].length && Books.isClose(sum, whole) &&
            prices.every((price, index) => index === 0 || sign * price > sign * (prices[index - 1] ?? 0))
        )
      }
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [
  ...bookRules,
  ...tradeRules,
  ...candleRules,
  ...summaryRules,
  ...fundingRules
]
