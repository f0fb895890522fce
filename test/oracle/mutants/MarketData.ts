/** Faults in market data that only the live exchange documents. */
import * as Candles from "../../../src/endpoints/Candles.ts"
import * as CollateralMarkets from "../../../src/endpoints/CollateralMarkets.ts"
import * as FuturesMarkets from "../../../src/endpoints/FuturesMarkets.ts"
import * as MarketSummaries from "../../../src/endpoints/MarketSummaries.ts"
import * as MarketSummary from "../../../src/endpoints/MarketSummary.ts"
import * as PlatformStatus from "../../../src/endpoints/PlatformStatus.ts"
import * as PublicFees from "../../../src/endpoints/PublicFees.ts"
import * as TradeHistory from "../../../src/endpoints/TradeHistory.ts"
import { rules } from "../../../src/oracle/Rules.ts"
import * as Json from "../../../src/protocol/Json.ts"
import type { Request } from "../../../src/sandbox/gateway/Message.ts"
import {
  answering,
  type Change,
  changing,
  type Fields,
  type Mutant,
  mutant,
  type Place,
  withBody,
  without,
  withStatus
} from "./Mutant.ts"

const candles = Candles.endpoint.path
const summary = MarketSummary.endpoint.path
const summaries = MarketSummaries.endpoint.path
const history = TradeHistory.endpoint.path
const futures = FuturesMarkets.endpoint.path

const depth = "/api/v4/public/orderbook/depth/"
const funding = "/api/v4/public/funding-history/"

const isIn = (folder: string) => (path: string): boolean => path.startsWith(folder)

/** Returns the same request with a different query. */
const withQuery = (request: Request, change: (query: URLSearchParams) => void): Request => {
  const query = new URLSearchParams(request.query)
  change(query)
  return { ...request, query: query.toString() }
}

/** Changes the query of requests to a path. */
const asked = (path: string, change: (query: URLSearchParams) => void): Change => ({
  make: () => ({ request: (request) => request.path === path ? withQuery(request, change) : request })
})

/** Drops parameters from requests to a path. */
const ignoring = (path: string, ...keys: ReadonlyArray<string>): Change =>
  asked(path, (query) => keys.forEach((key) => query.delete(key)))

/** Changes the rows of a list of candles. */
const rows = (change: (rows: ReadonlyArray<ReadonlyArray<unknown>>) => unknown): Change =>
  changing(candles, ["result"], (result) => Array.isArray(result) ? change(result) : result)

/** Changes one column of candles: 0 is the time, 6 is the total. */
const column = (index: number, change: (value: unknown, row: ReadonlyArray<unknown>) => unknown): Change =>
  rows((all) => all.map((row) => row.with(index, change(row[index], row))))

const candleMutants: ReadonlyArray<Mutant> = [
  mutant("candles-latest-first", "candles are listed latest first", {
    breaks: ["candles.limit"],
    ...rows((all) => all.toReversed())
  }),
  mutant("candles-without-total", "candles have no total", {
    breaks: ["candles.rows", "candles.trades"],
    ...rows((all) => all.map((row) => row.slice(0, 6)))
  }),
  mutant("candles-high-and-low", "a candle's high is below its low", {
    breaks: ["candles.trades"],
    ...column(3, () => "1")
  }),
  mutant("candles-times", "a candle's time is its end", {
    breaks: ["candles.times"],
    ...column(0, (at) => Number(at) + 59)
  }),
  mutant("candles-volume-doubled", "a candle's volume counts both sides of a trade", {
    breaks: ["candles.trades"],
    ...column(5, (volume) => String(Number(volume) * 2))
  }),
  mutant("candles-total-is-volume", "a candle's total is its volume", {
    breaks: ["candles.trades"],
    ...column(6, (_total, row) => row[5])
  }),
  mutant("candles-close-is-open", "a candle's close is not its last price", {
    breaks: ["candles.trades"],
    ...column(2, () => "1")
  }),
  mutant("candles-window-ignored", "start and end of candles are ignored", {
    breaks: ["candles.window", "candles.refusal"],
    ...ignoring(candles, "start", "end")
  }),
  mutant("candles-limit-ignored", "the limit of candles is ignored", {
    breaks: ["candles.limit", "candles.refusal"],
    ...ignoring(candles, "limit")
  }),
  mutant("candles-default-day", "the default interval of candles is one day", {
    breaks: ["candles.default"],
    ...asked(candles, (query) => query.has("interval") || query.set("interval", "1d"))
  }),
  mutant("candles-any-interval", "an unknown interval of candles counts as one hour", {
    breaks: ["candles.refusal"],
    ...asked(candles, (query) => {
      if (!Candles.intervals.some((interval) => interval === query.get("interval"))) query.delete("interval")
    })
  }),
  mutant("candles-refusal-422", "an invalid query for candles is refused with HTTP 422", {
    breaks: ["candles.refusal"],
    ...withStatus(422, ({ body }, { path }) => path === candles && body.includes("\"success\":false"))
  })
]

const activityMutants: ReadonlyArray<Mutant> = [
  mutant("summary-volume-late", "the volume of a market summary does not grow", {
    breaks: ["summary.trade"],
    ...changing(summary, ["result", "volume"], () => "1")
  }),
  mutant("summary-deal-in-base", "the total of a market summary is in the base currency", {
    breaks: ["summary.trade"],
    ...answering(summary, "success", (json) => {
      const { result } = json as { readonly result: Fields }
      return { ...json as Fields, result: { ...result, deal: result["volume"] } }
    })
  }),
  mutant("summary-for-ever", "trades older than 24 hours still count in a market summary", {
    breaks: ["summary.day"],
    make: () => {
      // The highest volume shown so far.
      let most = 0
      return changing(summary, ["result", "volume"], (volume) => String(most = Math.max(most, Number(volume), 1)))
        .make?.() ?? {}
    }
  }),
  mutant("summary-low-for-ever", "the low of a market summary is the all-time low", {
    breaks: ["summary.day"],
    ...changing(summary, ["result", "low"], () => "1")
  }),
  mutant("summary-bid-and-ask", "bid and ask of a market summary are swapped", {
    breaks: ["summary.book"],
    ...answering(summary, "success", (json) => {
      const { result } = json as { readonly result: Fields }
      return { ...json as Fields, result: { ...result, bid: result["ask"], ask: result["bid"] } }
    })
  }),
  mutant("summary-refusal-422", "the summary of an unknown market is refused with HTTP 422", {
    breaks: ["summary.refusal"],
    ...withStatus(422, ({ body }, { path }) => path === summary && body.includes("\"success\":false"))
  }),
  mutant("summary-refusal-text", "a refusal names no field", {
    breaks: ["summary.refusal", "trade-history.refusal", "candles.refusal"],
    ...answering(
      (path) => [summary, history, candles].includes(path as never),
      "always",
      (json) => Json.isObject(json) && json["success"] === false ? { ...json, message: "Wrong." } : json
    )
  }),
  mutant("summaries-one-market", "only one market has a summary", {
    breaks: ["summaries.markets"],
    ...changing(summaries, ["result"], (result) => ({ BTC_USDT: (result as Fields)["BTC_USDT"] }))
  }),
  mutant("summaries-of-another-day", "the summaries and the summary of one market show different days", {
    breaks: ["summaries.markets"],
    ...changing(summaries, ["result", "*", "ticker", "low"], () => "1")
  }),
  mutant("trade-history-oldest-first", "past trades are listed oldest first", {
    breaks: ["trade-history.order"],
    ...changing(history, ["result"], (result) => (result as ReadonlyArray<unknown>).toReversed())
  }),
  mutant("trade-history-last-id", "lastId is ignored", {
    breaks: ["trade-history.order"],
    ...asked(history, (query) => query.set("lastId", "0"))
  }),
  mutant("trade-history-limit", "the limit of past trades is always 1", {
    breaks: ["trade-history.order", "trade-history.refusal"],
    ...asked(history, (query) => query.set("limit", "1"))
  })
]

const listMutants: ReadonlyArray<Mutant> = [
  mutant("depth-whole-book", "the depth call shows the whole book", {
    breaks: ["depth.band"],
    make: () => ({
      request: (request) =>
        request.path.startsWith(depth) ? { ...request, path: request.path.replace("/depth/", "/") } : request
    })
  }),
  mutant("depth-narrow", "the depth call shows only the best level on each side", {
    breaks: ["depth.band"],
    ...answering(isIn(depth), "success", (json) => {
      const { asks, bids } = json as { readonly asks: ReadonlyArray<unknown>; readonly bids: ReadonlyArray<unknown> }
      return { ...json as Fields, asks: asks.slice(0, 1), bids: bids.slice(0, 1) }
    })
  }),
  mutant("depth-worst-first", "the depth call shows the worst bid first", {
    breaks: ["depth.band"],
    ...answering(isIn(depth), "success", (json) => ({
      ...json as Fields,
      bids: ((json as Fields)["bids"] as ReadonlyArray<unknown>).toReversed()
    }))
  }),
  mutant("public-refusal-400", "an unknown market, or an invalid field, is refused with HTTP 400", {
    breaks: ["depth.refusal", "funding-rates.refusal", "funding-rates.market"],
    ...withStatus(400, ({ status }, { path }) => status === 422 && (isIn(depth)(path) || isIn(funding)(path)))
  }),
  mutant("collateral-markets-all", "every market is a margin market", {
    breaks: ["collateral-markets.marked"],
    ...changing(CollateralMarkets.endpoint.path, ["result"], (all) => [...all as ReadonlyArray<unknown>, "ETH_BTC"])
  }),
  mutant("futures-settled", "the next funding time is the previous funding time", {
    breaks: ["futures.settlement"],
    ...changing(
      futures,
      ["result", "*", "next_funding_rate_timestamp"],
      (time) => String(Number(time) - 480 * 60_000 - 120_000)
    )
  }),
  mutant("futures-interest-doubled", "the open interest counts both sides of a trade", {
    breaks: ["futures.open-interest"],
    ...changing(futures, ["result", "*", "open_interest"], (open) => String(Number(open) * 2))
  }),
  mutant("funding-rates-object", "funding rates are in an envelope", {
    breaks: ["funding-rates.list"],
    ...answering(isIn(funding), "success", (json) => ({ success: true, message: null, result: json }))
  }),
  mutant("funding-rates-numbers", "funding rates are numbers", {
    breaks: ["funding-rates.list"],
    ...answering(isIn(funding), "success", () => [{
      fundingTime: 1_700_000_000,
      fundingRate: 0.0001,
      market: "BTC_PERP",
      settlementPrice: "1",
      rateCalculatedTime: "1700000000"
    }])
  }),
  mutant("funding-rates-oldest-first", "funding rates are listed oldest first", {
    breaks: ["funding-rates.window"],
    ...answering(isIn(funding), "success", (json) => (json as ReadonlyArray<unknown>).toReversed())
  }),
  ...["startDate", "endDate"].map((key) =>
    mutant(`funding-rates-any-${key}`, `funding rates ignore ${key}`, {
      breaks: ["funding-rates.window"],
      make: () => ({
        request: (request) =>
          isIn(funding)(request.path)
            ? {
              ...request,
              query: (request.query ?? "").split("&").filter((part) => !part.startsWith(`${key}=`)).join("&")
            }
            : request
      })
    })
  ),
  mutant("funding-rates-anything", "every invalid query returns an empty list", {
    breaks: ["funding-rates.refusal", "funding-rates.market"],
    make: () => ({
      answer: (answer, { path }) =>
        isIn(funding)(path) && answer.status === 422 ? { ...withBody(answer, []), status: 200 } : answer
    })
  })
]

/** The places in responses where rules expect their fields, each with the rules' id prefix and the call's path. */
const tables: ReadonlyArray<readonly [rules: string, path: string, place: Place]> = [
  ["summary.entry.", summary, ["result"]],
  ["summaries.entry.", summaries, ["result", "*", "ticker"]],
  ["summaries.market.", summaries, ["result", "*"]],
  ["trade-history.entry.", history, ["result", "*"]],
  ["platform.", PlatformStatus.endpoint.path, []],
  ["public-fees.entry.", PublicFees.endpoint.path, ["*"]],
  ["futures.entry.", futures, ["result", "*"]]
]

/** Mutants whose responses have no fields, or null in every field. */
const shapeMutants: ReadonlyArray<Mutant> = tables.flatMap(([prefix, path, place]) => {
  const breaks = rules.map(({ id }) => id).filter((id) => id.startsWith(prefix))
  const fields = (object: unknown) => Json.isObject(object) ? Object.keys(object) : []
  return [
    mutant(`${prefix}missing`, "all fields are missing", {
      breaks: breaks.filter((_, index) => index % 2 === 0),
      ...changing(path, place, (object) => without(object as Fields, ...fields(object)))
    }),
    mutant(`${prefix}kind`, "all fields are null", {
      breaks: breaks.filter((_, index) => index % 2 === 1),
      ...changing(path, place, (object) => Object.fromEntries(fields(object).map((key) => [key, null])))
    })
  ]
})

export const mutants: ReadonlyArray<Mutant> = [
  ...candleMutants,
  ...activityMutants,
  ...listMutants,
  ...shapeMutants
].map((mutant) => ({ ...mutant, dialects: ["live"] }))
