/**
 * Rules about past trades, and about the market summaries that include them. Only the live exchange's documentation
 * describes these calls. All calls must show a trade in the same way.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Books from "../world/Books.ts"
import * as FieldRules from "../world/FieldRules.ts"
import * as Kinds from "../world/Kinds.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import * as MarketFigures from "../world/MarketFigures.ts"
import { basePrice, priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

/** Returns the past trades of a market, in the sequence of the list. */
const tradesOf = Effect.fnUntraced(function*(world: World, market: string, query: LivePublicCalls.Query = {}) {
  const answer = yield* LivePublicCalls.get(world, `${Paths.trades}/${market}`, query)
  const { json } = answer
  yield* Verdict.expect(answer, "HTTP 200 with a list", answer.status === 200 && Array.isArray(json))
  return { answer, trades: Array.isArray(json) ? json.filter(Json.isObject) : [] }
})

/** Gives an account an amount of a spot market's base currency to sell. */
const fund = (world: World, { id }: Account, market: string) =>
  world.control("Fund", { account: id, wallet: "trade", ticker: market.split("_")[0], amount: "10" })

/** Makes a new account take an amount from another new account. The taker's side is `side`. */
const trade = Effect.fnUntraced(function*(
  world: World,
  { name }: Pick<Market, "name">,
  side: Orders.Side,
  amount: string,
  price: string
) {
  const [maker, taker] = [yield* world.open(), yield* world.open()]
  for (const account of [maker, taker]) yield* fund(world, account, name)
  const fields = { market: name, amount, price }
  const made = yield* Trading.placeOther(world, maker, { ...fields, side: Orders.opposite(side) })
  yield* Trading.placeOther(world, taker, { ...fields, side })
  return { maker, made }
})

const areDifferent = (records: ReadonlyArray<Body>, key: string): boolean =>
  new Set(records.map((record) => record[key])).size === records.length

const historyRules: ReadonlyArray<Rule.Rule> = [
  forEach("trades.agree", {
    statement: "Shows a trade everywhere with the same id, price, amounts, time and taker's side, latest first",
    level: "SHOULD",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const market = yield* world.market
      yield* trade(world, market, Orders.opposite(side), "0.03", Books.near(market, -0.2))
      yield* world.advance(5000)
      const price = Books.near(market, 0.3)
      const { made, maker } = yield* trade(world, market, side, "0.0125", price)
      const now = (yield* world.now) / 1000
      const { answer, trades: [latest = {}, before = {}] } = yield* tradesOf(world, market.name)
      const numbers = { price: Number(price), quote_volume: 0.0125, base_volume: 0.0125 * Number(price) }
      yield* Verdict.expect(
        answer,
        `first a trade with ${Json.stringify({ ...numbers, type: side })} at ${Math.floor(now)}`,
        Object.entries(numbers).every(([key, value]) => Books.isClose(Number(latest[key]), value)) &&
          latest["type"] === side && (latest["rpi"] ?? false) === false &&
          Math.abs(Number(latest["trade_timestamp"]) - now) < 3 &&
          before["type"] === Orders.opposite(side) && Number(latest["tradeID"]) > Number(before["tradeID"])
      )
      const { json } = yield* LiveCalls.object(world, maker, Paths.orderDeals, { orderId: made["orderId"] })
      const [deal] = Array.isArray(json["records"]) ? json["records"] : []
      const query = { market: market.name, lastId: 0, limit: 1 }
      const past = yield* LivePublicCalls.results(world, Paths.tradeHistory, query)
      const [first] = past.value
      const shown = Json.isObject(first) ? first : {}
      yield* Verdict.expect(
        past.answer,
        `first the trade ${String(latest["tradeID"])}: 0.0125 at ${price}, type ${side}`,
        shown["id"] === latest["tradeID"] && Number(shown["price"]) === Number(price) &&
          Books.isClose(Number(shown["amount"]), 0.0125) && shown["type"] === side &&
          Math.floor(Number(shown["time"])) === latest["trade_timestamp"]
      )
      const dealId = Json.isObject(deal) ? deal["id"] : undefined
      yield* Verdict.conclude(`a deal with the id ${String(shown["id"])}`, deal ?? null, dealId === shown["id"])
    })
  }),
  forEach("trades.values", {
    statement: "Lists each trade of a market once, with its id, price, amounts, time and the taker's side",
    values: [["first", "buy"], ["first", "sell"], ["second", "buy"]] as const,
    check: Effect.fnUntraced(function*(world, [which, side]) {
      const market = yield* marketOf(world, which)
      yield* world.control("MovePrice", { market: market.name, price: String(basePrice) })
      const elsewhere = yield* marketOf(world, which === "first" ? "second" : "first")
      const ofOther = Effect.map(tradesOf(world, elsewhere.name), ({ trades }) => Json.stringify(trades))
      const before = yield* ofOther
      const made = [[side, "0.0131", 0.31], [Orders.opposite(side), "0.0297", -0.23]] as const
      for (const [taker, amount, percent] of made) {
        yield* trade(world, market, taker, amount, Books.near(market, percent))
      }
      const now = (yield* world.now) / 1000
      const { answer, trades } = yield* tradesOf(world, market.name)
      const query = { market: market.name, lastId: 0, limit: 100 }
      const past = yield* LivePublicCalls.results(world, Paths.tradeHistory, query)
      const older = past.value.filter(Json.isObject)
      for (const [type, amount, percent] of made) {
        const price = Number(Books.near(market, percent))
        const isOf = (keys: Body) => (record: Body) =>
          Object.entries(keys).every(([key, value]) => Books.isClose(Number(record[key]), Number(value))) &&
          record["type"] === type && (record["rpi"] ?? false) === false
        const shown = trades.filter(isOf({ price, quote_volume: amount, base_volume: Number(amount) * price }))
        const isRecent = (time: unknown) => Math.abs(Number(time) - now) < 30
        yield* Verdict.expect(
          answer,
          `one trade of ${amount} at ${price} with type ${type}, at about ${Math.floor(now)}`,
          shown.some(({ trade_timestamp: time }) => isRecent(time))
        )
        yield* Verdict.expect(
          past.answer,
          `one trade of ${amount} at ${price} with type ${type}, at about ${Math.floor(now)}`,
          older.filter(isOf({ price, amount })).some(({ time }) => isRecent(time))
        )
      }
      const after = yield* ofOther
      yield* Verdict.conclude(`no new trades of ${elsewhere.name}`, after, after === before)
      yield* Verdict.expect(answer, "different ids", areDifferent(trades, "tradeID"))
      yield* Verdict.expect(past.answer, "different ids", areDifferent(older, "id"))
    })
  }),
  ...LivePublicCalls.fields({
    id: "trades.entry",
    within: "a past trade of a market",
    sample: Effect.fnUntraced(function*(world) {
      const { name } = yield* world.profile === "control"
        ? Effect.map(Trading.take(world, "0.01"), ({ market }) => market)
        : world.market
      const { answer, trades } = yield* tradesOf(world, name)
      return { answer, objects: yield* FieldRules.atLeastOne(world, answer, trades, "past trade") }
    }),
    rows: [
      { key: "tradeID", kind: Kinds.integer, meaning: "its id" },
      { key: "price", kind: Kinds.positiveDecimal, meaning: "its price" },
      { key: "quote_volume", kind: Kinds.positiveDecimal, meaning: "its amount in the base currency" },
      { key: "base_volume", kind: Kinds.positiveDecimal, meaning: "its total in the quote currency" },
      { key: "trade_timestamp", kind: Kinds.seconds, meaning: "its time" },
      { key: "type", kind: Kinds.oneOf("buy", "sell"), meaning: "the side of the taker" },
      { key: "rpi", kind: Kinds.boolean, meaning: "whether an RPI order took part", isOptional: true }
    ]
  }),
  forEach("trades.side", {
    statement: "Lists only the past trades whose taker has the side that type names",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const market = yield* world.market
      const known = new Set<unknown>()
      // The second list must show the second trade, even though the caller has read the first list.
      for (const percent of [0.1, 0.2]) {
        for (const taker of [side, Orders.opposite(side)]) {
          yield* trade(world, market, taker, "0.01", Books.near(market, percent))
        }
        const { answer, trades } = yield* tradesOf(world, market.name, { type: side })
        yield* Verdict.expect(
          answer,
          `at least one new trade, and only trades of type ${side}`,
          trades.some(({ tradeID }) => !known.has(tradeID)) && trades.every(({ type }) => type === side)
        )
        for (const { tradeID } of trades) known.add(tradeID)
      }
    })
  }),
  forEach("trades.refusal", {
    statement: "Refuses past trades of an unknown market or side: HTTP 422, and an object that names the field",
    profile: "read-only",
    values: [["market", LivePublicCalls.noMarket, {}], ["type", undefined, { type: "both" }]] as const,
    check: Effect.fnUntraced(function*(world, [field, market, query]) {
      const name = market ?? (yield* world.market).name
      yield* LivePublicCalls.refuses(world, `${Paths.trades}/${name}`, query, field)
    })
  })
]

/** A futures market of a sandbox, with the precision of its prices. */
const perpetual = { name: "BTC_PERP", moneyPrecision: 1, tick: 0.1 }

/** Returns the market to trade on (`first`), or another one (`second`). */
const marketOf = Effect.fnUntraced(function*(world: World, which: "first" | "second") {
  const market = yield* world.market
  if (which === "first") return market
  const other = (yield* world.markets).find(({ name }) => name !== market.name)
  return other ?? (yield* Verdict.skip("needs a second market"))
})

/**
 * Two trades: how far, in percent, each price is above or below the base price, and the amount. The expected values
 * follow from these trades.
 */
const known = [[0.9, "0.012"], [-0.4, "0.021"]] as const

const summaryRules: ReadonlyArray<Rule.Rule> = [
  forEach("summary.figures", {
    statement:
      "Shows the day's last price, volumes, low, high, change, best bid and best ask in every summary of a market",
    values: [
      { source: "ticker", which: "first" },
      { source: "summary", which: "first" },
      { source: "summaries", which: "first" },
      { source: "ticker", which: "second" },
      { source: "summary", which: "second" },
      { source: "summaries", which: "second" },
      { source: "ticker", which: "future" },
      { source: "futures", which: "future" }
    ] as const,
    check: Effect.fnUntraced(function*(world, { source, which }) {
      const market = which === "future" ? perpetual : yield* marketOf(world, which)
      yield* world.control("MovePrice", { market: market.name, price: String(basePrice) })
      // After 25 hours, no earlier trade counts in the 24-hour statistics.
      yield* world.advance(25 * 3_600_000)
      const path = which === "future" ? Paths.collateralLimit : Paths.limitOrder
      const [one, two] = [yield* world.open(), yield* world.open()]
      if (which === "second") yield* fund(world, one, market.name)
      const place = (account: typeof one, side: Orders.Side, amount: string, percent: number) =>
        Trading.placeOther(
          world,
          account,
          { market: market.name, side, amount, price: Books.near(market, percent) },
          path
        )
      for (const [percent, amount] of known) {
        yield* place(one, "sell", amount, percent)
        yield* place(two, "buy", amount, percent)
      }
      yield* place(one, "sell", "0.01", 1.2)
      yield* place(two, "buy", "0.01", -1.3)
      const prices = known.map(([percent]) => Number(Books.near(market, percent)))
      const [first = 0, last = 0] = prices
      const best = {
        ask: Number(Books.near(market, 1.2)),
        bid: Number(Books.near(market, -1.3))
      }
      const { answer, numbers } = yield* MarketFigures.read(world, source, market.name)
      // The price before these trades may be the first price of the day.
      const opens = [first, basePrice]
      const changes = opens.map((open) => (last / open - 1) * 100)
      const expected: Readonly<Record<string, number>> = {
        last,
        volume: 0.033,
        deal: 0.012 * first + 0.021 * last,
        low: Math.min(...prices)
      }
      yield* Verdict.expect(
        answer,
        `${market.name} with ${Json.stringify({ ...expected, changes, ...best })}`,
        Object.entries(expected).every(([key, value]) => !(key in numbers) || Books.isClose(numbers[key], value)) &&
          (!("high" in numbers) || [first, basePrice].some((high) => high === numbers["high"])) &&
          (!("change" in numbers) ||
            changes.some((change) => Math.abs((numbers["change"] ?? Number.NaN) - change) < 0.011)) &&
          (!("ask" in numbers) || (numbers["ask"] ?? Number.NaN) <= best.ask && (numbers["bid"] ?? 0) >= best.bid)
      )
      if (!("ask" in numbers)) return
      const { asks, bids } = yield* Books.read(world, Paths.orderBook, market.name)
      yield* Verdict.expect(
        answer,
        `the best prices of the book: ${bids[0]?.[0]} and ${asks[0]?.[0]}`,
        numbers["ask"] === asks[0]?.[0] && numbers["bid"] === bids[0]?.[0]
      )
    })
  }),
  always("summary.change", {
    statement: "Shows the change from the day's first price to its last price, in percent",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      yield* world.advance(25 * 3_600_000)
      yield* trade(world, market, "buy", "0.01", priceText(market, basePrice))
      yield* trade(world, market, "buy", "0.01", priceText(market, basePrice * 1.02))
      const { answer, entry } = yield* MarketFigures.read(world, "summary", market.name)
      yield* Verdict.expect(
        answer,
        `open ${basePrice} and a change of 2`,
        Number(entry["open"]) === basePrice && Math.abs(Number(entry["change"]) - 2) < 0.011
      )
    })
  }),
  always("summaries.time", {
    statement: "Shows the current time in the summaries of all markets, in Unix seconds",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const { answer, value } = yield* LivePublicCalls.result(world, Paths.marketSummaries)
      const now = (yield* world.now) / 1000
      const times = Object.values(Json.isObject(value) ? value : {}).map((entry) =>
        MarketFigures.entryOf({ entry }, "entry")["at"]
      )
      yield* Verdict.expect(
        answer,
        `at least one market, each with a time within a minute of ${Math.floor(now)}`,
        times.length > 0 && times.every((time) => Kinds.seconds.holds(time) && Math.abs(Number(time) - now) < 60)
      )
    })
  }),
  always("tickers.other", {
    statement: "Shows a ticker for every market, and counts a trade in tickers and summaries only in its own market",
    check: Effect.fnUntraced(function*(world) {
      const listed = yield* world.get(Paths.markets)
      const names = (Array.isArray(listed.json) ? listed.json.filter(Json.isObject) : []).map(({ name }) =>
        String(name)
      )
      const summaries = Effect.map(LivePublicCalls.result(world, Paths.marketSummaries), ({ answer, value }) => ({
        answer,
        of: (name: string) => Json.stringify(MarketFigures.entryOf(MarketFigures.entryOf(value, name), "ticker"))
      }))
      const before = yield* LivePublicCalls.object(world, Paths.tickers)
      const summariesBefore = yield* summaries
      const { market } = yield* Trading.take(world, "0.01")
      const { answer, value } = yield* LivePublicCalls.object(world, Paths.tickers)
      const others = names.filter((name) => name !== market.name)
      const isUnchanged = (name: string) => Json.stringify(value[name]) === Json.stringify(before.value[name])
      yield* Verdict.expect(
        answer,
        `tickers of ${names.join(", ")}, of which only ${market.name} has changed`,
        names.every((name) => Object.hasOwn(value, name)) && others.every(isUnchanged) && !isUnchanged(market.name)
      )
      const summariesAfter = yield* summaries
      const odd = others.filter((name) => summariesAfter.of(name) !== summariesBefore.of(name))
      yield* Verdict.expect(
        summariesAfter.answer,
        `summaries of which only that of ${market.name} has changed`,
        odd.length === 0 && summariesAfter.of(market.name) !== summariesBefore.of(market.name)
      )
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...historyRules, ...summaryRules]
