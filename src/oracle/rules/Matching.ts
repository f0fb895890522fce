/**
 * Rules about how limit orders are matched: by price and then by time, at the best price with `bboRole`, and at once
 * with `ioc`. Only the live exchange's documentation describes these calls.
 */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, Market } from "../world/World.ts"

const paths = [Paths.limitOrder, Paths.collateralLimit]

/** The calls that place market orders. */
const markets = [Paths.marketOrder, Paths.stockMarketOrder, Paths.collateralMarketOrder]

const cases = paths.flatMap((path) => Orders.sides.map((side) => ({ path, side })))

/** Returns the price `percent` % away from the market's: worse for a taker on this side if `percent` is above zero. */
const priceAt = (market: Market, side: Orders.Side, percent: number): string =>
  priceText(market, market.price * (1 + (side === "buy" ? percent : -percent) / 100))

export const rules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("matching.priority", {
    statement: "Matches the best price first, and at one price the earliest order first, even if it is partly filled",
    values: cases,
    check: Effect.fnUntraced(function*(world, { path, side }) {
      const on = yield* world.market
      const { name: market } = on
      const makers: Array<{ readonly account: Account; readonly order: Body }> = []
      // The worst price is offered first, and the first of two orders at the best price is the smaller one.
      for (const [percent, amount] of [[2, "0.02"], [1, "0.01"], [1, "0.03"], [1.5, "0.02"]] as const) {
        const account = yield* world.open()
        const price = priceAt(on, side, percent)
        const offer = { market, side: Orders.opposite(side), amount, price }
        makers.push({ account, order: yield* Trading.placeOther(world, account, offer, path) })
      }
      const price = priceAt(on, side, 3)
      const take = (amount: string) =>
        Effect.flatMap(
          world.open(),
          (account) => Trading.placeOther(world, account, { market, side, amount, price }, path)
        )
      const isFilled = Effect.fnUntraced(function*(expected: ReadonlyArray<number>) {
        const filled = yield* Effect.forEach(
          makers,
          ({ account, order }) =>
            Effect.map(Orders.find(world, account, order["orderId"]), ({ dealStock }) => Number(dealStock))
        )
        yield* Verdict.conclude(
          `fills of ${expected.join(", ")}`,
          filled,
          filled.every((amount, index) => Math.abs(amount - (expected[index] ?? 0)) < 1e-9)
        )
      })
      yield* take("0.025")
      yield* isFilled([0, 0.01, 0.015, 0])
      const account = yield* world.open()
      const late = { market, side: Orders.opposite(side), amount: "0.01", price: priceAt(on, side, 1) }
      makers.push({ account, order: yield* Trading.placeOther(world, account, late, path) })
      yield* take("0.014")
      yield* isFilled([0, 0.01, 0.029, 0, 0])
    })
  }),
  LiveCalls.section.forEach("matching.best", {
    statement:
      "Places an order with bboRole 1 at the best price of its own side, and one with 2 at that of the other side",
    values: Orders.sides.flatMap((side) => ([1, 2] as const).map((bboRole) => ({ side, bboRole }))),
    check: Effect.fnUntraced(function*(world, { bboRole, side }) {
      const path = Paths.limitOrder
      const on = yield* world.market
      const { name: market } = on
      const other = yield* world.open()
      const [own, against] = [priceAt(on, side, -1), priceAt(on, side, 1)]
      for (const percent of [1, 2]) {
        for (const [of, price] of [[side, -percent], [Orders.opposite(side), percent]] as const) {
          const rest = { market, side: of, amount: "0.01", price: priceAt(on, side, price) }
          yield* Trading.placeOther(world, other, rest, path)
        }
      }
      const account = yield* LiveOrders.customer(world)
      const { answer, order } = yield* LiveOrders.place(world, account, path, { market, side, amount: "0.02", bboRole })
      const price = bboRole === 1 ? own : against
      const parts = bboRole === 1 ? [] : [{ amount: 0.01, price: Number(against) }]
      yield* LiveOrders.shows({ answer }, "the order", order, {
        side,
        amount: "0.02",
        price,
        ...LiveOrders.filled("0.02", parts)
      })
    })
  }),
  LiveCalls.section.forEach("matching.stp", {
    statement: "Does not match a market order with stp against an order of its own account, and cancels the order that "
      + "stp names, unless it refuses the market order; with stp no, the orders trade",
    values: markets.flatMap((path) =>
      Orders.sides.flatMap((side) => (["no", "cn", "co", "cb"] as const).map((stp) => ({ path, side, stp })))
    ),
    check: Effect.fnUntraced(function*(world, { path, side, stp }) {
      const on = yield* world.market
      const { name: market } = on
      const account = yield* LiveOrders.customer(world)
      const single = path === Paths.collateralMarketOrder ? Paths.collateralLimit : Paths.limitOrder
      const old = { market, side: Orders.opposite(side), amount: "0.02", price: priceAt(on, side, 1) }
      const { orderId } = yield* Trading.placeOther(world, account, old, single)
      const amount = path === Paths.marketOrder && side === "buy" ? "400" : "0.01"
      const answer = yield* LiveCalls.call(world, account, path, { market, side, amount, stp })
      const fills = yield* LiveOrders.executed(world, account)
      if (stp === "no") return yield* Verdict.expect(fills.answer, "fills of both orders", fills.records.length === 2)
      yield* LiveOrders.lists(fills, "no fills", "id", [])
      const open = yield* LiveOrders.open(world, account)
      // A target may refuse the order because it would meet no other order, and then cancels nothing.
      const isKept = stp === "cn" || (!Refusals.isSuccess(answer) && open.records.length > 0)
      const kept = isKept ? [{ orderId, dealStock: "0" }] : []
      yield* LiveOrders.lists(open, "the old order, if stp is cn", "orderId", kept)
    })
  }),
  LiveCalls.section.forEach("matching.ioc", {
    statement: "Fills an immediate-or-cancel order only at once: no part of it rests, whether it has traded or not",
    values: [...paths, ...Paths.ofSeveral].flatMap((path) =>
      Orders.sides.flatMap((side) => [false, true].map((isMet) => ({ path, side, isMet })))
    ),
    check: Effect.fnUntraced(function*(world, { isMet, path, side }) {
      const on = yield* world.market
      const { name: market } = on
      const account = yield* LiveOrders.customer(world)
      const price = priceAt(on, side, 1)
      const single = path === Paths.bulk || path === Paths.limitOrder ? Paths.limitOrder : Paths.collateralLimit
      if (isMet) {
        const offer = { market, side: Orders.opposite(side), amount: "0.01", price }
        yield* Trading.placeOther(world, yield* world.open(), offer, single)
      }
      // A target may refuse an order that meets no other order.
      yield* LiveOrders.submit(world, account, path, { market, side, amount: "0.03", price, ioc: true })
      yield* LiveOrders.lists(yield* LiveOrders.open(world, account), "no open orders", "orderId", [])
      const fills = yield* LiveOrders.executed(world, account)
      const expected = isMet ? [{ side, amount: "0.01", price, role: 2 }] : []
      yield* LiveOrders.lists(fills, isMet ? "one fill" : "no fills", "side", expected)
    })
  })
]
