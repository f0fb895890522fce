import { DealsChannel, Decimal, type Identifiers, LimitOrders, LiveOrders } from "effect-txc"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

/** Raises a price by one percent. */
const dearer = (price: Decimal.Decimal): Decimal.Price =>
  Result.flatMap(Decimal.multiply(price, Decimal.of("1.01")), (exact) => Decimal.parsePrice(Decimal.ceil(exact, 2)))
    .pipe(
      Result.getOrThrow
    )

/** Offers every purchased amount at a price one percent higher, unless ten orders are open. */
export const bot = Effect.fn(function*(market: Identifiers.MarketName) {
  const { stream } = yield* DealsChannel.DealsChannel
  const { create } = yield* LimitOrders.LimitOrders
  const orders = yield* LiveOrders.make({ market })

  const react = Effect.fn(function*({ amount, price, side }: DealsChannel.Deal) {
    // Waits until the list of open orders is complete.
    const open = yield* orders.whole
    if (side !== "buy" || open.size >= 10) return
    yield* create({
      market,
      side: "sell",
      amount: Result.getOrThrow(Decimal.parseAmount(amount)),
      price: dearer(price)
    })
  })

  yield* Stream.runForEach(stream({ market }), (item) => {
    if (item._tag === "Event") return react(item.event)
    return item._tag === "Interrupted" ? Effect.logWarning("fills may be missing: read them with Fills") : Effect.void
  })
}, Effect.scoped)
