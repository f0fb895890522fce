/** Rules about the forced liquidation of a position. Only the live exchange's documentation describes it. */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { basePrice, priceText } from "../world/Markets.ts"
import * as Paths from "../world/Paths.ts"
import * as Trading from "../world/Trading.ts"

export const rules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.always("status.auto-canceled-liquidation", {
    statement: "Cancels an account's pending orders on the market of a liquidated position: AUTO_CANCELED_LIQUIDATION",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open({ isFunded: false, b2b: false })
      yield* world.control("Fund", { account: account.id, wallet: "collateral", ticker: "USDT", amount: "400" })
      const market = yield* Trading.openPosition(world, account, "buy", "0.02")
      const pending = { market: market.name, side: "sell", amount: "0.001", price: priceText(market, basePrice * 1.5) }
      const { orderId } = yield* Trading.placeOther(world, account, pending, Paths.collateralLimit)
      const { positions: [position] } = yield* LiveCalls.openPositions(world, account)
      const bound = Number(position?.["liquidationPrice"])
      if (!(bound > 0 && bound < basePrice)) return yield* Verdict.skip("needs a position with a liquidation price")
      yield* Trading.movePrice(world, market, bound * 0.9)
      yield* world.advance(5000)
      const { positions } = yield* LiveCalls.openPositions(world, account)
      if (positions.length > 0) return yield* Verdict.skip("needs a price at which the position is liquidated")
      yield* LiveOrders.lists(yield* LiveOrders.open(world, account), "no open orders", "orderId", [])
      const { answer, records: [order = {}] } = yield* LiveOrders.ended(world, account, { orderId })
      yield* Verdict.expect(
        answer,
        "the pending order with status AUTO_CANCELED_LIQUIDATION",
        order["status"] === "AUTO_CANCELED_LIQUIDATION"
      )
    })
  })
]
