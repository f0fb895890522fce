/** Rules about market prices and statistics over a WebSocket. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Books from "../world/Books.ts"
import * as Kinds from "../world/Kinds.ts"
import { above, basePrice, perpetual } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as StreamBooks from "../world/StreamBooks.ts"
import * as StreamMarkets from "../world/StreamMarkets.ts"
import * as Streams from "../world/Streams.ts"
import * as Trading from "../world/Trading.ts"
import type { Body, Market } from "../world/World.ts"

const lastPrice = Streams.documented("Last price")
const statistics = Streams.documented("Market statistics")
const bookTicker = Streams.documented("Book ticker")

const figures = {
  open: Kinds.decimal,
  last: Kinds.decimal,
  high: Kinds.decimal,
  low: Kinds.decimal,
  volume: Kinds.decimal,
  deal: Kinds.decimal
} as const

/** The two kinds of statistics: of the last 24 hours, and since midnight UTC. */
const periods = [
  {
    channel: "market",
    method: "market_request",
    params: [86_400],
    kinds: { ...figures, close: Kinds.decimal, period: Kinds.integer }
  },
  { channel: "marketToday", method: "marketToday_query", params: [], kinds: figures }
] as const

/** The length of a day, in milliseconds. */
const day = 86_400_000

/** The tolerance for times, in seconds. */
const slack = 60

const isLastPrice = (market: Pick<Market, "name">, price: number) => (params: unknown): true | undefined => {
  const [name, last] = Streams.listOf(params)
  return name === market.name && typeof last === "string" && Number(last) === price ? true : undefined
}

/** The increase of a statistic between two responses. */
const growth = (before: Body, after: Body, key: string): number => Number(after[key]) - Number(before[key])

/** Whether the statistics include a trade. Their opening price is ignored. */
const counts = (before: Body, after: Body, { amount, price }: { readonly amount: number; readonly price: number }) =>
  Books.isClose(growth(before, after, "volume"), amount) &&
  Math.abs(growth(before, after, "deal") - amount * price) < 1e-4 && Number(after["last"]) === price &&
  Number(after["high"]) >= price && Number(after["low"]) <= price &&
  (after["close"] === undefined || Streams.isEqual(after["close"], after["last"]))

/** Returns the values of a message about best prices. */
const bestOf = (params: unknown): ReadonlyArray<unknown> => Streams.listOf(Streams.listOf(params)[0])

/** Whether each best-price message differs from the previous one, and has an update id that is not smaller. */
const areChanges = (messages: ReadonlyArray<unknown>): boolean =>
  messages.map(bestOf).every((best, at, all) => {
    const before = all[at - 1]
    return before === undefined ||
      (Number(best[3]) >= Number(before[3]) && Json.stringify(best.slice(4)) !== Json.stringify(before.slice(4)))
  })

const bestKinds = [
  Kinds.time,
  Kinds.time,
  Kinds.market,
  Kinds.integer,
  Kinds.decimal,
  Kinds.decimal,
  Kinds.decimal,
  Kinds.decimal
]

export const rules: ReadonlyArray<Rule.Rule> = [
  lastPrice.always("streams.last-price.request", {
    statement: "Responds to the request for the last price with the price of the latest trade",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      // The second response must show the second trade.
      for (const percent of [1, 0.5]) {
        const isControl = world.profile === "control"
        const price = isControl ? (yield* StreamMarkets.trade(world, market, percent)).price : undefined
        const { reply, result } = yield* Streams.ask(yield* world.connection, "lastprice_request", market.name)
        yield* Streams.expect(
          reply,
          price === undefined ? "a decimal above zero in a string" : `the price ${price} in a string`,
          Kinds.positiveDecimal.holds(result) && (price === undefined || Number(result) === price)
        )
        if (!isControl) return
      }
    })
  }),
  lastPrice.always("streams.last-price.pushed", {
    statement: "Pushes the last price whenever it has changed, and only then",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const listening = yield* Streams.subscribe(yield* world.connect, "lastprice", market.name)
      for (const percent of [1, -1]) {
        const { price } = yield* StreamMarkets.trade(world, market, percent, { side: percent > 0 ? "buy" : "sell" })
        yield* Streams.pass(world)
        yield* Streams.seesOne(listening, `the price ${price} of ${market.name}`, isLastPrice(market, price))
      }
      yield* Streams.pass(world)
      yield* Streams.linger(listening.connection)
      const prices = Streams.pushed(listening).map((params) => Streams.listOf(params)[1])
      yield* Verdict.conclude(
        "prices that each differ from the previous price",
        prices,
        prices.every((price, at) => at === 0 || price !== prices[at - 1])
      )
    })
  }),
  lastPrice.always("streams.last-price.futures", {
    statement: "Serves the last prices of spot and futures markets in one subscription",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
      const listening = yield* Streams.subscribe(yield* world.connect, "lastprice", market.name, perpetual)
      const order = { market: perpetual, amount: "0.01", price: String(basePrice + 100) }
      for (const side of Orders.sides) {
        yield* Trading.placeOther(world, yield* world.open(), { ...order, side }, Paths.collateralLimit)
      }
      const { price } = yield* StreamMarkets.trade(world, market, 1.2)
      yield* Streams.pass(world)
      yield* Streams.seesOne(
        listening,
        `the price ${order.price} of ${perpetual}`,
        isLastPrice({ name: perpetual }, basePrice + 100)
      )
      yield* Streams.seesOne(listening, `the price ${price} of ${market.name}`, isLastPrice(market, price))
      const { reply, result } = yield* Streams.ask(yield* world.connection, "lastprice_request", perpetual)
      yield* Streams.expect(reply, `the price ${order.price} in a string`, Number(result) === basePrice + 100)
    })
  }),
  statistics.forEach("streams.statistics.request", {
    statement: "Responds to the request for statistics with prices and volumes that count each trade",
    profile: "read-only",
    values: periods,
    check: Effect.fnUntraced(function*(world, { kinds, method, params }) {
      const market = yield* world.market
      const connection = yield* world.connection
      const { reply, result } = yield* Streams.ask(connection, method, market.name, ...params)
      yield* Streams.hasKinds("statistics", result, kinds)
      const [before, period] = [Streams.objectOf(result), params[0]]
      yield* Streams.expect(
        reply,
        "a low that is not above the high, and the given period",
        Number(before["low"]) <= Number(before["high"]) && (period === undefined || before["period"] === period)
      )
      if (world.profile !== "control") return
      const high = yield* StreamMarkets.trade(world, market, 2)
      const low = yield* StreamMarkets.trade(world, market, -2, { side: "sell" })
      const between = yield* Streams.ask(connection, method, market.name, ...params)
      const trade = yield* StreamMarkets.trade(world, market, 1)
      const after = yield* Streams.ask(connection, method, market.name, ...params)
      yield* Streams.expect(
        after.reply,
        `a volume that is ${trade.amount} more than in ${Json.stringify(between.result)}, last ${trade.price}, `
          + `a high of at least ${high.price} and a low of at most ${low.price}`,
        counts(Streams.objectOf(between.result), Streams.objectOf(after.result), trade) &&
          Number(Streams.objectOf(after.result)["high"]) >= high.price &&
          Number(Streams.objectOf(after.result)["low"]) <= low.price &&
          Number(Streams.objectOf(after.result)["low"]) > 0
      )
    })
  }),
  statistics.forEach("streams.statistics.pushed", {
    statement: "Pushes a market's statistics after a trade, with the same values as the request returns",
    values: periods,
    check: Effect.fnUntraced(function*(world, { channel, kinds, method, params: periodOf }) {
      const market = yield* world.market
      const connection = yield* world.connect
      const listening = yield* Streams.subscribe(connection, channel, market.name)
      // A later message must be correct, too, so this is done twice.
      for (const percent of [1.5, 0.7]) {
        const { result } = yield* Streams.ask(connection, method, market.name, ...periodOf)
        const trade = yield* StreamMarkets.trade(world, market, percent)
        yield* Streams.pass(world)
        const [, found] = yield* Streams.seesOne(listening, `statistics that count ${Json.stringify(trade.amount)}`, (
          params
        ) => {
          const [name, body] = Streams.listOf(params)
          const isIt = name === market.name && counts(Streams.objectOf(result), Streams.objectOf(body), trade)
          return isIt ? [name, body] as const : undefined
        })
        yield* Streams.hasKinds("statistics", found, kinds)
        const [period] = periodOf
        const rest = Streams.objectOf((yield* Streams.ask(connection, method, market.name, ...periodOf)).result)
        yield* Verdict.conclude(
          `the statistics of the request, ${Json.stringify(rest)}`,
          found,
          Object.keys(figures).every((key) => Streams.isEqual(Streams.objectOf(found)[key], rest[key]))
        )
        const { period: shown } = Streams.objectOf(found)
        yield* Verdict.conclude("the period", found, period === undefined || shown === period)
      }
    })
  }),
  statistics.forEach("streams.statistics.figures", {
    statement: "Shows the first, last, highest and lowest price of a period, and the sums of its amounts and totals",
    values: [...periods, { ...periods[0], params: [3600] }],
    check: Effect.fnUntraced(function*(world, { kinds, method, params }) {
      const market = yield* world.market
      // Advances to 61 minutes after the midnight after next, so that no earlier trade is in the period.
      yield* world.advance(Math.ceil(2 * day - (yield* world.now) % day) + 3_660_000)
      const trades = [
        // Leaves nothing of the first order, because a later order would trade with the rest.
        yield* StreamMarkets.trade(world, market, 0.9, { taken: "0.02" }),
        yield* StreamMarkets.trade(world, market, 1.7, { taken: "0.015" }),
        yield* StreamMarkets.trade(world, market, -1.4, { side: "sell", taken: "0.005" }),
        yield* StreamMarkets.trade(world, market, 0.6)
      ]
      const { reply, result } = yield* Streams.ask(yield* world.connection, method, market.name, ...params)
      yield* Streams.hasKinds("statistics", result, kinds)
      const body = Streams.objectOf(result)
      const prices = trades.map(({ price }) => price)
      const sum = (of: (trade: (typeof trades)[number]) => number) => trades.reduce((sum, trade) => sum + of(trade), 0)
      const expected = {
        last: prices.at(-1) ?? 0,
        high: Math.max(...prices),
        low: Math.min(...prices),
        volume: sum(({ amount }) => amount),
        deal: sum(({ amount, price }) => amount * price)
      }
      yield* Streams.expect(
        reply,
        // The period may open at the last price before it.
        `${Json.stringify(expected)}, close ${expected.last}, and open ${prices[0]} or ${market.price}`,
        Object.entries(expected).every(([key, value]) => Math.abs(Number(body[key]) - value) < 1e-6) &&
          [prices[0], market.price].includes(Number(body["open"])) &&
          (!("close" in kinds) || Number(body["close"]) === expected.last)
      )
    })
  }),
  statistics.always("streams.statistics.steady", {
    statement: "Pushes a market's statistics every second, even if they have not changed",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const listening = yield* Streams.subscribe(yield* world.connect, "market", market.name)
      for (const count of [1, 2]) {
        yield* Streams.pass(world)
        yield* Streams.sees(
          listening,
          `${count} messages about ${market.name}`,
          (all) => all.filter((params) => Streams.listOf(params)[0] === market.name).length >= count ? true : undefined
        )
      }
    })
  }),
  statistics.always("streams.statistics.period", {
    statement:
      "Counts only trades since midnight UTC in today's statistics, and only the given period's trades in the others",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const volumes = Effect.gen(function*() {
        const connection = yield* world.connect
        const today = yield* Streams.ask(connection, "marketToday_query", market.name)
        const hour = yield* Streams.ask(connection, "market_request", market.name, 3600)
        return [today, hour].map(({ result }) => Number(Streams.objectOf(result)["volume"]))
      })
      yield* StreamMarkets.trade(world, market, 1)
      const before = yield* volumes
      yield* Verdict.conclude("volumes above zero after a trade", before, before.every((volume) => volume > 0))
      // Advances to 61 minutes after the next midnight.
      yield* world.advance(Math.ceil(day - (yield* world.now) % day) + 3_660_000)
      const after = yield* volumes
      yield* Verdict.conclude("volumes of zero an hour after midnight", after, after.every((volume) => volume === 0))
    })
  }),
  bookTicker.always("streams.book-ticker.best", {
    statement: "Pushes the best bid and ask with their amounts after each change, as the call for the book shows them",
    check: Effect.fnUntraced(function*(world) {
      const { account, market, place } = yield* StreamBooks.fill(world)
      const listening = yield* Streams.subscribe(yield* world.connect, "bookTicker", market.name)
      const isBest = Streams.settles(
        listening.connection,
        "the best levels of the book",
        Effect.gen(function*() {
          const { asks: [ask], bids: [bid] } = yield* Books.read(world, Paths.orderBook, market.name)
          const best = bestOf(Streams.pushed(listening).at(-1))
          const expected = [bid?.[0], bid?.[1], ask?.[0], ask?.[1]]
          const holds = best[2] === market.name && expected.every((value, at) => Number(best[at + 4]) === value)
          return { holds, got: { pushed: best, expected } }
        })
      )
      const orders: Array<Body> = []
      for (
        const [side, percent, amount] of [
          ["sell", 0.4, "0.06"],
          ["buy", -0.4, "0.07"],
          ["sell", 0.3, "0.05"],
          // The last two orders change only the amount at the best price.
          ["sell", 0.3, "0.02"],
          ["buy", -0.4, "0.01"]
        ] as const
      ) {
        orders.push(yield* place(side, percent, amount))
        yield* isBest
      }
      // A trade takes part of the best level, another one the rest; cancellations do the same on the other side.
      for (const amount of ["0.06", "0.01"]) {
        const fields = { market: market.name, side: "buy", amount, price: above(market, 0.3) }
        yield* Trading.placeOther(world, yield* world.open(), fields)
        yield* isBest
      }
      for (const index of [1, 4]) {
        yield* world.call(account, Paths.cancelOrder, { market: market.name, orderId: orders[index]?.["orderId"] })
        yield* isBest
      }
      const now = (yield* world.now) / 1000
      for (const params of Streams.pushed(listening)) {
        yield* Streams.hasKinds("a message", bestOf(params), bestKinds)
        const [at, sent] = bestOf(params).map(Number)
        const isNow = [at, sent].every((time = 0) => Math.abs(time - now) < slack)
        yield* Verdict.conclude(`two times of about ${now}`, params, isNow)
      }
    })
  }),
  bookTicker.always("streams.book-ticker.quiet", {
    statement: "Pushes best prices only if they have changed, with an update id that never decreases",
    check: Effect.fnUntraced(function*(world) {
      const { market, place } = yield* StreamBooks.fill(world)
      const listening = yield* Streams.subscribe(yield* world.connect, "bookTicker", market.name)
      // Only the sell at 0.4 percent and the buy at -0.4 percent change a best price.
      const orders = [
        ["sell", 1.3, "0.03"],
        ["buy", -1.3, "0.03"],
        ["sell", 0.4, "0.06"],
        ["buy", -0.9, "0.05"],
        ["sell", 0.6, "0.05"],
        ["buy", -0.4, "0.07"]
      ] as const
      for (const [side, percent, amount] of orders) {
        yield* place(side, percent, amount)
        yield* Streams.pass(world)
      }
      const bid = Number(above(market, -0.4))
      yield* Streams.seesOne(
        listening,
        `a best bid of ${bid}`,
        (params) => Number(bestOf(params)[4]) === bid ? true : undefined
      )
      const all = Streams.pushed(listening)
      yield* Verdict.conclude("messages that each differ from the previous one", all, areChanges(all))
    })
  }),
  bookTicker.always("streams.book-ticker.all", {
    statement: "Pushes the best prices of every market to a subscription without markets",
    check: Effect.fnUntraced(function*(world) {
      const { market, other } = yield* StreamMarkets.pair(world)
      const listening = yield* Streams.subscribe(yield* world.connect, "bookTicker")
      yield* Streams.linger(listening.connection)
      for (const each of [market, other]) {
        const { length } = Streams.pushed(listening)
        const { price } = yield* StreamMarkets.trade(world, each, 0.3)
        yield* Streams.pass(world)
        yield* Streams.sees(
          listening,
          `the best ask ${price} of ${each.name}`,
          (all) =>
            all.slice(length).map(bestOf).some((best) => best[2] === each.name && Number(best[6]) === price)
              ? true
              : undefined
        )
      }
    })
  }),
  bookTicker.always("streams.book-ticker.leaves", {
    statement: "Ends the subscription to the best prices of the named market",
    check: Effect.fnUntraced(function*(world) {
      const { market } = yield* StreamBooks.fill(world)
      const [connection, witness] = [yield* world.connect, yield* world.connect]
      const seen = yield* Streams.subscribe(witness, "bookTicker", market.name)
      yield* Streams.subscribe(connection, "bookTicker", market.name)
      yield* Streams.linger(connection)
      const ended = yield* Streams.ask(connection, "bookTicker_unsubscribe", market.name)
      yield* Streams.isAcknowledgement(ended)
      const { price } = yield* StreamMarkets.trade(world, market, 0.3)
      yield* Streams.pass(world)
      yield* Streams.seesOne(
        seen,
        `the best ask ${price}`,
        (params) => Number(bestOf(params)[6]) === price ? true : undefined
      )
      yield* Streams.linger(connection)
      const left = { connection, channel: "bookTicker", from: ended.reply.at + 1 }
      yield* Streams.hasNone(left, "after the end of the subscription", () => true)
    })
  }),
  Streams.recorded.always("streams.book-ticker.first", {
    statement: "Begins a subscription to the best prices with the current best prices",
    check: Effect.fnUntraced(function*(world) {
      const { market } = yield* StreamBooks.fill(world)
      const listening = yield* Streams.subscribe(yield* world.connect, "bookTicker", market.name)
      yield* Streams.seesOne(
        listening,
        "the best prices",
        (params) => bestOf(params)[2] === market.name ? true : undefined
      )
    })
  })
]
