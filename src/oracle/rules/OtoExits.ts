/**
 * Rules about the exits of positions that were opened by margin orders with take-profit or stop-loss. Only the live
 * exchange's documentation describes these exits.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Kinds from "../world/Kinds.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

type Leg = "takeProfit" | "stopLoss"

const legs: ReadonlyArray<Leg> = ["takeProfit", "stopLoss"]

const cases = Orders.sides.flatMap((side) => legs.map((leg) => ({ side, leg })))

/** The calls that open a position with exits. */
const entries = [Paths.collateralLimit, Paths.collateralMarketOrder]

const exitOf = (market: Market, side: Orders.Side): { readonly [K in Leg]: string } => {
  const [above, below] = [priceText(market, market.price * 1.05), priceText(market, market.price * 0.95)]
  return side === "buy" ? { takeProfit: above, stopLoss: below } : { takeProfit: below, stopLoss: above }
}

const amount = "0.02"

/** Opens a position of 0.02 with these exits. */
const enter = Effect.fnUntraced(function*(
  world: World,
  side: Orders.Side,
  chosen: ReadonlyArray<Leg> = legs,
  path: string = Paths.collateralLimit
) {
  const [account, other] = [yield* LiveOrders.customer(world), yield* world.open()]
  const market = yield* world.market
  const price = priceText(market, market.price)
  const fields = { market: market.name, amount, price }
  yield* LiveOrders.place(world, other, Paths.collateralLimit, { ...fields, side: Orders.opposite(side) })
  const prices = exitOf(market, side)
  const exit = Object.fromEntries(chosen.map((leg) => [leg, prices[leg]]))
  const { price: _price, ...unpriced } = fields
  const terms = path === Paths.collateralLimit ? fields : unpriced
  const { answer, order } = yield* LiveOrders.place(world, account, path, { ...terms, side, ...exit })
  return { account, answer, market, prices, order, side }
})

type Entered = Effect.Success<ReturnType<typeof enter>>

/** Expects that the account has no orders and no position, and that its only fills are the entry and the exit. */
const isOut = Effect.fnUntraced(function*(world: World, { account, market, order, side }: Entered) {
  yield* LiveOrders.lists(yield* LiveOrders.open(world, account), "no open orders", "orderId", [])
  const positions = yield* LiveCalls.list(world, account, Paths.openPositions, { market: market.name })
  yield* Verdict.expect(positions.answer, "no positions", positions.items.length === 0)
  const fills = yield* LiveOrders.executed(world, account, { market: market.name })
  yield* LiveOrders.lists(fills, "fills of entry and exit", "side", [
    { side, amount, price: priceText(market, market.price), orderId: order["orderId"] },
    { side: Orders.opposite(side), amount }
  ])
})

const open = Effect.fnUntraced(function*(world: World, account: Account, expected: ReadonlyArray<Body>) {
  yield* LiveOrders.lists(yield* LiveOrders.open(world, account), "exits", "activation_price", expected)
})

/** Places an order with exits that rests far from the market. */
const rest = Effect.fnUntraced(function*(world: World, path: string, more: Body) {
  const account = yield* LiveOrders.customer(world)
  const market = yield* world.market
  const [takeProfit, stopLoss] = [priceText(market, market.price), priceText(market, market.price * 0.4)]
  const terms = { market: market.name, side: "buy", amount, price: Orders.lowPrice(market), takeProfit, stopLoss }
  const fields = { ...terms, clientOrderId: world.unique("oto"), stp: "co", ...more }
  return { account, fields, ...yield* LiveOrders.place(world, account, path, fields) }
})

export const rules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("oto.placed", {
    statement: "Shows both exit prices and the group's id in the response to an order",
    values: entries,
    check: Effect.fnUntraced(function*(world, path) {
      const { answer, order: { oto }, prices } = yield* enter(world, "buy", legs, path)
      const shown = Json.isObject(oto) ? oto : {}
      yield* LiveOrders.shows({ answer }, "oto", shown, prices)
      yield* Verdict.expect(answer, "an integer otoId", Kinds.integer.holds(shown["otoId"]))
    })
  }),
  LiveCalls.section.forEach("oto.exits", {
    statement: "Places exits that close the filled amount: on the other side, at their prices, and not yet activated",
    values: entries.flatMap((path) => Orders.sides.map((side) => ({ path, side }))),
    check: Effect.fnUntraced(function*(world, { path, side }) {
      const { account, market, prices } = yield* enter(world, side, legs, path)
      const exit = { market: market.name, side: Orders.opposite(side), ...LiveOrders.filled(amount, []), activated: 0 }
      yield* open(world, account, legs.map((leg) => ({ ...exit, amount, activation_price: prices[leg] })))
    })
  }),
  LiveCalls.section.forEach("oto.alone", {
    statement: "Places only the exit that the order asks for",
    values: cases,
    check: Effect.fnUntraced(function*(world, { leg, side }) {
      const entered = yield* enter(world, side, [leg])
      yield* open(world, entered.account, [{ activation_price: entered.prices[leg] }])
      yield* Trading.movePrice(world, entered.market, Number(entered.prices[leg]))
      yield* isOut(world, entered)
    })
  }),
  LiveCalls.section.forEach("oto.triggered", {
    statement:
      "Places a margin stop order's exits once the order is filled, and closes the position at the exits' prices",
    values: [Paths.triggerMarket, Paths.collateralStopLimit].flatMap((path) =>
      cases.map((exit) => ({ path, ...exit }))
    ),
    check: Effect.fnUntraced(function*(world, { leg, path, side }) {
      const [account, other] = [yield* LiveOrders.customer(world), yield* world.open()]
      const market = yield* world.market
      const away = side === "buy" ? 1 : -1
      const at = (percent: number) => priceText(market, market.price * (1 + away * percent / 100))
      const prices = { takeProfit: at(10), stopLoss: at(-5) }
      const terms = { market: market.name, amount, activation_price: at(2) }
      const limit = path === Paths.triggerMarket ? {} : { price: at(4) }
      const { order } = yield* LiveOrders.place(world, account, path, { ...terms, ...limit, ...prices, side })
      yield* LiveOrders.lists(yield* LiveOrders.open(world, account), "only the order", "orderId", [
        { orderId: order["orderId"] }
      ])
      const against = { market: market.name, amount, price: at(3), side: Orders.opposite(side) }
      yield* LiveOrders.place(world, other, Paths.collateralLimit, against)
      yield* Trading.tradeAt(world, market, at(2))
      const exit = { market: market.name, side: Orders.opposite(side), amount }
      yield* open(world, account, legs.map((leg) => ({ ...exit, activation_price: prices[leg] })))
      yield* Trading.movePrice(world, market, Number(prices[leg]))
      const positions = yield* LiveCalls.list(world, account, Paths.openPositions, { market: market.name })
      yield* Verdict.expect(positions.answer, "no positions", positions.items.length === 0)
    })
  }),
  LiveCalls.section.forEach("oto.once", {
    statement: "Exits a position only once: after one exit, the other exit's price triggers nothing",
    values: cases,
    check: Effect.fnUntraced(function*(world, { leg, side }) {
      const entered = yield* enter(world, side)
      const { market, prices } = entered
      yield* Trading.movePrice(world, market, Number(prices[leg]))
      yield* Trading.movePrice(world, market, Number(prices[leg === "stopLoss" ? "takeProfit" : "stopLoss"]))
      yield* isOut(world, entered)
    })
  }),
  LiveCalls.section.forEach("oto.order", {
    statement: "Shows a conditional order with both exit prices, and its order as the response to its placement does",
    values: [[Paths.collateralLimit], [Paths.collateralLimit, "postOnly"]] as const,
    check: Effect.fnUntraced(function*(world, [path, option]) {
      const { account, fields, order } = yield* rest(world, path, option === undefined ? {} : { [option]: true })
      const expected = {
        ...LiveOrders.ordered("limit", fields),
        ...LiveOrders.filled(amount, []),
        ...LiveOrders.identity(order)
      }
      yield* LiveOrders.lists(yield* LiveOrders.open(world, account), "the order", "orderId", [expected])
      const { answer, records: [record = {}] } = yield* LiveOrders.conditional(world, account)
      const { conditionalOrder, stopLossPrice, takeProfitPrice } = record
      const found = Json.isObject(conditionalOrder) ? LiveOrders.toOrder(conditionalOrder) : {}
      yield* LiveOrders.shows({ answer }, "the order", found, expected)
      yield* LiveOrders.shows({ answer }, "its exits", { stopLossPrice, takeProfitPrice }, {
        stopLossPrice: fields.stopLoss,
        takeProfitPrice: fields.takeProfit
      })
    })
  }),
  LiveCalls.section.forEach("oto.unfilled", {
    statement: "Places no exit for an order that is canceled before it is filled",
    values: [Paths.cancelOto, Paths.cancelConditional],
    check: Effect.fnUntraced(function*(world, path) {
      const { account, fields: { market }, order } = yield* rest(world, Paths.collateralLimit, {})
      const oto = Json.isObject(order["oto"]) ? order["oto"] : {}
      const key = path === Paths.cancelOto ? "otoId" : "id"
      yield* LiveCalls.list(world, account, path, { market, [key]: oto["otoId"] })
      yield* open(world, account, [])
      const history = yield* LiveOrders.ended(world, account)
      yield* LiveOrders.lists(history, "the canceled order", "orderId", [
        { orderId: order["orderId"], status: "CANCELED", amount, dealStock: "0" }
      ])
    })
  })
]
