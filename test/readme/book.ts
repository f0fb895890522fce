import { type Decimal, type Identifiers, LiveBook, LiveView } from "effect-txc"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** Logs the best prices after each change, and warns when they may be outdated. */
export const show = Effect.fn(function*(market: Identifiers.MarketName) {
  const book = yield* LiveBook.make({ market, limit: 20, priceStep: "0" })
  yield* Stream.runForEach(book.changes, (state) => {
    if (state._tag === "Incomplete") return Effect.logWarning(`prices may be old: ${state.why}`)
    const { ask, bid } = LiveBook.best(state.value)
    return Effect.log(`buy for ${ask?.price ?? "nothing"}, sell for ${bid?.price ?? "nothing"}`)
  })
}, Effect.scoped)

/**
 * Returns the current price for a buy, or `undefined` if events may be missing or no message has arrived for two
 * seconds.
 */
export const priceNow = Effect.fn(function*(book: LiveBook.LiveBook): Effect.fn.Return<
  Decimal.Decimal | undefined,
  unknown
> {
  const state = yield* book.get
  const isOld = Duration.isGreaterThan(yield* LiveView.age(state), Duration.seconds(2))
  return state._tag === "Incomplete" || isOld ? undefined : LiveBook.best(state.value).ask?.price
})
