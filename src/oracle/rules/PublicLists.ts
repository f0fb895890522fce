/**
 * Rules about public fees, platform status, margin markets and futures. Only the live exchange's
 * documentation describes these calls.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Kinds from "../world/Kinds.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import { basePrice, perpetual } from "../world/Markets.ts"
import * as Paths from "../world/Paths.ts"
import { cached } from "../world/Settling.ts"
import * as Trading from "../world/Trading.ts"
import type { Body, World } from "../world/World.ts"

const areDecimals = (values: ReadonlyArray<unknown>): boolean => values.every((value) => Kinds.decimal.holds(value))

/** Whether a value has the right form, for each field in the terms of deposits or withdrawals of a crypto asset. */
const feeKinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  min_amount: Kinds.decimal.holds,
  max_amount: Kinds.decimal.holds,
  fixed: (value) => value === null || Kinds.decimal.holds(value),
  flex: (value) =>
    value === null || (Json.isObject(value) && areDecimals([value["percent"], value["min_fee"], value["max_fee"]]))
}

const platformRules: ReadonlyArray<Rule.Rule> = [
  ...LivePublicCalls.fields({
    id: "platform",
    within: "the platform's status",
    sample: (world) =>
      Effect.map(
        LivePublicCalls.object(world, Paths.platformStatus),
        ({ answer, value }) => ({ answer, objects: [value] })
      ),
    rows: [{
      key: "status",
      kind: Kinds.oneOf("system operational", "system maintenance"),
      meaning: "operational or in maintenance"
    }]
  }),
  LiveCalls.section.always("platform.operational", {
    statement: "Shows the status system operational while it responds to calls",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const status = Effect.map(LivePublicCalls.object(world, Paths.platformStatus), ({ answer, value }) => ({
        answer,
        isOperational: value["status"] === "system operational"
      }))
      const first = yield* status
      // Maintenance may begin or end at any time, but no call succeeds during maintenance.
      const ping = yield* world.get(Paths.ping)
      if (first.isOperational || ping.status !== 200) return
      const { answer, isOperational } = yield* status
      yield* Verdict.expect(answer, "status system operational", isOperational)
    })
  }),
  ...LivePublicCalls.fields({
    id: "public-fees.entry",
    within: "an asset's fees",
    sample: (world) =>
      Effect.map(LivePublicCalls.object(world, Paths.publicFees), ({ answer, value }) => ({
        answer,
        objects: Object.values(value)
      })),
    rows: [
      { key: "ticker", kind: Kinds.someText, meaning: "the asset" },
      { key: "name", kind: Kinds.someText, meaning: "its full name" },
      { key: "providers", kind: Kinds.array, meaning: "the providers of a national currency" },
      { key: "deposit", kind: Kinds.object, meaning: "fees and limits of deposits" },
      { key: "withdraw", kind: Kinds.object, meaning: "fees and limits of withdrawals" }
    ]
  }),
  LiveCalls.section.always("public-fees.terms", {
    statement:
      "Shows the public fees of a crypto asset as decimals, null where there is no fee, and switches as booleans",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const { answer, value } = yield* LivePublicCalls.object(world, Paths.publicFees)
      const crypto = Object.values(value).filter(Json.isObject).filter(({ providers }) =>
        Array.isArray(providers) && providers.length === 0
      )
      for (const entry of crypto) {
        const flags = ["is_depositable", "is_withdrawal", "is_api_depositable", "is_api_withdrawal"]
        yield* Verdict.conclude(
          `booleans, and ${Json.stringify(Object.keys(feeKinds))} as decimals`,
          entry,
          flags.every((key) => entry[key] === undefined || Kinds.boolean.holds(entry[key])) &&
            [entry["deposit"], entry["withdraw"]].every((terms) =>
              Json.isObject(terms) &&
              Object.entries(feeKinds).every(([key, isIt]) => terms[key] === undefined || isIt(terms[key]))
            ),
          answer
        )
      }
    })
  }),
  LiveCalls.section.always("collateral-markets.marked", {
    statement: "Lists exactly the markets that the market list marks as margin markets",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const { answer, value } = yield* LivePublicCalls.results(world, Paths.collateralMarkets)
      const listed = yield* world.get(Paths.markets)
      const marked = (Array.isArray(listed.json) ? listed.json.filter(Json.isObject) : [])
        .flatMap(({ isCollateral, name }) => isCollateral === true ? [name] : [])
      yield* Verdict.expect(
        answer,
        `the markets ${marked.join(", ")}`,
        marked.length > 0 && marked.length === value.length && marked.every((name) => value.includes(name))
      )
    })
  })
]

const futures = Effect.fnUntraced(function*(world: World) {
  const { answer, value } = yield* LivePublicCalls.results(world, Paths.futures)
  return { answer, objects: value }
})

const millis: Kinds.Kind = {
  name: "Unix milliseconds in a string",
  holds: (value) => typeof value === "string" && /^[1-9][0-9]{12}$/u.test(value)
}

const seconds: Kinds.Kind = {
  name: "Unix seconds in a string",
  holds: (value) => typeof value === "string" && /^[1-9][0-9]{9}$/u.test(value)
}

const decimalOrEmpty: Kinds.Kind = {
  name: `${Kinds.decimal.name}, or an empty string`,
  holds: (value) => value === "" || Kinds.decimal.holds(value)
}

const decimalOrNull: Kinds.Kind = {
  name: `${Kinds.decimal.name}, or null`,
  holds: (value) => value === null || Kinds.decimal.holds(value)
}

const brackets: Kinds.Kind = {
  name: "an object of amounts by leverage",
  holds: (value) =>
    Json.isObject(value) &&
    Object.entries(value).every(([leverage, amount]) => /^[1-9][0-9]*$/u.test(leverage) && Number(amount ?? -1) >= 0)
}

const futuresRules: ReadonlyArray<Rule.Rule> = [
  ...LivePublicCalls.fields({
    id: "futures.entry",
    within: "a futures market",
    sample: futures,
    rows: [
      { key: "ticker_id", kind: Kinds.market, meaning: "the market" },
      { key: "stock_currency", kind: Kinds.ticker, meaning: "the base currency" },
      { key: "money_currency", kind: Kinds.ticker, meaning: "the quote currency" },
      { key: "last_price", kind: Kinds.decimal, meaning: "the last price" },
      { key: "stock_volume", kind: Kinds.decimal, meaning: "the 24-hour volume in the base currency" },
      { key: "money_volume", kind: Kinds.decimal, meaning: "the 24-hour volume in the quote currency" },
      { key: "bid", kind: Kinds.decimal, meaning: "the best bid" },
      { key: "ask", kind: Kinds.decimal, meaning: "the best ask" },
      { key: "high", kind: Kinds.decimal, meaning: "the highest price in 24 hours" },
      { key: "low", kind: Kinds.decimal, meaning: "the lowest price in 24 hours" },
      { key: "product_type", kind: Kinds.exactly("Perpetual"), meaning: "the kind of futures contract" },
      { key: "open_interest", kind: Kinds.decimal, meaning: "the open contracts" },
      { key: "index_price", kind: Kinds.decimal, meaning: "the index price" },
      { key: "mark_price", kind: decimalOrEmpty, meaning: "the mark price, empty without one", isOptional: true },
      { key: "index_name", kind: Kinds.someText, meaning: "the name of the index" },
      { key: "index_currency", kind: Kinds.ticker, meaning: "the index currency" },
      { key: "funding_rate", kind: Kinds.decimal, meaning: "the expected next funding rate" },
      { key: "next_funding_rate_timestamp", kind: millis, meaning: "the time of the next funding" },
      { key: "max_leverage", kind: Kinds.integer, meaning: "the maximum leverage" },
      { key: "funding_interval_minutes", kind: Kinds.integer, meaning: "the funding interval in minutes" }
    ]
  }),
  ...LivePublicCalls.fields({
    id: "futures.limits",
    within: "a futures market",
    sample: futures,
    rows: [
      { key: "funding_cap", kind: decimalOrNull, meaning: "the highest funding rate", isOptional: true },
      { key: "funding_floor", kind: decimalOrNull, meaning: "the lowest funding rate", isOptional: true },
      { key: "brackets", kind: brackets, meaning: "the maximum position at each leverage", isOptional: true }
    ]
  }),
  LiveCalls.section.always("futures.funding", {
    statement: "Shows a predicted funding rate between its floor and its cap",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const { answer, value } = yield* LivePublicCalls.results(world, Paths.futures)
      for (const future of value.filter(Json.isObject)) {
        const bounds = [future["funding_floor"] ?? -Infinity, future["funding_cap"] ?? Infinity].map(Number)
        const [floor = 0, cap = 0] = bounds
        const rate = Number(future["funding_rate"])
        yield* Verdict.expect(
          answer,
          `a funding_rate of ${String(future["ticker_id"])} from ${floor} to ${cap}`,
          floor <= rate && rate <= cap
        )
      }
    })
  }),
  LiveCalls.section.always("futures.settlement", {
    statement: "Shows the next funding time in the future, within one funding interval",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const { answer, objects } = yield* futures(world)
      const now = yield* world.now
      // The tolerance for differences between clocks, in milliseconds.
      const slack = 60_000
      yield* Verdict.expect(
        answer,
        `funding times after ${now}, each within its interval`,
        objects.filter(Json.isObject).every((market) => {
          const wait = Number(market["next_funding_rate_timestamp"]) - now
          return wait > -slack && wait <= Number(market["funding_interval_minutes"]) * 60_000 + slack
        })
      )
    })
  }),
  LiveCalls.section.always("futures.open-interest", {
    statement: "Counts a trade that opens positions for both accounts only once in the open interest",
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      const interest = Effect.map(futures(world), ({ answer, objects }) => {
        const market = objects.filter(Json.isObject).find(({ ticker_id: name }) => name === perpetual)
        return { answer, open: Number(market?.["open_interest"]) }
      })
      yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
      const before = yield* interest
      const order = { market: perpetual, amount: "0.01", price: String(basePrice) }
      for (const side of ["sell", "buy"]) {
        yield* Trading.placeOther(world, yield* world.open(), { ...order, side }, Paths.collateralLimit)
      }
      const { answer, open } = yield* interest
      yield* Verdict.expect(
        answer,
        `an open interest of ${before.open + 0.01}`,
        Math.abs(open - before.open - 0.01) < 1e-9
      )
    })
  })
]

/** Invalid queries for funding rates. */
const wrong: ReadonlyArray<readonly [field: string, query: LivePublicCalls.Query]> = [
  ["limit", { limit: 0 }],
  ["limit", { limit: 101 }],
  ["offset", { offset: 1_000_001 }],
  ["offset", { offset: -1 }],
  ["endDate", { startDate: 1_700_000_000, endDate: 1_600_000_000 }],
  ["endDate", { startDate: 1_600_000_001, endDate: 1_600_000_000 }],
  ["startDate", { startDate: -1 }],
  ["endDate", { endDate: -1 }]
]

/** Whether a funding rate of the market is complete. A rate is calculated before its settlement. */
const isRateOf = (market: string) => (rate: unknown): boolean =>
  Json.isObject(rate) && rate["market"] === market && Kinds.decimal.holds(rate["fundingRate"]) &&
  Kinds.positiveDecimal.holds(rate["settlementPrice"]) && seconds.holds(rate["fundingTime"]) &&
  seconds.holds(rate["rateCalculatedTime"]) && Number(rate["rateCalculatedTime"]) <= Number(rate["fundingTime"])

const timeOf = (rate: Readonly<Record<string, unknown>>): string => String(rate["fundingTime"])

/** Returns the first market in the list of futures. */
const anyFuture = Effect.fnUntraced(function*(world: World) {
  const { objects } = yield* futures(world)
  const [first] = objects.filter(Json.isObject)
  return first === undefined ? yield* Verdict.skip("the target has no futures") : String(first["ticker_id"])
})

const fundingRules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.always("funding-rates.list", {
    statement: "Lists funding rates with time, rate, market and price, latest first",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* anyFuture(world)
      const answer = yield* LivePublicCalls.get(world, `${Paths.fundingRates}/${market}`, { limit: 3 })
      const rates: ReadonlyArray<unknown> | undefined = Array.isArray(answer.json) ? answer.json : undefined
      yield* Verdict.expect(answer, "HTTP 200 with a list of at most three rates", (rates?.length ?? 9) <= 3)
      yield* Verdict.expect(
        answer,
        `rates of ${market} with strings as values, and times in Unix seconds, calculated before they are settled`,
        rates?.every(isRateOf(market)) === true
      )
      const times = (rates ?? []).filter(Json.isObject).map((rate) => Number(rate["fundingTime"]))
      yield* Verdict.expect(
        answer,
        "the latest rate first",
        times.every((time, index) => index === 0 || time < (times[index - 1] ?? 0))
      )
    })
  }),
  LiveCalls.section.always("funding-rates.pages", {
    statement: "Pages funding rates by limit and offset: each rate is on exactly one page",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* anyFuture(world)
      const page = Effect.fnUntraced(function*(limit: number, offset: number) {
        const answer = yield* LivePublicCalls.get(world, `${Paths.fundingRates}/${market}`, { limit, offset })
        return { answer, times: (Array.isArray(answer.json) ? answer.json.filter(Json.isObject) : []).map(timeOf) }
      })
      const both = yield* page(2, 0)
      const pages = [yield* page(1, 0), yield* page(1, 1)]
      // A rate that is settled during the read shifts the pages.
      if ((yield* page(2, 0)).times.join() !== both.times.join()) return yield* Verdict.skip("a rate was just settled")
      for (const [index, { answer, times }] of pages.entries()) {
        const expected = both.times.slice(index, index + 1)
        yield* Verdict.expect(answer, `the rates at ${expected.join() || "no time"}`, times.join() === expected.join())
      }
      yield* Verdict.expect(both.answer, "at most two rates", both.times.length <= 2)
    })
  }),
  LiveCalls.section.always("funding-rates.window", {
    statement: "Lists settled funding rates latest first, and only those between startDate and endDate",
    check: Effect.fnUntraced(function*(world) {
      // A market without a price or without positions need not settle funding.
      const order = { market: perpetual, side: "buy", amount: "0.02", price: String(basePrice) } as const
      yield* world.control("MovePrice", { market: perpetual, price: order.price })
      yield* Trading.onMargin(world, yield* world.open(), order)
      const times = Effect.fnUntraced(function*(query: LivePublicCalls.Query) {
        const answer = yield* LivePublicCalls.get(world, `${Paths.fundingRates}/${perpetual}`, query)
        const rates = Array.isArray(answer.json) ? answer.json.filter(Json.isObject) : []
        return { answer, times: rates.map((rate) => Number(timeOf(rate))) }
      })
      const { times: [latest] } = yield* times({})
      const listed = Effect.map(
        futures(world),
        ({ objects }) => objects.filter(Json.isObject).find(({ ticker_id: name }) => name === perpetual) ?? {}
      )
      const nextIn = (market: Body) => Number(market["next_funding_rate_timestamp"]) / 1000
      const first = nextIn(yield* listed)
      // Every market settles funding at least once a day.
      yield* world.advance(3 * 86_400_000)
      // Public data may be cached for a second.
      yield* Effect.sleep(cached)
      const { answer, times: all } = yield* times({})
      yield* Verdict.expect(answer, `a rate later than ${latest ?? "none"}`, all[0] !== latest)
      const isLatestFirst = all.every((time, index) => index === 0 || time < Number(all[index - 1]))
      yield* Verdict.expect(answer, "at least three rates, the latest first", all.length > 2 && isLatestFirst)
      yield* Verdict.expect(
        answer,
        `rates of ${perpetual} with strings as values, and times in Unix seconds, calculated before they are settled`,
        Array.isArray(answer.json) && answer.json.every(isRateOf(perpetual))
      )
      const middle = Number(all[1])
      // The dates are a second away from the rate's time, because a window may or may not include its ends.
      for (
        const [query, expected] of [
          [{ startDate: middle - 1 }, all.slice(0, 2)],
          [{ endDate: middle + 1 }, all.slice(1)],
          [{ startDate: middle - 1, endDate: middle + 1 }, all.slice(1, 2)],
          [{ endDate: middle + 1, limit: 1, offset: 1 }, all.slice(2, 3)],
          [{ limit: 2, offset: 1 }, all.slice(1, 3)]
        ] as const
      ) {
        const shown = yield* times(query)
        // Only the first 50 are compared, because a full page can reach one rate further back than the first page does.
        const [got, wanted] = [shown.times, expected].map((times) => times.slice(0, 50).join())
        yield* Verdict.expect(shown.answer, `the rates at ${wanted}`, got === wanted)
      }
      const market = yield* listed
      const last = nextIn(market)
      yield* Verdict.conclude(
        `a next funding after ${first} and ${all[0]}`,
        last,
        last > first && last > Number(all[0])
      )
      const every = Number(market["funding_interval_minutes"]) * 60
      yield* Verdict.expect(
        answer,
        `the three latest rates in intervals of ${every} seconds`,
        [0, 1].every((index) => Number(all[index]) - Number(all[index + 1]) === every)
      )
      const [floor = 0, cap = 0] = [market["funding_floor"] ?? -Infinity, market["funding_cap"] ?? Infinity].map(Number)
      const rates = (Array.isArray(answer.json) ? answer.json.filter(Json.isObject) : []).slice(0, 3)
      yield* Verdict.expect(
        answer,
        `rates from ${floor} to ${cap}, and settlement prices of the magnitude of ${basePrice}`,
        rates.every(({ fundingRate, settlementPrice }) =>
          Number(fundingRate) >= floor && Number(fundingRate) <= cap &&
          Number(settlementPrice) > basePrice / 10 && Number(settlementPrice) < basePrice * 10
        )
      )
    })
  }),
  LiveCalls.section.forEach("funding-rates.refusal", {
    statement:
      "Refuses an invalid limit, offset or window for funding rates: HTTP 422, and an object that names the field",
    profile: "read-only",
    values: wrong,
    check: (world, [field, query]) =>
      Effect.flatMap(
        anyFuture(world),
        (market) => LivePublicCalls.refuses(world, `${Paths.fundingRates}/${market}`, query, field)
      )
  }),
  LiveCalls.section.always("funding-rates.market", {
    statement: "Refuses funding rates of an unknown market: HTTP 422, and an object that names the field",
    profile: "read-only",
    check: (world) => LivePublicCalls.refuses(world, `${Paths.fundingRates}/${LivePublicCalls.noMarket}`, {}, "market")
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...platformRules, ...futuresRules, ...fundingRules]
