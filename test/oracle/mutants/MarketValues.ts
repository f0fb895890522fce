/** Faults in the values of books, trades, summaries, candles, assets and times, which only the live exchange documents. */
import * as ActiveOrders from "../../../src/endpoints/ActiveOrders.ts"
import * as Assets from "../../../src/endpoints/Assets.ts"
import * as Candles from "../../../src/endpoints/Candles.ts"
import * as ConditionalOrders from "../../../src/endpoints/ConditionalOrders.ts"
import * as Fills from "../../../src/endpoints/Fills.ts"
import * as FuturesMarkets from "../../../src/endpoints/FuturesMarkets.ts"
import * as Markets from "../../../src/endpoints/Markets.ts"
import * as MarketSummaries from "../../../src/endpoints/MarketSummaries.ts"
import * as MarketSummary from "../../../src/endpoints/MarketSummary.ts"
import * as OrderDeals from "../../../src/endpoints/OrderDeals.ts"
import * as OrderHistory from "../../../src/endpoints/OrderHistory.ts"
import * as PublicFees from "../../../src/endpoints/PublicFees.ts"
import * as ServerTime from "../../../src/endpoints/ServerTime.ts"
import * as Tickers from "../../../src/endpoints/Tickers.ts"
import * as TradeHistory from "../../../src/endpoints/TradeHistory.ts"
import * as UnexecutedOcoOrders from "../../../src/endpoints/UnexecutedOcoOrders.ts"
import { rules } from "../../../src/oracle/Rules.ts"
import * as Json from "../../../src/protocol/Json.ts"
import {
  answering,
  type Change,
  changedAt,
  changing,
  type Fields,
  type Mutant,
  mutant,
  type Place,
  withStatus
} from "./Mutant.ts"

const [tickers, summary, summaries] = [
  Tickers.endpoint.path,
  MarketSummary.endpoint.path,
  MarketSummaries.endpoint.path
]
const [futures, candles, history] = [FuturesMarkets.endpoint.path, Candles.endpoint.path, TradeHistory.endpoint.path]
const [assets, publicFees, markets] = [Assets.endpoint.path, PublicFees.endpoint.path, Markets.endpoint.path]

const root = "/api/v4/public/orderbook/"
const isDepth = (path: string): boolean => path.startsWith(`${root}depth/`)
const isBook = (path: string): boolean => path.startsWith(root) && !isDepth(path)
const isAnyBook = (path: string): boolean => path.startsWith(root)
const isTrades = (path: string): boolean => path.startsWith("/api/v4/public/trades/")

const times = (factor: number) => (value: unknown): unknown => String(Number(value) * factor)

/** Changes the value at one place in the responses of some paths. */
const at = (path: string | ((path: string) => boolean), place: Place, change: (value: unknown) => unknown): Change =>
  answering(path, "success", (json) => changedAt(json, place, change))

/** Drops parameters from the queries of some paths. */
const ignoring = (isIt: (path: string) => boolean, ...keys: ReadonlyArray<string>): Change => ({
  make: () => ({
    request: (request) => {
      if (!isIt(request.path)) return request
      const query = new URLSearchParams(request.query)
      for (const key of keys) query.delete(key)
      return { ...request, query: query.toString() }
    }
  })
})

/** Serves the response for another market. */
const elsewhere = (path: string): Change => ({
  make: () => ({
    request: (request) =>
      request.path.startsWith(path)
        ? {
          ...request,
          path: request.path.replace("ETH_USDT", "BTC_USDT"),
          ...(request.query === undefined ? {} : { query: request.query.replace("ETH_USDT", "BTC_USDT") })
        }
        : request
  })
})

type Levels = ReadonlyArray<ReadonlyArray<string>>

const level = (change: (price: string, amount: string) => ReadonlyArray<unknown>) => (levels: unknown): unknown =>
  (levels as Levels).map(([price = "", amount = ""]) => change(price, amount))

const bookMutants: ReadonlyArray<Mutant> = [
  mutant("book-amount-doubled", "a book shows twice the amounts", {
    breaks: ["book.levels", "book.changes"],
    ...at(isAnyBook, ["bids"], level((price, amount) => [price, String(Number(amount) * 2)]))
  }),
  mutant("book-best-order-only", "a level shows only one of its orders", {
    breaks: ["book.levels"],
    ...at(isBook, ["asks"], level((price, amount) => [price, String(Math.min(Number(amount), 0.02))]))
  }),
  mutant("book-total", "a book shows the total instead of the amount", {
    breaks: ["book.levels"],
    ...at(isAnyBook, ["asks"], level((price, amount) => [price, String(Number(price) * Number(amount))]))
  }),
  mutant("book-amount-first", "a level shows the amount before the price", {
    breaks: ["book.levels", "book.limit"],
    ...at(isBook, ["asks"], level((price, amount) => [amount, price]))
  }),
  mutant("book-sides-swapped", "bids and asks are swapped", {
    breaks: ["book.levels"],
    ...answering(isAnyBook, "success", (json) => {
      const { asks, bids, ...rest } = json as Fields
      return { ...rest, asks: bids, bids: asks }
    })
  }),
  mutant("book-worst-first", "a book shows the worst ask first", {
    breaks: ["book.levels", "book.limit"],
    ...at(isBook, ["asks"], (levels) => (levels as Levels).toReversed())
  }),
  mutant("book-empty-levels", "a traded level stays with an amount of zero", {
    breaks: ["book.changes"],
    make: () => {
      const seen = new Set<string>()
      const change = (levels: Levels) => {
        const shown = new Set(levels.map(([price]) => price ?? ""))
        const gone = [...seen].filter((price) => !shown.has(price)).map((price) => [price, "0"])
        for (const price of shown) seen.add(price)
        return [...levels, ...gone].toSorted(([one], [two]) => Number(one) - Number(two))
      }
      return at(isBook, ["asks"], (levels) => change(levels as Levels)).make?.() ?? {}
    }
  }),
  mutant("book-cached", "a book never changes once it has been read", {
    breaks: ["book.levels", "book.changes"],
    make: () => {
      const first = new Map<string, string>()
      return {
        answer: (answer, { path }) => {
          if (!isAnyBook(path) || answer.status !== 200) return answer
          const body = first.get(path) ?? answer.body
          first.set(path, body)
          return { ...answer, body }
        }
      }
    }
  }),
  mutant("book-other-market", "a market shows another market's book", {
    breaks: ["book.levels"],
    ...elsewhere(root)
  }),
  mutant("book-other-name", "a book names the wrong market", {
    breaks: ["book.levels", "book.time"],
    ...at(isAnyBook, ["ticker_id"], () => "ETH_BTC")
  }),
  mutant("book-limit-ignored", "the limit of a book is ignored", {
    breaks: ["book.limit", "book.refusal"],
    ...ignoring(isBook, "limit")
  }),
  mutant("book-limit-zero", "a limit of 0 lists no levels", {
    breaks: ["book.limit"],
    ...answering(
      isBook,
      "success",
      (json, { query }) => query?.includes("limit=0") === true ? { ...json as Fields, asks: [], bids: [] } : json
    )
  }),
  mutant("book-grouping-ignored", "the grouping of a book is ignored", {
    breaks: ["book.grouping"],
    ...ignoring(isBook, "level")
  }),
  mutant("book-grouping-lossy", "a group shows only one of its levels", {
    breaks: ["book.grouping"],
    ...answering(isBook, "success", (json, { query }) =>
      query?.includes("level=5") === true
        ? { ...json as Fields, bids: level((price) => [price, "0.03"])((json as Fields)["bids"]) }
        : json)
  }),
  mutant("book-time-millis", "a book's time is in milliseconds", {
    breaks: ["book.time"],
    ...at(isAnyBook, ["timestamp"], (time) => Number(time) * 1000)
  }),
  mutant("book-time-late", "a book's time is an hour old", {
    breaks: ["book.time"],
    ...at(isAnyBook, ["timestamp"], (time) => Number(time) - 3600)
  }),
  mutant("book-refusal-400", "the book of an unknown market is refused with HTTP 400", {
    breaks: ["book.refusal"],
    ...withStatus(400, ({ status }, { path }) => status === 422 && isAnyBook(path))
  })
]

const swapped = (one: string, two: string) => (value: unknown): unknown => {
  const { [one]: first, [two]: second, ...rest } = value as Fields
  return { ...rest, [one]: second, [two]: first }
}

const otherSide = (side: unknown): unknown => side === "buy" ? "sell" : "buy"

const tradeMutants: ReadonlyArray<Mutant> = [
  ...([
    ["tradeID", (id: unknown) => Number(id) + 1],
    ["price", times(1.001)],
    ["quote_volume", times(2)],
    ["base_volume", times(2)],
    ["trade_timestamp", (time: unknown) => Number(time) + 60],
    ["type", otherSide]
  ] as const).map(([key, change]) =>
    mutant(`trades-${key}`, `a past trade shows the wrong ${key}`, {
      breaks: ["trades.agree"],
      ...at(isTrades, ["*", key], change)
    })
  ),
  ...([
    ["id", (id: unknown) => Number(id) + 1],
    ["price", times(1.001)],
    ["amount", times(2)],
    ["time", (time: unknown) => Number(time) + 60],
    ["type", otherSide]
  ] as const).map(([key, change]) =>
    mutant(`trade-history-${key}`, `the older list of trades shows the wrong ${key}`, {
      breaks: ["trades.agree"],
      ...at(history, ["result", "*", key], change)
    })
  ),
  mutant("trades-volumes-swapped", "the volumes of a past trade are swapped", {
    breaks: ["trades.agree"],
    ...at(isTrades, ["*"], swapped("quote_volume", "base_volume"))
  }),
  mutant("trades-oldest-first", "past trades are listed oldest first", {
    breaks: ["trades.agree"],
    ...answering(isTrades, "success", (json) => (json as ReadonlyArray<unknown>).toReversed())
  }),
  mutant("trades-deal-id", "a deal has a different id from its trade", {
    breaks: ["trades.agree"],
    ...changing(OrderDeals.endpoint.path, ["records", "*", "id"], (id) => Number(id) + 1)
  }),
  mutant("trades-side-ignored", "the side of a query for trades is ignored", {
    breaks: ["trades.side", "trades.refusal"],
    ...ignoring(isTrades, "type")
  }),
  mutant("trades-none", "no trades are listed", {
    breaks: ["trades.agree", "trades.side"],
    ...answering(isTrades, "success", () => [])
  }),
  mutant("trades-refusal-400", "the trades of an unknown market are refused with HTTP 400", {
    breaks: ["trades.refusal"],
    ...withStatus(400, ({ status }, { path }) => status === 422 && isTrades(path))
  })
]

/** The calls that show a market's statistics, each with the place and the keys of these values. */
const figures = [
  { path: tickers, place: ["*"], keys: ["last_price", "base_volume", "quote_volume", "change"] },
  {
    path: summary,
    place: ["result"],
    keys: ["last", "volume", "deal", "change", "bid", "ask", "low", "high"]
  },
  {
    path: summaries,
    place: ["result", "*", "ticker"],
    keys: ["last", "vol", "deal", "change", "bid", "ask", "low", "high"]
  },
  {
    path: futures,
    place: ["result", "*"],
    keys: ["last_price", "stock_volume", "money_volume", "bid", "ask", "low", "high"]
  }
]

const summaryMutants: ReadonlyArray<Mutant> = [
  ...figures.flatMap(({ keys, path, place }) =>
    keys.map((key) =>
      mutant(`figures-${key}${path}`, `${key} of a summary is 1 too high`, {
        breaks: ["summary.figures"],
        ...changing(path, [...place, key], (value) => String(Number(value) + 1))
      })
    )
  ),
  mutant("summary-change-ratio", "the change of a summary is a ratio", {
    breaks: ["summary.change", "summary.figures"],
    ...changing(summary, ["result", "change"], times(0.01))
  }),
  mutant("summary-change-sign", "the change of a ticker has the opposite sign", {
    breaks: ["summary.figures"],
    ...changing(tickers, ["*", "change"], times(-1))
  }),
  mutant("summary-open-is-last", "the day's open is its last price", {
    breaks: ["summary.change"],
    ...changing(summary, ["result"], (result) => ({ ...result as Fields, open: (result as Fields)["last"] }))
  }),
  mutant("summaries-time", "the summaries show the time in the wrong time zone", {
    breaks: ["summaries.time"],
    ...changing(summaries, ["result", "*", "at"], (time) => Number(time) + 3600)
  }),
  mutant("tickers-volumes-swapped", "the volumes of a ticker are swapped", {
    breaks: ["summary.figures"],
    ...changing(tickers, ["*"], swapped("base_volume", "quote_volume"))
  }),
  mutant("tickers-one-market", "only one market has a ticker", {
    breaks: ["tickers.other"],
    ...answering(tickers, "success", (json) => ({ BTC_USDT: (json as Fields)["BTC_USDT"] }))
  }),
  mutant("tickers-same", "all markets have the same ticker", {
    breaks: ["tickers.other"],
    ...answering(tickers, "success", (json) => changedAt(json, ["*"], () => (json as Fields)["BTC_USDT"]))
  }),
  mutant("tickers-frozen", "every market is frozen", {
    breaks: ["tickers.frozen"],
    ...changing(tickers, ["*", "isFrozen"], () => true)
  })
]

/** Changes one column of candles: 0 is the time, 1 to 4 are open, close, high and low. */
const column = (index: number, change: (row: ReadonlyArray<unknown>) => unknown): Change =>
  changing(
    candles,
    ["result"],
    (rows) => (rows as ReadonlyArray<ReadonlyArray<unknown>>).map((row) => row.with(index, change(row)))
  )

const candleMutants: ReadonlyArray<Mutant> = [
  mutant("candles-open-is-close", "a candle's open is its close", {
    breaks: ["candles.prices"],
    ...column(1, (row) => row[2])
  }),
  mutant("candles-close-swapped", "a candle's close is its open", {
    breaks: ["candles.prices"],
    ...column(2, (row) => row[1])
  }),
  mutant("candles-high-is-close", "a candle's high is its close", {
    breaks: ["candles.prices"],
    ...column(3, (row) => row[2])
  }),
  mutant("candles-low-is-close", "a candle's low is its close", {
    breaks: ["candles.prices"],
    ...column(4, (row) => row[2])
  }),
  mutant("candles-other-market", "all markets have the same candles", {
    breaks: ["candles.market"],
    ...elsewhere(candles)
  })
]

/** The fields of a currency's settings in the responses to two calls. */
const settings = [
  { path: assets, keys: ["can_deposit", "can_withdraw", "min_deposit", "max_deposit", "min_withdraw", "max_withdraw"] },
  { path: publicFees, keys: ["is_depositable", "is_withdrawal"] }
]

const off = (value: unknown): unknown => typeof value === "boolean" ? !value : String(Number(value) + 1)

const assetMutants: ReadonlyArray<Mutant> = [
  ...settings.flatMap(({ keys, path }) =>
    keys.map((key) =>
      mutant(`assets-${key}`, `${key} differs from the account's fees`, {
        breaks: ["assets.agree"],
        ...changing(path, ["*", key], off)
      })
    )
  ),
  ...["deposit", "withdraw"].flatMap((direction) =>
    ["min_amount", "max_amount", "fixed"].map((key) =>
      mutant(`public-fees-${direction}-${key}`, `${key} of a ${direction} differs from the account's fees`, {
        breaks: ["assets.agree"],
        ...changing(publicFees, ["*", direction, key], off)
      })
    )
  ),
  ...([
    ["networks", () => ({ deposits: [], withdraws: [], default: "NONE" })],
    ["limits", () => ({ deposit: {}, withdraw: {} })],
    ["confirmations", () => ({})],
    ["is_memo", off],
    ["memo", () => ({ deposit: true, withdraw: false })]
  ] as const).map(([key, change]) =>
    mutant(`assets-networks-${key}`, `${key} of an asset contradicts its other fields`, {
      breaks: ["assets.networks"],
      ...changing(assets, ["*", key], change)
    })
  ),
  ...([
    ["funding_rate", off],
    ["funding_cap", () => "-1"],
    ["next_funding_rate_timestamp", off],
    ["max_leverage", () => 11],
    ["index_currency", () => "SHIB"],
    ["index_price", () => "1"],
    ["mark_price", () => "1"]
  ] as const).map(([key, change]) =>
    mutant(`futures-terms-${key}`, `${key} of a future contradicts its other fields`, {
      breaks: ["futures.terms"],
      ...changing(futures, ["result", "*", key], change)
    })
  ),
  mutant("assets-names", "the names of assets are their tickers", {
    breaks: ["assets.agree"],
    ...answering(
      assets,
      "success",
      (json) =>
        Object.fromEntries(Object.entries(json as Fields).map(([name, asset]) => [name, { ...asset as Fields, name }]))
    )
  }),
  mutant("assets-fees", "the fees of assets are ratios", {
    breaks: ["trading-fees.assets", "trading-fees.percent"],
    ...changing(assets, ["*", "taker_fee"], times(0.01))
  }),
  mutant("summary-message", "a summary has a message", {
    breaks: ["summary.change"],
    ...changing(summary, ["message"], () => "ok")
  }),
  mutant("trades-rpi", "every trade is an RPI trade", {
    breaks: ["trades.agree"],
    ...at(isTrades, ["*", "rpi"], () => true)
  }),
  mutant("public-fees-flex", "the flexible fee differs from the account's fees", {
    breaks: ["assets.agree"],
    ...changing(publicFees, ["*", "withdraw", "flex"], (flex) => Json.isObject(flex) ? { ...flex, percent: "1" } : flex)
  }),
  mutant("assets-one-missing", "one currency is missing from the assets", {
    breaks: ["assets.complete"],
    ...answering(assets, "success", (json) => Object.fromEntries(Object.entries(json as Fields).slice(1)))
  }),
  mutant("markets-twice", "a market is listed twice", {
    breaks: ["markets.values"],
    ...answering(markets, "success", (json) => [...json as ReadonlyArray<unknown>, (json as ReadonlyArray<unknown>)[0]])
  }),
  mutant("markets-currencies-swapped", "the currencies of markets are swapped", {
    breaks: ["markets.values"],
    ...changing(markets, ["*"], swapped("stock", "money"))
  }),
  ...([["minTotal", times(1.5)], ["minTotal", times(0.5)], ["maxTotal", times(1.5)], ["maxTotal", times(0.5)]] as const)
    .map(([key, change], index) =>
      mutant(`markets-${key}-${index}`, `${key} of a market differs from the bound that orders must meet`, {
        breaks: ["markets.bounds"],
        ...changing(markets, ["*", key], change)
      })
    ),
  mutant("markets-trad-fi", "every market is shown as a TradFi future", {
    breaks: ["markets.values"],
    ...changing(markets, ["*", "isTradFiFutures"], () => true)
  }),
  mutant("markets-all-spot", "futures are listed as spot markets", {
    breaks: ["markets.values"],
    ...changing(markets, ["*", "type"], () => "spot")
  }),
  mutant("futures-currencies", "a future has the wrong base currency", {
    breaks: ["markets.values"],
    ...changing(futures, ["result", "*", "stock_currency"], () => "ETH")
  })
]

/** Calls that list records with times: the call's path, and the place of one of these times in the response. */
const lists: ReadonlyArray<readonly [path: string, place: Place]> = [
  [ActiveOrders.endpoint.path, ["*", "timestamp"]],
  [OrderHistory.endpoint.path, ["*", "*", "ctime"]],
  [OrderHistory.endpoint.path, ["*", "*", "ftime"]],
  [OrderDeals.endpoint.path, ["records", "*", "time"]],
  [Fills.endpoint.path, ["*", "time"]],
  [UnexecutedOcoOrders.endpoint.path, ["*", "stop_loss", "timestamp"]],
  [UnexecutedOcoOrders.endpoint.path, ["*", "take_profit", "timestamp"]],
  [ConditionalOrders.endpoint.path, ["records", "*", "*", "timestamp"]]
]

const timeMutants: ReadonlyArray<Mutant> = [
  ...lists.flatMap(([path, place], index) => [
    mutant(`times-whole-${index}`, `${place.join(".")} is in whole seconds`, {
      breaks: ["times.listed"],
      ...changing(path, place, (time) => Math.floor(Number(time)))
    }),
    mutant(`times-late-${index}`, `${place.join(".")} is a minute late`, {
      breaks: ["times.listed"],
      ...changing(path, place, (time) => Number(time) + 60)
    })
  ]),
  mutant("times-end-is-beginning", "an order's ftime is its creation time", {
    breaks: ["times.listed"],
    ...changing(
      OrderHistory.endpoint.path,
      ["*", "*"],
      (order) => ({ ...order as Fields, ftime: (order as Fields)["ctime"] })
    )
  }),
  mutant("time-hour", "the server shows the time in the wrong time zone", {
    breaks: ["time.nonce"],
    ...changing(ServerTime.endpoint.path, ["time"], (time) => Number(time) - 3600)
  }),
  mutant("time-millis", "the server shows its time in milliseconds", {
    breaks: ["time.nonce"],
    ...changing(ServerTime.endpoint.path, ["time"], (time) => Number(time) * 1000)
  })
]

/** The places in responses where rules expect their fields, each with the rules' id prefix and the call's path. */
const tables: ReadonlyArray<readonly [rules: string, path: string | ((path: string) => boolean), place: Place]> = [
  ["trades.entry.", isTrades, ["*"]],
  ["tickers.entry.", tickers, ["*"]],
  ["assets.entry.", assets, ["*"]],
  ["markets.live.", markets, ["*"]]
]

/** Mutants in whose responses every field is an empty list. */
const shapeMutants: ReadonlyArray<Mutant> = tables.map(([prefix, path, place]) =>
  mutant(`${prefix}kind`, "all fields are empty lists", {
    breaks: rules.map(({ id }) => id).filter((id) => id.startsWith(prefix)),
    ...at(path, place, (object) => Object.fromEntries(Object.keys(object as Fields).map((key) => [key, []])))
  })
)

export const mutants: ReadonlyArray<Mutant> = [
  ...bookMutants,
  ...tradeMutants,
  ...summaryMutants,
  ...candleMutants,
  ...assetMutants,
  ...timeMutants,
  ...shapeMutants
].map((mutant) => ({ ...mutant, dialects: ["live"] }))
