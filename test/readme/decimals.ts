import { Decimal, Identifiers, LimitOrders } from "effect-txc"
import * as Effect from "effect/Effect"

/** Places an order of what somebody has typed. What is no amount, or zero, fails with a sentence about the text. */
export const buy = Effect.fn("buy")(function*(amountText: string, priceText: string) {
  const amount = yield* Effect.fromResult(Decimal.parseAmount(amountText))
  const price = yield* Effect.fromResult(Decimal.parsePrice(priceText))
  const orders = yield* LimitOrders.LimitOrders
  return yield* orders.create({ market: Identifiers.marketName("BTC_USDT"), side: "buy", amount, price })
})
