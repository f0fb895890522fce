/**
 * Rules about the calls that cancel several orders: their effect on partly filled orders, and the position sides that
 * they select. Only the live exchange's documentation describes these effects.
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
import * as WaitingOrders from "../world/WaitingOrders.ts"
import type { Account, Body, World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

/** The calls that cancel several orders, at once or later. */
const calls = [Paths.cancelAll, Paths.cancelBulk, Paths.killSwitch] as const

/** Cancels an account's orders with this call. */
const cancel = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: (typeof calls)[number],
  { market, orderId }: Body
) {
  const fields = {
    [Paths.cancelAll]: { market },
    [Paths.cancelBulk]: { orders: [{ market, orderId }] },
    [Paths.killSwitch]: { market, timeout: "5" }
  }[path]
  const answer = yield* LiveCalls.call(world, account, path, fields ?? {})
  yield* Verdict.expect(answer, "success", Refusals.isSuccess(answer))
  if (path === Paths.killSwitch) yield* world.advance(6000)
})

/** The fields of a past order that these rules compare. */
const compared = ["orderId", "clientOrderId", "side", "amount", "price", "dealStock", "dealMoney", "status"]

export const rules: ReadonlyArray<Rule.Rule> = [
  forEach("live-cancels.part", {
    statement:
      "Keeps the fills of a partly filled order that is canceled with others, and releases its remaining funds",
    values: calls.flatMap((path) => Orders.sides.map((side) => ({ path, side }))),
    check: (world, { path, side }) =>
      world.whileFrozen(Effect.gen(function*() {
        const { account, expected, fields, order } = yield* WaitingOrders.partlyFilled(world, side, Paths.limitOrder)
        const id = { market: fields["market"], orderId: order["orderId"] }
        yield* cancel(world, account, path, id)
        yield* LiveOrders.lists(yield* LiveOrders.open(world, account), "no open orders", "orderId", [])
        const past: Body = { ...expected, ...id }
        const ended = Object.fromEntries(compared.map((key) => [key, past[key]]))
        yield* LiveOrders.lists(yield* LiveOrders.ended(world, account, id), "the order", "orderId", [ended])
        const { answer, of } = yield* LiveOrders.funds(world, account)
        const { money, stock } = yield* world.market
        yield* Verdict.expect(answer, "nothing in freeze", of(stock).freeze === 0 && of(money).freeze === 0)
      }))
  }),
  // The documentation does not say what long and short select in one-way mode.
  always("live-cancels.one-way", {
    statement: "In one-way mode, cancels futures orders of the position side both",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open()
      const order = { market: perpetual, side: "buy", amount: "0.01", price: String(basePrice / 2) }
      yield* Trading.placeOther(world, account, order, Paths.collateralLimit)
      const fields = { market: perpetual, positionSide: "both" }
      const answer = yield* LiveCalls.call(world, account, Paths.cancelAll, fields)
      yield* Verdict.expect(answer, "success", Refusals.isSuccess(answer))
      yield* LiveOrders.lists(yield* LiveOrders.open(world, account), "no open orders", "orderId", [])
    })
  }),
  forEach("live-cancels.side", {
    statement: "Refuses to cancel the orders of an unknown position side, or of any without a perpetual market, and "
      + "cancels nothing",
    values: [
      { market: perpetual, positionSide: "up" },
      { market: perpetual, positionSide: 1 },
      { market: "spot", positionSide: "both" },
      { positionSide: "both" }
    ] as const,
    check: Effect.fnUntraced(function*(world, fields) {
      const account = yield* world.open()
      const market = yield* world.market
      const spot = { market: market.name, side: "sell", amount: "0.01", price: above(market, 20) }
      const { orderId: one } = yield* Trading.placeOther(world, account, spot)
      const order = { market: perpetual, side: "buy", amount: "0.01", price: String(basePrice / 2) }
      const { orderId: other } = yield* Trading.placeOther(world, account, order, Paths.collateralLimit)
      const on = "market" in fields && fields.market === "spot" ? { market: market.name } : {}
      const answer = yield* LiveCalls.call(world, account, Paths.cancelAll, { ...fields, ...on })
      yield* Refusals.any(answer, `because of the fields ${Json.stringify(fields)}`)
      const open = yield* LiveOrders.open(world, account)
      yield* LiveOrders.lists(open, "both orders", "orderId", [{ orderId: one }, { orderId: other }])
    })
  })
]
