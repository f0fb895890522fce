/**
 * Rules about the default and the maximum length of public lists, the contents of order books, the bounds of orders,
 * and futures. Only the live exchange's documentation describes these calls.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Accounts from "../world/Accounts.ts"
import * as Books from "../world/Books.ts"
import * as Kinds from "../world/Kinds.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import { basePrice, digits, perpetual, priceText, toMarket } from "../world/Markets.ts"
import { number } from "../world/Numbers.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as RecordLists from "../world/RecordLists.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import type { Market, World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

/** The maximum number of levels on each side of a book, and of past trades in a list. */
const most = 100

/** The default number of trades in the older list of past trades. */
const defaultTrades = 50

/** The maximum number of markets on which a rule places orders. */
const mostMarkets = 8

/** The futures market of a sandbox, with the precision of its prices. */
const future = { name: perpetual, moneyPrecision: 1, tick: 0.1 }

const bookRules: ReadonlyArray<Rule.Rule> = [
  always("book.default", {
    statement: "Lists the 100 best levels of each side if the call names no limit, or a limit of 0 or 100",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const account = yield* world.open()
      const above = yield* Trading.ladder(world, account, market, most + 2)
      const below = yield* Trading.ladder(world, account, market, most + 2, "buy")
      for (const query of [{}, { limit: 0 }, { limit: most }]) {
        const { answer, asks, bids } = yield* Books.read(world, Paths.orderBook, market.name, query)
        yield* Verdict.expect(
          answer,
          `the ${most} best asks, at most at ${above[most - 1]}`,
          asks.length === most && (asks.at(-1)?.[0] ?? Infinity) <= Number(above[most - 1])
        )
        yield* Verdict.expect(
          answer,
          `the ${most} best bids, at least at ${below[most - 1]}`,
          bids.length === most && (bids.at(-1)?.[0] ?? 0) >= Number(below[most - 1])
        )
      }
    })
  }),
  forEach("book.waiting", {
    statement: "Shows no stop order in the book while it waits for its trigger",
    values: Books.paths,
    check: Effect.fnUntraced(function*(world, path) {
      const { name } = yield* world.market
      const before = yield* Books.read(world, path, name)
      const account = yield* world.trader
      yield* Trading.placeStop(world, account, "buy", basePrice * 1.01, basePrice * 0.99)
      yield* Trading.placeStop(world, account, "sell", basePrice * 0.99, basePrice * 1.01)
      const { answer, asks, bids } = yield* Books.read(world, path, name)
      yield* Verdict.expect(answer, "an unchanged book", RecordLists.sameText([asks, bids], [before.asks, before.bids]))
    })
  }),
  forEach("book.modified", {
    statement: "Shows a modified order at its new price with its new amount, and no longer at its old price",
    values: Books.paths.flatMap((path) => Orders.sides.map((side) => ({ path, side }))),
    check: Effect.fnUntraced(function*(world, { path, side }) {
      const market = yield* world.market
      const account = yield* world.open()
      const [from, to] = (side === "buy" ? [-1.2, -0.9] : [1.2, 0.9]).map((percent) => Books.near(market, percent))
      const key = side === "buy" ? "bids" : "asks"
      // Other rules check the call without parameters.
      const query: LivePublicCalls.Query = path === Paths.orderBook ? { limit: 50, level: 0 } : {}
      const amounts = Effect.map(Books.read(world, path, market.name, query), ({ answer, [key]: levels }) => ({
        answer,
        from: Books.amountAt(levels, from ?? ""),
        to: Books.amountAt(levels, to ?? "")
      }))
      const before = yield* amounts
      const order = { market: market.name, side, amount: "0.05", price: from }
      const { orderId } = yield* Trading.placeOther(world, account, order)
      const change = { market: market.name, orderId, amount: "0.03", price: to }
      yield* Trading.placeOther(world, account, change, Paths.modifyOrder)
      const after = yield* amounts
      yield* Verdict.expect(
        after.answer,
        `${before.from} at ${from}, and 0.03 more than ${before.to} at ${to}`,
        Books.isClose(after.from, before.from) && Books.isClose(after.to - before.to, 0.03)
      )
    })
  }),
  always("book.futures", {
    statement: "Shows the orders and trades of a futures market in its book, its past trades and its candles",
    check: Effect.fnUntraced(function*(world) {
      yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
      const account = yield* world.open()
      const [ask, bid] = [Books.near(future, 0.7), Books.near(future, -0.7)]
      const place = (of: typeof account, side: Orders.Side, amount: string, price: string) =>
        Trading.placeOther(world, of, { market: perpetual, side, amount, price }, Paths.collateralLimit)
      const before = yield* Books.read(world, Paths.orderBook, perpetual)
      yield* place(account, "sell", "0.03", ask)
      yield* place(account, "buy", "0.02", bid)
      yield* place(yield* world.open(), "buy", "0.01", ask)
      const { answer, asks, bids } = yield* Books.read(world, Paths.orderBook, perpetual)
      yield* Verdict.expect(
        answer,
        `0.02 more asked at ${ask}, and 0.02 more bid at ${bid}`,
        Books.isClose(Books.amountAt(asks, ask) - Books.amountAt(before.asks, ask), 0.02) &&
          Books.isClose(Books.amountAt(bids, bid) - Books.amountAt(before.bids, bid), 0.02)
      )
      const trades = yield* LivePublicCalls.get(world, `${Paths.trades}/${perpetual}`)
      yield* Verdict.expect(
        trades,
        `a trade of 0.01 at ${ask} with type buy`,
        (Array.isArray(trades.json) ? trades.json.filter(Json.isObject) : []).some((trade) =>
          Books.isClose(number(trade, "quote_volume"), 0.01) && number(trade, "price") === Number(ask) &&
          Books.isClose(number(trade, "base_volume"), 0.01 * Number(ask)) && trade["type"] === "buy"
        )
      )
      const candles = yield* LivePublicCalls.results(world, Paths.candles, { market: perpetual, interval: "1h" })
      const last = candles.value.filter(Array.isArray).toSorted((one, other) => Number(one[0]) - Number(other[0])).at(
        -1
      )
      yield* Verdict.expect(candles.answer, `a last candle that closes at ${ask}`, Number(last?.[2]) === Number(ask))
    })
  })
]

const decimals = (...values: ReadonlyArray<unknown>): boolean => values.every((value) => Kinds.decimal.holds(value))

/** Returns a spot market whose prices have many decimal places. */
const fine = Effect.fnUntraced(function*(world: World) {
  const { json } = yield* world.get(Paths.markets)
  const listed = (Array.isArray(json) ? json.filter(Json.isObject) : []).find((market) =>
    market["type"] === "spot" && market["tradesEnabled"] === true && Number(market["moneyPrec"]) >= 8
  )
  return listed === undefined ? yield* Verdict.skip("needs a market with eight decimal places") : toMarket(listed, 0)
})

const smallRules: ReadonlyArray<Rule.Rule> = [
  always("market-data.small", {
    statement: "Shows very small prices as decimals with all their digits, never with an exponent",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* fine(world)
      const price = priceText(market, 0.000_000_123_4)
      yield* world.control("MovePrice", { market: market.name, price })
      const accounts = [yield* world.open(), yield* world.open()] as const
      for (const [index, { id }] of accounts.entries()) {
        const ticker = index === 0 ? market.stock : market.money
        yield* world.control("Fund", { account: id, wallet: "trade", ticker, amount: "1000000000" })
      }
      const order = { market: market.name, price }
      yield* Trading.placeOther(world, accounts[0], { ...order, side: "sell", amount: "300000000" })
      yield* Trading.placeOther(world, accounts[1], { ...order, side: "buy", amount: "100000000" })
      // One step lower, so that it does not trade, even on a market where the step is a large part of the price.
      const bid = { ...order, side: "buy", amount: "100000000", price: priceText(market, Number(price) - market.tick) }
      yield* Trading.placeOther(world, accounts[1], bid)
      const book = yield* Books.read(world, Paths.orderBook, market.name)
      yield* Verdict.expect(book.answer, `200000000 at ${price}`, Books.amountAt(book.asks, price) === 2e8)
      const is = (value: unknown) => decimals(value) && Number(value) === Number(price)
      const trades = yield* LivePublicCalls.get(world, `${Paths.trades}/${market.name}`)
      const [trade] = Array.isArray(trades.json) ? trades.json.filter(Json.isObject) : []
      yield* Verdict.expect(
        trades,
        `a trade at ${price}`,
        is(trade?.["price"]) && decimals(trade?.["quote_volume"], trade?.["base_volume"])
      )
      const tickers = yield* LivePublicCalls.object(world, Paths.tickers)
      const ticker = tickers.value[market.name]
      yield* Verdict.expect(tickers.answer, `a last price ${price}`, Json.isObject(ticker) && is(ticker["last_price"]))
      const { answer, value } = yield* LivePublicCalls.result(world, Paths.marketSummary, { market: market.name })
      const figures = Json.isObject(value) ? value : {}
      const keys = ["last", "high", "low", "open", "bid", "ask", "volume", "deal", "change"]
      yield* Verdict.expect(
        answer,
        `last ${price}, and only decimals`,
        is(figures["last"]) && decimals(...keys.map((key) => figures[key]))
      )
    })
  })
]

/** Orders that a market must accept or refuse, all with the same price, at which the smallest amount costs enough. */
const drafts = ({ minAmount, minTotal, moneyPrecision, name, step, stockPrecision, tick }: Market) => {
  const less = minAmount - step > step / 2 ? minAmount - step : minAmount
  const last = Math.ceil(3 * minTotal / less / tick) * tick
  const price = digits(Math.ceil(last * 0.8 / tick) * tick, moneyPrecision)
  const amount = digits(Math.ceil(minAmount / step - 1e-6) * step, stockPrecision)
  const finer = (text: string, precision: number) => `${text}${precision > 0 ? "" : "."}1`
  // A value between two steps, with no more digits than allowed; none if the step is too fine for that.
  const between = (text: string, step: number, precision: number) => {
    const unit = 10 ** -precision
    return step > 1.5 * unit ? [digits(Number(text) + unit, precision)] : []
  }
  const order = { market: name, side: "buy", amount, price }
  return {
    last: digits(last, moneyPrecision),
    order,
    finest: {
      ...order,
      amount: digits(Number(amount) + step, stockPrecision),
      price: digits(Number(price) + tick, moneyPrecision)
    },
    refused: [
      { ...order, amount: finer(amount, stockPrecision) },
      { ...order, price: finer(price, moneyPrecision) },
      ...between(amount, step, stockPrecision).map((amount) => ({ ...order, amount })),
      ...between(price, tick, moneyPrecision).map((price) => ({ ...order, price })),
      ...(less < minAmount ? [{ ...order, amount: digits(less, stockPrecision) }] : [])
    ]
  }
}

const boundRules: ReadonlyArray<Rule.Rule> = [
  always("markets.every", {
    statement: "Accepts on every market an order of the listed minAmount, and refuses a smaller amount, an amount or a "
      + "price off its step, and a margin order on a spot market if isCollateral is false",
    check: Effect.fnUntraced(function*(world) {
      const { json } = yield* world.get(Paths.markets)
      const listed = (Array.isArray(json) ? json.filter(Json.isObject) : [])
        .filter(({ tradesEnabled, type }) => tradesEnabled === true && (type === "spot" || type === "futures"))
      for (const entry of listed.slice(0, mostMarkets)) {
        const market = toMarket(entry, 0)
        const { finest, last, order, refused } = drafts(market)
        const account = yield* world.open()
        yield* world.control("MovePrice", { market: market.name, price: last })
        for (const wallet of ["trade", "collateral"]) {
          yield* world.control("Fund", { account: account.id, wallet, ticker: market.money, amount: "100000" })
        }
        const path = entry["type"] === "futures" ? Paths.collateralLimit : Paths.limitOrder
        for (const right of [order, finest]) {
          const accepted = yield* LiveCalls.call(world, account, path, right)
          yield* Verdict.expect(accepted, `success with ${Json.stringify(right)}`, Refusals.isSuccess(accepted))
        }
        for (const wrong of refused) {
          const answer = yield* LiveCalls.call(world, account, path, wrong)
          yield* Refusals.any(answer, `because ${Json.stringify(wrong)} is beyond the listed bounds`)
        }
        // The documentation does not say whether isCollateral applies to futures.
        if (entry["type"] === "futures") continue
        const margin = yield* LiveCalls.call(world, account, Paths.collateralLimit, order)
        if (entry["isCollateral"] !== true) yield* Refusals.any(margin, "because isCollateral is false")
        else yield* Verdict.expect(margin, "success, because isCollateral is true", Refusals.isSuccess(margin))
      }
    })
  }),
  forEach("markets.bounds", {
    statement:
      "Accepts a limit order whose total meets the listed minTotal or maxTotal, and refuses an order one step beyond",
    values: (["minTotal", "maxTotal"] as const).flatMap((bound) => [
      { bound, path: Paths.limitOrder, isFirst: true },
      { bound, path: Paths.collateralLimit, isFirst: true },
      { bound, path: Paths.limitOrder, isFirst: false }
    ]),
    check: Effect.fnUntraced(function*(world, { bound, isFirst, path }) {
      const first = yield* world.market
      const market = isFirst ? first : (yield* world.markets).find(({ name }) => name !== first.name)
      if (market === undefined) return yield* Verdict.skip("needs a second market")
      // The bounds of another market's totals are narrower than its bounds of amounts only if its price is lower.
      const lower = priceText(market, basePrice / 20)
      if (!isFirst) yield* world.control("MovePrice", { market: market.name, price: lower })
      if (market[bound] === 0) return yield* Verdict.skip(`the market lists no ${bound}`)
      const account = yield* world.open()
      const price = Orders.lowPrice(isFirst ? market : { ...market, price: Number(lower) })
      // Rounded, because the quotient of exact numbers may differ slightly from a whole number.
      const steps = Number((market[bound] / Number(price) / market.step).toFixed(6))
      const [met, beyond] = bound === "minTotal" ? [Math.ceil(steps), -1] : [Math.floor(steps), 1]
      const terms = { market: market.name, side: "buy", price }
      const order = (count: number) => ({ ...terms, amount: digits(count * market.step, market.stockPrecision) })
      const least = Math.min(met, met + beyond) * market.step
      if (least < market.minAmount) return yield* Verdict.skip("the smallest amount decides on this market")
      // The order may also lock a fee.
      if (bound === "maxTotal" && !Accounts.canPay(market.money, market.maxTotal * 1.01)) {
        return yield* Verdict.skip("no account has enough funds for an order of maxTotal")
      }
      // A margin order may also be refused because its position would be too large.
      if (path === Paths.limitOrder || bound === "minTotal") {
        const accepted = yield* LiveCalls.call(world, account, path, order(met))
        yield* Verdict.expect(accepted, `success with ${Json.stringify(order(met))}`, Refusals.isSuccess(accepted))
      }
      const refused = yield* LiveCalls.call(world, account, path, order(met + beyond))
      yield* Refusals.any(refused, `because the total is beyond ${bound}`)
    })
  })
]

const tradeRules: ReadonlyArray<Rule.Rule> = [
  always("trades.most", {
    statement:
      "Lists the 100 latest trades of a market, and in the older list 50 trades by default, or up to the limit",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const read = Effect.map(LivePublicCalls.get(world, `${Paths.trades}/${market.name}`), (answer) => ({
        answer,
        ids: (Array.isArray(answer.json) ? answer.json.filter(Json.isObject) : []).map(({ tradeID }) => tradeID)
      }))
      yield* Trading.tradeAt(world, market, Books.near(market, -0.5))
      const before = yield* read
      yield* world.advance(5000)
      yield* Trading.sweep(world, market, most)
      const { answer, ids } = yield* read
      yield* Verdict.expect(
        answer,
        `${most} trades, and none of those before the latest ${most}`,
        ids.length === most && new Set(ids).size === most && !before.ids.some((id) => ids.includes(id))
      )
      for (const [query, count] of [[{}, defaultTrades], [{ limit: most }, most]] as const) {
        const past = { market: market.name, lastId: 0, ...query }
        const { answer, value } = yield* LivePublicCalls.results(world, Paths.tradeHistory, past)
        yield* Verdict.expect(answer, `${count} trades for ${Json.stringify(query)}`, value.length === count)
      }
    })
  })
]

const futuresRules: ReadonlyArray<Rule.Rule> = [
  always("futures.prices", {
    statement: "Shows an index price and a mark price of the magnitude of the last price",
    check: Effect.fnUntraced(function*(world) {
      yield* world.market
      yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
      const { answer, value } = yield* LivePublicCalls.results(world, Paths.futures)
      const market = value.filter(Json.isObject).find(({ ticker_id: name }) => name === perpetual) ?? {}
      // Without a mark price, the field is empty or missing.
      const mark = market["mark_price"] ?? ""
      const prices = [
        number(market, "last_price"),
        number(market, "index_price"),
        ...(mark === "" ? [] : [Number(mark)])
      ]
      yield* Verdict.expect(
        answer,
        `prices of ${perpetual} from ${basePrice / 10} to ${basePrice * 10}`,
        prices.every((price) => price > basePrice / 10 && price < basePrice * 10)
      )
    })
  }),
  always("futures.interest", {
    statement:
      "Shows a higher open interest once two accounts have opened positions, and the old one once both closed them",
    check: Effect.fnUntraced(function*(world) {
      const interest = Effect.map(LivePublicCalls.results(world, Paths.futures), ({ answer, value }) => {
        const market = value.filter(Json.isObject).find(({ ticker_id: name }) => name === perpetual)
        return { answer, open: number(market ?? {}, "open_interest") }
      })
      yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
      const [one, two] = [yield* world.open(), yield* world.open()]
      const order = { market: perpetual, amount: "0.02", price: String(basePrice) }
      const trade = Effect.fnUntraced(function*(side: Orders.Side) {
        yield* Trading.placeOther(world, one, { ...order, side }, Paths.collateralLimit)
        yield* Trading.placeOther(world, two, { ...order, side: Orders.opposite(side) }, Paths.collateralLimit)
      })
      const before = yield* interest
      yield* trade("sell")
      const open = yield* interest
      yield* Verdict.expect(open.answer, `an open interest above ${before.open}`, open.open > before.open)
      yield* trade("buy")
      const { answer, open: closed } = yield* interest
      yield* Verdict.expect(answer, `an open interest of ${before.open}`, Books.isClose(closed, before.open))
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [
  ...bookRules,
  ...smallRules,
  ...boundRules,
  ...tradeRules,
  ...futuresRules
]
