/**
 * Rules about requests for an account's orders and deals over a WebSocket, about its executed orders, and about
 * subscriptions to several markets. The responses and messages must agree with the HTTP calls.
 */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import { number } from "../world/Numbers.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as StreamMarkets from "../world/StreamMarkets.ts"
import * as StreamOrders from "../world/StreamOrders.ts"
import * as Streams from "../world/Streams.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

const pending = Streams.documented("Orders pending")
const executed = Streams.documented("Orders executed")
const streams = Streams.documented("Account Streams")

/** The tolerance for times, in seconds. */
const slack = 60

// -----------------------------------------------------------------------------
// Requests
// -----------------------------------------------------------------------------

const requestOpen = Effect.fnUntraced(function*(
  connection: Streams.Listening["connection"],
  market: string,
  offset: number,
  limit: number
) {
  const { result } = yield* Streams.ask(connection, "ordersPending_request", market, offset, limit)
  const page = Streams.objectOf(result)
  return { page, orders: Streams.listOf(page["records"]).map(StreamOrders.toOrder) }
})

/** Makes another account trade a market order and a limit order with an account, so both of its orders are filled. */
const executeBoth = Effect.fnUntraced(function*(world: World, account: Account, market: Market) {
  const other = yield* world.open()
  yield* world.control("Fund", { account: other.id, wallet: "trade", ticker: market.stock, amount: "1" })
  yield* StreamOrders.placeAt(world, other, market, ["sell", "0.03", 1])
  const limit = yield* StreamOrders.placeAt(world, account, market, ["buy", "0.01", 1])
  const fields = { market: market.name, side: "buy", amount: "410" }
  const atMarket = yield* Trading.placeOther(world, account, fields, Paths.marketOrder)
  return [limit["orderId"], atMarket["orderId"]]
})

/** Expects an executed order as order history shows it, filled now. */
const isInHistory = Effect.fnUntraced(function*(world: World, account: Account, order: Body) {
  const { records } = yield* LiveOrders.ended(world, account)
  const same = records.find(({ orderId }) => orderId === order["orderId"])
  yield* StreamOrders.shows("the order of order history", order, {
    ...StreamOrders.termsOf(same),
    ...same?.["feeAsset"] === undefined || order["fee_asset"] === undefined ? {} : { fee_asset: same["feeAsset"] },
    ...order["left"] === undefined ? {} : { left: "0" },
    status: "FILLED"
  })
  const [now, since] = [(yield* world.now) / 1000, number(order, "timestamp")]
  const times = [order["ftime"], order["mtime"]].filter((time) => time !== undefined).map(Number)
  yield* Verdict.conclude(
    `an ftime or mtime of about ${now}, not before ctime`,
    order,
    times.every((time) => Math.abs(time - now) < slack && time >= since)
  )
})

const requestRules: ReadonlyArray<Rule.Rule> = [
  pending.always("streams.orders.request.terms", {
    statement:
      "Responds to the request for open orders with each of the market's orders on one page, with its fills and terms",
    check: Effect.fnUntraced(function*(world) {
      const [account, stranger] = [yield* world.open(), yield* world.open()]
      const { market, other } = yield* StreamMarkets.pair(world)
      yield* StreamOrders.placeAt(world, stranger, market, ["buy", "0.01", -1])
      const sold = yield* StreamOrders.placeAt(world, account, market, ["sell", "0.03", 1], {
        clientOrderId: world.unique("terms"),
        stp: "cn"
      })
      yield* StreamOrders.placeAt(world, stranger, market, ["buy", "0.01", 1])
      yield* StreamOrders.placeAt(world, account, market, ["sell", "0.02", 9], { postOnly: true })
      yield* StreamOrders.placeAt(world, account, market, ["buy", "0.02", -9], {}, Paths.collateralLimit)
      yield* Orders.place(world, account, Paths.stopLimit, Orders.stopLimit(market, "buy"))
      yield* StreamOrders.placeAt(world, account, other, ["buy", "0.02", -9])
      const connection = yield* Streams.authorized(world, account)
      const open = (yield* LiveOrders.open(world, account)).records.filter((order) => order["market"] === market.name)
      const pages = [
        yield* requestOpen(connection, market.name, 0, 3),
        yield* requestOpen(connection, market.name, 3, 3)
      ]
      const orders = pages.flatMap((page) => page.orders)
      yield* Verdict.conclude(
        `${open.length} orders on two pages, each once, and total ${open.length}`,
        pages.map(({ page }) => page),
        orders.length === open.length && pages.every(({ page }) => page["total"] === open.length) &&
          open.every(({ orderId }) => orders.some((order) => order["orderId"] === orderId))
      )
      for (const order of orders) {
        const same = open.find(({ orderId }) => orderId === order["orderId"])
        yield* StreamOrders.shows("a requested order", order, StreamOrders.termsOf(same))
      }
      yield* Trading.placeOther(world, account, { market: market.name, orderId: sold["orderId"] }, Paths.cancelOrder)
      const left = yield* requestOpen(connection, market.name, 0, 100)
      yield* Verdict.conclude(
        `${open.length - 1} orders after the cancellation`,
        left.page,
        left.orders.length === open.length - 1 && left.page["total"] === open.length - 1 &&
          !left.orders.some(({ orderId }) => orderId === sold["orderId"])
      )
    })
  }),
  executed.always("streams.executed.steps", {
    statement:
      "Pushes limit and market orders to the filter 0 once each is filled, not before, as order history shows them",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* LiveOrders.customer(world)
      const [market, other] = [yield* world.market, yield* world.open()]
      const connection = yield* Streams.authorized(world, account)
      const events = yield* Streams.subscribe(connection, "ordersPending", market.name)
      const listening = yield* Streams.subscribe(connection, "ordersExecuted", [market.name], 0)
      const orders = () => Streams.pushed(listening).map((params) => StreamOrders.toOrder(Streams.listOf(params)[0]))
      const sees = Effect.fnUntraced(function*(ids: ReadonlyArray<unknown>) {
        yield* Streams.sees(
          listening,
          `the orders ${ids.join(", ")}`,
          () => ids.every((id) => orders().some(({ orderId }) => orderId === id)) ? true : undefined
        )
        yield* Streams.linger(connection)
        for (const id of ids) {
          const found = orders().filter(({ orderId }) => orderId === id)
          yield* Verdict.conclude(`the order ${String(id)} once`, found, found.length === 1)
          yield* isInHistory(world, account, found[0] ?? {})
        }
      })
      for (const path of [Paths.limitOrder, Paths.collateralLimit]) {
        const { orderId } = yield* StreamOrders.placeAt(world, account, market, ["sell", "0.02", 1], {}, path)
        yield* world.advance(StreamOrders.pause)
        yield* StreamOrders.placeAt(world, other, market, ["buy", "0.01", 1], {}, path)
        yield* StreamOrders.latest(events, orderId, 2)
        yield* Streams.linger(connection)
        const early = orders().filter((order) => order["orderId"] === orderId)
        yield* Verdict.conclude("no message about an order that is filled in part", early, early.length === 0)
        yield* StreamOrders.placeAt(world, other, market, ["buy", "0.01", 1], {}, path)
        yield* sees([orderId])
      }
      yield* sees(yield* executeBoth(world, account, market))
    })
  })
]

// -----------------------------------------------------------------------------
// Subscriptions and refusals
// -----------------------------------------------------------------------------

/** A private channel of markets: its parameters for several markets, and the market of a message. */
const channels = [
  {
    channel: "ordersPending",
    params: (markets: ReadonlyArray<string>) => markets,
    marketOf: ([, order]: ReadonlyArray<unknown>) => Streams.objectOf(order)["market"]
  },
  {
    channel: "ordersExecuted",
    params: (markets: ReadonlyArray<string>) => [markets, 0],
    marketOf: ([order]: ReadonlyArray<unknown>) => Streams.objectOf(order)["market"]
  },
  {
    channel: "deals",
    params: (markets: ReadonlyArray<string>) => [markets],
    marketOf: ([, , market]: ReadonlyArray<unknown>) => market
  }
] as const

/** Private requests with a wrong parameter, and the codes of their refusals. */
const wrong: ReadonlyArray<
  readonly [
    codes: ReadonlyArray<number>,
    method: string,
    params: (market: string, unknown: string) => ReadonlyArray<unknown>
  ]
> = [
  [[1], "ordersPending_request", (market) => [market, 0, 101]],
  [[1], "ordersExecuted_request", (market) => [{ market, order_types: [1] }, 0, 101]],
  [[1], "deals_request", (market) => [market, 0, 101]],
  [[1, 9], "ordersPending_request", (_, unknown) => [unknown, 0, 10]],
  [[1, 9], "ordersPending_subscribe", (_, unknown) => [unknown]],
  [[1, 9], "ordersExecuted_request", (_, unknown) => [{ market: unknown, order_types: [1] }, 0, 10]],
  [[1, 9], "ordersExecuted_subscribe", (_, unknown) => [[unknown], 0]],
  [[1, 9], "deals_request", (_, unknown) => [unknown, 0, 10]],
  [[1, 9], "deals_subscribe", (_, unknown) => [[unknown]]]
]

/** Expects that requests about a market return exactly the records of these orders, and none to a stranger. */
const areOwn = Effect.fnUntraced(function*(
  { connection, stranger }: Readonly<Record<"connection" | "stranger", Streams.Listening["connection"]>>,
  market: string,
  expected: ReadonlyArray<unknown>
) {
  const filter = { market, order_types: [1, 2] }
  for (
    const [method, which, key] of [
      ["deals_request", market, "order_id"],
      ["ordersExecuted_request", filter, "id"]
    ] as const
  ) {
    const { reply, result } = yield* Streams.ask(connection, method, which, 0, 100)
    const ids = Streams.listOf(Streams.objectOf(result)["records"]).map((one) => Streams.objectOf(one)[key])
    yield* Streams.expect(
      reply,
      `exactly the records of the orders ${expected.join(", ")}`,
      ids.length === expected.length && expected.every((id) => ids.includes(id))
    )
    const strange = yield* Streams.ask(stranger, method, which, 0, 100)
    const none = Streams.objectOf(strange.result)["records"]
    yield* Streams.expect(strange.reply, "no records of another account", Streams.listOf(none).length === 0)
  }
})

const subscriptionRules: ReadonlyArray<Rule.Rule> = [
  streams.always("streams.private.several", {
    statement:
      "Pushes the orders and deals of each market of a subscription to several markets, and responds to requests with "
      + "the account's own ones on the requested market",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open()
      const { market, other } = yield* StreamMarkets.pair(world)
      const connection = yield* Streams.authorized(world, account)
      const names = [market.name, other.name]
      const all = yield* Effect.forEach(channels, ({ channel, marketOf, params }) =>
        Effect.map(
          Streams.subscribe(connection, channel, ...params(names)),
          (listening) => ({ listening, marketOf })
        ))
      const orders = new Map<string, ReadonlyArray<unknown>>()
      for (const each of [market, other]) orders.set(each.name, yield* executeBoth(world, account, each))
      for (const { listening, marketOf } of all) {
        for (const name of names) {
          yield* Streams.seesOne(
            listening,
            `a message about ${name}`,
            (params) => marketOf(Streams.listOf(params)) === name ? true : undefined
          )
        }
      }
      const stranger = yield* Streams.authorized(world, yield* world.open())
      for (const name of names) yield* areOwn({ connection, stranger }, name, orders.get(name) ?? [])
    })
  }),
  streams.forEach("streams.private.parameters", {
    statement: "Refuses private requests with a limit above 100: code 1, or with an unknown market: code 1 or 9",
    profile: "read-only",
    values: wrong,
    check: Effect.fnUntraced(function*(world, [codes, method, params]) {
      const { name } = yield* world.market
      const connection = yield* Streams.authorized(world, yield* world.reader)
      yield* Streams.refuses(connection, codes, method, ...params(name, LivePublicCalls.noMarket))
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...requestRules, ...subscriptionRules]
