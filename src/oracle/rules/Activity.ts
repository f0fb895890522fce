/**
 * Rules about 24-hour market summaries and past trades. Only the live exchange's documentation describes these calls.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Books from "../world/Books.ts"
import type * as FieldRules from "../world/FieldRules.ts"
import * as Kinds from "../world/Kinds.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import { basePrice, priceText } from "../world/Markets.ts"
import { number, numbers } from "../world/Numbers.ts"
import * as Numbers from "../world/Numbers.ts"
import * as Paths from "../world/Paths.ts"
import * as Trading from "../world/Trading.ts"
import type { Body, World } from "../world/World.ts"

const prices: ReadonlyArray<FieldRules.Row> = [
  { key: "bid", kind: Kinds.decimal, meaning: "the best bid" },
  { key: "ask", kind: Kinds.decimal, meaning: "the best ask" },
  { key: "low", kind: Kinds.decimal, meaning: "the lowest price in 24 hours" },
  { key: "high", kind: Kinds.decimal, meaning: "the highest price in 24 hours" },
  { key: "last", kind: Kinds.decimal, meaning: "the last price" },
  { key: "deal", kind: Kinds.decimal, meaning: "the volume in the quote currency" },
  { key: "change", kind: Kinds.decimal, meaning: "the change in percent" }
]

const summary = Effect.fnUntraced(function*(world: World) {
  const { name } = yield* world.market
  const { answer, value } = yield* LivePublicCalls.result(world, Paths.marketSummary, { market: name })
  return { answer, name, value: Json.isObject(value) ? value : {} }
})

const summaries = Effect.fnUntraced(function*(world: World) {
  const { answer, value } = yield* LivePublicCalls.result(world, Paths.marketSummaries)
  return { answer, value: Json.isObject(value) ? value : {} }
})

const tickerOf = (entry: unknown): Body => Json.isObject(entry) && Json.isObject(entry["ticker"]) ? entry["ticker"] : {}

const trades = Effect.fnUntraced(function*(world: World, query: LivePublicCalls.Query) {
  const { name } = yield* world.market
  const { answer, value } = yield* LivePublicCalls.results(world, Paths.tradeHistory, {
    market: name,
    lastId: 0,
    ...query
  })
  return {
    answer,
    objects: value,
    ids: value.map((trade) => Json.isObject(trade) ? Numbers.idAt(trade["id"]) : Number.NaN)
  }
})

const isClose = (one: number, other: number): boolean => Math.abs(one - other) < 1e-9

const summaryRules: ReadonlyArray<Rule.Rule> = [
  ...LivePublicCalls.fields({
    id: "summary.entry",
    within: "a market summary",
    sample: (world) => Effect.map(summary(world), ({ answer, value }) => ({ answer, objects: [value] })),
    rows: [
      { key: "open", kind: Kinds.decimal, meaning: "the first price in 24 hours" },
      ...prices,
      { key: "volume", kind: Kinds.decimal, meaning: "the volume in the base currency" }
    ]
  }),
  ...LivePublicCalls.fields({
    id: "summaries.entry",
    within: "each market summary",
    sample: (world) =>
      Effect.map(summaries(world), ({ answer, value }) => ({ answer, objects: Object.values(value).map(tickerOf) })),
    rows: [...prices, { key: "vol", kind: Kinds.decimal, meaning: "the volume in the base currency" }]
  }),
  ...LivePublicCalls.fields({
    id: "summaries.market",
    within: "the entry of each market",
    sample: (world) => Effect.map(summaries(world), ({ answer, value }) => ({ answer, objects: Object.values(value) })),
    rows: [{ key: "at", kind: Kinds.seconds, meaning: "the time of the summary" }]
  }),
  LiveCalls.section.always("summary.trade", {
    statement: "Shows a trade immediately in the market summary: last price, volume, total, low and high",
    check: Effect.fnUntraced(function*(world) {
      const before = yield* summary(world)
      const { price: text } = yield* Trading.take(world, "0.01")
      const price = Number(text)
      const { answer, value } = yield* summary(world)
      yield* Verdict.expect(
        answer,
        `last ${price}, a volume 0.01 higher, a total ${0.01 * price} higher, and low and high around the price`,
        number(value, "last") === price && number(value, "low") <= price && number(value, "high") >= price &&
          isClose(number(value, "volume") - number(before.value, "volume"), 0.01) &&
          isClose(number(value, "deal") - number(before.value, "deal"), 0.01 * price)
      )
    })
  }),
  LiveCalls.section.always("summary.day", {
    statement: "Counts trades for 24 hours in the market summaries and the tickers, and then drops them",
    check: Effect.fnUntraced(function*(world) {
      yield* Trading.take(world, "0.01")
      yield* world.advance(23 * 3_600_000)
      const recent = yield* summary(world)
      yield* Verdict.expect(recent.answer, "a volume of at least 0.01", number(recent.value, "volume") > 0.01 - 1e-9)
      const volumeOf = Effect.map(LivePublicCalls.object(world, Paths.tickers), ({ answer, value }) => {
        const ticker = value[recent.name]
        const [volume = Number.NaN, deal] = Json.isObject(ticker) ? numbers(ticker, "base_volume", "quote_volume") : []
        return { answer, volume, deal }
      })
      const listed = Effect.map(summaries(world), ({ answer, value }) => {
        const [volume, deal] = numbers(tickerOf(value[recent.name]), "vol", "deal")
        return { answer, volume, deal }
      })
      const kept = yield* volumeOf
      yield* Verdict.expect(kept.answer, "a base_volume of at least 0.01", kept.volume > 0.01 - 1e-9)
      const keptInList = yield* listed
      yield* Verdict.expect(keptInList.answer, "a vol of at least 0.01", keptInList.volume > 0.01 - 1e-9)
      yield* world.advance(2 * 3_600_000)
      const dropped = yield* volumeOf
      yield* Verdict.expect(
        dropped.answer,
        "a base_volume and a quote_volume of 0",
        dropped.volume === 0 && dropped.deal === 0
      )
      const droppedFromList = yield* listed
      yield* Verdict.expect(
        droppedFromList.answer,
        "a vol and a deal of 0",
        droppedFromList.volume === 0 && droppedFromList.deal === 0
      )
      const { answer, value } = yield* summary(world)
      yield* Verdict.expect(
        answer,
        "no volume, and no price other than the last one",
        number(value, "volume") === 0 && number(value, "deal") === 0 &&
          ["open", "low", "high"].every((key) => [0, number(value, "last")].includes(number(value, key)))
      )
    })
  }),
  LiveCalls.section.always("summary.book", {
    statement: "Shows the best prices of the order book as bid and ask, also after orders are canceled",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const account = yield* world.open()
      const [low, high] = [priceText(market, basePrice * 0.999), priceText(market, basePrice * 1.001)]
      const order = { market: market.name, amount: "0.01" }
      yield* Trading.placeOther(world, account, { ...order, side: "buy", price: low })
      yield* Trading.placeOther(world, account, { ...order, side: "sell", price: high })
      const { answer, value } = yield* summary(world)
      yield* Verdict.expect(
        answer,
        "the prices of both orders, or better prices",
        number(value, "bid") >= Number(low) && number(value, "ask") <= Number(high) &&
          number(value, "bid") < number(value, "ask")
      )
      yield* world.call(account, Paths.cancelAll, { market: market.name })
      const { asks: [ask], bids: [bid] } = yield* Books.read(world, Paths.orderBook, market.name, { limit: 1 })
      const after = yield* summary(world)
      // The documentation does not say what a summary shows for a side without orders.
      yield* Verdict.expect(
        after.answer,
        `the best prices of the book, ${bid?.[0] ?? "none"} and ${ask?.[0] ?? "none"}`,
        number(after.value, "bid") === (bid?.[0] ?? number(after.value, "bid")) &&
          number(after.value, "ask") === (ask?.[0] ?? number(after.value, "ask")) &&
          (bid !== undefined || number(after.value, "bid") !== Number(low)) &&
          (ask !== undefined || number(after.value, "ask") !== Number(high))
      )
    })
  }),
  LiveCalls.section.always("summaries.markets", {
    statement: "Lists a summary of every market",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const { name } = yield* world.market
      const { answer, value } = yield* summaries(world)
      const one = yield* summary(world)
      const { json } = yield* world.get(Paths.markets)
      const spot = (Array.isArray(json) ? json.filter(Json.isObject) : []).filter(({ type }) => type === "spot")
      const missing = spot.map((market) => String(market["name"])).filter((market) => !Object.hasOwn(value, market))
      yield* Verdict.conclude("a summary of every spot market", `none of ${missing.join(", ")}`, missing.length === 0)
      yield* Verdict.expect(
        answer,
        `a list with a summary of ${name} that has the same low and high`,
        Object.hasOwn(value, name) &&
          ["low", "high"].every((key) => tickerOf(value[name])[key] === one.value[key])
      )
    })
  }),
  LiveCalls.section.always("summary.refusal", {
    statement: "Refuses the summary of an unknown market: HTTP 200, success false, and a message that names the field",
    level: "SHOULD",
    profile: "read-only",
    check: (world) =>
      LivePublicCalls.refusesV1(world, Paths.marketSummary, { market: LivePublicCalls.noMarket }, "market")
  })
]

/** Invalid queries for past trades. */
const wrong: ReadonlyArray<readonly [field: string, query: LivePublicCalls.Query]> = [
  ["market", { market: LivePublicCalls.noMarket }],
  ["limit", { limit: "ten" }]
]

const historyRules: ReadonlyArray<Rule.Rule> = [
  ...LivePublicCalls.fields({
    id: "trade-history.entry",
    within: "a past trade",
    sample: Effect.fnUntraced(function*(world) {
      if (world.profile === "control") yield* Trading.take(world, "0.01")
      return yield* trades(world, {})
    }),
    rows: [
      { key: "id", kind: Kinds.integer, meaning: "its id" },
      { key: "time", kind: Kinds.fractionalSeconds, meaning: "its time" },
      { key: "price", kind: Kinds.positiveDecimal, meaning: "its price" },
      { key: "amount", kind: Kinds.positiveDecimal, meaning: "its amount" },
      { key: "type", kind: Kinds.oneOf("buy", "sell"), meaning: "the side of the taker" }
    ]
  }),
  LiveCalls.section.always("trade-history.order", {
    statement: "Lists past trades latest first, up to the limit, and without the trade that lastId names",
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      const { market, price, taker } = yield* Trading.take(world, "0.01")
      yield* Trading.placeOther(world, taker, { market: market.name, price, side: "buy", amount: "0.005" })
      const { answer, ids } = yield* trades(world, { limit: 2 })
      const [latest = 0, before = 0] = ids
      yield* Verdict.expect(answer, "two trades, the latest first", ids.length === 2 && latest > before)
      const newer = yield* trades(world, { lastId: `${before}` })
      yield* Verdict.expect(newer.answer, `the trade ${latest}`, newer.ids.length === 1 && newer.ids[0] === latest)
      const none = yield* trades(world, { lastId: `${latest}` })
      yield* Verdict.expect(none.answer, "no trades", none.ids.length === 0)
    })
  }),
  LiveCalls.section.always("trade-history.after", {
    statement: "Lists past trades from lastId onwards, up to the limit",
    check: Effect.fnUntraced(function*(world) {
      const { market, price, taker } = yield* Trading.take(world, "0.01")
      // Makes two more trades, so that one trade is older than the trade that `lastId` names.
      for (let n = 0; n < 2; n++) {
        yield* Trading.placeOther(world, taker, { market: market.name, price, side: "buy", amount: "0.005" })
      }
      const all = yield* trades(world, { limit: 100 })
      yield* Verdict.expect(all.answer, "at least three trades", all.ids.length >= 3)
      const one = yield* trades(world, { limit: 1 })
      yield* Verdict.expect(one.answer, "one trade", one.ids.length === 1)
      const [before = 0, latest = 0] = all.ids.toSorted(Numbers.byId).slice(-2)
      const newer = yield* trades(world, { lastId: `${before}` })
      yield* Verdict.expect(
        newer.answer,
        `the trade ${latest}, and none before ${before}`,
        newer.ids.includes(latest) && newer.ids.every((id) => id >= before)
      )
    })
  }),
  LiveCalls.section.forEach("trade-history.refusal", {
    statement:
      "Refuses an invalid market or limit for past trades: HTTP 200, success false, and a message that names the field",
    level: "SHOULD",
    profile: "read-only",
    values: wrong,
    check: (world, [field, query]) =>
      Effect.flatMap(
        world.market,
        ({ name }) => LivePublicCalls.refusesV1(world, Paths.tradeHistory, { market: name, lastId: 0, ...query }, field)
      )
  })
]

const tickerRules: ReadonlyArray<Rule.Rule> = [
  ...LivePublicCalls.fields({
    id: "tickers.entry",
    within: "a market's ticker",
    sample: (world) =>
      Effect.map(
        LivePublicCalls.object(world, Paths.tickers),
        ({ answer, value }) => ({ answer, objects: Object.values(value) })
      ),
    rows: [
      { key: "base_id", kind: Kinds.integer, meaning: "the base currency's id at CoinMarketCap", isOptional: true },
      { key: "quote_id", kind: Kinds.integer, meaning: "the quote currency's id at CoinMarketCap", isOptional: true },
      { key: "last_price", kind: Kinds.decimal, meaning: "the last price" },
      { key: "base_volume", kind: Kinds.decimal, meaning: "the 24-hour volume in the base currency" },
      { key: "quote_volume", kind: Kinds.decimal, meaning: "the 24-hour volume in the quote currency" },
      { key: "change", kind: Kinds.decimal, meaning: "the 24-hour change in percent" },
      { key: "isFrozen", kind: Kinds.boolean, meaning: "whether trading is suspended" }
    ]
  }),
  LiveCalls.section.always("tickers.frozen", {
    statement: "Shows a market as frozen if and only if its trading is off",
    level: "SHOULD",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const listed = yield* world.get(Paths.markets)
      const { answer, value } = yield* LivePublicCalls.object(world, Paths.tickers)
      const markets = Array.isArray(listed.json) ? listed.json.filter(Json.isObject) : []
      const odd = markets.filter(({ name, tradesEnabled }) => {
        const shown = value[String(name)]
        const entry: Body = Json.isObject(shown) ? shown : {}
        return Object.hasOwn(entry, "isFrozen") && entry["isFrozen"] === tradesEnabled
      })
      yield* Verdict.conclude(
        "isFrozen false for markets with tradesEnabled true, otherwise true",
        odd.map(({ name }) => name),
        odd.length === 0,
        answer
      )
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...summaryRules, ...historyRules, ...tickerRules]
