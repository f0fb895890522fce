/** Faults that only several trades, calls or days show, and faults in the terms of transfers, codes and sub-accounts. */
import * as BulkLimitOrders from "../../../src/endpoints/BulkLimitOrders.ts"
import * as CancelBulkOrders from "../../../src/endpoints/CancelBulkOrders.ts"
import * as CancelOrder from "../../../src/endpoints/CancelOrder.ts"
import * as Candles from "../../../src/endpoints/Candles.ts"
import * as CodeCreation from "../../../src/endpoints/CodeCreation.ts"
import * as Codes from "../../../src/endpoints/Codes.ts"
import * as CollateralLimitOrders from "../../../src/endpoints/CollateralLimitOrders.ts"
import * as CollateralMarketOrders from "../../../src/endpoints/CollateralMarketOrders.ts"
import * as CollateralTriggerMarketOrders from "../../../src/endpoints/CollateralTriggerMarketOrders.ts"
import * as FuturesMarkets from "../../../src/endpoints/FuturesMarkets.ts"
import * as LimitOrders from "../../../src/endpoints/LimitOrders.ts"
import * as MarketOrders from "../../../src/endpoints/MarketOrders.ts"
import * as Markets from "../../../src/endpoints/Markets.ts"
import * as MarketSummaries from "../../../src/endpoints/MarketSummaries.ts"
import * as MarketSummary from "../../../src/endpoints/MarketSummary.ts"
import * as StockMarketOrders from "../../../src/endpoints/StockMarketOrders.ts"
import * as SubAccountApiKeys from "../../../src/endpoints/SubAccountApiKeys.ts"
import * as SubAccountCreation from "../../../src/endpoints/SubAccountCreation.ts"
import * as Tickers from "../../../src/endpoints/Tickers.ts"
import * as TradeHistory from "../../../src/endpoints/TradeHistory.ts"
import * as Transfers from "../../../src/endpoints/Transfers.ts"
import * as Json from "../../../src/protocol/Json.ts"
import type { Request } from "../../../src/sandbox/gateway/Message.ts"
import {
  answering,
  asking,
  type Change,
  changedAt,
  changing,
  type Fields,
  fieldsOf,
  type Instance,
  jsonOf,
  type Mutant,
  mutant,
  withBody
} from "./Mutant.ts"

const [candles, history] = [Candles.endpoint.path, TradeHistory.endpoint.path]

const root = "/api/v4/public/orderbook/"
const funding = "/api/v4/public/funding-history/BTC_PERP"
const isTrades = (path: string): boolean => path.startsWith("/api/v4/public/trades/")
const isBook = (path: string): boolean => path.startsWith(root) && !path.startsWith(`${root}depth/`)

const queryOf = ({ query }: Pick<Request, "query">): URLSearchParams => new URLSearchParams(query)

/** Changes the queries to some paths. */
const asked = (isIt: (path: string) => boolean, change: (query: URLSearchParams) => void): Change => ({
  make: () => ({
    request: (request) => {
      if (!isIt(request.path)) return request
      const query = queryOf(request)
      change(query)
      return { ...request, query: query.toString() }
    }
  })
})

/** Changes the records of a list of trades. */
const trades = (change: (trades: ReadonlyArray<Fields>) => unknown): Change =>
  answering(isTrades, "success", (json) => change(json as ReadonlyArray<Fields>))

/** Changes the rows of candles. */
const rows = (
  change: (rows: ReadonlyArray<ReadonlyArray<unknown>>, request: Request) => unknown
): Change =>
  answering(
    candles,
    "success",
    (json, request) =>
      changedAt(json, ["result"], (rows) =>
        Array.isArray(rows) ? change(rows as ReadonlyArray<ReadonlyArray<unknown>>, request) : rows)
  )

/** Replaces a column of each candle by a value that all candles up to this one determine. */
const running = (column: number, of: (...values: ReadonlyArray<number>) => number): Change =>
  rows((all) =>
    all.map((row, index) => row.with(column, String(of(...all.slice(0, index + 1).map((row) => Number(row[column]))))))
  )

/** Changes the responses of some paths if the latest order was placed by one of these calls. */
const after = (
  calls: ReadonlyArray<string>,
  isIt: (path: string) => boolean,
  change: (json: unknown) => unknown
): Change => ({
  make: () => {
    let latest = ""
    return {
      answer: (answer, { path }) => {
        if (path.startsWith("/api/v4/order/")) latest = path
        return isIt(path) && answer.status === 200 && calls.includes(latest)
          ? withBody(answer, change(jsonOf(answer)))
          : answer
      }
    }
  }
})

const marketCalls = [MarketOrders.endpoint.path, StockMarketOrders.endpoint.path]

const rounded = (value: unknown, digits: number): string => String(Number(Number(value).toFixed(digits)))

const latestOf = (values: ReadonlyArray<unknown>): number => Math.max(...values.map(Number))

/** Repeats the book that was shown before a call, whatever the call has changed. */
const kept = (call: string): Change => ({
  make: () => {
    let [before, latest] = ["", ""]
    return {
      answer: (answer, { path }) => {
        if (path.startsWith("/api/v4/order/")) latest = path
        if (!isBook(path) || answer.status !== 200) return answer
        if (latest === call && before !== "") return { ...answer, body: before }
        before = answer.body
        return answer
      }
    }
  }
})

const tradeMutants: ReadonlyArray<Mutant> = [
  mutant("series-trades-now", "every trade has the time of the latest trade", {
    breaks: ["trades.times"],
    ...trades((all) => {
      const time = latestOf(all.map(({ trade_timestamp: time }) => time))
      return all.map((trade) => ({ ...trade, trade_timestamp: time }))
    })
  }),
  mutant("series-history-now", "in the older list, every trade has the time of the latest trade", {
    breaks: ["trades.times"],
    ...changing(history, ["result"], (all) => {
      const time = latestOf((all as ReadonlyArray<Fields>).map(({ time }) => time))
      return (all as ReadonlyArray<Fields>).map((trade) => ({ ...trade, time }))
    })
  }),
  mutant("series-trades-price", "all trades of one second have the same price", {
    breaks: ["trades.times"],
    ...trades((all) =>
      all.map((trade) => ({
        ...trade,
        price: all.find(({ trade_timestamp: time }) => time === trade["trade_timestamp"])?.["price"]
      }))
    )
  }),
  ...([["price", 1], ["quote_volume", 4]] as const).map(([key, digits]) =>
    mutant(`series-trades-${key}-rounded`, `${key} of a trade has at most ${digits} decimal places`, {
      breaks: ["trades.times"],
      ...trades((all) => all.map((trade) => ({ ...trade, [key]: rounded(trade[key], digits) })))
    })
  ),
  mutant("series-history-rounded", "in the older list, amounts have at most four decimal places", {
    breaks: ["trades.times"],
    ...changing(history, ["result", "*", "amount"], (amount) => rounded(amount, 4))
  }),
  mutant("series-book-rounded", "the amounts of a book have at most four decimal places", {
    breaks: ["trades.times"],
    ...answering(isBook, "success", (json) =>
      changedAt(json, ["asks", "*"], (level) => {
        const [price, amount] = level as ReadonlyArray<unknown>
        return [price, rounded(amount, 4)]
      }))
  }),
  mutant("series-trades-merged", "the older list shows only one trade per second", {
    breaks: ["trades.times"],
    ...changing(history, ["result"], (all) => {
      const seen = new Set<number>()
      return (all as ReadonlyArray<Fields>).filter(({ time }) => {
        const second = Math.floor(Number(time))
        return !seen.has(second) && seen.add(second)
      })
    })
  }),
  mutant("series-trades-market", "the trade of a market order is not listed", {
    breaks: ["trades.calls"],
    ...after(marketCalls, isTrades, (json) => (json as ReadonlyArray<Fields>).slice(1))
  }),
  mutant("series-trades-margin", "the trade of a margin market order has the maker's side", {
    breaks: ["trades.calls"],
    ...after(
      [CollateralMarketOrders.endpoint.path],
      isTrades,
      (json) =>
        (json as ReadonlyArray<Fields>).map((trade) => ({ ...trade, type: trade["type"] === "buy" ? "sell" : "buy" }))
    )
  }),
  mutant("series-book-margin", "the book does not count margin orders", {
    breaks: ["trades.calls"],
    ...after([CollateralLimitOrders.endpoint.path], isBook, (json) => ({ ...json as Fields, asks: [], bids: [] }))
  }),
  ...([CancelOrder, CancelBulkOrders] as const).map(({ endpoint: { path } }) =>
    mutant(`series-book-kept${path}`, "the book still shows an order that this call canceled", {
      breaks: ["trades.calls"],
      ...kept(path)
    })
  ),
  mutant("series-ticker-kept", "the volume in the tickers never changes", {
    breaks: ["trades.calls"],
    ...changing(Tickers.endpoint.path, ["BTC_USDT", "base_volume"], () => "10")
  })
]

/** Keeps only the candles of the last `seconds` if a call asks for an interval in its default window. */
const within = (interval: string, seconds: number): Change =>
  rows((all, request) => {
    const query = queryOf(request)
    const isPlain = query.get("interval") === interval && !query.has("start") && !query.has("limit")
    return isPlain ? all.filter(([time]) => Number(time) > Number(all.at(-1)?.[0]) - seconds) : all
  })

/** Asks for all candles of an interval if a call asks for its default window. */
const endless = (interval: string): Change => ({
  make: () => ({
    request: (request) => {
      const query = queryOf(request)
      const isPlain = request.path === candles && query.get("interval") === interval && !query.has("start")
      return isPlain ? { ...request, query: `${request.query ?? ""}&start=0` } : request
    }
  })
})

const candleMutants: ReadonlyArray<Mutant> = [
  mutant("series-candles-high", "a candle's high includes earlier candles", {
    breaks: ["candles.series"],
    ...running(3, Math.max)
  }),
  mutant("series-candles-low", "a candle's low includes earlier candles", {
    breaks: ["candles.series"],
    ...rows((all) => {
      const low = all.map((row) => Number(row[4])).reduce((one, two) => Math.min(one, two), Infinity)
      return all.map((row) => row.with(4, String(low)))
    })
  }),
  mutant("series-candles-volume", "the volume of candles is cumulative", {
    breaks: ["candles.series"],
    ...running(5, (...values) => values.reduce((sum, value) => sum + value, 0))
  }),
  mutant("series-candles-total", "the total of candles is cumulative", {
    breaks: ["candles.series"],
    ...running(6, (...values) => values.reduce((sum, value) => sum + value, 0))
  }),
  mutant("series-candles-open", "a candle opens at the open of the candle before", {
    breaks: ["candles.series"],
    ...rows((all) => all.map((row, index) => row.with(1, (all[index - 1] ?? row)[1])))
  }),
  mutant("series-candles-gap", "a candle before an interval without trades is missing", {
    breaks: ["candles.series"],
    ...rows((all, request) => {
      const length = queryOf(request).get("interval") === "1h" ? 3600 : 86_400
      return all.filter(([time], index) => !(Number(all[index + 1]?.[0]) - Number(time) > length))
    })
  }),
  ...([["3m", "1m"], ["2h", "1h"], ["8h", "12h"], ["3d", "1d"], ["1w", "3d"]] as const).map(([interval, other]) =>
    mutant(`series-candles-as-${interval}`, `${interval} candles are ${other} candles`, {
      breaks: ["candles.lengths"],
      ...asked(
        (path) => path === candles,
        (query) => query.get("interval") === interval && query.set("interval", other)
      )
    })
  ),
  mutant("series-candles-1d", "by default, 1d candles cover a week", {
    breaks: ["candles.windows"],
    ...within("1d", 604_800)
  }),
  mutant("series-candles-1M", "by default, 1M candles cover a month", {
    breaks: ["candles.windows"],
    ...within("1M", 2_678_400)
  }),
  ...["1d", "1w", "1M"].map((interval) =>
    mutant(`series-candles-all-${interval}`, `by default, as many ${interval} candles as possible are listed`, {
      breaks: ["candles.windows"],
      ...endless(interval)
    })
  )
]

/** Where each summary shows the volume and the high of BTC_USDT or BTC_PERP. */
const summaries = [
  [Tickers.endpoint.path, ["BTC_USDT"], "base_volume", undefined],
  [MarketSummary.endpoint.path, ["result"], "volume", "high"],
  [MarketSummaries.endpoint.path, ["result", "BTC_USDT", "ticker"], "vol", "high"],
  [FuturesMarkets.endpoint.path, ["result", "*"], "stock_volume", "high"]
] as const

const summaryMutants: ReadonlyArray<Mutant> = [
  ...summaries.flatMap(([path, place, volume, high]) => [
    mutant(`series-day-long${path}`, "the volume counts a trade that is 25 hours old", {
      breaks: ["summary.rolling"],
      ...changing(path, [...place, volume], (value) => String(Number(value) + 0.013))
    }),
    mutant(`series-day-short${path}`, "the volume does not count a trade that is 15 hours old", {
      breaks: ["summary.rolling"],
      ...changing(path, [...place, volume], (value) => String(Number(value) - 0.012))
    }),
    ...(high === undefined ? [] : [
      mutant(`series-day-high${path}`, "the high counts a trade that is 25 hours old", {
        breaks: ["summary.rolling"],
        ...changing(path, [...place, high], () => "41200")
      })
    ])
  ]),
  mutant("series-markets-perp", "futures are quoted in PERP", {
    breaks: ["markets.trading"],
    ...changing(
      Markets.endpoint.path,
      ["*"],
      (market) => Json.isObject(market) && market["type"] === "futures" ? { ...market, money: "PERP" } : market
    )
  })
]

/** Changes the queries for funding rates. */
const rates = (change: (query: URLSearchParams) => void): Change => asked((path) => path === funding, change)

/** Changes both sides of a book whose prices are grouped at level 5. */
const grouped = (change: (levels: ReadonlyArray<unknown>) => unknown): Change =>
  answering(isBook, "success", (json, request) =>
    queryOf(request).get("level") === "5"
      ? ["asks", "bids"].reduce<unknown>(
        (book, side) => changedAt(book, [side], (levels) => change(levels as ReadonlyArray<unknown>)),
        json
      )
      : json)

const listMutants: ReadonlyArray<Mutant> = [
  mutant("series-funding-50", "a page of funding rates has 50 rates by default", {
    breaks: ["funding-rates.default"],
    ...rates((query) => query.has("limit") || query.set("limit", "50"))
  }),
  mutant("series-funding-offset", "an offset of funding rates counts at most as 50", {
    breaks: ["funding-rates.default"],
    ...rates((query) => Number(query.get("offset")) > 50 && query.set("offset", "50"))
  }),
  mutant("series-funding-past", "an offset past the last funding rate starts again", {
    breaks: ["funding-rates.default"],
    ...rates((query) => Number(query.get("offset")) > 1000 && query.delete("offset"))
  }),
  mutant("series-book-level", "a book ignores the grouping level", {
    breaks: ["book.aggregates"],
    ...asked(isBook, (query) => query.delete("level"))
  }),
  mutant("series-book-worst", "the worst group of prices comes first", {
    breaks: ["book.aggregates"],
    ...grouped((levels) => levels.toReversed())
  }),
  mutant("series-book-lost", "grouped prices show only one of their amounts", {
    breaks: ["book.aggregates"],
    ...grouped((levels) => levels.map((level) => (level as ReadonlyArray<unknown>).with(1, "0.001")))
  }),
  ...([["start", "today"], ["end", "now"], ["limit", "-1"]] as const).map(([key, value]) =>
    mutant(`series-candles-${key}-${value}`, `${value} as ${key} of candles counts as absent`, {
      breaks: ["candles.refusal"],
      ...asked((path) => path === candles, (query) => query.get(key) === value && query.delete(key))
    })
  ),
  mutant("series-depth-second", "the depth of ETH_USDT lies around the price of BTC_USDT", {
    breaks: ["depth.band"],
    ...changing(`${root}depth/ETH_USDT`, ["asks"], () => [])
  }),
  mutant("series-book-bids", "a book has at most 50 bids by default", {
    breaks: ["book.default"],
    ...answering(isBook, "success", (json, request) =>
      queryOf(request).has("limit")
        ? json
        : changedAt(json, ["bids"], (bids) => (bids as ReadonlyArray<unknown>).slice(0, 50)))
  }),
  mutant("series-keys-filter", "the oldest key of one sub-account is listed first", {
    breaks: ["api-keys.order"],
    ...answering(
      SubAccountApiKeys.endpoint.path,
      "success",
      (json, request) =>
        fieldsOf(request)?.["subAccountId"] === undefined
          ? json
          : changedAt(json, ["data"], (keys) => (keys as ReadonlyArray<unknown>).toReversed())
    )
  }),
  mutant("series-keys-page", "each page of keys is sorted the other way round", {
    breaks: ["api-keys.order"],
    ...answering(
      SubAccountApiKeys.endpoint.path,
      "success",
      (json, request) =>
        fieldsOf(request)?.["limit"] === undefined
          ? json
          : changedAt(json, ["data"], (keys) => (keys as ReadonlyArray<unknown>).toReversed())
    )
  })
]

const transfer = Transfers.endpoint.path

/** Makes a transfer succeed that would be refused. */
const transferring = (isIt: (fields: Fields) => boolean): Change => ({
  make: () => ({
    answer: (answer, request) =>
      request.path === transfer && answer.status >= 400 && isIt(fieldsOf(request) ?? {})
        ? withBody({ ...answer, status: 201 }, [])
        : answer
  })
})

const applyCode = Codes.endpoint.path

/** Replaces the messages of refused codes. */
const refusing = (
  isIt: (venue: Instance, fields: Fields) => boolean,
  change: () => ReadonlyArray<string>
): Change => ({
  make: () => ({
    answer: (answer, request, venue) =>
      request.path === applyCode && answer.status >= 400 && isIt(venue, fieldsOf(request) ?? {})
        ? withBody(answer, changedAt(jsonOf(answer), ["errors", "code"], change))
        : answer
  })
})

/** Gives every sub-account a permission during the calls of a path. */
const permitted = (path: string, permission: "spotEnabled" | "collateralEnabled"): Change => ({
  make: () => {
    const forbidden = new Set<{ spotEnabled: boolean; collateralEnabled: boolean }>()
    return {
      before: ({ state }, request) => {
        if (request.path !== path) return
        for (const subAccount of state.subAccounts.values()) if (!subAccount[permission]) forbidden.add(subAccount)
        for (const subAccount of forbidden) subAccount[permission] = true
      },
      answer: (answer) => {
        for (const subAccount of forbidden) subAccount[permission] = false
        forbidden.clear()
        return answer
      }
    }
  }
})

const accountMutants: ReadonlyArray<Mutant> = [
  mutant("series-code-leak", "an unknown code is refused in another way than a wrong passphrase", {
    breaks: ["code-creation.generic"],
    ...refusing(({ state }, { code }) => !state.codes.has(code as never), () => ["Code does not exist"])
  }),
  mutant("series-code-passphrase", "a wrong passphrase is refused under the name passphrase", {
    breaks: ["code-creation.generic", "code-creation.passphrase"],
    make: () => ({
      answer: (answer, request, { state }) => {
        const { code, passphrase } = fieldsOf(request) ?? {}
        const known = state.codes.get(code as never)
        const isWrong = request.path === applyCode && answer.status >= 400 && known !== undefined
          && known.passphrase !== passphrase
        return isWrong
          ? withBody(answer, { code: 0, message: "Validation failed", errors: { passphrase: ["Wrong."] } })
          : answer
      }
    })
  }),
  mutant("series-code-used", "a used code is refused like an unknown one", {
    breaks: ["code-creation.generic"],
    ...refusing(() => true, () => ["Code not applied"])
  }),
  ...([
    [LimitOrders.endpoint.path, "spotEnabled"],
    [MarketOrders.endpoint.path, "spotEnabled"],
    [BulkLimitOrders.endpoint.path, "spotEnabled"],
    [CollateralLimitOrders.endpoint.path, "collateralEnabled"],
    [CollateralTriggerMarketOrders.endpoint.path, "collateralEnabled"]
  ] as const).map(([path, permission]) =>
    mutant(`series-permission${path}`, `a sub-account without ${permission} may place these orders`, {
      breaks: ["sub-accounts.trading"],
      ...permitted(path, permission)
    })
  ),
  mutant("series-transfer-collateral", "locked funds can become collateral", {
    breaks: ["transfers.locked"],
    ...transferring(({ from, to }) => from === "spot" && to === "collateral")
  }),
  mutant("series-transfer-withdraw", "the older form of a transfer moves locked funds", {
    breaks: ["transfers.locked"],
    ...transferring(({ method }) => method === "withdraw")
  }),
  mutant("series-transfer-money", "a transfer moves money that an open order locks", {
    breaks: ["transfers.locked"],
    ...transferring(({ ticker }) => ticker === "USDT")
  }),
  ...([["from", "main"], ["to", "spot"]] as const).map(([key, balance]) =>
    mutant(`series-transfer-${key}`, `a transfer without ${key} uses ${balance}`, {
      breaks: ["transfers.incomplete"],
      ...asking(transfer, (fields) => fields["method"] === undefined ? { [key]: balance, ...fields } : fields)
    })
  ),
  mutant("series-code-digits", "the amount of a code has at most eight decimal places", {
    breaks: ["code-creation.exact"],
    ...asking(CodeCreation.endpoint.path, (fields) => ({
      ...fields,
      amount: String(fields["amount"]).replace(/(\.[0-9]{8})[0-9]+/u, "$1")
    }))
  }),
  ...(["spotEnabled", "collateralEnabled"] as const).map((key) =>
    mutant(`series-sub-${key}`, `a sub-account without ${key} is created`, {
      breaks: ["sub-account-creation.permissions"],
      ...asking(SubAccountCreation.endpoint.path, (fields) =>
        Json.isObject(fields["permissions"])
          ? { ...fields, permissions: { [key]: false, ...fields["permissions"] } }
          : fields)
    })
  ),
  mutant("series-sub-text", "a permission counts as true if it is not false", {
    breaks: ["sub-account-creation.permissions"],
    ...asking(SubAccountCreation.endpoint.path, (fields) => ({
      ...fields,
      permissions: changedAt(fields["permissions"], ["*"], (value) => value !== false)
    }))
  })
]

export const mutants: ReadonlyArray<Mutant> = [
  ...tradeMutants,
  ...candleMutants,
  ...summaryMutants,
  ...listMutants,
  ...accountMutants
].map((mutant) => ({ ...mutant, dialects: ["live"] }))
