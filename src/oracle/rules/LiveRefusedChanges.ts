/**
 * Rules about refused changes of orders, which must leave the orders as they were. Only the live exchange's
 * documentation describes this call.
 */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { above, digits } from "../world/Markets.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Wallets from "../world/Wallets.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

/** Expects that an account's open orders are the same as before. */
const isUnchanged = Effect.fnUntraced(function*(world: World, account: Account, before: LiveOrders.Shown) {
  const after = yield* LiveOrders.open(world, account)
  yield* LiveOrders.lists(after, "the same orders as before the change", "orderId", before.records)
})

/** A change to refuse, with the codes of the refusal. */
interface Wrong {
  readonly why: string
  readonly change: (market: Market) => Body
  readonly codes: ReadonlyArray<number>
}

/** Invalid changes of a sell order of 0.03 by an account that has 0.05. */
const wrongs: ReadonlyArray<Wrong> = [
  { why: "the balance does not cover it", change: () => ({ amount: "0.07" }), codes: [10, 17, 32] },
  { why: "the amount is no decimal", change: () => ({ amount: "ten" }), codes: [1, 30, 32] },
  { why: "the amount is zero", change: () => ({ amount: "0" }), codes: [1, 30, 32] },
  { why: "the price is zero", change: () => ({ price: "0" }), codes: [1, 30, 33] },
  { why: "the price is no decimal", change: () => ({ price: "ten", amount: "0.02" }), codes: [1, 30, 33] },
  {
    why: "the total is too small",
    change: ({ minTotal, price, stockPrecision }) => ({ amount: digits(minTotal / price / 3, stockPrecision) }),
    codes: [11, 30, 32]
  }
]

export const rules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("live-changes.refused", {
    statement: "Refuses a change to invalid values, or beyond the balance, with the code of a new order, and changes "
      + "neither the order nor the locked funds",
    values: wrongs,
    check: Effect.fnUntraced(function*(world, { change, codes, why }) {
      const account = yield* Wallets.open(world, [["trade", "BTC", "0.05"], ["trade", "USDT", "100"]])
      const market = yield* world.market
      const terms = { market: market.name, side: "sell", amount: "0.03", price: above(market, 10) }
      const fields = { ...terms, clientOrderId: world.unique("kept") }
      const { order } = yield* LiveOrders.place(world, account, Paths.limitOrder, fields)
      const before = yield* LiveOrders.open(world, account)
      const balances = yield* Wallets.read(world, account)
      const by = { market: market.name, orderId: order["orderId"] }
      const answer = yield* LiveCalls.call(world, account, Paths.modifyOrder, { ...by, ...change(market) })
      yield* Refusals.coded(answer, { status: 422, codes }, `because ${why}`)
      yield* isUnchanged(world, account, before)
      yield* Wallets.expectChanges(world, account, balances, {})
    })
  }),
  LiveCalls.section.forEach("live-changes.closed", {
    statement: "Refuses to change an order that is canceled, filled or already replaced: HTTP 400, code 2 or 6",
    values: ["canceled", "filled", "replaced"] as const,
    check: Effect.fnUntraced(function*(world, how) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const terms = { market: market.name, amount: "0.03", price: above(market, 1) }
      const { order } = yield* LiveOrders.place(world, account, Paths.limitOrder, { ...terms, side: "sell" })
      const by = { market: market.name, orderId: order["orderId"] }
      if (how === "canceled") yield* LiveOrders.place(world, account, Paths.cancelOrder, by)
      else if (how === "filled") yield* LiveOrders.takeAt(world, { ...terms, side: "buy" })
      else yield* LiveOrders.place(world, account, Paths.modifyOrder, { ...by, price: above(market, 2) })
      const before = yield* LiveOrders.open(world, account)
      yield* Verdict.expect(
        before.answer,
        "no open order with the id",
        before.records.every(({ orderId }) => orderId !== by.orderId)
      )
      const answer = yield* LiveCalls.call(world, account, Paths.modifyOrder, { ...by, price: above(market, 3) })
      yield* Refusals.exactly(answer, { status: 400, codes: [2, 6] }, `because the order is ${how}`)
      yield* isUnchanged(world, account, before)
    })
  })
]
