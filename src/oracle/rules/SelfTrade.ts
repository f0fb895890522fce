/**
 * Rules about the self-trade prevention of stop-limit orders (document, "Stop-limit order (response)" and Endpoints
 * §3).
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Dialects from "../world/Dialects.ts"
import { priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Section from "../world/Section.ts"
import * as Trading from "../world/Trading.ts"
import type { World } from "../world/World.ts"

const clause = "Stop-limit order (response)"

const section = Section.of({ clause })

type Mode = keyof ReturnType<typeof Dialects.modes>

const modes = ["cancel_new", "cancel_old", "cancel_both"] as const

/**
 * Triggers a stop order that would match another order of its own account, by making other accounts trade. Returns both
 * orders.
 */
const meet = Effect.fnUntraced(function*(world: World, side: Orders.Side, mode: Mode | undefined) {
  const account = yield* world.trader
  const market = yield* world.market
  const price = priceText(market, Trading.triggerPrice(side, 10))
  const amount = "0.02"
  const old = yield* Trading.placeOther(
    world,
    account,
    { market: market.name, side: Orders.opposite(side), amount, price }
  )
  const activation = priceText(market, Trading.triggerPrice(side, 5))
  const stp = mode === undefined ? {} : { stp: Dialects.modes(world.dialect)[mode] }
  const fields = Orders.stopLimit(market, side, { amount, price, activation_price: activation, ...stp })
  const { order } = yield* Orders.place(world, account, Paths.stopLimit, fields)
  yield* Trading.tradeAt(world, market, activation)
  const { dealStock, orderId } = Dialects.keys(world.dialect)
  const open = yield* Orders.list(world, account, Paths.activeOrders)
  const stateOf = Effect.fnUntraced(function*(id: unknown) {
    const found = yield* Orders.find(world, account, id)
    return { filled: Number(found[dealStock]), isOpen: open.has(String(id)) }
  })
  return { old: yield* stateOf(old[orderId]), new: yield* stateOf(order[orderId]) }
})

export const rules: ReadonlyArray<Rule.Rule> = [
  section.forEach("stop-limit.stp.prevents", {
    statement: "Does not match a triggered order with other orders of its account, unless stp is no",
    values: Orders.sides.flatMap((side) => modes.map((mode) => ({ side, mode }))),
    check: Effect.fnUntraced(function*(world, { mode, side }) {
      const met = yield* meet(world, side, mode)
      yield* Verdict.conclude("nothing filled", met, met.old.filled === 0 && met.new.filled === 0)
    })
  }),
  section.forEach("stop-limit.stp.omitted", {
    statement: "Treats a triggered order without stp like an order with stp no",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const [without, no] = [yield* meet(world, side, undefined), yield* meet(world, side, "no")]
      yield* Verdict.conclude(
        "the same result with stp no as without stp",
        { without, no },
        Json.stringify(without) === Json.stringify(no)
      )
    })
  }),
  section.forEach("stop-limit.stp.cancels", {
    statement:
      "Cancels the orders that stp names instead of matching them: the new order, the old order, both or neither",
    level: "SHOULD",
    live: Rule.documented("the order that stp names; with stp no, the orders trade"),
    values: Orders.sides.flatMap((side) => (["no", ...modes] as const).map((mode) => ({ side, mode }))),
    check: Effect.fnUntraced(function*(world, { mode, side }) {
      const met = yield* meet(world, side, mode)
      const isOpen = { old: mode === "cancel_new", new: mode === "cancel_old" }
      yield* Verdict.conclude(
        mode === "no" ? "both filled with 0.02" : `open: ${Json.stringify(isOpen)}`,
        met,
        mode === "no"
          ? met.old.filled === 0.02 && met.new.filled === 0.02
          : met.old.isOpen === isOpen.old && met.new.isOpen === isOpen.new
      )
    })
  })
]
