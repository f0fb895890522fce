/**
 * What becomes of orders: activation and status (document, "States and transitions"). The document shows no call that
 * lists orders; these rules look at them as the live exchange lists them.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Rule from "../Rule.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Spelling from "../world/Spelling.ts"
import type { Account, Market, World } from "../world/World.ts"
import { basePrice } from "../world/World.ts"
import { openPosition } from "./Oco.ts"

type Body = Readonly<Record<string, unknown>>

type Side = "buy" | "sell"

const sides = ["buy", "sell"] as const

// -----------------------------------------------------------------------------
// Activation
// -----------------------------------------------------------------------------

const activation = "Stop order activation"

const move = (world: World, market: Market, price: number) =>
  world.control("MovePrice", { market: market.name, price: price.toFixed(market.moneyPrecision) })

/** A stop-limit order that is triggered at this price, and whose limit no trade can reach before. */
const stopAt = Effect.fnUntraced(function*(world: World, account: Account, side: Side, price: number, limit = price) {
  const market = yield* world.market
  const { order } = yield* Orders.place(
    world,
    account,
    Paths.stopLimit,
    Orders.stopLimit(market, side, {
      amount: "0.01",
      price: limit.toFixed(market.moneyPrecision),
      activation_price: price.toFixed(market.moneyPrecision)
    })
  )
  return { market, order, id: order[Spelling.keys(world.dialect).orderId] }
})

/** The order's activation, wherever it is listed. */
const isActivated = Effect.fnUntraced(function*(world: World, account: Account, id: unknown) {
  return (yield* Orders.find(world, account, id))["activated"] === 1
})

/** The limit beyond the trigger, where the order rests once it is active. */
const resting = (side: Side, trigger: number) => side === "buy" ? trigger * 0.6 : trigger * 1.5

const toward = (side: Side, percent: number): number => basePrice * (1 + (side === "buy" ? percent : -percent) / 100)

const activationRules: ReadonlyArray<Rule.Rule> = [
  ...sides.flatMap((side) => {
    const word = side === "buy" ? "rises" : "falls"
    return [
      Rule.forAll({
        id: `activation.${side}.reached`,
        statement: `A ${side} stop is activated when the price ${word} to its activation price exactly`,
        clause: activation,
        values: fc.integer({ min: 2, max: 40 }),
        check: (world, percent) =>
          Effect.gen(function*() {
            const account = yield* world.trader
            const trigger = toward(side, percent)
            const { id, market } = yield* stopAt(world, account, side, trigger, resting(side, trigger))
            yield* move(world, market, trigger)
            yield* Rule.conclude(`activated at ${trigger}`, "not activated", yield* isActivated(world, account, id))
          })
      }),
      Rule.forAll({
        id: `activation.${side}.beyond`,
        statement: `A ${side} stop is activated when the price ${word} beyond its activation price at once`,
        clause: activation,
        values: fc.tuple(fc.integer({ min: 2, max: 20 }), fc.integer({ min: 21, max: 45 })),
        check: (world, [percent, further]) =>
          Effect.gen(function*() {
            const account = yield* world.trader
            const trigger = toward(side, percent)
            const { id, market } = yield* stopAt(world, account, side, trigger, resting(side, trigger))
            yield* move(world, market, toward(side, further))
            yield* Rule.conclude("activated", "not activated", yield* isActivated(world, account, id))
          })
      }),
      Rule.forAll({
        id: `activation.${side}.before`,
        statement: `A ${side} stop is not activated before the price ${word} to its activation price`,
        clause: activation,
        values: fc.tuple(
          fc.integer({ min: 21, max: 40 }),
          fc.array(fc.integer({ min: -30, max: 20 }), { maxLength: 4 })
        ),
        examples: [[30, [-30, 20]], [21, [-10]]],
        check: (world, [percent, prices]) =>
          Effect.gen(function*() {
            const account = yield* world.trader
            const trigger = toward(side, percent)
            const { id, market } = yield* stopAt(world, account, side, trigger, resting(side, trigger))
            for (const price of prices) yield* move(world, market, toward(side, price))
            yield* Rule.conclude("not activated", "activated", !(yield* isActivated(world, account, id)))
          })
      }),
      Rule.always({
        id: `activation.${side}.step`,
        statement: `A ${side} stop is not activated one step of the price before its activation price`,
        clause: activation,
        check: (world) =>
          Effect.gen(function*() {
            const account = yield* world.trader
            const trigger = toward(side, 10)
            const { id, market } = yield* stopAt(world, account, side, trigger, resting(side, trigger))
            const step = 10 ** -market.moneyPrecision
            yield* move(world, market, side === "buy" ? trigger - step : trigger + step)
            yield* Rule.conclude("not activated", "activated", !(yield* isActivated(world, account, id)))
          })
      }),
      Rule.always({
        id: `activation.${side}.limit`,
        statement: `A ${side} stop that is activated is a limit order at its price: it rests, and trades at the price`,
        clause: activation,
        check: (world) =>
          Effect.gen(function*() {
            const account = yield* world.trader
            const trigger = toward(side, 10)
            const limit = resting(side, trigger)
            const { id, market } = yield* stopAt(world, account, side, trigger, limit)
            yield* move(world, market, trigger)
            const rests = yield* Orders.find(world, account, id)
            const { dealMoney, dealStock } = Spelling.keys(world.dialect)
            yield* Rule.conclude("nothing filled before the limit is reached", rests, Number(rests[dealStock]) === 0)
            yield* move(world, market, side === "buy" ? limit * 0.99 : limit * 1.01)
            const filled = yield* Orders.find(world, account, id)
            yield* Rule.conclude(
              `filled at ${limit}`,
              [filled["status"], filled[dealMoney]],
              filled["status"] === Spelling.statuses(world.dialect).FILLED &&
                Math.abs(Number(filled[dealMoney]) - limit * 0.01) < 1e-6
            )
          })
      })
    ]
  }),
  Rule.forEach({
    id: "activation.side",
    statement: "From which side the trigger is met follows from the order's side: a trigger that is met already is met",
    clause: activation,
    live: Rule.other("it follows from where the price is: such an order waits for the other direction"),
    values: sides,
    check: (world, side) =>
      Effect.gen(function*() {
        const account = yield* world.trader
        const trigger = toward(side, -10)
        const { id, order } = yield* stopAt(world, account, side, trigger, resting(side, trigger))
        const isMet = order["activated"] === 1 || (yield* isActivated(world, account, id))
        const waits = world.dialect.name === "live"
        yield* Rule.conclude(
          waits ? "not activated" : "activated",
          isMet ? "activated" : "not activated",
          isMet !== waits
        )
      })
  })
]

// -----------------------------------------------------------------------------
// Status
// -----------------------------------------------------------------------------

const statusClause = "Order status"

const limitOrder = Effect.fnUntraced(function*(world: World, account: Account, fields: Body, path = Paths.limitOrder) {
  const answer = yield* world.call(account, path, fields)
  if (answer.status !== 200) return yield* Rule.skip(`needs ${path}: ${Rule.describe(answer)}`)
  return yield* Orders.objectOf(answer)
})

const statusOf = (world: World, account: Account, order: Body) =>
  Effect.map(Orders.find(world, account, order[Spelling.keys(world.dialect).orderId]), ({ status }) => status)

const has = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  order: Body,
  expected: keyof ReturnType<typeof Spelling.statuses>
) {
  const word = Spelling.statuses(world.dialect)[expected]
  const status = yield* statusOf(world, account, order)
  yield* Rule.conclude(`status ${word}`, `status ${String(status)}`, status === word)
})

/** An order of one account's that rests at the market's price, and what another takes from it. */
const half = Effect.fnUntraced(function*(world: World, taken: string) {
  const [maker, taker] = [yield* world.trader, yield* world.open()]
  const market = yield* world.market
  const order = { market: market.name, price: market.price.toFixed(market.moneyPrecision) }
  const made = yield* limitOrder(world, maker, { ...order, side: "sell", amount: "0.02" })
  const took = yield* limitOrder(world, taker, { ...order, side: "buy", amount: taken })
  return { maker, taker, market, made, took }
})

const live = Rule.other("OPEN, and PARTIALLY_FILLED; a canceled order does not say whether some of it was filled")

const statusRules: ReadonlyArray<Rule.Rule> = [
  Rule.always({
    id: "status.new",
    statement: "NEW: accepted, not yet matched",
    clause: statusClause,
    live,
    check: (world) =>
      Effect.gen(function*() {
        const account = yield* world.trader
        const { order } = yield* stopAt(world, account, "buy", basePrice * 1.5)
        yield* has(world, account, order, "NEW")
      })
  }),
  Rule.always({
    id: "status.filled",
    statement: "FILLED: fully executed, of maker and taker",
    clause: statusClause,
    check: (world) =>
      Effect.gen(function*() {
        const { made, maker, taker, took } = yield* half(world, "0.02")
        yield* has(world, maker, made, "FILLED")
        yield* has(world, taker, took, "FILLED")
      })
  }),
  Rule.always({
    id: "status.filled.left",
    statement: "left of an order is \"0\" when it is filled, and what is not filled while it rests",
    clause: "Stop-limit order (response)",
    check: (world) =>
      Effect.gen(function*() {
        const { made, maker, took } = yield* half(world, "0.005")
        yield* Rule.conclude("left \"0\"", { left: took["left"] }, took["left"] === "0")
        const { dealStock, orderId } = Spelling.keys(world.dialect)
        const rests = yield* Orders.find(world, maker, made[orderId])
        yield* Rule.conclude(
          "left 0.015 of 0.02, and 0.005 filled",
          { left: rests["left"], [dealStock]: rests[dealStock] },
          Number(rests["left"]) === 0.015 && Number(rests[dealStock]) === 0.005
        )
      })
  }),
  Rule.always({
    id: "status.canceled",
    statement: "CANCELED: canceled before execution",
    clause: statusClause,
    check: (world) =>
      Effect.gen(function*() {
        const account = yield* world.trader
        const { order } = yield* stopAt(world, account, "buy", basePrice * 1.5)
        yield* world.call(account, Paths.cancelAll)
        yield* has(world, account, order, "CANCELED")
      })
  }),
  Rule.always({
    id: "status.partial-filled",
    statement: "PARTIAL_FILLED: partially executed, the remainder still active",
    clause: statusClause,
    live,
    check: (world) =>
      Effect.gen(function*() {
        const { made, maker } = yield* half(world, "0.005")
        yield* has(world, maker, made, "PARTIAL_FILLED")
        const open = yield* Orders.list(world, maker, Paths.activeOrders)
        const id = String(made[Spelling.keys(world.dialect).orderId])
        yield* Rule.conclude("still open", [...open.keys()], open.has(id))
      })
  }),
  Rule.always({
    id: "status.partial-canceled",
    statement: "PARTIAL_CANCELED: partially filled, the remainder canceled",
    clause: statusClause,
    live,
    check: (world) =>
      Effect.gen(function*() {
        const { made, maker } = yield* half(world, "0.005")
        yield* world.call(maker, Paths.cancelAll)
        yield* has(world, maker, made, "PARTIAL_CANCELED")
      })
  }),
  Rule.always({
    id: "status.taker-band",
    statement: "CANCELED_TAKER_BAND: filled up to the taker band's limit, the remainder canceled",
    clause: statusClause,
    check: (world) =>
      Effect.gen(function*() {
        const [maker, taker] = [yield* world.trader, yield* world.open()]
        const market = yield* world.market
        const near = {
          market: market.name,
          side: "sell",
          amount: "0.01",
          price: market.price.toFixed(market.moneyPrecision)
        }
        yield* limitOrder(world, maker, near)
        yield* limitOrder(world, maker, { ...near, price: (market.price * 3).toFixed(market.moneyPrecision) })
        // Bought with money: enough for the near order, and for some of the far one.
        const money = (market.price * 0.03).toFixed(market.moneyPrecision)
        const swept = yield* limitOrder(
          world,
          taker,
          { market: market.name, side: "buy", amount: money },
          Paths.marketOrder
        )
        yield* has(world, taker, swept, "CANCELED_TAKER_BAND")
      })
  }),
  Rule.forEach({
    id: "status.auto-canceled-reduce-only",
    statement: "AUTO_CANCELED_REDUCE_ONLY: a pending reduce-only order is canceled when its position is closed",
    clause: statusClause,
    values: sides,
    check: (world, side) =>
      Effect.gen(function*() {
        const account = yield* world.trader
        const opposite = side === "buy" ? "sell" : "buy"
        const { market } = yield* openPosition(world, account, side, "0.01")
        const price = (market.price * (opposite === "sell" ? 1.5 : 0.6)).toFixed(market.moneyPrecision)
        const pending = yield* limitOrder(
          world,
          account,
          { market: market.name, side: opposite, amount: "0.01", price, reduceOnly: true },
          Paths.collateralLimit
        )
        yield* openPosition(world, account, opposite, "0.01")
        yield* has(world, account, pending, "AUTO_CANCELED_REDUCE_ONLY")
      })
  })
]

// -----------------------------------------------------------------------------
// What the fields of an order mean
// -----------------------------------------------------------------------------

const fieldClause = "Stop-limit order (response)"

/** An account that asks for BTC at the market's price, and another to meet it. */
const offer = Effect.fnUntraced(function*(world: World, amount: string) {
  const [maker, taker] = [yield* world.trader, yield* world.open()]
  const market = yield* world.market
  const price = market.price.toFixed(market.moneyPrecision)
  yield* limitOrder(world, maker, { market: market.name, side: "sell", amount, price })
  return { maker, taker, market, price }
})

const fieldRules: ReadonlyArray<Rule.Rule> = [
  Rule.always({
    id: "orders.market.price",
    statement: "price is \"0\" for market orders",
    clause: fieldClause,
    live: Rule.other("or it is missing"),
    check: (world) =>
      Effect.gen(function*() {
        const { market, taker } = yield* offer(world, "0.02")
        const fields = { market: market.name, side: "buy", amount: "400" }
        const order = yield* limitOrder(world, taker, fields, Paths.marketOrder)
        const isNone = order["price"] === "0" || (world.dialect.name === "live" && order["price"] === undefined)
        yield* Rule.conclude("price \"0\"", { price: order["price"] }, isNone)
      })
  }),
  Rule.always({
    id: "orders.market.amount",
    statement: "The amount of a buy market order is in quote currency: no more money than that is spent",
    clause: fieldClause,
    check: (world) =>
      Effect.gen(function*() {
        const { market, taker } = yield* offer(world, "1")
        const fields = { market: market.name, side: "buy", amount: "400" }
        const order = yield* limitOrder(world, taker, fields, Paths.marketOrder)
        const spent = Number(order[Spelling.keys(world.dialect).dealMoney])
        yield* Rule.conclude(
          "amount 400, and nearly as much spent",
          [order["amount"], spent],
          Number(order["amount"]) === 400 && spent > 390 && spent <= 400
        )
      })
  }),
  Rule.always({
    id: "orders.post-only",
    statement: "A post-only order that would match at once is refused, and nothing is traded",
    clause: fieldClause,
    check: (world) =>
      Effect.gen(function*() {
        const { maker, market, price, taker } = yield* offer(world, "0.02")
        const fields = { market: market.name, side: "buy", amount: "0.01", price, postOnly: true }
        yield* Refusals.some(yield* world.call(taker, Paths.limitOrder, fields), "because it would trade at once")
        const { dealStock } = Spelling.keys(world.dialect)
        const filled = [...(yield* Orders.list(world, maker, Paths.activeOrders)).values()].map((order) =>
          order[dealStock]
        )
        yield* Rule.conclude("the other's order open, nothing of it filled", filled, filled.map(Number).join() === "0")
        const below = (market.price * 0.9).toFixed(market.moneyPrecision)
        const resting = yield* Orders.objectOf(yield* world.call(taker, Paths.limitOrder, { ...fields, price: below }))
        yield* has(world, taker, resting, "NEW")
      })
  }),
  Rule.forEach({
    id: "orders.stp",
    statement: "Where orders of one account would trade with each other, stp cancels the new one, the old one or both",
    clause: fieldClause,
    level: "SHOULD",
    values: ["no", "cancel_new", "cancel_old", "cancel_both"] as const,
    check: (world, stp) =>
      Effect.gen(function*() {
        const { maker, market, price } = yield* offer(world, "0.02")
        const old = [...(yield* Orders.list(world, maker, Paths.activeOrders)).keys()]
        const fields = { market: market.name, side: "buy", amount: "0.02", price }
        yield* world.call(maker, Paths.limitOrder, { ...fields, stp: Spelling.modes(world.dialect)[stp] })
        const open = [...(yield* Orders.list(world, maker, Paths.activeOrders)).keys()]
        const [isOld, isNew] = [open.some((id) => old.includes(id)), open.some((id) => !old.includes(id))]
        yield* Rule.conclude(
          {
            no: "none open",
            cancel_new: "the old one open",
            cancel_old: "the new one open",
            cancel_both: "none open"
          }[stp],
          { old: isOld, new: isNew },
          isOld === (stp === "cancel_new") && isNew === (stp === "cancel_old")
        )
      })
  }),
  Rule.always({
    id: "orders.fee",
    statement: "deal_fee is what was charged for what is filled, so far: more for more",
    clause: fieldClause,
    check: (world) =>
      Effect.gen(function*() {
        const { dealFee } = Spelling.keys(world.dialect)
        const { market, price, taker } = yield* offer(world, "0.03")
        const fields = { market: market.name, side: "buy", price }
        const little = yield* limitOrder(world, taker, { ...fields, amount: "0.01" })
        const more = yield* limitOrder(world, taker, { ...fields, amount: "0.02" })
        const fees = [Number(little[dealFee]), Number(more[dealFee])] as const
        yield* Rule.conclude(
          "a fee above zero, and twice as much for twice as much",
          fees,
          fees[0] > 0 &&
            Math.abs(fees[1] - 2 * fees[0]) < 1e-9
        )
      })
  }),
  Rule.always({
    id: "orders.ioc",
    statement: "An immediate-or-cancel order fills what it can at once and cancels the rest",
    clause: fieldClause,
    check: (world) =>
      Effect.gen(function*() {
        const { market, price, taker } = yield* offer(world, "0.01")
        const fields = { market: market.name, side: "buy", amount: "0.03", price, ioc: true }
        const order = yield* limitOrder(world, taker, fields)
        const open = yield* Orders.list(world, taker, Paths.activeOrders)
        const filled = Number(order[Spelling.keys(world.dialect).dealStock])
        yield* Rule.conclude("0.01 filled, nothing open", [filled, open.size], filled === 0.01 && open.size === 0)
      })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...activationRules, ...statusRules, ...fieldRules]
