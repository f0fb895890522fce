import { MainBalance, RateLimits } from "effect-txc"
import * as Effect from "effect/Effect"

// Fails immediately if the rate limit would delay the call.
export const balanceNow = Effect.gen(function*() {
  const balance = yield* MainBalance.MainBalance
  return yield* balance.all
}).pipe(
  Effect.catchTag("RateLimited", ({ retryAfter }) => Effect.logWarning(`too many calls; again in ${retryAfter} ms`)),
  Effect.provideService(RateLimits.MaxWait, 0)
)
