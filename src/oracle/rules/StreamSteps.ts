/**
 * Rules about an account's orders and deals over a WebSocket after several steps: partial fills as taker and as maker,
 * modifications, activations, several markets. The messages and responses must agree with the HTTP calls.
 */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import { above, priceText } from "../world/Markets.ts"
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

const { changed, created, finished } = StreamOrders.events

/** The tolerance for times, in seconds. */
const slack = 60

/** A pause between two steps, in milliseconds, so that the times of the steps differ. */
const pause = 600_000

/** Places an order at `percent` % above the market's price. */
const placeAt = (
  world: World,
  account: Account,
  market: Market,
  [side, amount, percent]: readonly [side: Orders.Side, amount: string, percent: number],
  more: Body = {},
  path = Paths.limitOrder
) =>
  Effect.map(
    Trading.placeOther(
      world,
      account,
      { market: market.name, side, amount, price: above(market, percent), ...more },
      path
    ),
    LiveOrders.toOrder
  )

/** The fields on which messages and calls agree. */
const terms = [
  "orderId",
  "market",
  "side",
  "type",
  "timestamp",
  "amount",
  "price",
  "left",
  "dealStock",
  "dealMoney",
  "dealFee",
  "status",
  "clientOrderId",
  "stp",
  "postOnly",
  "ioc",
  "reduceOnly",
  "rpi",
  "activation_price",
  "activated"
]

const termsOf = (order: Body | undefined): Body =>
  order === undefined
    ? { orderId: "none" }
    : Object.fromEntries(terms.flatMap((key) => order[key] === undefined ? [] : [[key, order[key]]]))

/** Expects that an order has an mtime of about now. */
const isModifiedNow = Effect.fnUntraced(function*(world: World, order: Body) {
  const now = (yield* world.now) / 1000
  yield* Verdict.conclude(`an mtime of about ${now}`, order, Math.abs(number(order, "mtime") - now) < slack)
})

// -----------------------------------------------------------------------------
// Events
// -----------------------------------------------------------------------------

/** Returns the latest event of an order once `count` events have arrived. */
const latest = Effect.fnUntraced(function*(listening: Streams.Listening, orderId: unknown, count: number) {
  yield* Streams.sees(
    listening,
    `${count} events of order ${String(orderId)}`,
    (pushed) => StreamOrders.eventsOf(pushed, orderId).length >= count ? true : undefined
  )
  yield* Streams.linger(listening.connection)
  const { event, order = {} } = StreamOrders.eventsOf(Streams.pushed(listening), orderId).at(-1) ?? {}
  return { event, order, count: StreamOrders.eventsOf(Streams.pushed(listening), orderId).length }
})

/** Expects that an event shows an order as the calls for open orders and order history do. */
const isAsCalled = Effect.fnUntraced(function*(world: World, account: Account, order: Body) {
  const { records } = yield* LiveOrders.open(world, account)
  const found = records.find(({ orderId }) => orderId === order["orderId"]) ??
    (yield* LiveOrders.ended(world, account)).records.find(({ orderId }) => orderId === order["orderId"])
  yield* StreamOrders.shows("the order of the HTTP calls", order, termsOf(found))
  yield* isModifiedNow(world, order)
})

/** The amounts of a stop order that trade after its activation. */
const parts = ["0.004", "0.006"] as const

const eventRules: ReadonlyArray<Rule.Rule> = [
  pending.forEach("streams.orders.steps", {
    statement:
      "Shows in each event the sums of all fills so far, as taker and as maker, with the time of the change in mtime",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* LiveOrders.customer(world)
      const [market, other] = [yield* world.market, yield* world.open()]
      const listening = yield* StreamOrders.listen(world, account, market)
      const sign = side === "buy" ? 1 : -1
      const offer = (amount: string, percent: number) =>
        placeAt(world, other, market, [Orders.opposite(side), amount, sign * percent])
      yield* offer("0.01", 1)
      yield* offer("0.01", 2)
      const order = yield* placeAt(world, account, market, [side, "0.05", sign * 2], {
        clientOrderId: world.unique("steps")
      })
      // Whether the first fills have events of their own is not documented.
      const first = yield* latest(listening, order["orderId"], 1)
      yield* isAsCalled(world, account, first.order)
      yield* world.advance(pause)
      yield* offer("0.01", 2)
      const second = yield* latest(listening, order["orderId"], first.count + 1)
      yield* Verdict.conclude("event 2 after another fill", second, second.event === changed)
      yield* isAsCalled(world, account, second.order)
      yield* world.advance(pause)
      const change = { market: market.name, orderId: order["orderId"], price: above(market, sign) }
      const modified = yield* LiveOrders.place(world, account, Paths.modifyOrder, change)
      const old = yield* latest(listening, order["orderId"], second.count + 1)
      yield* Verdict.conclude("event 3 with the modified order", old, old.event === finished)
      yield* isModifiedNow(world, old.order)
      yield* StreamOrders.shows("the modified order, with its fills", old.order, {
        ...termsOf(second.order),
        status: "CANCELED"
      })
      const replaced = yield* latest(listening, modified.order["orderId"], 1)
      yield* Verdict.conclude("event 1 with the replacement", replaced, replaced.event === created)
      yield* isAsCalled(world, account, replaced.order)
      yield* world.advance(pause)
      yield* Trading.placeOther(world, account, { market: market.name, orderId: modified.order["orderId"] }, Paths
        .cancelOrder)
      const last = yield* latest(listening, modified.order["orderId"], replaced.count + 1)
      yield* Verdict.conclude("event 3 with the canceled replacement", last, last.event === finished)
      yield* isAsCalled(world, account, last.order)
    })
  }),
  pending.forEach("streams.orders.activated.filled", {
    statement:
      "Pushes events 2 and 3 with an activated stop order's fills; its id and type stay, and its status changes with "
      + "the first fill",
    values: Orders.sides.flatMap((side) =>
      ([[Paths.stopLimit, 3], [Paths.collateralStopLimit, 9]] as const).map(([path, type]) => ({ side, path, type }))
    ),
    check: Effect.fnUntraced(function*(world, { path, side, type }) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const listening = yield* StreamOrders.listen(world, account, market)
      const trigger = Trading.triggerPrice(side, 1)
      const price = priceText(market, Trading.restingLimit(side, trigger))
      const fields = Orders.stopLimit(market, side, {
        amount: "0.01",
        price,
        activation_price: priceText(market, trigger)
      })
      const { order } = yield* Orders.place(world, account, path, fields)
      yield* Trading.tradeAt(world, market, priceText(market, trigger))
      yield* latest(listening, order["orderId"], 2)
      for (const amount of parts) {
        const taker = { market: market.name, side: Orders.opposite(side), amount, price }
        yield* Trading.placeOther(world, yield* world.open(), taker, Paths.collateralLimit)
      }
      const shown = yield* StreamOrders.expectEvents(listening, order["orderId"], [
        created,
        created,
        changed,
        finished
      ])
      for (const [at, taken] of [[1, []], [2, parts.slice(0, 1)], [3, parts]] as const) {
        const fills = taken.map((amount) => ({ amount: Number(amount), price: Number(price) }))
        yield* StreamOrders.shows("the stop order", shown[at] ?? {}, {
          ...LiveOrders.ordered("stop limit", fields),
          ...LiveOrders.filled("0.01", fills),
          activated: 1
        })
      }
      const raw = Streams.pushed(listening).map((params) => Streams.objectOf(Streams.listOf(params)[1])["type"])
      yield* Verdict.conclude(`type ${type} in every event`, raw, raw.every((one) => one === type))
      yield* isModifiedNow(world, shown.at(-1) ?? {})
    })
  })
]

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
  yield* placeAt(world, other, market, ["sell", "0.03", 1])
  const limit = yield* placeAt(world, account, market, ["buy", "0.01", 1])
  const fields = { market: market.name, side: "buy", amount: "410" }
  const atMarket = yield* Trading.placeOther(world, account, fields, Paths.marketOrder)
  return [limit["orderId"], atMarket["orderId"]]
})

/** Expects an executed order as order history shows it, filled now. */
const isInHistory = Effect.fnUntraced(function*(world: World, account: Account, order: Body) {
  const { records } = yield* LiveOrders.ended(world, account)
  const same = records.find(({ orderId }) => orderId === order["orderId"])
  yield* StreamOrders.shows("the order of order history", order, {
    ...termsOf(same),
    ...same?.["feeAsset"] === undefined ? {} : { fee_asset: same["feeAsset"] },
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
      yield* placeAt(world, stranger, market, ["buy", "0.01", -1])
      const sold = yield* placeAt(world, account, market, ["sell", "0.03", 1], {
        clientOrderId: world.unique("terms"),
        stp: "cn"
      })
      yield* placeAt(world, stranger, market, ["buy", "0.01", 1])
      yield* placeAt(world, account, market, ["sell", "0.02", 9], { postOnly: true })
      yield* placeAt(world, account, market, ["buy", "0.02", -9], {}, Paths.collateralLimit)
      yield* Orders.place(world, account, Paths.stopLimit, Orders.stopLimit(market, "buy"))
      yield* placeAt(world, account, other, ["buy", "0.02", -9])
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
        yield* StreamOrders.shows("a requested order", order, termsOf(same))
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
      const events = yield* StreamOrders.listen(world, account, market)
      const connection = yield* Streams.authorized(world, account)
      const listening = yield* Streams.subscribe(connection, "ordersExecuted", [market.name], 0)
      const orders = () => Streams.pushed(listening).map((params) => StreamOrders.toOrder(Streams.listOf(params)[0]))
      const sees = Effect.fnUntraced(function*(ids: ReadonlyArray<unknown>) {
        yield* Streams.sees(listening, `the orders ${ids.join(", ")}`, () =>
          ids.every((id) => orders().some(({ orderId }) => orderId === id)) ? true : undefined)
        yield* Streams.linger(connection)
        for (const id of ids) {
          const found = orders().filter(({ orderId }) => orderId === id)
          yield* Verdict.conclude(`the order ${String(id)} once`, found, found.length === 1)
          yield* isInHistory(world, account, found[0] ?? {})
        }
      })
      for (const path of [Paths.limitOrder, Paths.collateralLimit]) {
        const { orderId } = yield* placeAt(world, account, market, ["sell", "0.02", 1], {}, path)
        yield* world.advance(pause)
        yield* placeAt(world, other, market, ["buy", "0.01", 1], {}, path)
        yield* latest(events, orderId, 2)
        yield* Streams.linger(connection)
        const early = orders().filter((order) => order["orderId"] === orderId)
        yield* Verdict.conclude("no message about an order that is filled in part", early, early.length === 0)
        yield* placeAt(world, other, market, ["buy", "0.01", 1], {}, path)
        yield* sees([orderId])
      }
      yield* sees(yield* executeBoth(world, account, market))
    })
  }),
  streams.always("streams.requests.market", {
    statement: "Responds to requests for deals and executed orders with the account's own records on the given market",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* LiveOrders.customer(world)
      const { market, other } = yield* StreamMarkets.pair(world)
      const connection = yield* Streams.authorized(world, account)
      const stranger = yield* Streams.authorized(world, yield* world.open())
      const all = new Map<string, ReadonlyArray<unknown>>()
      for (const each of [market, other]) all.set(each.name, yield* executeBoth(world, account, each))
      for (const { name } of [market, other]) {
        const filter = { market: name, order_types: [1, 2] }
        const asked = [["deals_request", name, "order_id"], ["ordersExecuted_request", filter, "id"]] as const
        for (const [method, which, key] of asked) {
          const { reply, result } = yield* Streams.ask(connection, method, which, 0, 100)
          const ids = Streams.listOf(Streams.objectOf(result)["records"]).map((one) => Streams.objectOf(one)[key])
          const expected = all.get(name) ?? []
          yield* Streams.expect(
            reply,
            `exactly the records of the orders ${expected.join(", ")}`,
            ids.length === expected.length && expected.every((id) => ids.includes(id))
          )
          const strange = yield* Streams.ask(stranger, method, which, 0, 100)
          const none = Streams.objectOf(strange.result)["records"]
          yield* Streams.expect(strange.reply, "no records of another account", Streams.listOf(none).length === 0)
        }
      }
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

const subscriptionRules: ReadonlyArray<Rule.Rule> = [
  streams.always("streams.private.several", {
    statement: "Pushes the orders and deals of each market of a subscription to several markets",
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
      for (const each of [market, other]) yield* StreamMarkets.trade(world, each, 1, { maker: account, taken: "0.02" })
      for (const { listening, marketOf } of all) {
        for (const name of names) {
          yield* Streams.seesOne(
            listening,
            `a message about ${name}`,
            (params) => marketOf(Streams.listOf(params)) === name ? true : undefined
          )
        }
      }
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

export const rules: ReadonlyArray<Rule.Rule> = [...eventRules, ...requestRules, ...subscriptionRules]
