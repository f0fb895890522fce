/**
 * The rule that a list soon shows a trade, even to a caller that has just read the list, and even if another account
 * caused the trade. Only the live exchange's documentation describes most of these lists.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { withPosition } from "../world/MarginPositions.ts"
import { basePrice, perpetual, priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Trading from "../world/Trading.ts"
import type { World } from "../world/World.ts"

/** The lists that a spot trade changes. */
const spot = [Paths.fills, Paths.tradeBalance, Paths.activeOrders, Paths.orderHistory]

/**
 * The lists that a trade on the futures market changes. The list of closed positions changes when a position is closed.
 * ADL ranks are left out, because an exchange may update them only occasionally.
 */
const futures = [Paths.openPositions, Paths.positionHistory, Paths.closedPositions]

/** The times, in milliseconds, after which an unchanged list is read again: no source says how soon it must change. */
const pauses = [0, 300, 1500, 3000]

/**
 * Returns an account, the fields of an order that will wait at the market price, and the path of the call that places
 * it.
 */
const waiting = Effect.fnUntraced(function*(world: World, path: string) {
  if (spot.includes(path)) {
    const market = yield* world.market
    const order = { market: market.name, side: "sell" as const, amount: "0.01", price: priceText(market, market.price) }
    return { account: yield* LiveOrders.customer(world), order, entry: Paths.limitOrder }
  }
  const isClosing = path === Paths.closedPositions
  const account = isClosing ? yield* withPosition(world, "buy") : yield* world.open()
  yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
  const [side, amount] = isClosing ? ["sell", "0.02"] as const : ["buy", "0.01"] as const
  return { account, order: { market: perpetual, side, amount, price: String(basePrice) }, entry: Paths.collateralLimit }
})

export const rules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("lists.fresh", {
    statement:
      "Shows a trade with another account's order within seconds, even to a caller that has just read the list",
    values: [...spot, ...futures],
    check: Effect.fnUntraced(function*(world, path) {
      const { account, entry, order } = yield* waiting(world, path)
      yield* Trading.placeOther(world, account, order, entry)
      const before = yield* LiveCalls.call(world, account, path, {})
      const other = { ...order, side: Orders.opposite(order.side) }
      yield* Trading.placeOther(world, yield* world.open(), other, entry)
      let after = before
      for (const pause of pauses) {
        yield* Effect.sleep(pause)
        after = yield* LiveCalls.call(world, account, path, {})
        if (Json.stringify(after.json) !== Json.stringify(before.json)) break
      }
      yield* Verdict.expect(
        after,
        "HTTP 200 with other values than before the trade",
        before.status === 200 && after.status === 200 && Json.stringify(after.json) !== Json.stringify(before.json)
      )
    })
  })
]
