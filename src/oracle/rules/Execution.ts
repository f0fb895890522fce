/** What the fields of an order mean for how it trades (document, "Stop-limit order (response)"). */
import * as Effect from "effect/Effect"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import { priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Spelling from "../world/Spelling.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

const clause = "Stop-limit order (response)"

/** Has one account offer an amount at each of two prices, and another take both with a limit beyond them. */
const sweep = Effect.fnUntraced(function*(world: World, side: Orders.Side) {
  const [maker, taker] = [yield* world.trader, yield* world.open()]
  const market = yield* world.market
  const away = side === "buy" ? 1 : -1
  const priceAt = (percent: number) => market.price * (1 + away * percent / 100)
  const offers = [[0.01, priceAt(1)], [0.02, priceAt(2)]] as const
  const common = { market: market.name, side: Orders.opposite(side) }
  const made = yield* Effect.forEach(
    offers,
    ([amount, price]) =>
      Trading.placeOther(world, maker, { ...common, amount: String(amount), price: priceText(market, price) })
  )
  const limit = priceText(market, priceAt(5))
  const took = yield* Trading.placeOther(world, taker, { market: market.name, side, amount: "0.03", price: limit })
  return { maker, made, taker, took, money: offers.reduce((sum, [amount, price]) => sum + amount * price, 0) }
})

export const rules: ReadonlyArray<Rule.Rule> = [
  Rule.always({
    id: "orders.market.price",
    statement: "price is \"0\" for market orders",
    clause,
    live: Rule.other("or it is missing"),
    check: (world) =>
      Effect.gen(function*() {
        const { market, taker } = yield* Trading.offer(world, "0.02")
        const fields = { market: market.name, side: "buy", amount: "400" }
        const order = yield* Trading.placeOther(world, taker, fields, Paths.marketOrder)
        const isNone = order["price"] === "0" || (world.dialect.name === "live" && order["price"] === undefined)
        yield* Verdict.conclude("price \"0\"", { price: order["price"] }, isNone)
      })
  }),
  Rule.always({
    id: "orders.market.amount",
    statement: "The amount of a market buy is in the quote currency: no more than that is spent",
    clause,
    check: (world) =>
      Effect.gen(function*() {
        const { market, taker } = yield* Trading.offer(world, "1")
        const fields = { market: market.name, side: "buy", amount: "400" }
        const order = yield* Trading.placeOther(world, taker, fields, Paths.marketOrder)
        const spent = Number(order[Spelling.keys(world.dialect).dealMoney])
        yield* Verdict.conclude(
          "amount 400, and nearly as much spent",
          [order["amount"], spent],
          Number(order["amount"]) === 400 && spent > 390 && spent <= 400
        )
      })
  }),
  Rule.always({
    id: "orders.post-only",
    statement: "A post-only order that would match immediately is refused, and nothing is traded",
    clause,
    check: (world) =>
      Effect.gen(function*() {
        const { maker, market, price, taker } = yield* Trading.offer(world, "0.02")
        const fields = { market: market.name, side: "buy", amount: "0.01", price, postOnly: true }
        yield* Refusals.any(yield* world.call(taker, Paths.limitOrder, fields), "because it would match immediately")
        const { dealStock } = Spelling.keys(world.dialect)
        const filled = [...(yield* Orders.list(world, maker, Paths.activeOrders)).values()].map((order) =>
          order[dealStock]
        )
        yield* Verdict.conclude(
          "the other's order open, nothing of it filled",
          filled,
          filled.map(Number).join() === "0"
        )
        const below = priceText(market, market.price * 0.9)
        const resting = yield* Orders.objectOf(yield* world.call(taker, Paths.limitOrder, { ...fields, price: below }))
        yield* Trading.hasStatus(world, taker, resting, "NEW")
      })
  }),
  Rule.forEach({
    id: "orders.stp",
    statement:
      "When two orders of one account would trade with each other, stp cancels the new one, the old one or both",
    clause,
    level: "SHOULD",
    values: ["no", "cancel_new", "cancel_old", "cancel_both"] as const,
    check: (world, stp) =>
      Effect.gen(function*() {
        const { maker, market, price } = yield* Trading.offer(world, "0.02")
        const old = [...(yield* Orders.list(world, maker, Paths.activeOrders)).keys()]
        const fields = { market: market.name, side: "buy", amount: "0.02", price }
        yield* world.call(maker, Paths.limitOrder, { ...fields, stp: Spelling.modes(world.dialect)[stp] })
        const open = [...(yield* Orders.list(world, maker, Paths.activeOrders)).keys()]
        const [isOld, isNew] = [open.some((id) => old.includes(id)), open.some((id) => !old.includes(id))]
        yield* Verdict.conclude(
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
    statement: "deal_fee is the fee charged so far, in proportion to what is filled",
    clause,
    level: "SHOULD",
    check: (world) =>
      Effect.gen(function*() {
        const { dealFee } = Spelling.keys(world.dialect)
        const { market, price, taker } = yield* Trading.offer(world, "0.03")
        const fields = { market: market.name, side: "buy", price }
        const little = yield* Trading.placeOther(world, taker, { ...fields, amount: "0.01" })
        const more = yield* Trading.placeOther(world, taker, { ...fields, amount: "0.02" })
        const fees = [Number(little[dealFee]), Number(more[dealFee])] as const
        yield* Verdict.conclude(
          "a fee above zero, and twice as much for twice as much",
          fees,
          fees[0] > 0 &&
            Math.abs(fees[1] - 2 * fees[0]) < 1e-9
        )
      })
  }),
  Rule.forEach({
    id: "orders.deal-money",
    statement: "deal_money is the quote amount that was traded: what one side of a trade pays, the other receives",
    clause,
    values: Orders.sides,
    check: (world, side) =>
      Effect.gen(function*() {
        const { made, maker, taker, took } = yield* sweep(world, side)
        const { dealMoney, orderId } = Spelling.keys(world.dialect)
        const moneyOf = (account: Account) => (order: Body) =>
          Effect.map(Orders.find(world, account, order[orderId]), (found) => Number(found[dealMoney]))
        const received = yield* Effect.forEach(made, moneyOf(maker))
        const sum = received.reduce((sum, money) => sum + money, 0)
        const paid = [Number(took[dealMoney]), yield* moneyOf(taker)(took)]
        yield* Verdict.conclude(
          `the taker's ${dealMoney}, answered and listed, equal to those of the makers, ${received.join(" and ")}`,
          paid,
          sum > 0 && paid.every((money) => Math.abs(money - sum) < 1e-6)
        )
      })
  }),
  Rule.forEach({
    id: "orders.deal-money.price",
    statement: "A trade is at the price of the order that rested, not at the limit of the one that took it",
    clause,
    level: "SHOULD",
    values: Orders.sides,
    check: (world, side) =>
      Effect.gen(function*() {
        const { money, took } = yield* sweep(world, side)
        const { dealMoney } = Spelling.keys(world.dialect)
        yield* Verdict.conclude(
          `a ${dealMoney} of ${money}`,
          took[dealMoney],
          Math.abs(Number(took[dealMoney]) - money) < 1e-6
        )
      })
  }),
  Rule.always({
    id: "orders.ioc",
    statement: "An immediate-or-cancel order fills what it can immediately, and the rest is canceled",
    clause,
    check: (world) =>
      Effect.gen(function*() {
        const { market, price, taker } = yield* Trading.offer(world, "0.01")
        const fields = { market: market.name, side: "buy", amount: "0.03", price, ioc: true }
        const order = yield* Trading.placeOther(world, taker, fields)
        const open = yield* Orders.list(world, taker, Paths.activeOrders)
        const filled = Number(order[Spelling.keys(world.dialect).dealStock])
        yield* Verdict.conclude("0.01 filled, nothing open", [filled, open.size], filled === 0.01 && open.size === 0)
      })
  })
]
