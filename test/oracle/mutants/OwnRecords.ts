/** Faults that reads alone can find, in the lists of an account's own records and in market data. */
import * as Paths from "../../../src/oracle/world/Paths.ts"
import * as Json from "../../../src/protocol/Json.ts"
import { answering, asking, type Change, changing, type Fields, type Mutant, mutant, without } from "./Mutant.ts"

/** Creates a mutant of the live dialect. */
const live = (id: string, fault: string, breaks: ReadonlyArray<string>, change: Change): Mutant =>
  mutant(id, fault, { breaks, dialects: ["live"], ...change })

/** Returns the records in a response, which has either one list or one list per market. */
const recordsIn = (json: unknown): ReadonlyArray<unknown> =>
  Array.isArray(json) ? json : Json.isObject(json) ? Object.values(json).flat() : []

/** Changes every list of records in a path's successful responses. */
const listing = (path: string, change: (records: ReadonlyArray<unknown>) => ReadonlyArray<unknown>): Change =>
  answering(path, "success", (json) =>
    Array.isArray(json)
      ? change(json)
      : Object.fromEntries(
        Object.entries(json as Fields).map(([market, records]) => [market, change(records as ReadonlyArray<unknown>)])
      ))

/** Changes the value of one key in every record of a path's successful responses. */
const ofEach = (path: string, key: string, change: (value: unknown) => unknown): Change =>
  listing(
    path,
    (records) => records.map((record) => Json.isObject(record) ? { ...record, [key]: change(record[key]) } : record)
  )

/** Ignores a parameter. */
const ignoring = (path: string, key: string): Change => asking(path, (fields) => without(fields, key))

const lists = [
  { id: "open", path: Paths.activeOrders, filters: ["market", "orderId", "clientOrderId"] },
  { id: "ended", path: Paths.orderHistory, filters: ["market", "orderId", "clientOrderId", "status"] },
  { id: "fills", path: Paths.fills, filters: ["market", "clientOrderId"] },
  { id: "oco", path: Paths.ocoOrders, filters: ["market"] }
] as const

const leg = (key: string, change: (value: unknown) => unknown): Change =>
  changing(Paths.ocoOrders, ["*", "take_profit", key], change)

const more = (value: unknown): string => String(Number(value) + 1)

const listMutants: ReadonlyArray<Mutant> = [
  ...lists.flatMap(({ filters, id, path }) => [
    ...filters.map((key) =>
      live(`own-${id}-ignores-${key}`, `the list ignores ${key}`, [`records.${id}.filter.${key}`], ignoring(path, key))
    ),
    live(`own-${id}-ignores-offset`, "the list ignores offset", [`records.${id}.pages`], ignoring(path, "offset"))
  ]),
  live(
    "own-open-side",
    "open orders show an invalid side",
    ["records.open.fields"],
    ofEach(Paths.activeOrders, "side", () => "")
  ),
  live(
    "own-ended-type",
    "closed orders show no type",
    ["records.ended.fields"],
    ofEach(Paths.orderHistory, "type", () => "")
  ),
  live("own-fills-role", "fills show a role of 0", ["records.fills.fields"], ofEach(Paths.fills, "role", () => 0)),
  live("own-oco-left", "legs of OCO orders show left as a number", ["records.oco.fields"], leg("left", Number)),
  live(
    "own-open-left",
    "open orders show a remaining amount that is too large",
    ["records.open.values"],
    ofEach(Paths.activeOrders, "left", more)
  ),
  live(
    "own-ended-fee",
    "closed orders show a fee that is a hundred times too high",
    ["records.ended.values"],
    ofEach(Paths.orderHistory, "dealFee", (fee) => String(Number(fee) * 100))
  ),
  live("own-fills-deal", "fills show a wrong total", ["records.fills.values"], ofEach(Paths.fills, "deal", more)),
  live("own-oco-status", "legs of open OCO orders look filled", ["records.oco.values"], leg("status", () => "FILLED")),
  ...(["ended", "fills"] as const).flatMap((id) => {
    const path = id === "ended" ? Paths.orderHistory : Paths.fills
    return [
      live(
        `own-${id}-oldest-first`,
        "the oldest record is listed first",
        [`records.${id}.newest-first`],
        listing(path, (records) => records.toReversed())
      ),
      live(
        `own-${id}-dates`,
        "the list starts an hour too early",
        [`records.${id}.dates`],
        asking(
          path,
          (fields) =>
            fields["startDate"] === undefined ? fields : { ...fields, startDate: Number(fields["startDate"]) - 5000 }
        )
      )
    ]
  })
]

const agreementMutants: ReadonlyArray<Mutant> = [
  live("oco-stp-ignored", "an OCO order ignores stp", ["oco-orders.stp"], ignoring(Paths.oco, "stp")),
  live(
    "own-deals-price",
    "the deals of an order show a different price from the fills",
    ["records.deals"],
    changing(Paths.orderDeals, ["records", "*", "price"], more)
  ),
  live(
    "own-leg-price",
    "the legs of OCO orders show a different price from open orders",
    ["records.legs"],
    leg("price", more)
  ),
  live(
    "own-conditional-total",
    "the total of conditional orders counts only the page",
    ["records.conditional"],
    answering(
      Paths.conditionalOrders,
      "success",
      (json) => ({ ...(json as Fields), total: recordsIn((json as Fields)["records"]).length })
    )
  ),
  live(
    "own-balance-of-ticker",
    "the trade balance of one asset counts locked funds as available",
    ["records.balances"],
    answering(Paths.tradeBalance, "success", (json) => {
      const { available, freeze } = json as Fields
      return freeze === undefined ? json : { available: String(Number(available) + Number(freeze) + 1), freeze }
    })
  ),
  live(
    "own-freeze",
    "the trade balance shows no locked funds",
    ["records.locked"],
    changing(Paths.tradeBalance, ["*", "freeze"], () => "0")
  ),
  live(
    "own-positions-market",
    "the positions on one market are those on all markets",
    ["records.positions"],
    ignoring(Paths.openPositions, "market")
  ),
  live(
    "own-kill-switch-milliseconds",
    "the end of a kill switch is shown in milliseconds",
    ["records.kill-switch"],
    changing(Paths.killSwitchStatus, ["*", "cancellationTime"], (time) => Number(time) * 1000)
  )
]

/** Changes a public call's query. */
const query = (path: string, change: (query: URLSearchParams) => void): Change => ({
  make: () => ({
    request: (request) => {
      if (request.path !== path && !request.path.startsWith(`${path}/`)) return request
      const parameters = new URLSearchParams(request.query)
      change(parameters)
      return { ...request, query: parameters.toString() }
    }
  })
})

const dropping = (path: string, ...keys: ReadonlyArray<string>): Change =>
  query(path, (parameters) => {
    for (const key of keys) parameters.delete(key)
  })

const ofMarket = (path: string) => (asked: string) => asked.startsWith(`${path}/`)

const marketMutants: ReadonlyArray<Mutant> = [
  live(
    "market-data-deal",
    "the summaries show the total in the base currency",
    ["market-data.day"],
    answering(Paths.marketSummaries, "success", (json) => {
      const { result } = json as { readonly result: Readonly<Record<string, { readonly ticker: Fields }>> }
      const changed = Object.entries(result).map(([market, entry]) => [
        market,
        { ...entry, ticker: { ...entry.ticker, deal: entry.ticker["vol"] } }
      ])
      return { ...(json as Fields), result: Object.fromEntries(changed) }
    })
  ),
  live(
    "market-data-last",
    "the tickers show a different last price from the summaries",
    ["market-data.agree"],
    changing(Paths.tickers, ["*", "last_price"], (price) => Number(price) > 0 ? more(price) : price)
  ),
  live("market-data-book-limit", "the order book ignores limit", ["market-data.book"], {
    make: () => ({
      answer: (answer, request) =>
        ofMarket(Paths.orderBook)(request.path) && answer.status < 300
          ? {
            ...answer,
            body: JSON.stringify({
              ...JSON.parse(answer.body),
              bids: [["3", "1"], ["2", "1"], ["1", "1"]]
            })
          }
          : answer
    })
  }),
  live(
    "market-data-base-volume",
    "past trades show the amount as the total",
    ["market-data.trades"],
    answering(
      ofMarket(Paths.trades),
      "success",
      (json) => (json as ReadonlyArray<Fields>).map((trade) => ({ ...trade, base_volume: trade["quote_volume"] }))
    )
  ),
  live("market-data-type", "past trades ignore type", ["market-data.sides"], dropping(Paths.trades, "type")),
  live(
    "market-data-history-limit",
    "past trades ignore limit",
    ["market-data.history"],
    dropping(Paths.tradeHistory, "limit")
  ),
  live("market-data-candle-limit", "candles ignore limit", ["market-data.candles"], dropping(Paths.candles, "limit")),
  live(
    "market-data-hour",
    "minute candles show twice the volume",
    ["market-data.intervals"],
    answering(Paths.candles, "success", (json, request) => {
      const { result } = json as { readonly result: ReadonlyArray<ReadonlyArray<unknown>> }
      if (request.query?.includes("interval=1m") !== true) return json
      return { ...(json as Fields), result: result.map((row) => row.with(5, String(Number(row[5]) * 2))) }
    })
  )
]

export const mutants: ReadonlyArray<Mutant> = [...listMutants, ...agreementMutants, ...marketMutants]
