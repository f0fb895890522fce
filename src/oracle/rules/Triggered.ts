/**
 * Rules about stop-limit and OCO orders after their activation. Only the live exchange's documentation describes the
 * calls that show such orders.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { priceText } from "../world/Markets.ts"
import { number } from "../world/Numbers.ts"
import * as Oco from "../world/OcoOrders.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

/** The calls that place a stop-limit order, with the call that places a limit order on the same balance. */
const entries = [
  { path: Paths.stopLimit, limit: Paths.limitOrder },
  { path: Paths.collateralStopLimit, limit: Paths.collateralLimit }
].flatMap((entry) => Orders.sides.map((side) => ({ ...entry, side })))

/** The amount of each order. */
const amount = "0.03"

/** Triggers a stop-limit order, which is then the best order on its side. `expected` is how all responses show it. */
const triggered = Effect.fnUntraced(function*(world: World, { limit, path, side }: (typeof entries)[number]) {
  const account = yield* LiveOrders.customer(world)
  const market = yield* world.market
  const trigger = Trading.triggerPrice(side, 10)
  const fields = {
    market: market.name,
    side,
    amount,
    price: priceText(market, trigger * (side === "buy" ? 0.999 : 1.001)),
    activation_price: priceText(market, trigger),
    clientOrderId: world.unique("Triggered"),
    stp: "cn"
  }
  const { order } = yield* LiveOrders.place(world, account, path, fields)
  // Until the order is triggered, an order at its limit price meets nothing.
  const against = { market: market.name, side: Orders.opposite(side), amount: "0.01", price: fields.price }
  const early = yield* LiveOrders.takeAt(world, against, limit)
  yield* Verdict.conclude("no fills before the trigger", early.order, Number(early.order["dealStock"]) === 0)
  const { orderId } = early.order
  yield* Trading.placeOther(world, early.account, { market: market.name, orderId }, Paths.cancelOrder)
  yield* Trading.movePrice(world, market, trigger)
  // The call has no parameter for retail price improvement.
  const { rpi: _rpi, ...terms } = LiveOrders.ordered("stop limit", fields)
  const expected: Body = {
    ...terms,
    ...LiveOrders.filled(amount, []),
    ...LiveOrders.identity(order),
    activated: 1
  }
  return { account, market, fields, order, expected }
})

/** Returns the fields of an order that order history shows. */
const inHistory = ({ activated: _at, left: _left, stp: _stp, ...order }: Body): Body => order

/** Expects that the account's only open order is this one, and that it is found by either id. */
const isListed = Effect.fnUntraced(function*(world: World, account: Account, expected: Body) {
  const { clientOrderId, market, orderId } = expected
  for (const fields of [{}, { market, orderId }, { market, clientOrderId }]) {
    yield* LiveOrders.lists(yield* LiveOrders.open(world, account, fields), "the order", "orderId", [expected])
  }
})

/** Expects that a spot account's only open order locks the funds of its unfilled amount, give or take a fee. */
const locks = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  { money, stock }: Market,
  side: Orders.Side,
  left: number,
  price: number
) {
  const [ticker, locked] = side === "buy" ? [money, left * price] : [stock, left]
  const { answer, of } = yield* LiveOrders.funds(world, account)
  const { freeze } = of(ticker)
  yield* Verdict.expect(
    answer,
    `${locked} ${ticker} in freeze, plus a fee`,
    freeze > locked - 1e-6 && freeze <= locked * 1.01 + 1e-9
  )
})

const orderRules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("live-stops.triggered", {
    statement:
      "Trades no stop-limit order before it is triggered; lists it with its terms, then its fills, and shows both "
      + "when it is canceled",
    values: entries,
    check: Effect.fnUntraced(function*(world, entry) {
      const { account, expected, fields, market: on, order } = yield* triggered(world, entry)
      yield* isListed(world, account, expected)
      const { clientOrderId, market, price } = fields
      const locksOf = (left: number) =>
        entry.path === Paths.stopLimit ? locks(world, account, on, entry.side, left, Number(price)) : Effect.void
      yield* locksOf(Number(amount))
      const against = { market, side: Orders.opposite(entry.side), amount: "0.01", price }
      yield* LiveOrders.takeAt(world, against, entry.limit)
      const parts = [{ amount: 0.01, price: Number(price) }]
      const { dealFee: _fee, ...terms } = expected
      const partly = { ...terms, ...LiveOrders.filled(amount, parts) }
      yield* isListed(world, account, partly)
      yield* locksOf(0.02)
      const deals = yield* LiveOrders.deals(world, account, order["orderId"])
      yield* LiveOrders.lists(deals, "the deal", "amount", [{ amount: "0.01", price, role: 1, clientOrderId }])
      const canceled = { ...partly, status: "CANCELED" }
      const { answer, order: shown } = yield* LiveOrders.place(world, account, Paths.cancelOrder, {
        market,
        clientOrderId
      })
      yield* LiveOrders.shows({ answer }, "the canceled order", shown, canceled)
      yield* LiveOrders.lists(yield* LiveOrders.open(world, account), "no open orders", "orderId", [])
      yield* LiveOrders.lists(yield* LiveOrders.ended(world, account), "the order", "orderId", [inHistory(canceled)])
      yield* locksOf(0)
    })
  })
]

/** Returns the lists of an account's OCO orders. */
const pairsOf = Effect.fnUntraced(function*(world: World, account: Account) {
  const { answer, items } = yield* LiveCalls.list(world, account, Paths.ocoOrders, {})
  const { answer: other, records } = yield* LiveOrders.conditional(world, account)
  return [[answer, items], [other, records]] as const
})

/** Expects that an account has one open position, of this size. */
const hasPosition = Effect.fnUntraced(function*(world: World, account: Account, size: number) {
  const { answer, positions } = yield* LiveCalls.openPositions(world, account)
  yield* Verdict.expect(
    answer,
    `one position of ${size}`,
    positions.length === 1 && Math.abs(Math.abs(number(positions[0] ?? {}, "amount")) - size) < 1e-9
  )
})

const pairRules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("oco-orders.stopped", {
    statement: "Lists a triggered stop-loss as activated; when it is filled, opens a position, cancels the take-profit "
      + "and no longer lists the OCO order",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const fields = Orders.oco(market, side, { amount, stp: "co" })
      const pair = yield* Trading.placeOther(world, account, fields, Paths.oco)
      const [stop, limit] = Oco.legs.map((key) => LiveOrders.toOrder(Oco.leg(pair, key)))
      for (const [answer, records] of yield* pairsOf(world, account)) {
        yield* Verdict.expect(answer, "one OCO order", records.filter(Json.isObject).length === 1)
      }
      yield* Trading.movePrice(world, market, Number(fields["activation_price"]))
      const [orderId, canceled] = [stop?.["orderId"], limit?.["orderId"]]
      const { activation_price, stop_limit_price: price } = fields
      const terms = { orderId, market: market.name, side, price, activation_price, type: "stop limit", stp: "co" }
      // The documentation does not say whether the trigger or the fill ends the pair.
      const open = yield* LiveOrders.open(world, account, { market: market.name, orderId })
      yield* LiveOrders.lists(open, "the stop-loss", "orderId", [
        { ...terms, ...LiveOrders.filled(amount, []), amount, activated: 1 }
      ])
      const against = { market: market.name, side: Orders.opposite(side), amount, price }
      yield* LiveOrders.takeAt(world, against, Paths.collateralLimit)
      yield* hasPosition(world, account, Number(amount))
      const filled = yield* LiveOrders.ended(world, account, { market: market.name, orderId })
      yield* LiveOrders.lists(filled, "the stop-loss", "orderId", [
        { orderId, side, status: "FILLED", dealStock: amount, price }
      ])
      const history = yield* LiveOrders.ended(world, account, { market: market.name, orderId: canceled })
      yield* LiveOrders.lists(history, "the take-profit", "orderId", [
        { orderId: canceled, side, status: "CANCELED", dealStock: "0" }
      ])
      for (const [answer, records] of yield* pairsOf(world, account)) {
        yield* Verdict.expect(answer, "no OCO orders", records.length === 0)
      }
      yield* LiveOrders.lists(yield* LiveOrders.open(world, account), "no open orders", "orderId", [])
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...orderRules, ...pairRules]
