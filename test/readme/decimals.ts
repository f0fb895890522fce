import { Decimal, Identifiers, LimitOrders } from "effect-txc"
import * as Effect from "effect/Effect"

/**
 * Places an order from user input. Fails if a string is not a positive decimal, and the error states what is wrong with
 * the string.
 */
export const buy = Effect.fn("buy")(function*(amountText: string, priceText: string) {
  const amount = yield* Effect.fromResult(Decimal.parseAmount(amountText))
  const price = yield* Effect.fromResult(Decimal.parsePrice(priceText))
  const orders = yield* LimitOrders.LimitOrders
  return yield* orders.create({ market: Identifiers.marketName("BTC_USDT"), side: "buy", amount, price })
})
