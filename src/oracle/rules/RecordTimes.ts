/**
 * Rules about orders that are placed, traded, triggered and closed at different times, as an account's lists show them
 * afterwards. Only the live exchange's documentation describes these lists.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import type * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { basePrice, perpetual } from "../world/Markets.ts"
import { number } from "../world/Numbers.ts"
import * as Oco from "../world/OcoOrders.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as RecordLists from "../world/RecordLists.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import * as Wallets from "../world/Wallets.ts"
import type { Account, Body, World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

/** The time between two events, in milliseconds. */
const pause = 7000

/** Advances the clock to the next event, and returns the event's time in seconds. */
const next = Effect.fnUntraced(function*(world: World) {
  yield* world.advance(pause)
  return (yield* world.now) / 1000
})

/** Returns the closed orders with this id, as the response shows them. */
const past = Effect.fnUntraced(function*(world: World, account: Account, fields: Body) {
  const answer = yield* LiveCalls.call(world, account, Paths.orderHistory, fields)
  const records = Object.values(Json.isObject(answer.json) ? answer.json : {}).flat().filter(Json.isObject)
  return { answer, records: records.filter(({ id }) => id === fields["orderId"]) }
})

/** Expects that a record shows these times, in seconds, give or take `slack` seconds. */
const showsTimes = (
  answer: Target.Answer,
  record: Body | undefined,
  times: Readonly<Record<string, number>>,
  slack = 0.01
) =>
  Verdict.conclude(
    Json.stringify(times),
    record ?? "no record",
    Object.entries(times).every(([key, time]) => Math.abs(Number(record?.[key]) - time) < slack),
    answer
  )

/** Expects that records are fills of 0.01 at exactly these times. */
const areFillsAt = ({ answer, records }: LiveOrders.Shown, times: ReadonlyArray<number>) =>
  Verdict.expect(
    answer,
    `fills of 0.01 at ${times.join(", ")}`,
    records.length === times.length && records.every(({ amount }) => Number(amount) === 0.01) &&
      times.every((time) => records.some((record) => Math.abs(Number(record["time"]) - time) < 0.01))
  )

/** Expects that an order shows the sums of its deals. */
const showsSums = (answer: Target.Answer, order: Body, deals: ReadonlyArray<Body>) =>
  Verdict.conclude(
    `dealStock, dealMoney and dealFee as the sums of ${Json.stringify(deals)}`,
    order,
    Object.entries({ dealStock: "amount", dealMoney: "deal", dealFee: "fee" }).every(([key, part]) =>
      RecordLists.isNear(number(order, key), deals.reduce((sum, deal) => sum + number(deal, part), 0))
    ),
    answer
  )

/** The time until the kill switch cancels the orders, in seconds. */
const timeout = "5"

/** Closes an order, or all orders of its market. */
const end = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: string,
  { market, orderId }: Body,
  price: string,
  side: Orders.Side
) {
  if (path === Paths.limitOrder || path === Paths.collateralLimit) {
    const fields = { market, side: Orders.opposite(side), amount: "0.01", price }
    yield* LiveOrders.takeAt(world, fields, path)
    return
  }
  const one = { market, orderId }
  const answer = yield* LiveCalls.call(
    world,
    account,
    path,
    path === Paths.cancelAll
      ? { market }
      : path === Paths.cancelBulk
      ? { orders: [one] }
      : path === Paths.killSwitch
      ? { market, timeout }
      : one
  )
  yield* Verdict.expect(answer, "success", Refusals.isSuccess(answer))
})

/** Orders on each kind of market, and the calls that close them. */
const endings = [
  { path: Paths.limitOrder, side: "sell", by: Paths.cancelOrder },
  { path: Paths.limitOrder, side: "buy", by: Paths.cancelAll },
  { path: Paths.collateralLimit, side: "buy", by: Paths.cancelBulk, isFuture: true },
  { path: Paths.limitOrder, side: "sell", by: Paths.killSwitch },
  { path: Paths.limitOrder, side: "buy", by: Paths.limitOrder },
  { path: Paths.collateralLimit, side: "sell", by: Paths.collateralLimit, isFuture: true }
] as const

/** Fields of past orders that only orders with a trigger have. */
const triggerFields: ReadonlyArray<string> = ["activated", "activationPrice", "activationCondition"]

const partRules: ReadonlyArray<Rule.Rule> = [
  forEach("times.parts", {
    statement:
      "Shows when a partly filled order was placed, traded and, at last, filled or canceled: only then as past",
    values: endings,
    check: (world, { by, path, side, ...rest }) =>
      world.whileFrozen(Effect.gen(function*() {
        const account = yield* LiveOrders.customer(world)
        const market = "isFuture" in rest ? perpetual : (yield* world.market).name
        if (market === perpetual) yield* world.control("MovePrice", { market, price: String(basePrice) })
        const price = String(basePrice)
        const first = yield* next(world)
        const { order } = yield* LiveOrders.place(world, account, path, { market, side, amount: "0.03", price })
        const id = { market, orderId: order["orderId"] }
        const take = { market, side: Orders.opposite(side), amount: "0.01", price }
        const fills: Array<number> = []
        for (let count = 0; count < 2; count++) {
          fills.push(yield* next(world))
          yield* LiveOrders.takeAt(world, take, path)
        }
        yield* next(world)
        const open = yield* LiveOrders.open(world, account, id)
        yield* showsTimes(open.answer, open.records[0], { timestamp: first })
        for (const fields of [{ market }, {}, id]) {
          yield* LiveOrders.lists(yield* LiveOrders.ended(world, account, fields), "no past orders", "orderId", [])
        }
        const isFilled = by === path
        const last = yield* next(world)
        if (isFilled) fills.push(last)
        yield* end(world, account, by, id, price, side)
        yield* next(world)
        const { answer, records: [record = {}] } = yield* past(world, account, id)
        yield* showsTimes(answer, record, { ctime: first })
        yield* by === Paths.killSwitch
          ? showsTimes(answer, record, { ftime: last + Number(timeout) }, 2.5)
          : showsTimes(answer, record, { ftime: last })
        const given = triggerFields.filter((key) => Object.hasOwn(record, key))
        yield* Verdict.expect(
          answer,
          `no ${triggerFields.join(", ")} of an order without a trigger`,
          given.length === 0
        )
        const deals = yield* LiveOrders.deals(world, account, id.orderId)
        yield* areFillsAt(deals, fills)
        yield* showsSums(answer, record, deals.records)
        yield* areFillsAt(yield* LiveOrders.executed(world, account, { market }), fills)
        const parts = yield* LiveOrders.ended(world, account, { market, status: "PARTIALLY_FILLED" })
        // The documentation does not say which canceled orders this status selects.
        yield* Verdict.expect(parts.answer, "no filled order", !isFilled || parts.records.length === 0)
        for (const status of ["FILLED", "CANCELED"]) {
          const expected = (status === "FILLED") === isFilled
            ? [{ ...id, status, dealStock: `0.0${fills.length}` }]
            : []
          const shown = yield* LiveOrders.ended(world, account, { market, status })
          yield* LiveOrders.lists(shown, `orders of status ${status}`, "orderId", expected)
        }
      }))
  }),
  forEach("times.triggered", {
    statement: "Shows when a stop order was placed, when it was triggered, if it shows that, and when it was canceled",
    values: [Paths.stopLimit, Paths.collateralStopLimit].flatMap((path) =>
      Orders.sides.map((side) => ({ path, side }))
    ),
    check: (world, { path, side }) =>
      world.whileFrozen(Effect.gen(function*() {
        const account = yield* LiveOrders.customer(world)
        const { name: market } = yield* world.market
        const sign = side === "buy" ? 1 : -1
        const first = yield* next(world)
        const { order } = yield* LiveOrders.place(world, account, path, {
          market,
          side,
          amount: "0.02",
          activation_price: String(basePrice * (1 + sign * 0.05)),
          // The order rests, because the price does not reach its limit.
          price: String(basePrice * (1 - sign * 0.2))
        })
        const id = { market, orderId: order["orderId"] }
        const second = yield* next(world)
        yield* world.control("MovePrice", { market, price: String(basePrice * (1 + sign * 0.06)) })
        yield* next(world)
        const open = yield* LiveOrders.open(world, account, id)
        yield* LiveOrders.lists(open, "the triggered order", "orderId", [{ orderId: id.orderId, activated: 1 }])
        yield* showsTimes(open.answer, open.records[0], { timestamp: first })
        const last = yield* next(world)
        yield* LiveOrders.place(world, account, Paths.cancelOrder, id)
        yield* next(world)
        const { answer, records: [record = {}] } = yield* past(world, account, id)
        yield* showsTimes(answer, record, { ctime: first, ftime: last })
        const { activated = second } = record
        yield* Verdict.expect(
          answer,
          `activated ${second}, which may be rounded to a second`,
          Math.abs(Number(activated) - second) <= 1
        )
      }))
  }),
  forEach("times.pairs", {
    statement: "Shows that both legs of an OCO order closed when its take-profit was filled, or when it was canceled",
    values: Orders.sides.flatMap((side) => [true, false].map((isFilled) => ({ side, isFilled }))),
    check: (world, { isFilled, side }) =>
      world.whileFrozen(Effect.gen(function*() {
        const account = yield* LiveOrders.customer(world)
        const market = yield* world.market
        const first = yield* next(world)
        const fields = Orders.oco(market, side, { amount: "0.02" })
        const { order: pair } = yield* Orders.place(world, account, Paths.oco, fields)
        const last = yield* next(world)
        if (isFilled) {
          const take = { market: market.name, side: Orders.opposite(side), amount: "0.02", price: fields["price"] }
          yield* LiveOrders.takeAt(world, take, Paths.collateralLimit)
        } else {
          const canceled = { market: market.name, orderId: pair["id"] }
          const answer = yield* LiveCalls.call(world, account, Paths.cancelOco, canceled)
          yield* Verdict.expect(answer, "success", Refusals.isSuccess(answer))
        }
        yield* next(world)
        for (const leg of Oco.legs) {
          const id = { market: market.name, orderId: Oco.leg(pair, leg)["orderId"] }
          const { answer, records: [record = {}] } = yield* past(world, account, id)
          yield* showsTimes(answer, record, { ctime: first, ftime: last })
          const status = isFilled && leg === "take_profit" ? "FILLED" : "CANCELED"
          yield* Verdict.expect(answer, `status ${status}`, record["status"] === status)
        }
      }))
  })
]

const stateRules: ReadonlyArray<Rule.Rule> = [
  always("records.reused", {
    statement:
      "Shows for a client order id only the account's open order that has it now, not one that is closed or another's",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const clientOrderId = world.unique("reused")
      const fields = { market: market.name, side: "buy", amount: "0.01", price: String(basePrice * 0.8), clientOrderId }
      const id = { market: market.name, clientOrderId }
      const { orderId: one } = yield* Trading.placeOther(world, account, fields)
      yield* LiveOrders.lists(yield* LiveOrders.open(world, account, id), "the order", "orderId", [{ orderId: one }])
      yield* LiveOrders.place(world, account, Paths.cancelOrder, { market: market.name, orderId: one })
      for (const by of [id, { market: market.name, orderId: one }]) {
        yield* LiveOrders.lists(yield* LiveOrders.open(world, account, by), "no open orders", "orderId", [])
      }
      const other = yield* world.open()
      const { orderId: theirs } = yield* Trading.placeOther(world, other, fields)
      yield* LiveOrders.lists(yield* LiveOrders.open(world, account, id), "no open orders", "orderId", [])
      const { orderId: two } = yield* Trading.placeOther(world, account, fields)
      for (const [owner, orderId] of [[account, two], [other, theirs]] as const) {
        yield* LiveOrders.lists(yield* LiveOrders.open(world, owner, id), "the order", "orderId", [{ orderId }])
      }
    })
  }),
  always("balances.all-locked", {
    statement: "Lists the trade balance of an asset that an open order locks completely",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* Wallets.open(world, [["trade", "BTC", "0.02"], ["trade", "USDT", "100"]])
      const market = yield* world.market
      const fields = { market: market.name, side: "sell", amount: "0.02", price: String(basePrice * 1.2) }
      // A target that also locks the fee refuses the order.
      yield* Trading.placeOther(world, account, fields)
      const { answer, json } = yield* LiveCalls.object(world, account, Paths.tradeBalance, {})
      const shown = Json.isObject(json["BTC"]) ? json["BTC"] : {}
      yield* Verdict.expect(
        answer,
        "BTC with available 0 and freeze 0.02",
        Number(shown["available"]) === 0 && Number(shown["freeze"]) === 0.02
      )
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...partRules, ...stateRules]
