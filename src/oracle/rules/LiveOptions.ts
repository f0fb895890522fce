/**
 * Rules about every call that places orders: the effects of an order's options, the values that a call accepts, and
 * orders on futures markets. Only the live exchange's documentation describes these effects.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { above, basePrice, perpetual } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

const { forEach } = LiveCalls.section

const entries = [Paths.limitOrder, Paths.collateralLimit, Paths.bulk, Paths.collateralBulk] as const

/** Whether the orders of a call are on the collateral balance. */
const isMargin = (path: string): boolean => path.includes("/collateral/")

/** Returns the call that places one limit order on the same balance as another call. */
const limitOn = (path: string): string => isMargin(path) ? Paths.collateralLimit : Paths.limitOrder

const hasNoFills = Effect.fnUntraced(function*(world: World, account: Account) {
  yield* LiveOrders.lists(yield* LiveOrders.executed(world, account), "no fills", "id", [])
})

/** The calls that place a stop order with its trigger below the market, and whether the order has a limit price. */
const stops: ReadonlyArray<readonly [path: string, isLimit: boolean]> = [
  [Paths.stopMarket, false],
  [Paths.triggerMarket, false],
  [Paths.collateralStopLimit, true]
]

const optionRules: ReadonlyArray<Rule.Rule> = [
  forEach("live-options.ioc", {
    statement: "Fills an immediate-or-cancel order as far as possible and cancels its remainder, in every call",
    values: entries.flatMap((path) => Orders.sides.map((side) => ({ path, side }))),
    check: Effect.fnUntraced(function*(world, { path, side }) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const terms = { market: market.name, price: above(market, 0) }
      const offer = { ...terms, side: Orders.opposite(side), amount: "0.01" }
      yield* Trading.placeOther(world, yield* world.open(), offer, limitOn(path))
      const fields = { ...terms, side, amount: "0.03", ioc: true, clientOrderId: world.unique("ioc") }
      const { answer, order } = yield* LiveOrders.place(world, account, path, fields)
      yield* LiveOrders.shows({ answer }, "the order", order, { dealStock: "0.01", left: "0.02", ioc: true })
      yield* LiveOrders.nothingOpen(world, account)
      const ended = yield* LiveOrders.ended(world, account)
      const { clientOrderId } = fields
      const expected = { orderId: order["orderId"], clientOrderId, amount: "0.03", dealStock: "0.01", ioc: true }
      yield* LiveOrders.lists(ended, "the canceled order", "orderId", [{ ...expected, status: "CANCELED" }])
    })
  }),
  forEach("live-options.stp.triggered", {
    statement: "Applies stp when a triggered stop order would match an order of its own account",
    values: stops.flatMap(([path, isLimit]) => (["cn", "co", "cb"] as const).map((stp) => ({ path, isLimit, stp }))),
    check: Effect.fnUntraced(function*(world, { isLimit, path, stp }) {
      const account = yield* world.trader
      const market = yield* world.market
      const old = { market: market.name, side: "buy", amount: "0.02", price: above(market, -5.5) }
      const { orderId } = yield* Trading.placeOther(world, account, old, limitOn(path))
      const stop = { market: market.name, side: "sell", amount: "0.02", activation_price: above(market, -5), stp }
      const fields = isLimit ? { ...stop, price: above(market, -6) } : stop
      const { orderId: own } = yield* Trading.placeOther(world, account, fields, path)
      yield* Trading.tradeAt(world, market, above(market, -5))
      yield* hasNoFills(world, account)
      const { answer, records } = yield* LiveOrders.open(world, account)
      const open = records.map(({ orderId }) => orderId)
      // The documentation does not say what happens to a stop-market order without a match.
      const isLeft = stp === "co" && isLimit
      yield* Verdict.expect(
        answer,
        `the old order ${stp === "cn" ? "open" : "not open"}, the triggered order ${isLeft ? "open" : "not open"}`,
        open.includes(orderId) === (stp === "cn") && (open.includes(own) === isLeft || (stp === "co" && !isLimit))
      )
    })
  })
]

/** The calls that accept numbers in place of decimal strings. */
const numeric: ReadonlyArray<readonly [path: string, fields: (market: Market) => Body]> = [
  ...[Paths.limitOrder, Paths.bulk, Paths.collateralBulk].map((path) =>
    [path, (market: Market) => ({ side: "buy", amount: 0.025, price: market.price * 0.75 })] as const
  ),
  [Paths.stopMarket, (market) => ({ side: "sell", amount: 0.025, activation_price: above(market, -20) })],
  [
    Paths.collateralStopLimit,
    (market) => ({ side: "sell", amount: 0.025, price: market.price * 0.75, activation_price: above(market, -20) })
  ]
]

const valueRules: ReadonlyArray<Rule.Rule> = [
  forEach("live-options.numbers", {
    statement: "Accepts amount and price as numbers, and shows the same values",
    values: numeric,
    check: Effect.fnUntraced(function*(world, [path, draft]) {
      const market = yield* world.market
      const account = yield* world.trader
      const fields = { market: market.name, ...draft(market) }
      const { answer, order } = yield* LiveOrders.place(world, account, path, fields)
      const price = Object.hasOwn(fields, "price") ? { price: String(market.price * 0.75) } : {}
      const expected = { amount: "0.025", left: "0.025", ...price }
      yield* LiveOrders.shows({ answer }, "the order", order, expected)
      const open = yield* LiveOrders.open(world, account)
      yield* LiveOrders.lists(open, "the order", "orderId", [{ ...expected, orderId: order["orderId"] }])
    })
  }),
  forEach("live-options.total", {
    statement: "Refuses an order whose total is below the market's minTotal, and places nothing",
    values: [...entries, Paths.collateralStopLimit],
    check: Effect.fnUntraced(function*(world, path) {
      const market = yield* world.market
      const account = yield* world.trader
      const steps = Math.floor(market.minTotal * 0.9 / (market.price * 0.75) / market.step)
      const amount = (steps * market.step).toFixed(market.stockPrecision)
      if (Number(amount) < market.minAmount) return yield* Verdict.skip("the smallest amount decides on this market")
      const stop = path === Paths.collateralStopLimit ? { activation_price: above(market, -20), side: "sell" } : {}
      const fields = { market: market.name, side: "buy", amount, price: above(market, -25), ...stop }
      const sent = Paths.ofSeveral.includes(path) ? { orders: [fields] } : fields
      const answer = yield* LiveCalls.call(world, account, path, sent)
      const { code } = Refusals.errorOf(answer.json)
      yield* Verdict.expect(answer, "code 30, or 11 or 32", code === 30 || code === 11 || code === 32)
      yield* LiveOrders.nothingOpen(world, account)
    })
  }),
  forEach("live-options.client-order-id.form", {
    statement: "Refuses a client order id that is empty, begins or ends with a space, or is no string: code 36",
    values: [
      Paths.limitOrder,
      Paths.stopMarket,
      Paths.marketOrder,
      Paths.stockMarketOrder,
      Paths.collateralStopLimit
    ],
    check: Effect.fnUntraced(function*(world, path) {
      const account = yield* world.trader
      const market = yield* world.market
      const isStop = path === Paths.stopMarket || path === Paths.collateralStopLimit
      const isLimit = path === Paths.limitOrder || path === Paths.collateralStopLimit
      const fields = {
        market: market.name,
        side: "sell",
        amount: "0.01",
        ...(isLimit ? { price: above(market, isStop ? -22 : 20) } : {}),
        ...(isStop ? { activation_price: above(market, -20) } : {})
      }
      for (const clientOrderId of ["", 5, " lead", "trail "]) {
        const answer = yield* LiveCalls.call(world, account, path, { ...fields, clientOrderId })
        yield* Refusals.coded(
          answer,
          { status: 422, codes: [30, 36] },
          `because its id is ${Json.stringify(clientOrderId)}`
        )
      }
      yield* LiveOrders.nothingOpen(world, account)
      yield* hasNoFills(world, account)
    })
  })
]

const futurePrice = (factor: number): string => String(Math.round(basePrice * factor))

/** Orders on the futures market. */
const onFutures: ReadonlyArray<readonly [path: string, type: string, fields: Body]> = [
  [Paths.collateralLimit, "limit", { side: "buy", price: futurePrice(0.8), postOnly: true }],
  [Paths.collateralStopLimit, "stop limit", {
    side: "sell",
    price: futurePrice(0.78),
    activation_price: futurePrice(0.8)
  }],
  [Paths.triggerMarket, "stop market", { side: "buy", activation_price: futurePrice(1.2) }]
]

const futuresRules: ReadonlyArray<Rule.Rule> = [
  forEach("live-options.futures", {
    statement:
      "Shows an order on a futures market, with positionSide BOTH, alike in its response, the lists and its cancellation",
    values: onFutures,
    check: Effect.fnUntraced(function*(world, [path, type, more]) {
      const account = yield* LiveOrders.customer(world)
      yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
      const fields = { market: perpetual, amount: "0.031", clientOrderId: world.unique("future"), stp: "cn", ...more }
      const { answer, order } = yield* LiveOrders.place(world, account, path, fields)
      const expected: Body = {
        ...LiveOrders.ordered(type, fields),
        ...LiveOrders.identity(order),
        ...LiveOrders.filled("0.031", []),
        positionSide: "BOTH"
      }
      yield* LiveOrders.shows({ answer }, "the order", order, expected)
      const by = { market: perpetual, orderId: order["orderId"] }
      yield* LiveOrders.lists(yield* LiveOrders.open(world, account, by), "the order", "orderId", [expected])
      const canceled = yield* LiveOrders.place(world, account, Paths.cancelOrder, by)
      yield* LiveOrders.shows(canceled, "the order", canceled.order, { ...expected, status: "CANCELED" })
      const { left: _left, stp: _stp, ...ended } = expected
      const history = yield* LiveOrders.ended(world, account, by)
      yield* LiveOrders.lists(history, "the order", "orderId", [{ ...ended, status: "CANCELED" }])
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...optionRules, ...valueRules, ...futuresRules]
