/**
 * Rules about every call that places orders: the effects of an order's options, the order's place in the queue, and its
 * client order id. Only the live exchange's documentation describes these effects.
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

const hasNoneOpen = Effect.fnUntraced(function*(world: World, account: Account) {
  yield* LiveOrders.lists(yield* LiveOrders.open(world, account), "no open orders", "orderId", [])
})

const hasNoFills = Effect.fnUntraced(function*(world: World, account: Account) {
  yield* LiveOrders.lists(yield* LiveOrders.executed(world, account), "no fills", "id", [])
})

/** Expects that exactly these orders of an account are open. */
const leaves = Effect.fnUntraced(function*(world: World, account: Account, ids: ReadonlyArray<unknown>) {
  const open = yield* LiveOrders.open(world, account)
  yield* LiveOrders.lists(open, "the open orders", "orderId", ids.map((orderId) => ({ orderId })))
})

/** Makes a new account place an order through this call. Returns the account and the order's id. */
const rest = Effect.fnUntraced(function*(world: World, path: string, fields: Body) {
  const account = yield* world.open()
  const { orderId } = yield* Trading.placeOther(world, account, fields, path)
  return { account, orderId }
})

const modes = ["no", "cn", "co", "cb"] as const

/** The calls that place market orders, with the amount that buys 0.01. */
const marketCalls = [
  { path: Paths.marketOrder, amount: "400" },
  { path: Paths.stockMarketOrder, amount: "0.01" },
  { path: Paths.collateralMarketOrder, amount: "0.01" }
] as const

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
      yield* rest(world, limitOn(path), { ...terms, side: Orders.opposite(side), amount: "0.01" })
      const fields = { ...terms, side, amount: "0.03", ioc: true, clientOrderId: world.unique("ioc") }
      const { answer, order } = yield* LiveOrders.place(world, account, path, fields)
      yield* LiveOrders.shows({ answer }, "the order", order, { dealStock: "0.01", left: "0.02", ioc: true })
      yield* hasNoneOpen(world, account)
      const ended = yield* LiveOrders.ended(world, account)
      const { clientOrderId } = fields
      const expected = { orderId: order["orderId"], clientOrderId, amount: "0.03", dealStock: "0.01", ioc: true }
      yield* LiveOrders.lists(ended, "the canceled order", "orderId", [{ ...expected, status: "CANCELED" }])
    })
  }),
  forEach("live-options.ioc.unmet", {
    statement: "Leaves no immediate-or-cancel order open that meets no other order",
    values: entries.flatMap((path) => Orders.sides.map((side) => ({ path, side }))),
    check: Effect.fnUntraced(function*(world, { path, side }) {
      const account = yield* world.trader
      const market = yield* world.market
      const price = above(market, side === "buy" ? -10 : 10)
      const fields = { market: market.name, side, amount: "0.01", price, ioc: true }
      yield* LiveCalls.call(world, account, path, Paths.ofSeveral.includes(path) ? { orders: [fields] } : fields)
      yield* hasNoneOpen(world, account)
      yield* hasNoFills(world, account)
    })
  }),
  forEach("live-options.stp.market", {
    statement:
      "Applies stp when a market order would match an order of its own account; with stp no, the orders trade; "
      + "a refused market order may cancel nothing",
    values: marketCalls.flatMap((call) => modes.map((stp) => ({ ...call, stp }))),
    check: Effect.fnUntraced(function*(world, { amount, path, stp }) {
      const account = yield* world.trader
      const market = yield* world.market
      const old = { market: market.name, side: "sell", amount: "0.02", price: above(market, 0) }
      const { orderId } = yield* Trading.placeOther(world, account, old, limitOn(path))
      // Unless `stp` is `no`, the market order must not trade with the old one, so the target may refuse it. It
      // then cancels nothing.
      const placed = yield* LiveCalls.call(world, account, path, { market: market.name, side: "buy", amount, stp })
      const open = yield* LiveOrders.open(world, account)
      const isKept = stp === "no" || stp === "cn"
      const isOpen = open.records.some((record) => record["orderId"] === orderId)
      yield* Verdict.expect(
        open.answer,
        `the old order ${isKept ? "open" : "not open, unless the market order is refused"}`,
        isOpen === isKept || (!isKept && !Refusals.isSuccess(placed))
      )
      if (stp !== "no") return yield* hasNoFills(world, account)
      const { answer, records } = yield* LiveOrders.executed(world, account)
      yield* Verdict.expect(answer, "fills of both orders", records.length === 2)
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
  }),
  forEach("live-options.bbo", {
    statement:
      "Places a limit order with bboRole 1 at the best price of its own side, with 2 at that of the other side",
    values: Orders.sides.flatMap((side) => ([1, 2] as const).map((bboRole) => ({ side, bboRole }))),
    check: Effect.fnUntraced(function*(world, { bboRole, side }) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const away = side === "buy" ? 1 : -1
      for (
        const [of, percent] of [[side, -1], [side, -2], [Orders.opposite(side), 1], [Orders.opposite(side), 2]] as const
      ) {
        const fields = { market: market.name, side: of, amount: "0.01", price: above(market, percent * away) }
        yield* rest(world, Paths.limitOrder, fields)
      }
      const fields = { market: market.name, side, amount: "0.01", bboRole }
      const { answer, order } = yield* LiveOrders.place(world, account, Paths.limitOrder, fields)
      const price = above(market, bboRole === 1 ? -away : away)
      const filled = LiveOrders.filled("0.01", bboRole === 1 ? [] : [{ amount: 0.01, price: Number(price) }])
      const { dealFee: _fee, status: _status, ...deal } = filled
      yield* LiveOrders.shows({ answer }, "the order", order, { side, amount: "0.01", price, ...deal })
      yield* leaves(world, account, bboRole === 1 ? [order["orderId"]] : [])
    })
  }),
  forEach("live-options.priority", {
    statement: "Matches the orders with the best price first, and among those at one price the oldest first",
    values: [Paths.limitOrder, Paths.collateralLimit].flatMap((path) => Orders.sides.map((side) => ({ path, side }))),
    check: Effect.fnUntraced(function*(world, { path, side }) {
      const market = yield* world.market
      const away = side === "buy" ? 1 : -1
      const terms = { market: market.name, amount: "0.01" }
      const makers: Array<Effect.Success<ReturnType<typeof rest>>> = []
      for (const percent of [2, 1, 1]) {
        const fields = { ...terms, side: Orders.opposite(side), price: above(market, percent * away) }
        makers.push(yield* rest(world, path, fields))
      }
      const taker = yield* world.open()
      for (const expected of [1, 2, 0]) {
        yield* Trading.placeOther(world, taker, { ...terms, side, price: above(market, 2 * away) }, path)
        const maker = makers[expected]
        if (maker === undefined) continue
        const { answer, records } = yield* LiveOrders.executed(world, maker.account)
        yield* Verdict.expect(
          answer,
          `one fill, of order ${String(maker.orderId)}, which is next in the queue`,
          records.length === 1 && records[0]?.["orderId"] === maker.orderId
        )
      }
    })
  })
]

/** Returns the error in a bulk call's item or in a single call's response. */
const errorOf = (json: unknown): Body => {
  const [item]: ReadonlyArray<unknown> = Array.isArray(json) ? json : [{ error: json }]
  const error = Json.isObject(item) ? item["error"] : undefined
  return Json.isObject(error) ? error : {}
}

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
      const { code } = errorOf(answer.json)
      yield* Verdict.expect(answer, "code 30, or 11 or 32", code === 30 || code === 11 || code === 32)
      yield* hasNoneOpen(world, account)
    })
  }),
  forEach("live-options.client-order-id.accounts", {
    statement:
      "Accepts a client order id that another account uses, and cancels, changes and lists by it only the caller's order",
    values: [Paths.limitOrder, Paths.collateralLimit].flatMap((path) =>
      [Paths.cancelOrder, Paths.modifyOrder].map((call) => ({ path, call }))
    ),
    check: Effect.fnUntraced(function*(world, { call, path }) {
      const [one, two] = [yield* world.open(), yield* world.open()]
      const market = yield* world.market
      const clientOrderId = world.unique("shared")
      const fields = { market: market.name, side: "buy", amount: "0.01", price: above(market, -20), clientOrderId }
      const { orderId } = yield* Trading.placeOther(world, one, fields, path)
      const { order } = yield* LiveOrders.place(world, two, path, { ...fields, amount: "0.02" })
      const id = { market: market.name, clientOrderId }
      const found = yield* LiveOrders.open(world, two, id)
      yield* LiveOrders.lists(found, "the caller's order", "orderId", [{ orderId: order["orderId"], amount: "0.02" }])
      const change = call === Paths.modifyOrder ? { price: above(market, -22) } : {}
      const { answer, order: changed } = yield* LiveOrders.place(world, two, call, { ...id, ...change })
      yield* LiveOrders.shows({ answer }, "the caller's order", changed, { amount: "0.02", clientOrderId })
      const first = { orderId, clientOrderId, amount: "0.01", price: fields.price }
      yield* LiveOrders.lists(yield* LiveOrders.open(world, one), "the other account's order", "orderId", [first])
    })
  }),
  forEach("live-options.client-order-id.market", {
    statement: "Refuses a market order with the client order id of an open order on the same market: code 36",
    values: marketCalls,
    check: Effect.fnUntraced(function*(world, { amount, path }) {
      const account = yield* world.trader
      const market = yield* world.market
      const clientOrderId = world.unique("twice")
      const own = { market: market.name, side: "buy", amount: "0.01", price: above(market, -20), clientOrderId }
      const { orderId } = yield* Trading.placeOther(world, account, own, limitOn(path))
      yield* rest(world, limitOn(path), { ...own, side: "sell", amount: "0.02", price: above(market, 0) })
      const fields = { market: market.name, side: "buy", amount, clientOrderId }
      yield* LiveCalls.refuses(world, account, path, fields, { codes: [36], key: "clientOrderId" })
      yield* hasNoFills(world, account)
      yield* leaves(world, account, [orderId])
    })
  }),
  forEach("live-options.client-order-id.form", {
    statement: "Refuses a client order id that is empty or no string: code 36",
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
      for (const clientOrderId of ["", 5]) {
        const answer = yield* LiveCalls.call(world, account, path, { ...fields, clientOrderId })
        yield* Refusals.coded(
          answer,
          { status: 422, codes: [30, 36] },
          `because its id is ${JSON.stringify(clientOrderId)}`
        )
      }
      yield* hasNoneOpen(world, account)
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
