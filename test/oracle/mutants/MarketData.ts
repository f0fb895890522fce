/**
 * Faults in market data that only the live exchange's documentation describes.
 *
 * @since 0.1.0
 */
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

/** The same request with another query. */
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

/** Changes the rows of candles. */
const rows = (change: (rows: ReadonlyArray<ReadonlyArray<unknown>>) => unknown): Change =>
  changing(candles, ["result"], (result) => Array.isArray(result) ? change(result) : result)

/** Changes one column of candles: 0 is the time, 6 is the total. */
const column = (index: number, change: (value: unknown, row: ReadonlyArray<unknown>) => unknown): Change =>
  rows((all) => all.map((row) => row.with(index, change(row[index], row))))

const candleMutants: ReadonlyArray<Mutant> = [
  {
    id: "candles-latest-first",
    fault: "the latest candle comes first",
    breaks: ["candles.limit"],
    ...rows((all) => all.toReversed())
  },
  {
    id: "candles-without-total",
    fault: "candles have no total",
    breaks: ["candles.rows", "candles.trades"],
    ...rows((all) => all.map((row) => row.slice(0, 6)))
  },
  {
    id: "candles-high-and-low",
    fault: "low and high are swapped",
    breaks: ["candles.trades"],
    ...column(3, () => "1")
  },
  {
    id: "candles-times",
    fault: "a candle's time is its end",
    breaks: ["candles.times"],
    ...column(0, (at) => Number(at) + 59)
  },
  {
    id: "candles-volume-doubled",
    fault: "the volume counts both sides",
    breaks: ["candles.trades"],
    ...column(5, (volume) => String(Number(volume) * 2))
  },
  {
    id: "candles-total-is-volume",
    fault: "the total is the volume",
    breaks: ["candles.trades"],
    ...column(6, (_total, row) => row[5])
  },
  {
    id: "candles-close-is-open",
    fault: "the last price is yesterday's",
    breaks: ["candles.trades"],
    ...column(2, () => "1")
  },
  {
    id: "candles-window-ignored",
    fault: "start and end are ignored",
    breaks: ["candles.window", "candles.refusal"],
    ...ignoring(candles, "start", "end")
  },
  {
    id: "candles-limit-ignored",
    fault: "the limit is ignored",
    breaks: ["candles.limit", "candles.refusal"],
    ...ignoring(candles, "limit")
  },
  {
    id: "candles-default-day",
    fault: "the default interval is one day",
    breaks: ["candles.default"],
    ...asked(candles, (query) => query.has("interval") || query.set("interval", "1d"))
  },
  {
    id: "candles-any-interval",
    fault: "an unknown interval counts as one hour",
    breaks: ["candles.refusal"],
    ...asked(candles, (query) => {
      if (!Candles.intervals.some((interval) => interval === query.get("interval"))) query.delete("interval")
    })
  },
  {
    id: "candles-refusal-422",
    fault: "a refusal has HTTP 422",
    breaks: ["candles.refusal"],
    ...withStatus(422, ({ body }, { path }) => path === candles && body.includes("\"success\":false"))
  }
]

const activityMutants: ReadonlyArray<Mutant> = [
  {
    id: "summary-volume-late",
    fault: "the volume does not grow",
    breaks: ["summary.trade"],
    ...changing(summary, ["result", "volume"], () => "1")
  },
  {
    id: "summary-deal-in-base",
    fault: "the total is in the base currency",
    breaks: ["summary.trade"],
    ...answering(summary, "success", (json) => {
      const { result } = json as { readonly result: Fields }
      return { ...json as Fields, result: { ...result, deal: result["volume"] } }
    })
  },
  {
    id: "summary-for-ever",
    fault: "trades older than 24 hours still count",
    breaks: ["summary.day"],
    make: () => {
      // The highest volume so far.
      let most = 0
      return changing(summary, ["result", "volume"], (volume) => String(most = Math.max(most, Number(volume), 1)))
        .make?.() ?? {}
    }
  },
  {
    id: "summary-low-for-ever",
    fault: "the lowest price is the all-time low",
    breaks: ["summary.day"],
    ...changing(summary, ["result", "low"], () => "1")
  },
  {
    id: "summary-bid-and-ask",
    fault: "bid and ask are swapped",
    breaks: ["summary.book"],
    ...answering(summary, "success", (json) => {
      const { result } = json as { readonly result: Fields }
      return { ...json as Fields, result: { ...result, bid: result["ask"], ask: result["bid"] } }
    })
  },
  {
    id: "summary-refusal-422",
    fault: "an unknown market is refused with HTTP 422",
    breaks: ["summary.refusal"],
    ...withStatus(422, ({ body }, { path }) => path === summary && body.includes("\"success\":false"))
  },
  {
    id: "summary-refusal-text",
    fault: "a refusal names no field",
    breaks: ["summary.refusal", "trade-history.refusal", "candles.refusal"],
    ...answering(
      (path) => [summary, history, candles].includes(path as never),
      "always",
      (json) => Json.isObject(json) && json["success"] === false ? { ...json, message: "Wrong." } : json
    )
  },
  {
    id: "summaries-one-market",
    fault: "only one market has a summary",
    breaks: ["summaries.markets"],
    ...changing(summaries, ["result"], (result) => ({ BTC_USDT: (result as Fields)["BTC_USDT"] }))
  },
  {
    id: "summaries-of-another-day",
    fault: "the summaries and the summary of one market show different days",
    breaks: ["summaries.markets"],
    ...changing(summaries, ["result", "*", "ticker", "low"], () => "1")
  },
  {
    id: "trade-history-oldest-first",
    fault: "the oldest trade comes first",
    breaks: ["trade-history.order"],
    ...changing(history, ["result"], (result) => (result as ReadonlyArray<unknown>).toReversed())
  },
  {
    id: "trade-history-last-id",
    fault: "lastId is ignored",
    breaks: ["trade-history.order"],
    ...asked(history, (query) => query.set("lastId", "0"))
  },
  {
    id: "trade-history-limit",
    fault: "the limit is ignored",
    breaks: ["trade-history.order", "trade-history.refusal"],
    ...asked(history, (query) => query.set("limit", "1"))
  }
]

const listMutants: ReadonlyArray<Mutant> = [
  {
    id: "depth-whole-book",
    fault: "depth is the whole book",
    breaks: ["depth.band"],
    make: () => ({
      request: (request) =>
        request.path.startsWith(depth) ? { ...request, path: request.path.replace("/depth/", "/") } : request
    })
  },
  {
    id: "depth-narrow",
    fault: "depth has only the best level on each side",
    breaks: ["depth.band"],
    ...answering(isIn(depth), "success", (json) => {
      const { asks, bids } = json as { readonly asks: ReadonlyArray<unknown>; readonly bids: ReadonlyArray<unknown> }
      return { ...json as Fields, asks: asks.slice(0, 1), bids: bids.slice(0, 1) }
    })
  },
  {
    id: "depth-worst-first",
    fault: "the worst bid comes first",
    breaks: ["depth.band"],
    ...answering(isIn(depth), "success", (json) => ({
      ...json as Fields,
      bids: ((json as Fields)["bids"] as ReadonlyArray<unknown>).toReversed()
    }))
  },
  {
    id: "public-refusal-400",
    fault: "an unknown market, or a wrong field, is refused with HTTP 400",
    breaks: ["depth.refusal", "funding-rates.refusal", "funding-rates.market"],
    ...withStatus(400, ({ status }, { path }) => status === 422 && (isIn(depth)(path) || isIn(funding)(path)))
  },
  {
    id: "collateral-markets-all",
    fault: "every market is a margin market",
    breaks: ["collateral-markets.marked"],
    ...changing(CollateralMarkets.endpoint.path, ["result"], (all) => [...all as ReadonlyArray<unknown>, "ETH_BTC"])
  },
  {
    id: "futures-settled",
    fault: "the next funding time is the last one",
    breaks: ["futures.settlement"],
    ...changing(
      futures,
      ["result", "*", "next_funding_rate_timestamp"],
      (time) => String(Number(time) - 480 * 60_000 - 120_000)
    )
  },
  {
    id: "futures-interest-doubled",
    fault: "the open interest counts both sides",
    breaks: ["futures.open-interest"],
    ...changing(futures, ["result", "*", "open_interest"], (open) => String(Number(open) * 2))
  },
  {
    id: "funding-rates-object",
    fault: "funding rates are in an envelope",
    breaks: ["funding-rates.list"],
    ...answering(isIn(funding), "success", (json) => ({ success: true, message: null, result: json }))
  },
  {
    id: "funding-rates-numbers",
    fault: "funding rates are numbers",
    breaks: ["funding-rates.list"],
    ...answering(isIn(funding), "success", () => [{
      fundingTime: 1_700_000_000,
      fundingRate: 0.0001,
      market: "BTC_PERP",
      settlementPrice: "1",
      rateCalculatedTime: "1700000000"
    }])
  },
  {
    id: "funding-rates-anything",
    fault: "every invalid query returns an empty list",
    breaks: ["funding-rates.refusal", "funding-rates.market"],
    make: () => ({
      answer: (answer, { path }) =>
        isIn(funding)(path) && answer.status === 422 ? { ...withBody(answer, []), status: 200 } : answer
    })
  }
]

/** The place of the fields that rules check, by rule prefix and path. */
const tables: ReadonlyArray<readonly [rules: string, path: string, place: Place]> = [
  ["summary.entry.", summary, ["result"]],
  ["summaries.entry.", summaries, ["result", "*", "ticker"]],
  ["summaries.market.", summaries, ["result", "*"]],
  ["trade-history.entry.", history, ["result", "*"]],
  ["platform.", PlatformStatus.endpoint.path, []],
  ["public-fees.entry.", PublicFees.endpoint.path, ["*"]],
  ["futures.entry.", futures, ["result", "*"]]
]

/** Answers without fields, and answers with null in every field. */
const shapeMutants: ReadonlyArray<Mutant> = tables.flatMap(([prefix, path, place]) => {
  const breaks = rules.map(({ id }) => id).filter((id) => id.startsWith(prefix))
  const fields = (object: unknown) => Json.isObject(object) ? Object.keys(object) : []
  return [
    {
      id: `${prefix}missing`,
      fault: "all fields are missing",
      breaks: breaks.filter((_, index) => index % 2 === 0),
      ...changing(path, place, (object) => without(object as Fields, ...fields(object)))
    },
    {
      id: `${prefix}kind`,
      fault: "all fields are null",
      breaks: breaks.filter((_, index) => index % 2 === 1),
      ...changing(path, place, (object) => Object.fromEntries(fields(object).map((key) => [key, null])))
    }
  ]
})

export const mutants: ReadonlyArray<Mutant> = [
  ...candleMutants,
  ...activityMutants,
  ...listMutants,
  ...shapeMutants
].map((mutant) => ({ ...mutant, dialects: ["live"] }))
