/**
 * Rules about open orders over a WebSocket: the messages must show the same history of every order as the responses to
 * calls.
 */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { above, priceText } from "../world/Markets.ts"
import * as Oco from "../world/OcoOrders.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as StreamMarkets from "../world/StreamMarkets.ts"
import * as StreamOrders from "../world/StreamOrders.ts"
import * as Streams from "../world/Streams.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

const { always, forEach } = Streams.documented("Orders pending")

const { changed, created, finished } = StreamOrders.events

/** The calls that place an order that rests. */
const placements: ReadonlyArray<readonly [type: string, number: number, path: string]> = [
  ["limit", 1, Paths.limitOrder],
  ["limit", 7, Paths.collateralLimit],
  ["stop limit", 3, Paths.stopLimit],
  ["stop limit", 9, Paths.collateralStopLimit],
  ["stop market", 10, Paths.triggerMarket]
]

/** Returns a stop order of this type that waits far from the market. */
const stopOf = (market: Market, side: Orders.Side, type: string): Body => {
  const { price, ...stop } = Orders.stopLimit(market, side)
  return type === "stop limit" ? { ...stop, price } : stop
}

/** An order of a new account on the market, with its events. */
interface Followed {
  readonly account: Account
  readonly market: Market
  readonly listening: Streams.Listening
  readonly fields: Body
  readonly order: Body
  readonly id: unknown
}

/** Subscribes an account to its orders, and places an order that sells 0.03 at `percent` % above the market. */
const follow = Effect.fnUntraced(function*(
  world: World,
  percent = 10,
  path = Paths.limitOrder
): Effect.fn.Return<Followed, Verdict.CheckError> {
  const account = yield* LiveOrders.customer(world)
  const market = yield* world.market
  const listening = yield* StreamOrders.listen(world, account, market)
  const fields = {
    market: market.name,
    side: "sell",
    amount: "0.03",
    price: above(market, percent),
    clientOrderId: world.unique("stream")
  }
  const { order } = yield* LiveOrders.place(world, account, path, fields)
  return { account, market, listening, fields, order, id: order["orderId"] }
})

/** Makes another account buy an amount at the order's price. */
const take = Effect.fnUntraced(function*(world: World, { fields }: Followed, amount: string) {
  const { market, price } = fields
  yield* Trading.placeOther(world, yield* world.open(), { market, price, side: "buy", amount })
})

/** Returns the order as it must be shown after this amount of it was filled. */
const after = ({ fields, order }: Followed, taken: number, status?: string): Body => ({
  ...LiveOrders.ordered("limit", fields),
  ...LiveOrders.identity(order),
  ...LiveOrders.filled(fields["amount"], taken === 0 ? [] : [{ amount: taken, price: Number(fields["price"]) }], status)
})

const eventRules: ReadonlyArray<Rule.Rule> = [
  forEach("streams.orders.created", {
    statement: "Pushes event 1 with a new resting order, as the response to its placement shows it",
    profile: "mutating",
    values: ({ profile }: Rule.Setting) =>
      Orders.sides.flatMap((side) =>
        placements.filter(([, , path]) => profile === "control" || path === Paths.stopLimit)
          .map(([type, number, path]) => ({ side, type, number, path }))
      ),
    check: Effect.fnUntraced(function*(world, { number, path, side, type }) {
      const account = yield* world.trader
      const market = yield* world.market
      const listening = yield* StreamOrders.listen(world, account, market)
      const price = priceText(market, market.price * (side === "buy" ? 0.6 : 1.5))
      const amount = Orders.amountFor(market, Number(price))
      const fields: Body = type === "limit"
        ? { market: market.name, side, amount, price, postOnly: true, clientOrderId: world.unique("stream"), stp: "cn" }
        : stopOf(market, side, type)
      const { order } = yield* Orders.place(world, account, path, fields)
      const [shown = {}] = yield* StreamOrders.expectEvents(listening, order["orderId"], [created])
      const waits = type === "limit" ? {} : { activated: 0 }
      const raw = Streams.pushed(listening).map((params) => Streams.objectOf(Streams.listOf(params)[1])["type"])
      yield* Verdict.conclude(`type ${number}`, raw, Streams.areEqual(raw, [number]))
      yield* StreamOrders.shows("the order", shown, {
        ...LiveOrders.ordered(type, fields),
        ...LiveOrders.filled(fields["amount"], []),
        ...LiveOrders.identity(LiveOrders.toOrder(order)),
        ...waits
      })
    })
  }),
  always("streams.orders.withdrawn", {
    statement: "Pushes event 3 with a waiting stop order that is canceled",
    profile: "mutating",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.trader
      const market = yield* world.market
      const listening = yield* StreamOrders.listen(world, account, market)
      const fields = Orders.stopLimit(market, "buy")
      const { order } = yield* Orders.place(world, account, Paths.stopLimit, fields)
      // Outside a sandbox, only the list of open orders at the end of the run shows that the order is gone.
      const isListed = world.profile === "control" || world.placements.listed.has(Paths.stopLimit)
      if (!isListed) return yield* Verdict.skip(`needs ${Paths.activeOrders} to list the order`)
      yield* Trading.placeOther(world, account, { market: market.name, orderId: order["orderId"] }, Paths.cancelOrder)
      const [, shown = {}] = yield* StreamOrders.expectEvents(listening, order["orderId"], [created, finished])
      yield* StreamOrders.shows("the order", shown, {
        ...LiveOrders.ordered("stop limit", fields),
        ...LiveOrders.identity(LiveOrders.toOrder(order)),
        ...LiveOrders.filled(fields["amount"], [], "CANCELED")
      })
    })
  }),
  forEach("streams.orders.canceled", {
    statement: "Pushes event 3 with a canceled order, which shows its fills",
    values: [0, 0.01],
    check: Effect.fnUntraced(function*(world, taken) {
      const followed = yield* follow(world, 1)
      const { account, id, listening, market } = followed
      if (taken > 0) yield* take(world, followed, String(taken))
      yield* Trading.placeOther(world, account, { market: market.name, orderId: id }, Paths.cancelOrder)
      const events = [created, ...taken > 0 ? [changed] : [], finished]
      const last = (yield* StreamOrders.expectEvents(listening, id, events)).at(-1) ?? {}
      yield* StreamOrders.shows("the order", last, after(followed, taken, "CANCELED"))
    })
  }),
  forEach("streams.orders.canceled.all", {
    statement: "Pushes event 3 with each order that cancel-all, a bulk cancellation or a kill switch cancels",
    values: [Paths.cancelAll, Paths.cancelBulk, Paths.killSwitch],
    check: Effect.fnUntraced(function*(world, path) {
      const followed = yield* follow(world)
      const { account, id, listening, market } = followed
      const stop = Orders.stopLimit(market, "sell")
      const { orderId } = yield* Trading.placeOther(world, account, stop, Paths.stopLimit)
      const orders = [id, orderId].map((orderId) => ({ market: market.name, orderId }))
      const fields = path === Paths.cancelAll
        ? {}
        : path === Paths.cancelBulk
        ? { orders }
        : { market: market.name, timeout: "5" }
      yield* world.call(account, path, fields)
      if (path === Paths.killSwitch) yield* world.advance(6000)
      const [, last = {}] = yield* StreamOrders.expectEvents(listening, id, [created, finished])
      yield* StreamOrders.shows("the order", last, after(followed, 0, "CANCELED"))
      const [, other = {}] = yield* StreamOrders.expectEvents(listening, orderId, [created, finished])
      yield* StreamOrders.shows("the stop order", other, {
        ...stop,
        type: "stop limit",
        status: "CANCELED",
        activated: 0
      })
    })
  }),
  always("streams.orders.legs", {
    statement: "Pushes event 1 with both legs of a new OCO order, and event 3 with both once the take-profit is filled",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const listening = yield* StreamOrders.listen(world, account, market)
      const pair = yield* Trading.placeOther(world, account, Orders.oco(market, "sell"), Paths.oco)
      const [stop, limit] = [Oco.leg(pair, "stop_loss"), Oco.leg(pair, "take_profit")]
      const { amount, price } = limit
      yield* LiveOrders.takeAt(world, { market: market.name, side: "buy", amount, price }, Paths.collateralLimit)
      for (const [leg, status] of [[stop, "CANCELED"], [limit, "FILLED"]] as const) {
        const shown = yield* StreamOrders.expectEvents(listening, leg["orderId"], [created, finished])
        const expected = { market: market.name, side: "sell", amount, price: leg["price"], timestamp: leg["timestamp"] }
        yield* StreamOrders.shows("the new leg", shown[0] ?? {}, { ...expected, dealStock: "0", left: amount })
        const stock = status === "FILLED" ? amount : "0"
        yield* StreamOrders.shows("the finished leg", shown[1] ?? {}, { ...expected, dealStock: stock, status })
      }
    })
  }),
  forEach("streams.orders.filled", {
    statement: "Pushes event 2 with a partly filled order, and event 3 with the filled order, each with its fills",
    values: [Paths.limitOrder, Paths.collateralLimit],
    check: Effect.fnUntraced(function*(world, path) {
      const followed = yield* follow(world, 1, path)
      const { fields, id, listening } = followed
      for (const amount of ["0.01", "0.02"]) {
        const other = yield* world.open()
        yield* Trading.placeOther(world, other, {
          market: fields["market"],
          price: fields["price"],
          side: "buy",
          amount
        }, path)
      }
      const shown = yield* StreamOrders.expectEvents(listening, id, [created, changed, finished])
      for (const [at, taken] of [0, 0.01, 0.03].entries()) {
        const { dealFee: _fee, ...expected } = after(followed, taken)
        yield* StreamOrders.shows("the order", shown[at] ?? {}, expected)
      }
      const { records } = yield* LiveOrders.ended(world, followed.account)
      const fee = records.find(({ orderId }) => orderId === id)?.["dealFee"]
      yield* Verdict.conclude(
        `a deal_fee of ${String(fee)}`,
        shown.at(-1),
        Streams.isEqual(shown.at(-1)?.["dealFee"], fee)
      )
    })
  }),
  forEach("streams.orders.instant", {
    statement: "Pushes only event 3 with a limit or market order that is filled immediately",
    values: ["limit", "market"],
    check: Effect.fnUntraced(function*(world, type) {
      const market = yield* world.market
      const [maker, taker] = [yield* world.open(), yield* world.open()]
      const listening = yield* StreamOrders.listen(world, taker, market)
      const price = above(market, 1)
      const fields = { market: market.name, side: "buy", amount: "0.01" }
      yield* Trading.placeOther(world, maker, { ...fields, price, side: "sell", amount: "0.02" })
      const { order } = type === "limit"
        ? yield* LiveOrders.place(world, taker, Paths.limitOrder, { ...fields, price })
        : yield* LiveOrders.place(world, taker, Paths.stockMarketOrder, fields)
      const [shown = {}] = yield* StreamOrders.expectEvents(listening, order["orderId"], [finished])
      const { dealFee: _fee, ...filled } = LiveOrders.filled("0.01", [{ amount: 0.01, price: Number(price) }])
      const terms = type === "limit" ? LiveOrders.ordered("limit", { ...fields, price }) : fields
      yield* StreamOrders.shows("the order", shown, { ...terms, ...LiveOrders.identity(order), ...filled })
      const raw = Streams.objectOf(Streams.listOf(Streams.pushed(listening)[0])[1])["type"]
      yield* Verdict.conclude(`type ${type === "limit" ? 1 : 202}`, raw, raw === (type === "limit" ? 1 : 202))
    })
  }),
  forEach("streams.orders.modified", {
    statement: "Pushes event 3 with the old order and its fills, then event 1 with its replacement, which has the same "
      + "client order id",
    values: [0, 0.01],
    check: Effect.fnUntraced(function*(world, taken) {
      const followed = yield* follow(world)
      const { account, fields, id, listening, market } = followed
      if (taken > 0) yield* take(world, followed, String(taken))
      const price = above(market, 12)
      const change = { market: market.name, orderId: id, price }
      const { order } = yield* LiveOrders.place(world, account, Paths.modifyOrder, change)
      const [shown = {}] = yield* StreamOrders.expectEvents(listening, order["orderId"], [created])
      const old = taken === 0 ? [created, finished] : [created, changed, finished]
      const ended = (yield* StreamOrders.expectEvents(listening, id, old)).at(-1) ?? {}
      const { dealStock, dealMoney } = after(followed, taken)
      yield* StreamOrders.shows("the old order", ended, {
        dealStock,
        dealMoney,
        clientOrderId: fields["clientOrderId"]
      })
      // The documentation does not say which amount the replacement of a partly filled order has.
      const { amount, ...terms } = LiveOrders.ordered("limit", { ...fields, price })
      yield* StreamOrders.shows("the new order", shown, {
        ...terms,
        ...(taken === 0 ? { amount } : {}),
        ...LiveOrders.identity(order),
        ...(taken === 0 ? LiveOrders.filled(0.03, []) : {})
      })
      const all = Streams.pushed(listening).map((params) => Streams.listOf(params)[0])
      yield* Verdict.conclude(
        `the events ${[...old, created].join(", ")}`,
        all,
        Streams.areEqual(all, [...old, created])
      )
    })
  }),
  forEach("streams.orders.activated", {
    statement: "Pushes event 1 again when a stop order is activated, with the same id and activated 1",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* world.trader
      const market = yield* world.market
      const listening = yield* StreamOrders.listen(world, account, market)
      const trigger = Trading.triggerPrice(side, 1)
      const limit = Trading.restingLimit(side, trigger)
      const { id } = yield* Trading.placeStop(world, account, side, trigger, limit)
      yield* Trading.tradeAt(world, market, priceText(market, trigger))
      const [waiting = {}, activated = {}] = yield* StreamOrders.expectEvents(listening, id, [created, created])
      yield* StreamOrders.shows("the order that waits", waiting, { type: "stop limit", activated: 0 })
      yield* StreamOrders.shows("the activated order", activated, {
        ...LiveOrders.ordered("stop limit", {
          market: market.name,
          side,
          amount: "0.01",
          price: priceText(market, limit),
          activation_price: priceText(market, trigger)
        }),
        ...LiveOrders.filled("0.01", []),
        activated: 1
      })
    })
  })
]

const pageKinds = (found: unknown, records: number) => {
  const page = Streams.objectOf(found)
  return Array.isArray(page["records"]) && page["records"].length <= records
}

const requestRules: ReadonlyArray<Rule.Rule> = [
  forEach("streams.orders.request", {
    statement: "Responds to the request for open orders with a page of open orders, including waiting stop orders, as "
      + "the HTTP call shows them",
    values: [[0, 100], [0, 2], [1, 1], [4, 10]] as const,
    check: Effect.fnUntraced(function*(world, [offset, limit]) {
      const account = yield* world.open()
      const { market, other } = yield* StreamMarkets.pair(world)
      for (const [{ name }, percent] of [[market, -10], [market, -11], [other, -12], [market, -13]] as const) {
        const price = above(market, percent)
        const fields = { market: name, side: "buy", amount: "0.01", price }
        yield* LiveOrders.place(world, account, Paths.limitOrder, fields)
      }
      yield* Orders.place(world, account, Paths.stopLimit, Orders.stopLimit(market, "buy"))
      const connection = yield* Streams.authorized(world, account)
      const open = yield* LiveOrders.open(world, account, { market: market.name })
      const asked = ["ordersPending_request", market.name, offset, limit] as const
      const { reply, result } = yield* Streams.ask(connection, ...asked)
      const page = Streams.objectOf(result)
      const orders = Streams.listOf(page["records"]).map(StreamOrders.toOrder)
      const count = Math.max(0, Math.min(limit, open.records.length - offset))
      yield* Streams.expect(
        reply,
        `limit ${limit}, offset ${offset}, total ${open.records.length} and ${count} different orders`,
        page["limit"] === limit && page["offset"] === offset && page["total"] === open.records.length &&
          pageKinds(page, count) && new Set(orders.map(({ orderId }) => orderId)).size === count
      )
      for (const order of orders) {
        const same = open.records.find(({ orderId }) => orderId === order["orderId"])
        const { market: name, side, amount, price, left, type, timestamp, clientOrderId } = same ?? {}
        const expected = { market: name, side, amount, price, left, type, timestamp, clientOrderId }
        yield* StreamOrders.shows("a listed order", order, same === undefined ? { orderId: "none" } : expected)
      }
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...eventRules, ...requestRules]
