/** Rules about the effect of an order's fields on its execution (document, "Stop-limit order (response)"). */
import * as Effect from "effect/Effect"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Dialects from "../world/Dialects.ts"
import { priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Section from "../world/Section.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

const section = Section.of({ clause: "Stop-limit order (response)" })

/** Makes one account offer an amount at each of two prices, and another account take both with one order. */
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
  section.forEach("orders.market.price", {
    statement: "Shows price \"0\" for market orders",
    live: Rule.other("price may be missing"),
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { market, taker } = yield* Trading.offer(world, "0.02", Orders.opposite(side))
      const fields = { market: market.name, side, amount: side === "buy" ? "400" : "0.01" }
      const order = yield* Trading.placeOther(world, taker, fields, Paths.marketOrder)
      const isNone = order["price"] === "0" || (world.dialect.name === "live" && order["price"] === undefined)
      yield* Verdict.conclude("price \"0\"", { price: order["price"] }, isNone)
    })
  }),
  section.always("orders.market.amount", {
    statement: "Spends at most the amount of a market buy, in the quote currency",
    check: Effect.fnUntraced(function*(world) {
      const { market, taker } = yield* Trading.offer(world, "1")
      const fields = { market: market.name, side: "buy", amount: "400" }
      const order = yield* Trading.placeOther(world, taker, fields, Paths.marketOrder)
      const spent = Number(order[Dialects.keys(world.dialect).dealMoney])
      yield* Verdict.conclude(
        "amount 400, and nearly 400 spent",
        [order["amount"], spent],
        Number(order["amount"]) === 400 && spent > 390 && spent <= 400
      )
    })
  }),
  section.forEach("orders.post-only", {
    statement: "Refuses a post-only order that would match immediately, and executes no trade",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { maker, market, price, taker } = yield* Trading.offer(world, "0.02", Orders.opposite(side))
      const fields = { market: market.name, side, amount: "0.01", price, postOnly: true }
      yield* Refusals.any(yield* world.call(taker, Paths.limitOrder, fields), "because it would match immediately")
      const { dealStock } = Dialects.keys(world.dialect)
      const filled = [...(yield* Orders.list(world, maker, Paths.activeOrders)).values()].map((order) =>
        order[dealStock]
      )
      yield* Verdict.conclude(
        "the maker's order open and unfilled",
        filled,
        filled.map(Number).join() === "0"
      )
      const away = priceText(market, market.price * (side === "buy" ? 0.9 : 1.1))
      const resting = yield* Orders.objectOf(yield* world.call(taker, Paths.limitOrder, { ...fields, price: away }))
      yield* Trading.hasStatus(world, taker, resting, "NEW")
    })
  }),
  section.forEach("orders.stp", {
    statement: "Cancels the order that stp names when two orders of one account would match: new, old or both",
    level: "SHOULD",
    live: Rule.documented("the order that stp names; with stp no, the orders trade"),
    values: ["no", "cancel_new", "cancel_old", "cancel_both"] as const,
    check: Effect.fnUntraced(function*(world, stp) {
      const { maker, market, price } = yield* Trading.offer(world, "0.02")
      const old = [...(yield* Orders.list(world, maker, Paths.activeOrders)).keys()]
      const fields = { market: market.name, side: "buy", amount: "0.02", price }
      yield* world.call(maker, Paths.limitOrder, { ...fields, stp: Dialects.modes(world.dialect)[stp] })
      const open = [...(yield* Orders.list(world, maker, Paths.activeOrders)).keys()]
      const [isOld, isNew] = [open.some((id) => old.includes(id)), open.some((id) => !old.includes(id))]
      yield* Verdict.conclude(
        {
          no: "no orders open",
          cancel_new: "the old order open",
          cancel_old: "the new order open",
          cancel_both: "no orders open"
        }[stp],
        { old: isOld, new: isNew },
        isOld === (stp === "cancel_new") && isNew === (stp === "cancel_old")
      )
    })
  }),
  section.always("orders.fee", {
    statement: "Shows the fee charged so far in deal_fee, in proportion to the fills",
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      const { dealFee } = Dialects.keys(world.dialect)
      const { market, price, taker } = yield* Trading.offer(world, "0.03")
      const fields = { market: market.name, side: "buy", price }
      const little = yield* Trading.placeOther(world, taker, { ...fields, amount: "0.01" })
      const more = yield* Trading.placeOther(world, taker, { ...fields, amount: "0.02" })
      const fees = [Number(little[dealFee]), Number(more[dealFee])] as const
      yield* Verdict.conclude(
        "a fee above zero that doubles with the fills",
        fees,
        fees[0] > 0 &&
          Math.abs(fees[1] - 2 * fees[0]) < 1e-9
      )
    })
  }),
  section.forEach("orders.deal-money", {
    statement: "Shows the traded quote amount in deal_money, equal on both sides of a trade",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { made, maker, taker, took } = yield* sweep(world, side)
      const { dealMoney, orderId } = Dialects.keys(world.dialect)
      const moneyOf = (account: Account) => (order: Body) =>
        Effect.map(Orders.find(world, account, order[orderId]), (found) => Number(found[dealMoney]))
      const received = yield* Effect.forEach(made, moneyOf(maker))
      const sum = received.reduce((sum, money) => sum + money, 0)
      const paid = [Number(took[dealMoney]), yield* moneyOf(taker)(took)]
      yield* Verdict.conclude(
        `the taker's ${dealMoney}, in response and list, equal to the makers' ${received.join(" and ")}`,
        paid,
        sum > 0 && paid.every((money) => Math.abs(money - sum) < 1e-6)
      )
    })
  }),
  section.forEach("orders.deal-money.price", {
    statement: "Trades at the resting order's price, not at the taker's limit",
    level: "SHOULD",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { money, took } = yield* sweep(world, side)
      const { dealMoney } = Dialects.keys(world.dialect)
      yield* Verdict.conclude(
        `a ${dealMoney} of ${money}`,
        took[dealMoney],
        Math.abs(Number(took[dealMoney]) - money) < 1e-6
      )
    })
  }),
  section.forEach("orders.ioc", {
    statement: "Fills an immediate-or-cancel order as far as possible, and cancels the rest",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { market, price, taker } = yield* Trading.offer(world, "0.01", Orders.opposite(side))
      const fields = { market: market.name, side, amount: "0.03", price, ioc: true }
      const order = yield* Trading.placeOther(world, taker, fields)
      const open = yield* Orders.list(world, taker, Paths.activeOrders)
      const filled = Number(order[Dialects.keys(world.dialect).dealStock])
      yield* Verdict.conclude("0.01 filled, nothing open", [filled, open.size], filled === 0.01 && open.size === 0)
      yield* Trading.hasStatus(world, taker, order, "PARTIAL_CANCELED")
    })
  })
]
