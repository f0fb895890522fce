/**
 * Rules about deals and executed orders over a WebSocket: they must equal the records that the calls for fills and
 * order history return.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { above } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as StreamOrders from "../world/StreamOrders.ts"
import * as Streams from "../world/Streams.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

const deals = Streams.documented("Deals")
const executed = Streams.documented("Orders executed")

/** The numbers that stand for limit orders in messages, and those for market orders. */
const limitTypes = [1, 7]
const marketTypes = [2, 8, 202]

/** The fields of a pushed deal, in their sequence. */
const columns = [
  "id",
  "time",
  "market",
  "order_id",
  "price",
  "amount",
  "fee",
  "client_order_id",
  "side",
  "role",
  "fee_asset"
]

const rowOf = (params: unknown): Body =>
  Object.fromEntries(Streams.listOf(params).map((value, at) => [columns[at], value]))

/** Returns a deal with the keys and values of the call for fills. In older messages, the numbers are strings. */
const toFill = (deal: Body): Body => ({
  id: deal["id"],
  time: deal["time"],
  market: deal["market"],
  orderId: deal["order_id"],
  price: deal["price"],
  amount: deal["amount"],
  fee: deal["fee"],
  clientOrderId: deal["client_order_id"] ?? "",
  side: { 1: "sell", 2: "buy" }[String(deal["side"])],
  role: Number(deal["role"]),
  feeAsset: deal["fee_asset"]
})

/** The fields that messages and calls must agree on. */
const agreed = [
  "id",
  "time",
  "market",
  "orderId",
  "price",
  "amount",
  "fee",
  "clientOrderId",
  "side",
  "role",
  "feeAsset"
]

/** Returns the fields of a fill that its deal must repeat. */
const expectedOf = (fill: Body): Body =>
  Object.fromEntries(agreed.flatMap((key) => fill[key] === undefined ? [] : [[key, fill[key]]]))

/** Expects exactly one deal for each fill of an account, as the call for fills shows it. */
const areFills = Effect.fnUntraced(
  function*(world: World, account: Account, shown: ReadonlyArray<Body>, count: number) {
    const { records } = yield* LiveOrders.executed(world, account)
    yield* Verdict.conclude(
      `${count} deals with different ids`,
      shown,
      shown.length === count && new Set(shown.map(({ id }) => id)).size === count
    )
    for (const deal of shown) {
      const fill = records.find(({ id }) => id === deal["id"])
      const isSame = fill !== undefined && LiveOrders.differences(deal, expectedOf(fill)).length === 0
      yield* Verdict.conclude(`the fill ${Json.stringify(fill ?? "of the call")}`, deal, isSame)
    }
  }
)

/** Makes an account trade twice: as maker and as taker, with different sides, amounts and prices. */
const tradeTwice = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  market: Market,
  path = Paths.limitOrder
) {
  const other = yield* world.open()
  const order = (percent: number, side: Orders.Side, amount: string) => ({
    market: market.name,
    side,
    amount,
    price: above(market, percent)
  })
  const named = { ...order(1, "sell", "0.01"), clientOrderId: world.unique("deal") }
  const made = yield* Trading.placeOther(world, account, named, path)
  const one = yield* Trading.placeOther(world, other, order(1, "buy", "0.01"), path)
  const two = yield* Trading.placeOther(world, other, order(-1, "sell", "0.02"), path)
  const took = yield* Trading.placeOther(world, account, order(-1, "buy", "0.02"), path)
  return { made, took, others: [one["orderId"], two["orderId"]] }
})

const dealRules: ReadonlyArray<Rule.Rule> = [
  deals.forEach("streams.deals.pushed", {
    statement:
      "Pushes each deal after the subscription once, as maker and as taker, as the call for fills shows it, and no earlier deal",
    values: [["market", Paths.limitOrder], ["all", Paths.limitOrder], ["market", Paths.collateralLimit]] as const,
    check: Effect.fnUntraced(function*(world, [which, path]) {
      const market = yield* world.market
      const account = yield* world.open()
      const markets = which === "all" ? [] : [market.name]
      // Once an earlier connection has seen earlier deals, they must not be pushed to a new connection.
      if (which === "all") {
        const earlier = yield* Streams.subscribe(yield* Streams.authorized(world, account), "deals", markets)
        yield* tradeTwice(world, account, market, path)
        yield* Streams.sees(earlier, "two deals", (pushed) => pushed.length >= 2 ? true : undefined)
      }
      const connection = yield* Streams.authorized(world, account)
      const listening = yield* Streams.subscribe(connection, "deals", markets)
      yield* tradeTwice(world, account, market, path)
      yield* Streams.sees(listening, "two deals", (pushed) => pushed.length >= 2 ? true : undefined)
      yield* Streams.linger(connection)
      yield* areFills(world, account, Streams.pushed(listening).map(rowOf).map(toFill), 2)
    })
  }),
  deals.always("streams.deals.each", {
    statement: "Pushes each of several deals of one order",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const account = yield* world.open()
      const connection = yield* Streams.authorized(world, account)
      const listening = yield* Streams.subscribe(connection, "deals", [market.name])
      const terms = { market: market.name, price: above(market, 1) }
      yield* Trading.placeOther(world, account, { ...terms, side: "sell", amount: "0.03" })
      for (const amount of ["0.01", "0.02"]) {
        yield* Trading.placeOther(world, yield* world.open(), { ...terms, side: "buy", amount })
      }
      yield* Streams.sees(listening, "two deals", (pushed) => pushed.length >= 2 ? true : undefined)
      yield* areFills(world, account, Streams.pushed(listening).map(rowOf).map(toFill), 2)
    })
  }),
  deals.forEach("streams.deals.request", {
    statement: "Responds to the request for deals with a page of deals, as the call for fills shows them",
    values: [[0, 100], [0, 1], [1, 10], [2, 10]] as const,
    check: Effect.fnUntraced(function*(world, [offset, limit]) {
      const market = yield* world.market
      const account = yield* world.open()
      const { others } = yield* tradeTwice(world, account, market)
      const connection = yield* Streams.authorized(world, account)
      const { reply, result } = yield* Streams.ask(connection, "deals_request", market.name, offset, limit)
      const page = Streams.objectOf(result)
      yield* Streams.expect(
        reply,
        `limit ${limit}, offset ${offset}, and a list of records`,
        page["limit"] === limit && page["offset"] === offset && Array.isArray(page["records"])
      )
      const records = Streams.listOf(page["records"]).map(Streams.objectOf)
      yield* areFills(world, account, records.map(toFill), Math.max(0, Math.min(limit, 2 - offset)))
      yield* Streams.expect(
        reply,
        "a deal that is the price times the amount, and the id of the counterparty's order",
        records.every(({ deal_order_id: id }) => others.includes(id)) &&
          records.every(({ amount, deal, price }) => Math.abs(Number(deal) - Number(price) * Number(amount)) < 1e-6)
      )
    })
  })
]

/** Returns the order in a message about executed orders. */
const orderOf = (params: unknown): Body => StreamOrders.toOrder(Streams.listOf(params)[0])

/** The fields of a closed order on which the messages and order history must agree. */
const terms = [
  "market",
  "side",
  "type",
  "amount",
  "price",
  "dealStock",
  "dealMoney",
  "dealFee",
  "status",
  "timestamp",
  "clientOrderId"
]

/** Expects that order history shows an order with the same values. */
const isInHistory = Effect.fnUntraced(function*(world: World, account: Account, order: Body) {
  const { records } = yield* LiveOrders.ended(world, account)
  const same = records.find(({ orderId }) => orderId === order["orderId"])
  const expected = Object.fromEntries(terms.flatMap((key) => same?.[key] === undefined ? [] : [[key, same[key]]]))
  yield* StreamOrders.shows(
    "an order in the response of the order history call",
    order,
    same === undefined ? { orderId: "none" } : expected
  )
})

const executedRules: ReadonlyArray<Rule.Rule> = [
  executed.always("streams.executed.pushed", {
    statement: "Pushes each filled order once, as order history shows it, and no order that is still open",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const account = yield* LiveOrders.customer(world)
      const connection = yield* Streams.authorized(world, account)
      const listening = yield* Streams.subscribe(connection, "ordersExecuted", [market.name], 0)
      const price = above(market, 10)
      const terms = { market: market.name, side: "sell", amount: "0.01", price }
      const { orderId: canceled } = yield* Trading.placeOther(world, account, terms)
      yield* Trading.placeOther(world, account, { market: market.name, orderId: canceled }, Paths.cancelOrder)
      yield* Trading.placeOther(world, account, terms)
      const { made, took } = yield* tradeTwice(world, account, market)
      const ids = [made["orderId"], took["orderId"]]
      // The exchange may also push an order that was canceled before it traded.
      const found = (pushed: ReadonlyArray<unknown>) =>
        pushed.map(orderOf).filter(({ orderId }) => orderId !== canceled)
      yield* Streams.sees(
        listening,
        `the orders ${ids.join(", ")}`,
        (pushed) => found(pushed).length >= ids.length ? true : undefined
      )
      yield* Streams.linger(connection)
      const all = found(Streams.pushed(listening)).map(({ orderId }) => orderId)
      yield* Verdict.conclude(
        `the orders ${ids.join(", ")}, once each`,
        all,
        all.length === ids.length && ids.every((id) => all.includes(id))
      )
      for (const order of found(Streams.pushed(listening))) yield* isInHistory(world, account, order)
    })
  }),
  executed.always("streams.executed.filter", {
    statement: "Pushes only limit orders to a subscription with the filter 1, and only market orders with 2",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const account = yield* world.open()
      const connections = [yield* Streams.authorized(world, account), yield* Streams.authorized(world, account)]
      const all = yield* Effect.forEach(
        connections,
        (connection, at) => Streams.subscribe(connection, "ordersExecuted", [market.name], at + 1)
      )
      yield* tradeTwice(world, account, market)
      const other = yield* world.open()
      const offer = { market: market.name, side: "sell", amount: "0.02", price: above(market, 1) }
      yield* Trading.placeOther(world, other, offer)
      yield* Trading.placeOther(world, account, { market: market.name, side: "buy", amount: "410" }, Paths.marketOrder)
      for (const listening of all) yield* Streams.seesOne(listening, "an executed order", () => true)
      for (const [at, listening] of all.entries()) {
        yield* Streams.linger(listening.connection)
        const types: ReadonlyArray<unknown> = at === 0 ? limitTypes : marketTypes
        const typeOf = (params: unknown) => Streams.objectOf(Streams.listOf(params)[0])["type"]
        yield* Streams.hasNone(
          listening,
          `with a type other than ${types.join(", ")}`,
          (params) => !types.includes(typeOf(params))
        )
      }
    })
  }),
  executed.always("streams.executed.pages", {
    statement: "Pages executed orders by offset and limit: each is on exactly one page",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const account = yield* LiveOrders.customer(world)
      const { made, took } = yield* tradeTwice(world, account, market)
      const connection = yield* Streams.authorized(world, account)
      const filter = { market: market.name, order_types: limitTypes }
      const ids: Array<unknown> = []
      for (const [offset, count] of [[0, 1], [1, 1], [2, 0]] as const) {
        const { reply, result } = yield* Streams.ask(connection, "ordersExecuted_request", filter, offset, 1)
        const page = Streams.objectOf(result)
        const records = Streams.listOf(page["records"])
        yield* Streams.expect(
          reply,
          `limit 1, offset ${offset}, and ${count} orders`,
          page["limit"] === 1 && page["offset"] === offset && records.length === count
        )
        ids.push(...records.map((record) => StreamOrders.toOrder(record)["orderId"]))
      }
      const expected = [made["orderId"], took["orderId"]]
      yield* Verdict.conclude(`the orders ${expected.join(", ")}`, ids, expected.every((id) => ids.includes(id)))
    })
  }),
  executed.forEach("streams.executed.request", {
    statement:
      "Responds to the request for executed orders with orders of the given types, as order history shows them",
    values: [[limitTypes, 2], [marketTypes, 1]] as const,
    check: Effect.fnUntraced(function*(world, [types, count]) {
      const market = yield* world.market
      const account = yield* LiveOrders.customer(world)
      yield* tradeTwice(world, account, market)
      const offer = { market: market.name, side: "sell", amount: "0.02", price: above(market, 1) }
      yield* Trading.placeOther(world, yield* world.open(), offer)
      yield* Trading.placeOther(world, account, { market: market.name, side: "buy", amount: "410" }, Paths.marketOrder)
      const connection = yield* Streams.authorized(world, account)
      const filter = { market: market.name, order_types: types }
      const { reply, result } = yield* Streams.ask(connection, "ordersExecuted_request", filter, 0, 100)
      const page = Streams.objectOf(result)
      const records = Streams.listOf(page["records"])
      yield* Streams.expect(
        reply,
        `limit 100, offset 0, and ${count} orders with a type among ${types.join(", ")}`,
        page["limit"] === 100 && page["offset"] === 0 && records.length === count &&
          records.every((order) => Json.isObject(order) && types.some((type) => type === order["type"]))
      )
      for (const record of records) yield* isInHistory(world, account, StreamOrders.toOrder(record))
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...dealRules, ...executedRules]
