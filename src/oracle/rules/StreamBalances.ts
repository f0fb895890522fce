/**
 * Rules about balances and positions over a WebSocket. Once nothing changes, the pushed values must equal the values
 * that the HTTP calls show.
 */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Kinds from "../world/Kinds.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import { above } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as StreamMarkets from "../world/StreamMarkets.ts"
import * as Streams from "../world/Streams.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

const spot = Streams.documented("Balance spot")
const margin = Streams.documented("Balance margin")
const positions = Streams.documented("Positions")

const balanceKinds = { available: Kinds.decimal, freeze: Kinds.decimal } as const

const marginKinds = {
  balance: Kinds.decimal,
  borrow: Kinds.decimal,
  available_without_borrow: Kinds.decimal,
  available_with_borrow: Kinds.decimal
} as const

/** The keys of a pushed margin balance, each under the corresponding key in the response to a request. */
const marginKeys = {
  balance: "B",
  borrow: "b",
  available_without_borrow: "av",
  available_with_borrow: "ab"
} as const

/** Whether pushed balances equal the balances that the HTTP call returns. The call may omit balances of zero. */
const isSame = (one: unknown, call: unknown): boolean => {
  const [balance, other] = [Streams.objectOf(one), Streams.objectOf(call)]
  return ["available", "freeze"].every((key) => Streams.isEqual(balance[key], other[key] ?? "0"))
}

const balancesOf = (world: World, account: Account) =>
  Effect.map(LiveCalls.object(world, account, Paths.tradeBalance, {}), ({ json }) => json)

/** Returns the most recently pushed balances, keyed by asset. */
const latest = (listening: Streams.Listening): Body =>
  Object.assign({}, ...Streams.pushed(listening).flatMap(Streams.listOf).map(Streams.objectOf))

/** Locks an account's funds in a sell order above the market: on spot, 0.02 of the base currency. */
const lock = Effect.fnUntraced(function*(world: World, account: Account, path = Paths.limitOrder) {
  const market = yield* world.market
  const price = above(market, 10)
  yield* Trading.placeOther(world, account, { market: market.name, side: "sell", amount: "0.02", price }, path)
  return market
})

/** Transfers some of an account's quote currency from its trade balance to its main balance. */
const move = Effect.fnUntraced(function*(world: World, account: Account) {
  const market = yield* world.market
  const fields = { ticker: market.money, amount: "5", from: "spot", to: "main" }
  const answer = yield* LiveCalls.call(world, account, Paths.transfer, fields)
  yield* Verdict.expect(answer, "HTTP 200 or 201", answer.status === 200 || answer.status === 201)
  return market
})

/** Returns a function that returns `true` for a message with a balance of the asset. */
const isAbout = (ticker: string) => (params: unknown): true | undefined =>
  Streams.listOf(params).some((changed) => Streams.objectOf(changed)[ticker] !== undefined) ? true : undefined

const spotRules: ReadonlyArray<Rule.Rule> = [
  spot.forEach("streams.balances.request", {
    statement: "Responds to the request for balances with the available and frozen amounts of the HTTP call",
    profile: "read-only",
    values: [[], ["USDT"], ["BTC", "USDT"]],
    check: Effect.fnUntraced(function*(world, tickers) {
      const account = yield* world.reader
      const connection = yield* Streams.authorized(world, account)
      yield* Streams.settles(
        connection,
        `the balances of ${tickers.length === 0 ? "all assets" : `exactly ${tickers.join(", ")}`}`,
        Effect.gen(function*() {
          const { result } = yield* Streams.ask(connection, "balanceSpot_request", ...tickers)
          const [shown, call] = [Streams.objectOf(result), yield* balancesOf(world, account)]
          for (const balance of Object.values(shown)) yield* Streams.hasKinds("a balance", balance, balanceKinds)
          const names = Object.keys(shown)
          const asked = tickers.length === 0
            ? Object.keys(call).filter((ticker) => !isSame({ available: "0", freeze: "0" }, call[ticker]))
            : tickers
          const holds = asked.every((ticker) => names.includes(ticker)) &&
            (tickers.length === 0 || names.length === tickers.length) &&
            names.every((ticker) => isSame(shown[ticker], call[ticker]))
          return { holds, got: { streams: shown, call } }
        })
      )
    })
  }),
  spot.forEach("streams.balances.pushed", {
    statement: "Pushes changed balances until they equal the HTTP call's balances, which the request returns, too",
    values: ["order", "trade", "transfer"],
    check: Effect.fnUntraced(function*(world, how) {
      const account = yield* world.open()
      const listening = yield* Streams.subscribe(yield* Streams.authorized(world, account), "balanceSpot")
      const market = how === "order"
        ? yield* lock(world, account)
        : how === "transfer"
        ? yield* move(world, account)
        : yield* Effect.tap(
          world.market,
          (market) => StreamMarkets.trade(world, market, 1, { maker: account, taken: "0.02" })
        )
      const changed = how === "order"
        ? [market.stock]
        : how === "transfer"
        ? [market.money]
        : [market.stock, market.money]
      const areShown = Streams.settles(
        listening.connection,
        `messages with the balances of ${changed.join(" and ")}`,
        Effect.gen(function*() {
          const call = yield* balancesOf(world, account)
          const pushed = latest(listening)
          const asked = Streams.objectOf((yield* Streams.ask(listening.connection, "balanceSpot_request")).result)
          const holds = changed.every((ticker) => [pushed, asked].every((all) => isSame(all[ticker], call[ticker])))
          return {
            holds,
            got: { pushed, request: asked, call: Object.fromEntries(changed.map((ticker) => [ticker, call[ticker]])) }
          }
        })
      )
      yield* Streams.pass(world)
      yield* areShown
      // A second message shows whether a message contains the balance itself or its change.
      yield* lock(world, account)
      yield* Streams.pass(world)
      yield* areShown
      yield* world.call(account, Paths.cancelAll)
      yield* Streams.pass(world)
      yield* areShown
      for (const balance of Object.values(latest(listening))) {
        yield* Streams.hasKinds("a balance", balance, balanceKinds)
      }
    })
  }),
  Streams.recorded.always("streams.balances.changed", {
    statement: "Pushes no balances that have not changed",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open()
      const listening = yield* Streams.subscribe(yield* Streams.authorized(world, account), "balanceSpot")
      const { stock } = yield* lock(world, account)
      yield* Streams.pass(world)
      yield* Streams.seesOne(listening, `a balance of ${stock}`, () => true)
      yield* Streams.linger(listening.connection)
      const tickers = Object.keys(latest(listening))
      yield* Verdict.conclude(`only a balance of ${stock}`, tickers, tickers.every((ticker) => ticker === stock))
    })
  }),
  spot.always("streams.balances.replaces", {
    statement: "Replaces a subscription's assets with those of the connection's next subscription",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open()
      const market = yield* world.market
      const [connection, other] = [yield* Streams.authorized(world, account), yield* Streams.authorized(world, account)]
      const witness = yield* Streams.subscribe(other, "balanceSpot", market.money)
      yield* Streams.subscribe(connection, "balanceSpot", market.money)
      const listening = yield* Streams.subscribe(connection, "balanceSpot", market.stock)
      const price = above(market, -10)
      yield* Trading.placeOther(world, account, { market: market.name, side: "buy", amount: "0.02", price })
      yield* Streams.pass(world)
      yield* Streams.seesOne(witness, `a balance of ${market.money}`, isAbout(market.money))
      yield* lock(world, account)
      yield* Streams.pass(world)
      yield* Streams.seesOne(listening, `a balance of ${market.stock}`, isAbout(market.stock))
      const isOld = (params: unknown) => isAbout(market.money)(params) === true
      yield* Streams.hasNone(listening, `about ${market.money}`, isOld)
    })
  }),
  spot.always("streams.balances.assets", {
    statement: "Pushes only balances of the subscribed assets",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open()
      const market = yield* world.market
      const [connection, other] = [yield* Streams.authorized(world, account), yield* Streams.authorized(world, account)]
      const listening = yield* Streams.subscribe(connection, "balanceSpot", market.money)
      const witness = yield* Streams.subscribe(other, "balanceSpot", market.stock)
      yield* lock(world, account)
      yield* Streams.pass(world)
      yield* Streams.seesOne(
        witness,
        `a balance of ${market.stock}`,
        isAbout(market.stock)
      )
      yield* Streams.linger(connection)
      yield* Streams.hasNone(
        listening,
        `about ${market.stock}`,
        (params) => isAbout(market.stock)(params) === true
      )
    })
  })
]

/** Returns the collateral balance that the HTTP call shows. */
const collateralOf = (world: World, account: Account, ticker: string) =>
  Effect.map(LiveCalls.object(world, account, Paths.collateralBalance, {}), ({ json }) => String(json[ticker] ?? "0"))

const marginRules: ReadonlyArray<Rule.Rule> = [
  margin.forEach("streams.margin.request", {
    statement: "Responds to the request for collateral balances with the same balances as the HTTP call",
    profile: "read-only",
    values: [[], ["USDT"]],
    check: Effect.fnUntraced(function*(world, tickers) {
      const account = yield* world.reader
      const connection = yield* Streams.authorized(world, account)
      yield* Streams.settles(
        connection,
        "the collateral balance of USDT",
        Effect.gen(function*() {
          const { result } = yield* Streams.ask(connection, "balanceMargin_request", ...tickers)
          const shown = Streams.objectOf(result)
          for (const balance of Object.values(shown)) yield* Streams.hasKinds("a balance", balance, marginKinds)
          const call = yield* collateralOf(world, account, "USDT")
          const { balance = "0" } = Streams.objectOf(shown["USDT"])
          const isAsked = tickers.length === 0 || Object.keys(shown).length === 1
          return { holds: isAsked && Streams.isEqual(balance, call), got: { streams: shown, call } }
        })
      )
    })
  }),
  margin.forEach("streams.margin.pushed", {
    statement: "Pushes a changed or newly locked collateral balance until it equals the HTTP call's balance",
    values: ["funds", "order"],
    check: Effect.fnUntraced(function*(world, how) {
      const account = yield* world.open()
      const connection = yield* Streams.authorized(world, account)
      const listening = yield* Streams.subscribe(connection, "balanceMargin")
      if (how === "order") yield* lock(world, account, Paths.collateralLimit)
      else yield* world.control("Fund", { account: account.id, wallet: "collateral", ticker: "USDT", amount: "321" })
      yield* Streams.pass(world)
      const read = Effect.map(
        Streams.ask(connection, "balanceMargin_request", "USDT"),
        ({ result }) => Streams.objectOf(Streams.objectOf(result)["USDT"])
      )
      yield* Streams.settles(
        connection,
        "a message with the collateral balance of USDT that the HTTP call and the request show",
        Effect.gen(function*() {
          const all = Streams.pushed(listening).flatMap(Streams.listOf).map(Streams.objectOf)
          const pushed = all.findLast(({ a }) => a === "USDT") ?? {}
          const [call, asked] = [yield* collateralOf(world, account, "USDT"), yield* read]
          const holds = Streams.isEqual(pushed["B"], call) &&
            Object.entries(marginKeys).every(([key, short]) => Streams.isEqual(pushed[short], asked[key]))
          return { holds, got: { pushed, call, request: asked } }
        })
      )
    })
  })
]

/** Returns the open positions in a message. The exchange may still list a closed one, with an amount of zero. */
const openIn = (whole: Body): ReadonlyArray<Body> =>
  Streams.listOf(whole["records"]).map(Streams.objectOf).filter(({ amount }) => Number(amount) !== 0)

const positionRules: ReadonlyArray<Rule.Rule> = [
  positions.forEach("streams.positions.whole", {
    statement: "Pushes all open positions repeatedly, as the call for open positions shows them",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* world.open()
      const connection = yield* Streams.authorized(world, account)
      const listening = yield* Streams.subscribe(connection, "positionsMargin")
      // The amount of a short position is negative.
      const sign = side === "buy" ? "" : "-"
      yield* Trading.openPosition(world, account, side, "0.02")
      for (const amount of [`${sign}0.02`, `${sign}0.03`]) {
        if (amount.endsWith("0.03")) yield* Trading.openPosition(world, account, side, "0.01")
        yield* Streams.pass(world)
        yield* Streams.settles(
          connection,
          `one position of ${amount}, and the number of records as total`,
          Effect.gen(function*() {
            const { items } = yield* LiveCalls.list(world, account, Paths.openPositions, {})
            const call = Streams.objectOf(items[0])
            const whole = Streams.objectOf(Streams.pushed(listening).at(-1))
            const [shown = {}, ...others] = openIn(whole)
            const holds = whole["total"] === Streams.listOf(whole["records"]).length && others.length === 0 &&
              Number(shown["amount"]) === Number(amount) &&
              (call["unrealizedPnl"] === undefined || Streams.isEqual(shown["pnl"], call["unrealizedPnl"])) &&
              Streams.areEqual(
                ["id", "market", "amount", "base_price", "margin", "free_margin", "liq_price"].map((key) => shown[key]),
                ["positionId", "market", "amount", "basePrice", "margin", "freeMargin", "liquidationPrice"].map((key) =>
                  call[key]
                )
              )
            return { holds, got: { pushed: whole, call } }
          })
        )
      }
      const { length } = Streams.pushed(listening)
      yield* Streams.pass(world)
      yield* Streams.sees(listening, "the positions again", (pushed) => pushed.length > length ? true : undefined)
      yield* Trading.openPosition(world, account, Orders.opposite(side), "0.03")
      yield* Streams.pass(world)
      yield* Streams.settles(
        connection,
        "no position once it is closed",
        Effect.sync(() => {
          const whole = Streams.objectOf(Streams.pushed(listening).at(-1))
          return { holds: openIn(whole).length === 0, got: whole }
        })
      )
    })
  }),
  positions.forEach("streams.collateral.unsubscribe", {
    statement: "Pushes no collateral balances, positions or borrows after acknowledging the end of their subscription",
    values: ["balanceMargin", "positionsMargin", "borrowsMargin"],
    check: Effect.fnUntraced(function*(world, channel) {
      const account = yield* world.open()
      const [connection, other] = [yield* Streams.authorized(world, account), yield* Streams.authorized(world, account)]
      const witness = yield* Streams.subscribe(other, channel)
      yield* Streams.subscribe(connection, channel)
      const acknowledged = yield* Streams.ask(connection, `${channel}_unsubscribe`)
      yield* Streams.isAcknowledgement(acknowledged)
      const { length } = Streams.pushed(witness)
      yield* Trading.openPosition(world, account, "buy", "0.02")
      yield* world.control("Fund", { account: account.id, wallet: "collateral", ticker: "USDT", amount: "321" })
      yield* Streams.pass(world)
      if (channel === "borrowsMargin") {
        const { records } = yield* LiveCalls.records(world, account, Paths.borrowHistory, {})
        if (records.length === 0) return yield* Verdict.skip("needs a position that borrows")
      }
      yield* Streams.sees(witness, `a message of ${channel}`, (pushed) => pushed.length > length ? true : undefined)
      yield* Streams.linger(connection)
      const left = { connection, channel, from: acknowledged.reply.at + 1 }
      yield* Streams.hasNone(left, "after the end of its subscription", () => true)
    })
  }),
  positions.always("streams.positions.none", {
    statement: "Pushes an empty list when there are no positions",
    check: Effect.fnUntraced(function*(world) {
      const connection = yield* Streams.authorized(world, yield* world.open())
      const listening = yield* Streams.subscribe(connection, "positionsMargin")
      yield* Streams.pass(world)
      const whole = yield* Streams.seesOne(listening, "the positions", Streams.objectOf)
      yield* Verdict.conclude(
        "total 0 and no records",
        whole,
        whole["total"] === 0 && Array.isArray(whole["records"]) && whole["records"].length === 0
      )
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...spotRules, ...marginRules, ...positionRules]
