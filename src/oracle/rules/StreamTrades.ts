/** Rules about a market's trades over a WebSocket: the latest trades, and then each new one. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Kinds from "../world/Kinds.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import * as Numbers from "../world/Numbers.ts"
import * as Paths from "../world/Paths.ts"
import * as StreamMarkets from "../world/StreamMarkets.ts"
import * as Streams from "../world/Streams.ts"
import * as Trading from "../world/Trading.ts"
import type { Body, Market, World } from "../world/World.ts"

const { always, forEach } = Streams.documented("Market trades")

/** The maximum number of trades in a message about a market, and in the response to a request. */
const most = 100

/** The kind of value in each field of a trade. */
const kinds = {
  id: Kinds.integer,
  time: Kinds.time,
  price: Kinds.positiveDecimal,
  amount: Kinds.positiveDecimal,
  type: Kinds.oneOf("buy", "sell")
} as const

/** Returns the trades in the messages about a market. */
const tradesOf = (pushed: ReadonlyArray<unknown>, { name }: Pick<Market, "name">): ReadonlyArray<Body> =>
  pushed.map(Streams.listOf).flatMap(([market, trades]) =>
    market === name ? Streams.listOf(trades).map(Streams.objectOf) : []
  )

/** Returns the trades that the call for a market's trades shows, in the stream's format, latest first. */
const listed = Effect.fnUntraced(function*(world: World, { name }: Pick<Market, "name">) {
  const answer = yield* LivePublicCalls.get(world, `${Paths.trades}/${name}`)
  return Streams.listOf(answer.json).map(Streams.objectOf).map((trade) => ({
    id: trade["tradeID"],
    price: trade["price"],
    amount: trade["quote_volume"],
    type: trade["type"],
    time: trade["trade_timestamp"],
    rpi: trade["rpi"]
  }))
})

/** Whether the trades have the values of the call for trades. Older responses and messages do not show `rpi`. */
const areSame = (some: ReadonlyArray<Body>, others: ReadonlyArray<Body>): boolean =>
  some.length === others.length &&
  some.every((one, at) =>
    (one["rpi"] ?? others[at]?.["rpi"]) === (others[at]?.["rpi"] ?? one["rpi"]) &&
    ["id", "price", "amount", "type"].every((key) => Streams.isEqual(one[key], others[at]?.[key])) &&
    // The call shows whole seconds.
    Math.floor(Number(one["time"])) === others[at]?.["time"]
  )

/** Returns the ids of a market's trades, as the call for trades shows them. */
const listedIds = (world: World, market: Market) =>
  Effect.map(listed(world, market), (trades) => trades.map(({ id }) => id))

/** Trades whose sides, amounts and prices all differ. */
const scenario = [[1, { side: "buy", taken: "0.01" }], [-1, { side: "sell", taken: "0.015" }], [2, {
  side: "buy",
  taken: "0.005"
}]] as const

/** Makes the trades of the scenario. */
const trade = Effect.fnUntraced(function*(world: World, market: Market) {
  for (const [percent, terms] of scenario) yield* StreamMarkets.trade(world, market, percent, terms)
})

/** Whether trades are listed latest first. */
const areLatestFirst = (trades: ReadonlyArray<Body>): boolean =>
  trades.every(({ id }, at) => at === 0 || Numbers.idAt(trades[at - 1]?.["id"]) > Numbers.idAt(id))

export const rules: ReadonlyArray<Rule.Rule> = [
  always("streams.trades.snapshot", {
    statement: "Begins a subscription with at most 100 of the market's latest trades, latest first",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      yield* trade(world, market)
      const listening = yield* Streams.subscribe(yield* world.connect, "trades", market.name)
      const [first] = yield* Streams.sees(listening, "trades", (all) => all.length > 0 ? all : undefined)
      const trades = tradesOf([first], market)
      for (const one of trades) yield* Streams.hasKinds("a trade", one, kinds)
      const expected = yield* listed(world, market)
      yield* Verdict.conclude(
        `the market's latest trades: ${Json.stringify(expected.slice(0, scenario.length))}`,
        first,
        trades.length <= most && trades.length >= scenario.length && areLatestFirst(trades) &&
          areSame(trades, expected.slice(0, trades.length))
      )
    })
  }),
  forEach("streams.trades.live", {
    statement: "Pushes every new trade once, with the id, price, amount and taker's side of the call for trades",
    values: ["once", "twice"],
    check: Effect.fnUntraced(function*(world, how) {
      const market = yield* world.market
      // After an earlier trade, every subscription begins with a message that repeats older trades, so this check can
      // wait for that message.
      yield* StreamMarkets.trade(world, market, 0.5)
      const connection = yield* world.connect
      // The second subscription replaces the first one.
      if (how === "twice") yield* Streams.subscribe(connection, "trades", market.name)
      const listening = yield* Streams.subscribe(connection, "trades", market.name)
      yield* Streams.sees(listening, "trades", (all) => all.length > 0 ? all : undefined)
      yield* Streams.linger(connection)
      const { length } = Streams.pushed(listening)
      yield* trade(world, market)
      const fresh = (pushed: ReadonlyArray<unknown>) => tradesOf(pushed.slice(length), market)
      yield* Streams.sees(
        listening,
        `${scenario.length} trades`,
        (pushed) => fresh(pushed).length >= scenario.length ? true : undefined
      )
      yield* Streams.linger(listening.connection)
      const expected = (yield* listed(world, market)).slice(0, scenario.length).toReversed()
      const trades = fresh(Streams.pushed(listening)).toSorted((one, other) =>
        Numbers.byId(Numbers.idAt(one["id"]), Numbers.idAt(other["id"]))
      )
      for (const one of trades) yield* Streams.hasKinds("a trade", one, kinds)
      yield* Verdict.conclude(`the trades ${Json.stringify(expected)}`, trades, areSame(trades, expected))
    })
  }),
  always("streams.trades.most", {
    statement:
      "Begins a subscription with no more than the 100 latest trades, and responds with 100 trades if asked to",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      yield* StreamMarkets.trade(world, market, -0.5, { side: "sell" })
      const before = yield* listedIds(world, market)
      yield* world.advance(5000)
      yield* Trading.sweep(world, yield* world.market, most)
      const listening = yield* Streams.subscribe(yield* world.connect, "trades", market.name)
      const [first] = yield* Streams.sees(listening, "trades", (all) => all.length > 0 ? all : undefined)
      const trades = tradesOf([first], market)
      yield* Verdict.conclude(
        `from 1 to ${most} trades, latest first, none of those before the latest ${most}`,
        first,
        trades.length > 0 && trades.length <= most && areLatestFirst(trades) &&
          !trades.some(({ id }) => before.includes(id))
      )
      const { reply, result } = yield* Streams.ask(yield* world.connection, "trades_request", market.name, most, 0)
      yield* Streams.expect(reply, `${most} trades`, Streams.listOf(result).length === most)
    })
  }),
  always("streams.trades.all", {
    statement: "Pushes the trades of every market to a subscription without markets",
    check: Effect.fnUntraced(function*(world) {
      const { market, other } = yield* StreamMarkets.pair(world)
      const listening = yield* Streams.subscribe(yield* world.connect, "trades")
      for (const each of [market, other]) {
        yield* StreamMarkets.trade(world, each, 1)
        const [{ id } = {}] = yield* listed(world, each)
        yield* Streams.sees(
          listening,
          `the trade ${String(id)} of ${each.name}`,
          (pushed) => tradesOf(pushed, each).some((one) => one["id"] === id) ? true : undefined
        )
      }
    })
  }),
  always("streams.trades.from", {
    statement: "Responds to the request for trades with no trades after the largest id that the request names",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      yield* trade(world, market)
      const ids = (yield* listed(world, market)).map(({ id }) => Numbers.idAt(id)).toSorted(Numbers.byId)
      const [largest = 0, older = 0] = [ids.at(-2), ids.at(-3)]
      const connection = yield* world.connection
      const { reply, result } = yield* Streams.ask(connection, "trades_request", market.name, most, largest)
      const found = Streams.listOf(result).map((one) => Numbers.idAt(Streams.objectOf(one)["id"]))
      yield* Streams.expect(
        reply,
        `the trade ${older}, and none after ${largest}`,
        found.includes(older) && found.every((id) => id <= largest)
      )
    })
  }),
  forEach("streams.trades.request", {
    statement: "Responds to the request for trades with at most the given number of the latest trades, latest first",
    profile: "read-only",
    values: [1, 2, most],
    check: Effect.fnUntraced(function*(world, limit) {
      const market = yield* world.market
      // The second response must show the second trades.
      for (let count = 0; count < 2; count++) {
        if (world.profile === "control") yield* trade(world, market)
        const { reply, result } = yield* Streams.ask(yield* world.connection, "trades_request", market.name, limit, 0)
        const trades = Streams.listOf(result).map(Streams.objectOf)
        yield* Streams.expect(
          reply,
          `at most ${limit} trades, latest first`,
          Array.isArray(result) && trades.length <= limit && areLatestFirst(trades)
        )
        for (const one of trades) yield* Streams.hasKinds("a trade", one, kinds)
        if (world.profile !== "control") return
        const expected = (yield* listed(world, market)).slice(0, limit)
        yield* Streams.expect(reply, `the trades ${Json.stringify(expected.slice(0, 3))}`, areSame(trades, expected))
      }
    })
  })
]
