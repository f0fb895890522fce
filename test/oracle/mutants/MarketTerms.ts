/** Faults in defaults, bounds and rarely read markets of public calls, which only the live exchange documents. */
import * as Assets from "../../../src/endpoints/Assets.ts"
import * as BorrowHistory from "../../../src/endpoints/BorrowHistory.ts"
import * as Candles from "../../../src/endpoints/Candles.ts"
import * as FuturesMarkets from "../../../src/endpoints/FuturesMarkets.ts"
import * as LimitOrders from "../../../src/endpoints/LimitOrders.ts"
import * as Markets from "../../../src/endpoints/Markets.ts"
import * as MarketSummaries from "../../../src/endpoints/MarketSummaries.ts"
import * as MarketSummary from "../../../src/endpoints/MarketSummary.ts"
import * as ModifyOrder from "../../../src/endpoints/ModifyOrder.ts"
import * as PlatformStatus from "../../../src/endpoints/PlatformStatus.ts"
import * as PublicFees from "../../../src/endpoints/PublicFees.ts"
import * as StopLimitOrders from "../../../src/endpoints/StopLimitOrders.ts"
import * as Tickers from "../../../src/endpoints/Tickers.ts"
import * as TradeHistory from "../../../src/endpoints/TradeHistory.ts"
import * as Json from "../../../src/protocol/Json.ts"
import type { Request } from "../../../src/sandbox/gateway/Message.ts"
import {
  answering,
  type Change,
  changedAt,
  changing,
  type Fields,
  fieldsOf,
  jsonOf,
  type Mutant,
  mutant,
  type Place,
  withBody
} from "./Mutant.ts"

const [candles, history, futures] = [Candles.endpoint.path, TradeHistory.endpoint.path, FuturesMarkets.endpoint.path]

const root = "/api/v4/public/orderbook/"
const funding = "/api/v4/public/funding-history/BTC_PERP"
const isDepth = (path: string): boolean => path.startsWith(`${root}depth/`)
const isBook = (path: string): boolean => path.startsWith(root) && !isDepth(path)
const isTrades = (path: string): boolean => path.startsWith("/api/v4/public/trades/")

type Query = URLSearchParams

const queryOf = ({ query }: Pick<Request, "query">): Query => new URLSearchParams(query)

/** Changes the queries of requests to some paths. */
const asked = (isIt: (path: string) => boolean, change: (query: Query) => void): Change => ({
  make: () => ({
    request: (request) => {
      if (!isIt(request.path)) return request
      const query = queryOf(request)
      change(query)
      return { ...request, query: query.toString() }
    }
  })
})

const isPath = (path: string) => (other: string): boolean => path === other

type Level = readonly [price: string, amount: string]

/** Adds a level to one side of a book. */
const withLevel = (json: unknown, side: "asks" | "bids", level: Level): Fields => {
  const { [side]: levels, ...book } = json as Fields
  const all = [...levels as ReadonlyArray<Level>, level]
  const sign = side === "asks" ? 1 : -1
  return { ...book, [side]: all.toSorted(([one], [other]) => sign * (Number(one) - Number(other))) }
}

/** Writes numbers as JavaScript does: small ones get an exponent. */
const exponential = (json: unknown, place: Place): unknown =>
  Array.isArray(json) || place[0] !== "asks"
    ? changedAt(json, place, (value) => String(Number(value)))
    : {
      ...json as Fields,
      asks: ((json as Fields)["asks"] as ReadonlyArray<Level>).map((level) => level.map((part) => String(Number(part))))
    }

const bookMutants: ReadonlyArray<Mutant> = [
  mutant("terms-book-50", "a book has 50 levels by default", {
    breaks: ["book.default"],
    ...asked(isBook, (query) => query.has("limit") || query.set("limit", "50"))
  }),
  mutant("terms-book-zero", "a limit of 0 counts as 50", {
    breaks: ["book.default"],
    ...asked(isBook, (query) => query.get("limit") === "0" && query.set("limit", "50"))
  }),
  mutant("terms-book-99", "a book has at most 99 levels", {
    breaks: ["book.default"],
    ...answering(isBook, "success", (json) => changedAt(json, ["asks"], (asks) => (asks as Array<Level>).slice(0, 99)))
  }),
  mutant("terms-book-level-0", "level 0 counts as level 1", {
    breaks: ["book.ungrouped"],
    ...asked(isBook, (query) => query.get("level") === "0" && query.set("level", "1"))
  }),
  mutant("terms-book-level-lossy", "a group shows at most 0.05", {
    breaks: ["book.ungrouped"],
    ...answering(isBook, "success", (json, request) =>
      Number(queryOf(request).get("level")) > 0
        ? changedAt(
          json,
          ["bids"],
          (bids) =>
            (bids as ReadonlyArray<Level>).map(([price, amount]) => [price, String(Math.min(0.05, Number(amount)))])
        )
        : json)
  }),
  mutant("terms-book-level-11", "a level above 10 is refused", {
    breaks: ["book.ungrouped"],
    ...asked(isBook, (query) => Number(query.get("level")) > 10 && query.set("level", "high"))
  }),
  mutant("terms-book-level-below", "a negative level counts as 10", {
    breaks: ["book.ungrouped"],
    ...asked(isBook, (query) => Number(query.get("level")) < 0 && query.set("level", "10"))
  }),
  mutant("terms-book-level-text", "a malformed level counts as 0", {
    breaks: ["book.refusal"],
    ...asked(isBook, (query) => query.get("level") === "two" && query.delete("level"))
  }),
  ...[isBook, isDepth].map((isIt, index) =>
    mutant(`terms-book-stops-${index}`, "a waiting stop order is shown at its price once", {
      breaks: ["book.waiting"],
      make: () => {
        let price: unknown
        return {
          answer: (answer, { path }) => {
            const json = jsonOf(answer)
            if (answer.status !== 200 || !Json.isObject(json)) return answer
            if (path === StopLimitOrders.endpoint.path && json["side"] === "buy") price = json["price"]
            if (price === undefined || !path.startsWith(root)) return answer
            // Only the next book shows the order, because the sandbox is restored after each value of a rule.
            const level: Level = [String(price), "0.01"]
            price = undefined
            return isIt(path) ? withBody(answer, withLevel(json, "bids", level)) : answer
          }
        }
      }
    })
  ),
  ...(["buy", "sell"] as const).flatMap((side) =>
    [isBook, isDepth].map((isIt, index) =>
      mutant(`terms-book-modified-${side}-${index}`, `a modified ${side} order is still shown at its old price`, {
        breaks: ["book.modified"],
        make: () => {
          let order: Fields = {}
          let isModified = false
          return {
            answer: (answer, request) => {
              const { path } = request
              if (answer.status !== 200) return answer
              if (path === LimitOrders.endpoint.path) order = fieldsOf(request) ?? {}
              if (path === ModifyOrder.endpoint.path) isModified = true
              const level: Level = [String(order["price"]), "0.05"]
              return isModified && isIt(path) && order["side"] === side
                ? withBody(answer, withLevel(jsonOf(answer), side === "buy" ? "bids" : "asks", level))
                : answer
            }
          }
        }
      })
    )
  ),
  mutant("terms-futures-book", "the book of a futures market shows no bids", {
    breaks: ["book.futures"],
    ...answering(isPath(`${root}BTC_PERP`), "success", (json) => ({ ...json as Fields, bids: [] }))
  }),
  mutant("terms-futures-trades", "the trades of a futures market show the maker's side", {
    breaks: ["book.futures"],
    ...answering(
      isPath("/api/v4/public/trades/BTC_PERP"),
      "success",
      (json) => changedAt(json, ["*", "type"], (side) => side === "buy" ? "sell" : "buy")
    )
  }),
  mutant("terms-futures-candles", "the candles of a futures market are those of the spot market", {
    breaks: ["book.futures"],
    ...asked(isPath(candles), (query) => query.get("market") === "BTC_PERP" && query.set("market", "BTC_USDT"))
  }),
  ...([
    [Tickers.endpoint.path, ["*", "last_price"]],
    [MarketSummary.endpoint.path, ["result", "bid"]],
    [MarketSummary.endpoint.path, ["result", "low"]],
    ["/api/v4/public/trades/SHIB_USDT", ["*", "price"]],
    [`${root}SHIB_USDT`, ["asks", "*", "*"]]
  ] as const).map(([path, place], index) =>
    mutant(`terms-exponent-${index}`, `${place.join(".")} has an exponent if it is small`, {
      breaks: ["market-data.small"],
      ...answering(isPath(path), "success", (json) => exponential(json, place))
    })
  ),
  mutant("terms-depth-last", "the depth is listed around the price of its first call", {
    breaks: ["depth.moves"],
    make: () => {
      let first: string | undefined
      return {
        answer: (answer, { path }) =>
          isDepth(path) && answer.status === 200 ? { ...answer, body: first ??= answer.body } : answer
      }
    }
  }),
  mutant("terms-summary-best", "a summary shows the best bid from before its cancellation", {
    breaks: ["summary.book"],
    make: () => {
      let best = 0
      return changing(
        MarketSummary.endpoint.path,
        ["result", "bid"],
        (bid) => String(best = Math.max(best, Number(bid)))
      )
        .make?.() ?? {}
    }
  }),
  ...([
    ["ETH_USDT", "stockPrec", "4"],
    ["ETH_BTC", "stockPrec", "5"],
    ["SHIB_USDT", "moneyPrec", "9"],
    ["BTC_PERP", "moneyPrec", "2"],
    ["ETH_USDT", "minAmount", "0.0005"],
    ["ETH_BTC", "minAmount", "0.002"],
    ["ETH_USDT", "isCollateral", false],
    ["ETH_BTC", "isCollateral", true]
  ] as const).map(([name, key, value]) =>
    mutant(`terms-every-${name}-${key}`, `${key} of ${name} is ${String(value)}`, {
      breaks: ["markets.every"],
      ...changing(
        Markets.endpoint.path,
        ["*"],
        (market) =>
          Json.isObject(market) && market["name"] === name
            ? { ...market, [key]: value, tickSize: "", stepSize: "" }
            : market
      )
    })
  ),
  mutant("terms-trades-everywhere", "the trades of a market include those of another market", {
    breaks: ["trades.values"],
    make: () => {
      let last: ReadonlyArray<unknown> = []
      return {
        answer: (answer, { path }) => {
          if (!isTrades(path) || answer.status !== 200) return answer
          const trades = jsonOf(answer) as ReadonlyArray<unknown>
          const others = last
          last = trades
          return path.endsWith("ETH_USDT") ? withBody(answer, [...trades, ...others]) : answer
        }
      }
    }
  }),
  mutant("terms-summaries-everywhere", "every summary in the list shows the volume of BTC_USDT", {
    breaks: ["tickers.other"],
    ...answering(MarketSummaries.endpoint.path, "success", (json) => {
      const { result } = json as { readonly result: Record<string, { readonly ticker: Fields }> }
      return changedAt(json, ["result", "*", "ticker", "vol"], () => result["BTC_USDT"]?.ticker["vol"])
    })
  }),
  mutant("terms-bounds-second", "the list shows half the minTotal of ETH_USDT", {
    breaks: ["markets.bounds"],
    ...changing(Markets.endpoint.path, ["*"], (market) =>
      Json.isObject(market) && market["name"] === "ETH_USDT"
        ? { ...market, minTotal: String(Number(market["minTotal"]) / 2) }
        : market)
  })
]

const slice = (from: number, to?: number) => (list: unknown): unknown =>
  (list as ReadonlyArray<unknown>).slice(from, to)

/** Changes the values of ETH_USDT in a summary. */
const second = (path: string, place: ReadonlyArray<string>, key: string): Mutant =>
  mutant(`terms-second-${key}${path}`, `${key} of ETH_USDT is 1 too high`, {
    breaks: ["summary.figures"],
    ...answering(
      path,
      "success",
      (json, { query }) =>
        path === MarketSummary.endpoint.path && query?.includes("ETH_USDT") !== true
          ? json
          : changedAt(json, [...place, key], (value) => String(Number(value) + 1))
    )
  })

const tradeMutants: ReadonlyArray<Mutant> = [
  mutant("terms-trades-50", "at most 50 trades are listed", {
    breaks: ["trades.most"],
    ...answering(isTrades, "success", slice(0, 50))
  }),
  mutant("terms-trades-late", "the list of trades lacks the latest trade", {
    breaks: ["trades.most"],
    ...answering(isTrades, "success", (json) => {
      const trades = json as ReadonlyArray<Fields>
      return trades.length < 100 ? trades : [...trades.slice(1), { ...trades[0], tradeID: 1 }].slice(0, 99)
    })
  }),
  mutant("terms-history-100", "the older list of trades has 100 trades by default", {
    breaks: ["trades.most"],
    ...asked(isPath(history), (query) => query.has("limit") || query.set("limit", "100"))
  }),
  mutant("terms-history-50", "the older list of trades has at most 50 trades", {
    breaks: ["trades.most"],
    ...changing(history, ["result"], slice(0, 50))
  }),
  mutant("terms-second-trades", "the volumes of ETH_USDT's trades are swapped", {
    breaks: ["trades.values"],
    ...answering(isPath("/api/v4/public/trades/ETH_USDT"), "success", (json) =>
      changedAt(json, ["*"], (trade) => {
        const { base_volume, quote_volume, ...rest } = trade as Fields
        return { ...rest, base_volume: quote_volume, quote_volume: base_volume }
      }))
  }),
  ...["base_volume", "last_price"].map((key) => second(Tickers.endpoint.path, ["ETH_USDT"], key)),
  ...["volume", "low"].map((key) => second(MarketSummary.endpoint.path, ["result"], key)),
  ...["deal", "ask"].map((key) => second(MarketSummaries.endpoint.path, ["result", "ETH_USDT", "ticker"], key))
]

/** The default windows of some intervals, in seconds. */
const windows = [["1s", 600], ["1m", 86_400], ["1h", 604_800]] as const

/** Whether a request asks for all candles of an interval in the default window. */
const isPlain = (request: Request, interval: string): boolean =>
  request.path === candles && queryOf(request).get("interval") === interval &&
  ["start", "end", "limit"].every((key) => !queryOf(request).has(key))

const column = (interval: string, index: number): Change =>
  answering(candles, "success", (json, { query }) =>
    query?.includes(`interval=${interval}`) === true
      ? changedAt(json, ["result", "*"], (row) => {
        const all = row as ReadonlyArray<unknown>
        return all.with(index, all[2])
      })
      : json)

const candleMutants: ReadonlyArray<Mutant> = [
  ...windows.map(([interval, window]) =>
    mutant(`terms-candles-narrow-${interval}`, `by default, ${interval} candles cover half as much time`, {
      breaks: ["candles.windows"],
      ...answering(candles, "success", (json, request) =>
        isPlain(request, interval)
          ? changedAt(json, ["result"], (rows) => {
            const all = rows as ReadonlyArray<ReadonlyArray<unknown>>
            return all.filter(([time]) => Number(time) > Number(all.at(-1)?.[0]) - window / 2)
          })
          : json)
    })
  ),
  // `1m` is omitted, because its default window already has the maximum number of candles.
  ...["1s", "1h"].map((interval) =>
    mutant(`terms-candles-wide-${interval}`, `by default, as many ${interval} candles as possible are listed`, {
      breaks: ["candles.windows"],
      make: () => ({
        request: (request) =>
          isPlain(request, interval) ? { ...request, query: `${request.query ?? ""}&start=0` } : request
      })
    })
  ),
  mutant("terms-candles-counted", "the limit of candles counts only intervals with trades", {
    breaks: ["candles.derived"],
    make: () => ({
      request: (request) => {
        const query = queryOf(request)
        if (request.path !== candles || query.get("limit") !== "5") return request
        query.delete("limit")
        return { ...request, query: query.toString() }
      },
      answer: (answer, request) =>
        request.path === candles && queryOf(request).get("limit") === "5" && answer.status === 200
          ? withBody(answer, changedAt(jsonOf(answer), ["result"], slice(-5)))
          : answer
    })
  }),
  mutant("terms-candles-end", "with a limit, the end of candles is ignored", {
    breaks: ["candles.derived"],
    ...asked(isPath(candles), (query) => query.has("limit") && query.delete("end"))
  }),
  mutant("terms-candles-future", "an end in the future counts as now", {
    breaks: ["candles.future"],
    ...asked(
      isPath(candles),
      (query) => ["start", "limit"].every((key) => !query.has(key)) && query.delete("end")
    )
  }),
  mutant("terms-candles-start", "a negative start counts as 0", {
    breaks: ["candles.refusal"],
    ...asked(isPath(candles), (query) => query.get("start") === "-1" && query.set("start", "0"))
  }),
  mutant("terms-candles-5m", "the high of a 5m candle is its close", {
    breaks: ["candles.prices"],
    ...column("5m", 3)
  }),
  mutant("terms-candles-4h", "the low of a 4h candle is its close", { breaks: ["candles.prices"], ...column("4h", 4) }),
  mutant("terms-candles-1d", "the open of a 1d candle is its close", { breaks: ["candles.prices"], ...column("1d", 1) })
]

const rates = (change: (rate: Fields) => Fields): Change =>
  answering(isPath(funding), "success", (json) => (json as ReadonlyArray<Fields>).map(change))

const futuresMutants: ReadonlyArray<Mutant> = [
  mutant("terms-interest-constant", "the open interest is always 6000", {
    breaks: ["futures.interest"],
    ...changing(futures, ["result", "*", "open_interest"], () => "6000")
  }),
  mutant("terms-interest-grows", "the open interest never decreases", {
    breaks: ["futures.interest"],
    make: () => {
      let most = 0
      const change = (open: unknown) => String(most = Math.max(most, Number(open)))
      return changing(futures, ["result", "*", "open_interest"], change).make?.() ?? {}
    }
  }),
  mutant("terms-futures-limits", "the bounds of futures are lists", {
    breaks: ["futures.limits.funding_cap", "futures.limits.funding_floor", "futures.limits.brackets"],
    ...changing(futures, ["result", "*"], (future) => ({
      ...future as Fields,
      funding_cap: [],
      funding_floor: [],
      brackets: []
    }))
  }),
  mutant("terms-funding-next", "the next funding time never changes", {
    breaks: ["funding-rates.window"],
    make: () => {
      let first: unknown
      return changing(futures, ["result", "*", "next_funding_rate_timestamp"], (time) => first ??= time).make?.() ?? {}
    }
  }),
  mutant("terms-funding-offset", "a negative offset of funding rates counts as 0", {
    breaks: ["funding-rates.refusal"],
    ...asked(isPath(funding), (query) => query.get("offset") === "-1" && query.delete("offset"))
  }),
  mutant("terms-funding-calculated", "a funding rate is calculated after its settlement", {
    breaks: ["funding-rates.window"],
    ...rates((rate) => ({ ...rate, rateCalculatedTime: String(Number(rate["fundingTime"]) + 60) }))
  }),
  mutant("terms-funding-price", "the settlement price of a funding rate is zero", {
    breaks: ["funding-rates.window"],
    ...rates((rate) => ({ ...rate, settlementPrice: "0" }))
  }),
  mutant("terms-funding-interval", "futures show twice their funding interval", {
    breaks: ["funding-rates.window"],
    ...changing(futures, ["result", "*", "funding_interval_minutes"], (minutes) => Number(minutes) * 2)
  }),
  mutant("terms-funding-percent", "settled funding rates are in percent of a percent", {
    breaks: ["funding-rates.window"],
    ...rates((rate) => ({ ...rate, fundingRate: String(Number(rate["fundingRate"]) * 10_000 + 1) }))
  }),
  mutant("terms-funding-mark", "the settlement price of a funding rate is in the base currency", {
    breaks: ["funding-rates.window"],
    ...rates((rate) => ({ ...rate, settlementPrice: (1 / Number(rate["settlementPrice"])).toFixed(10) }))
  }),
  mutant("terms-funding-market", "a funding rate names the spot market", {
    breaks: ["funding-rates.window"],
    ...rates((rate) => ({ ...rate, market: "BTC_USDT" }))
  }),
  mutant("terms-funding-number", "the funding rate is a number", {
    breaks: ["funding-rates.window"],
    ...rates((rate) => ({ ...rate, fundingRate: Number(rate["fundingRate"]) }))
  }),
  mutant("terms-funding-both", "with both dates, funding rates ignore endDate", {
    breaks: ["funding-rates.window"],
    ...asked(isPath(funding), (query) => query.has("startDate") && query.delete("endDate"))
  }),
  mutant("terms-funding-skip", "without dates, funding rates ignore the offset", {
    breaks: ["funding-rates.window"],
    ...asked(isPath(funding), (query) => !query.has("endDate") && query.delete("offset"))
  }),
  mutant("terms-funding-page", "with a date, funding rates ignore the offset", {
    breaks: ["funding-rates.window"],
    ...asked(isPath(funding), (query) => query.has("endDate") && query.delete("offset"))
  })
]

/** Repeats the first response to each query that contains this parameter. */
const cachedQuery = (isIt: (path: string) => boolean, parameter: string): Change => ({
  make: () => {
    const first = new Map<string, string>()
    return {
      answer: (answer, request) => {
        if (!isIt(request.path) || !queryOf(request).has(parameter) || answer.status !== 200) return answer
        const key = `${request.path}?${request.query ?? ""}`
        const body = first.get(key) ?? answer.body
        first.set(key, body)
        return { ...answer, body }
      }
    }
  }
})

const isPublic = (path: string): boolean => path.includes("/public/")

const serverMutants: ReadonlyArray<Mutant> = [
  ...([
    ["memo", () => ({ deposit: "no", withdraw: "no" })],
    ["networks", () => ({ deposits: [1], withdraws: [1], default: "BTC" })],
    ["limits", () => ({ deposit: { BTC: { min: 1 } }, withdraw: {} })],
    ["confirmations", () => ({ BTC: "2" })]
  ] as const).map(([key, change]) =>
    mutant(`terms-assets-${key}`, `${key} of an asset has another form`, {
      breaks: ["assets.forms"],
      ...changing(Assets.endpoint.path, ["*", key], change)
    })
  ),
  ...([
    [["*", "is_depositable"], () => "yes"],
    [["*", "deposit", "flex"], () => "0"],
    [["*", "withdraw", "fixed"], () => 1],
    [["*", "deposit", "min_amount"], () => 1]
  ] as const).map(([place, change]) =>
    mutant(`terms-fees-${place.join("-")}`, `${place.join(".")} of public fees has another form`, {
      breaks: ["public-fees.terms"],
      ...changing(PublicFees.endpoint.path, place, change)
    })
  ),
  ...["BTC_PERP", "ETH_BTC"].map((name) =>
    mutant(`terms-tick-${name}`, `the listed steps of ${name} are ten times too large`, {
      breaks: ["markets.every"],
      ...changing(Markets.endpoint.path, ["*"], (market) =>
        Json.isObject(market) && market["name"] === name
          ? { ...market, tickSize: String(Number(market["tickSize"]) * 10) }
          : market)
    })
  ),
  ...([
    ["status", () => "active"],
    ["timestamp", (time: unknown) => Number(time) * 1000],
    ["principal", Number],
    ["amount", Number]
  ] as const).map(([key, change]) =>
    mutant(`terms-borrow-${key}`, `${key} of a borrow that is paid back is wrong`, {
      breaks: ["margin.borrows-order"],
      ...changing(BorrowHistory.endpoint.path, ["records", "*", key], change)
    })
  ),
  mutant("terms-refusal-result", "a refusal of candles has an empty list as its result", {
    breaks: ["candles.refusal"],
    ...answering(
      candles,
      "always",
      (json) => Json.isObject(json) && json["success"] === false ? { ...json, result: [] } : json
    )
  }),
  mutant("terms-refusal-text", "a public refusal has no message", {
    breaks: ["book.refusal", "trades.refusal", "depth.refusal", "funding-rates.refusal"],
    ...answering(isPublic, "refusal", (json) => changedAt(json, ["*"], () => []))
  }),
  mutant("terms-refusal-envelope", "a public refusal has an envelope", {
    breaks: ["book.refusal", "trades.refusal"],
    ...answering(isPublic, "refusal", (json) => ({ ...json as Fields, success: false }))
  }),
  mutant("terms-unknown-path", "an unknown public path gets an empty list", {
    breaks: ["errors.unknown.public"],
    make: () => ({
      answer: (answer, { path }) => path.endsWith("no-such-call") ? { ...withBody(answer, []), status: 200 } : answer
    })
  }),
  mutant("terms-cached-limit", "a book with a limit never changes", {
    breaks: ["book.modified"],
    ...cachedQuery(isBook, "limit")
  }),
  mutant("terms-cached-type", "the trades of one side never change", {
    breaks: ["trades.side"],
    ...cachedQuery(isTrades, "type")
  }),
  mutant("terms-platform", "the platform's status is always maintenance", {
    breaks: ["platform.operational"],
    ...changing(PlatformStatus.endpoint.path, ["status"], () => "system maintenance")
  }),
  ...["index_price", "mark_price"].map((key) =>
    mutant(`terms-futures-${key}`, `${key} of a future is in the base currency`, {
      breaks: ["futures.prices"],
      ...changing(futures, ["result", "*", key], (price) => String(1 / Number(price)))
    })
  ),
  mutant("terms-day-summaries", "the list of summaries counts trades for ever", {
    breaks: ["summary.day"],
    ...changing(MarketSummaries.endpoint.path, ["result", "*", "ticker", "deal"], (deal) => String(Number(deal) + 400))
  }),
  mutant("terms-day-hours", "the list of summaries drops trades too early", {
    breaks: ["summary.day"],
    ...changing(MarketSummaries.endpoint.path, ["result", "*", "ticker", "vol"], () => "0")
  })
]

export const mutants: ReadonlyArray<Mutant> = [
  ...serverMutants,
  ...bookMutants,
  ...tradeMutants,
  ...candleMutants,
  ...futuresMutants
].map((mutant) => ({ ...mutant, dialects: ["live"] }))
