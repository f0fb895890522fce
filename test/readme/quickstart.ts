import { Decimal, Exchange, Identifiers, StopLimitOrders } from "effect-txc"
import { UndiciTransport } from "effect-txc/node"
import * as Effect from "effect/Effect"

export const placeOrder = Effect.gen(function*() {
  const orders = yield* StopLimitOrders.StopLimitOrders
  return yield* orders.create({
    market: Identifiers.marketName("BTC_USDT"),
    side: "buy",
    amount: Decimal.amount("0.1"), // a literal that is not an amount does not compile
    price: Decimal.price("40600"),
    activationPrice: Decimal.price("40500"),
    clientOrderId: Identifiers.ClientOrderId.make("my-order-1")
  })
}).pipe(
  Effect.catchTags({
    ValidationFailed: (error) => Effect.logError("invalid fields", error.fields.amount, error.fields.price),
    RequestRejected: (error) => Effect.logError(`code ${error.code}: ${error.reason}`),
    OutcomeUnknown: (error) => Effect.logError("look for the order before trying again", error.clientOrderId)
  })
)

// Reads TXC_API_KEY, TXC_API_SECRET, and TXC_REGION (global or eu), or TXC_BASE_URL with TXC_DIALECT.
export const program = placeOrder.pipe(
  Effect.provide(Exchange.layerConfigWith({ transport: UndiciTransport.layer }))
)
