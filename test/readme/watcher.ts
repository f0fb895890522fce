import { CollateralMarketOrders, Decimal, LivePositions, LiveView, OpenPositions } from "effect-txc"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** The age beyond which positions are read with a call. The exchange pushes them every second. */
const tooOld = Duration.seconds(5)

/**
 * Closes every position that has lost more than `limit`, in the quote currency. Checks every second, until interrupted.
 */
export const watch = Effect.fn(function*(limit: Decimal.Amount) {
  const { create } = yield* CollateralMarketOrders.CollateralMarketOrders
  const { list } = yield* OpenPositions.OpenPositions
  const view = yield* LivePositions.make
  const worst = Result.getOrThrow(Decimal.subtract(Decimal.zero, limit))

  /** Returns the current positions. Reads them with a call if the view may be out of date. */
  const positions = Effect.gen(function*() {
    const state = yield* view.get
    const isOld = Duration.isGreaterThan(yield* LiveView.age(state), tooOld)
    if (state._tag === "Whole" && !isOld) return state.value
    yield* Effect.logWarning("positions are read with a call")
    return yield* list()
  })

  /**
   * Closes a position that has lost too much. Repeating the order is harmless: it only reduces the position, and is
   * refused once the position is closed.
   */
  const close = ({ amount, market, unrealizedPnl }: OpenPositions.Position) => {
    if (!amount || !unrealizedPnl || Decimal.Order(unrealizedPnl, worst) >= 0) return Effect.void
    const isLong = Decimal.Order(amount, Decimal.zero) > 0
    const size = isLong ? amount : Result.getOrThrow(Decimal.subtract(Decimal.zero, amount))
    return create({
      market,
      side: isLong ? "sell" : "buy",
      amount: Result.getOrThrow(Decimal.parseAmount(size)),
      reduceOnly: true
    }).pipe(
      Effect.andThen(Effect.logWarning(`closed ${amount} on ${market} at a loss of ${unrealizedPnl}`)),
      // The next check shows whether the position is still open.
      Effect.catch((error) => Effect.logError(`could not close ${amount} on ${market}: ${error.message}`))
    )
  }

  const look = Effect.andThen(positions, Effect.forEach(close, { discard: true }))
  return yield* Effect.forever(Effect.delay(
    Effect.catch(look, (error) => Effect.logError(`the positions are not known: ${error.message}`)),
    "1 second"
  ))
}, Effect.scoped)
