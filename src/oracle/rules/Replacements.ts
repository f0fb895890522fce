/**
 * Rules about the order that replaces a changed order: its trigger, its fills, its ids, its funds and its self-trade
 * prevention. Only the live exchange's documentation describes this call.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { above, priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

const { forEach } = LiveCalls.section

/** The calls that place stop orders. */
const stops = [Paths.stopLimit, Paths.stopMarket, Paths.collateralStopLimit, Paths.triggerMarket] as const

type Stop = (typeof stops)[number]

const stopCases = stops.flatMap((path) => Orders.sides.map((side) => ({ path, side })))

const hasLimit = (path: Stop): boolean => path === Paths.stopLimit || path === Paths.collateralStopLimit

/** Returns the call that places one limit order on the same balance as another call. */
const limitOn = (path: string): string => path.includes("/collateral/") ? Paths.collateralLimit : Paths.limitOrder

/** Returns the price `percent` % away from the market's: above it for a buy, below it for a sell. */
const awayFor = (market: Market, side: Orders.Side, percent: number): string =>
  above(market, side === "buy" ? percent : -percent)

/** Whether the amount of an order is the amount to spend, in the quote currency. */
const isQuote = (path: Stop, side: Orders.Side): boolean => path === Paths.stopMarket && side === "buy"

/** Returns the amount of an order that trades `size` in the base currency, at a price 8 percent from the market's. */
const sized = (market: Market, path: Stop, side: Orders.Side, size: number): Body => {
  // A little more than the cost of the amount, because a buy may pay its fee from the same amount.
  const cost = priceText(market, size * Number(awayFor(market, side, 8)) * 1.01)
  return isQuote(path, side) ? { total: cost } : { amount: String(size) }
}

/** Returns a stop order whose limit price, if it has one, is 9 percent from the market's price. */
const stopOf = (market: Market, path: Stop, side: Orders.Side, trigger: string, size = 0.03): Body => {
  const { amount, total } = sized(market, path, side, size)
  return {
    market: market.name,
    side,
    amount: amount ?? total,
    activation_price: trigger,
    ...(hasLimit(path) ? { price: awayFor(market, side, 9) } : {})
  }
}

/** Changes an order. */
const change = (world: World, account: Account, fields: Body) =>
  LiveOrders.place(world, account, Paths.modifyOrder, fields)

/** Whether an order is open and waits for its trigger. */
const waits = Effect.fnUntraced(function*(world: World, account: Account, orderId: unknown) {
  const { records } = yield* LiveOrders.open(world, account)
  return records.some((record) => record["orderId"] === orderId && record["activated"] !== 1)
})

/** Whether two orders show the same trigger. A response may omit the condition. */
const hasSameTrigger = (one: Body, other: Body): boolean =>
  (one["activated"] ?? 0) === (other["activated"] ?? 0) &&
  (one["activationCondition"] ?? other["activationCondition"]) ===
    (other["activationCondition"] ?? one["activationCondition"])

/** Expects that a spot account's orders lock this much of a currency. An order may lock up to one percent more. */
const locks = Effect.fnUntraced(function*(world: World, account: Account, ticker: string, least: number) {
  const { answer, of } = yield* LiveOrders.funds(world, account)
  const { freeze } = of(ticker)
  yield* Verdict.expect(
    answer,
    `${least} ${ticker} in freeze, plus a fee`,
    freeze > least - 1e-6 && freeze <= least * 1.01 + 1e-9
  )
})

const triggerRules: ReadonlyArray<Rule.Rule> = [
  // The documentation derives a trigger's direction from the order's side or from the market's price. Both ways, an
  // order's direction follows from its terms, so a changed order has that of a new order with the same terms.
  forEach("live-changes.like-new", {
    statement: "Gives an order whose activation price moves to the market's other side the trigger that a new order "
      + "with the same terms has",
    values: stopCases.flatMap((stop) => [10, -10].map((percent) => ({ ...stop, percent }))),
    check: Effect.fnUntraced(function*(world, { path, percent, side }) {
      const [account, other] = [yield* LiveOrders.customer(world), yield* LiveOrders.customer(world)]
      const market = yield* world.market
      const [from, to] = [above(market, -percent), above(market, percent)]
      const { orderId } = yield* Trading.placeOther(world, account, stopOf(market, path, side, from), path)
      // If the order does not wait, it cannot be changed.
      if (!(yield* waits(world, account, orderId))) return
      const answer = yield* LiveCalls.call(world, account, Paths.modifyOrder, {
        market: market.name,
        orderId,
        activationPrice: to
      })
      if (!Refusals.isSuccess(answer)) return
      const changed = LiveOrders.toOrder(yield* Orders.objectOf(answer))
      const fresh = LiveOrders.toOrder(
        yield* Trading.placeOther(world, other, stopOf(market, path, side, to), path)
      )
      yield* Verdict.expect(
        answer,
        `activated and activationCondition as in ${Json.stringify(fresh)}`,
        hasSameTrigger(changed, fresh)
      )
      for (const at of [0, percent * 0.6, percent * 1.1]) {
        if (at !== 0) yield* Trading.movePrice(world, market, market.price * (1 + at / 100))
        const waiting = {
          changed: yield* waits(world, account, changed["orderId"]),
          new: yield* waits(world, other, fresh["orderId"])
        }
        yield* Verdict.conclude(`both or neither waiting at ${at} percent`, waiting, waiting.changed === waiting.new)
      }
    })
  }),
  forEach("live-changes.triggered", {
    statement: "Triggers a changed stop order at its new activation price only, and trades its new size",
    values: stopCases.flatMap((stop) => [[3, 6], [8, 6]].map(([from = 0, to = 0]) => ({ ...stop, from, to }))),
    check: Effect.fnUntraced(function*(world, { from, path, side, to }) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const clientOrderId = world.unique("trigger")
      const placed = { ...stopOf(market, path, side, awayFor(market, side, from)), clientOrderId }
      const { orderId: old } = yield* Trading.placeOther(world, account, placed, path)
      const activationPrice = awayFor(market, side, to)
      const { order: { orderId } } = yield* change(world, account, {
        market: market.name,
        orderId: old,
        activationPrice,
        ...sized(market, path, side, 0.02)
      })
      const now = stopOf(market, path, side, activationPrice, 0.02)
      const waiting = { ...now, orderId, clientOrderId, activated: 0, left: now["amount"] }
      const listed = yield* LiveOrders.open(world, account)
      yield* LiveOrders.lists(listed, "the changed order", "orderId", [waiting])
      if (limitOn(path) === Paths.limitOrder) {
        const { amount, price = 1 } = now
        const cost = Number(amount) * (side === "buy" ? Number(price) : 1)
        yield* locks(world, account, side === "buy" ? market.money : market.stock, cost)
      }
      const offer = {
        market: market.name,
        side: Orders.opposite(side),
        amount: "0.05",
        price: awayFor(market, side, 8)
      }
      yield* Trading.placeOther(world, yield* world.open(), offer, limitOn(path))
      yield* Trading.tradeAt(world, market, awayFor(market, side, to - 1))
      const before = yield* LiveOrders.open(world, account)
      yield* LiveOrders.lists(before, "the waiting order", "orderId", [{ orderId, activated: 0, dealStock: "0" }])
      yield* Trading.tradeAt(world, market, awayFor(market, side, to + 1))
      const fills = yield* LiveOrders.executed(world, account)
      const [fill = {}, ...more] = fills.records
      const size = Number(fill["amount"])
      yield* Verdict.expect(
        fills.answer,
        `one fill of 0.02 at ${offer.price} by order ${String(orderId)}`,
        more.length === 0 && fill["orderId"] === orderId && fill["side"] === side && fill["role"] === 2 &&
          fill["clientOrderId"] === clientOrderId && Number(fill["price"]) === Number(offer.price) &&
          (isQuote(path, side) ? size > 0.0195 && size <= 0.0203 : size === 0.02)
      )
    })
  })
]

const limits = [Paths.limitOrder, Paths.collateralLimit] as const

const limitCases = limits.flatMap((path) => Orders.sides.map((side) => ({ path, side })))

/** Places an order of 0.03 that waits 5 percent from the market: below it for a buy, above it for a sell. */
const rest = Effect.fnUntraced(function*(world: World, path: string, side: Orders.Side, more: Body = {}) {
  const account = yield* LiveOrders.customer(world)
  const market = yield* world.market
  const fields = { market: market.name, side, amount: "0.03", price: awayFor(market, side, -5), ...more }
  const order = yield* Trading.placeOther(world, account, fields, path)
  return { account, market, fields, orderId: order["orderId"] }
})

const tradeRules: ReadonlyArray<Rule.Rule> = [
  forEach("live-changes.crosses", {
    statement: "Trades a changed order as the taker at the prices of the book, shows its fills, and leaves its "
      + "remainder open",
    values: limitCases,
    check: Effect.fnUntraced(function*(world, { path, side }) {
      const clientOrderId = world.unique("cross")
      const { account, market, orderId: old } = yield* rest(world, path, side, { clientOrderId })
      const maker = yield* world.open()
      const [best, price] = [awayFor(market, side, 1), awayFor(market, side, 2)]
      const offer = { market: market.name, side: Orders.opposite(side), amount: "0.01", price: best }
      yield* Trading.placeOther(world, maker, offer, path)
      const { answer, order } = yield* change(world, account, { market: market.name, orderId: old, price })
      const { orderId } = order
      const part = [{ amount: 0.01, price: Number(best) }]
      const terms = { side, amount: "0.03", price, clientOrderId }
      const partly = { ...terms, ...LiveOrders.filled("0.03", part) }
      yield* LiveOrders.shows({ answer }, "the order", order, partly)
      const open = yield* LiveOrders.open(world, account)
      const { dealFee } = order
      yield* LiveOrders.lists(open, "the new order", "orderId", [{ ...partly, orderId, dealFee }])
      const fills = yield* LiveOrders.executed(world, account)
      const fill = { orderId, clientOrderId, side, role: 2, amount: "0.01", price: best, fee: dealFee }
      yield* LiveOrders.lists(fills, "the fill", "orderId", [fill])
      const ended = yield* LiveOrders.ended(world, account, { market: market.name, orderId: old })
      yield* LiveOrders.lists(ended, "the old order", "orderId", [
        { orderId: old, status: "CANCELED", dealStock: "0", dealMoney: "0" }
      ])
      if (path !== Paths.limitOrder) {
        yield* locks(world, account, market.money, 0)
        return yield* locks(world, account, market.stock, 0)
      }
      const [ticker, left] = side === "buy" ? [market.money, 0.02 * Number(price)] : [market.stock, 0.02]
      yield* locks(world, account, ticker, left)
    })
  }),
  forEach("live-changes.self-trade", {
    statement: "Cancels the order that a change's stp names when the changed order would match an order of its own "
      + "account: new, old or both",
    values: limits.flatMap((path) =>
      (["cn", "co", "cb"] as const).flatMap((stp) => Orders.sides.map((side) => ({ path, side, stp })))
    ),
    check: Effect.fnUntraced(function*(world, { path, side, stp }) {
      const { account, market, orderId: first } = yield* rest(world, path, side)
      const offer = {
        market: market.name,
        side: Orders.opposite(side),
        amount: "0.03",
        price: awayFor(market, side, 1)
      }
      const { orderId: existing } = yield* Trading.placeOther(world, account, offer, path)
      const fields = { market: market.name, orderId: first, price: awayFor(market, side, 2), stp }
      // A target may refuse a change whose order it would cancel at once.
      const answer = yield* LiveCalls.call(world, account, Paths.modifyOrder, fields)
      yield* LiveOrders.lists(yield* LiveOrders.executed(world, account), "no fills", "id", [])
      if (!Refusals.isSuccess(answer)) return
      const { orderId } = yield* Orders.objectOf(answer)
      const open = yield* LiveOrders.open(world, account)
      const expected = { cn: [existing], co: [orderId], cb: [] }[stp]
      const ids = expected.map((orderId) => ({ orderId }))
      yield* LiveOrders.lists(open, `the orders that stp ${stp} leaves`, "orderId", ids)
    })
  })
]

const numeric: ReadonlyArray<readonly [path: Stop | typeof Paths.limitOrder, key: string]> = [
  [Paths.limitOrder, "price"],
  [Paths.limitOrder, "amount"],
  [Paths.stopLimit, "activationPrice"],
  [Paths.stopMarket, "total"]
]

const idRules: ReadonlyArray<Rule.Rule> = [
  forEach("live-changes.ids", {
    statement:
      "Creates the new order at the time of the change, on the same position side; the old order id then names no open order, and the "
      + "client order id names the new order only",
    values: [...[...limits, ...stops].map((path) => ({ path, isHedged: false })), {
      path: Paths.collateralLimit,
      isHedged: true
    }],
    check: Effect.fnUntraced(function*(world, { isHedged, path }) {
      const account = isHedged ? yield* Trading.openHedged(world) : yield* LiveOrders.customer(world)
      const market = isHedged ? Orders.asPerpetual(yield* world.market) : yield* world.market
      const stop = stops.find((one) => one === path)
      const clientOrderId = world.unique("same")
      const hedge = isHedged ? { positionSide: "SHORT" } : {}
      const fields = {
        ...stop === undefined
          ? { market: market.name, side: "sell", amount: "0.03", price: above(market, 20) }
          : stopOf(market, stop, "sell", above(market, -20)),
        clientOrderId,
        ...hedge
      }
      const { orderId: old } = yield* Trading.placeOther(world, account, fields, path)
      const by = { market: market.name, clientOrderId }
      yield* world.advance(120_000)
      const { answer: changed, order: { orderId, timestamp } } = yield* change(world, account, {
        ...by,
        amount: "0.02"
      })
      yield* LiveOrders.isNow(world, changed, "a timestamp", timestamp)
      const byOldId = { market: market.name, orderId: old }
      const gone = yield* LiveCalls.call(world, account, Paths.cancelOrder, byOldId)
      yield* Refusals.exactly(gone, { status: 400, codes: [2, 6] }, "because the order is replaced")
      const { answer, items } = yield* LiveCalls.list(world, account, Paths.cancelBulk, { orders: [byOldId] })
      const { code } = Refusals.errorOf(items)
      yield* Verdict.expect(answer, "an error with code 404, because the order is replaced", code === 404)
      yield* LiveCalls.refuses(world, account, path, fields, { codes: [36], key: "clientOrderId" })
      const open = yield* LiveOrders.open(world, account, by)
      yield* LiveOrders.lists(open, "the new order", "orderId", [
        { orderId, clientOrderId, amount: "0.02", ...hedge }
      ])
      const { order: canceled } = yield* LiveOrders.place(world, account, Paths.cancelOrder, by)
      yield* Verdict.conclude(`order ${String(orderId)} canceled`, canceled, canceled["orderId"] === orderId)
      yield* LiveOrders.nothingOpen(world, account)
      yield* Trading.placeOther(world, account, fields, path)
    })
  }),
  forEach("live-changes.numbers", {
    statement: "Accepts the values of a change as numbers, and shows the same values",
    values: numeric,
    check: Effect.fnUntraced(function*(world, [path, key]) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const draft = path === Paths.limitOrder
        ? { market: market.name, side: "buy", amount: "0.03", price: above(market, -20) }
        : stopOf(market, path, "buy", above(market, 20))
      const { orderId } = yield* Trading.placeOther(world, account, draft, path)
      const value = { price: market.price * 0.75, amount: 0.025, activationPrice: market.price * 1.25, total: 900 }[key]
      const { answer, order } = yield* change(world, account, { market: market.name, orderId, [key]: value })
      const shown = { activationPrice: "activation_price", total: "amount" }[key] ?? key
      const expected = { ...draft, [shown]: String(value) }
      yield* LiveOrders.shows({ answer }, "the order", order, expected)
      const open = yield* LiveOrders.open(world, account)
      yield* LiveOrders.lists(open, "the order", "orderId", [{ ...expected, orderId: order["orderId"] }])
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...triggerRules, ...tradeRules, ...idRules]
