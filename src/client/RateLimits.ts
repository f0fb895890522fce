/**
 * Delays calls that would exceed the exchange's rate limits (the document, "Limits").
 *
 * The client counts calls in the same way as the exchange: private calls per key and endpoint, and public calls
 * together if they have the same limit. It is unknown whether the exchange uses sliding or fixed windows, so the client
 * respects the limit in *any* period that is as long as a window. It allows a quarter of the limit as a burst, and
 * spreads the rest evenly over the window plus 250 ms, because one call may reach the exchange up to 250 ms faster than
 * another.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { MainBalance, RateLimits } from "effect-txc"
 *
 * // Fails with `RateLimited` immediately instead of waiting for a turn.
 * export const balances = MainBalance.MainBalance.use(({ all }) => all).pipe(
 *   Effect.provideService(RateLimits.MaxWait, 0)
 * )
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Endpoint from "../protocol/Endpoint.ts"
import { type Bucket, countingInMemory, make, type Of } from "./RateLimitBuckets.ts"

export { type Bucket, MaxWait, type Of } from "./RateLimitBuckets.ts"

/**
 * Keeps calls within the exchange's rate limits.
 *
 * @category services
 */
export class RateLimits extends Context.Service<RateLimits, {
  /** Returns the bucket for an endpoint's calls. All calls that the exchange counts together have the same bucket. */
  readonly bucket: (of: Of, endpoint: Endpoint.Any) => Bucket
}>()("effect-txc/client/RateLimits") {}

/**
 * Counts calls in memory. All exchanges built together share one count, because this layer is a single value.
 *
 * @category layers
 */
export const layerMemory: Layer.Layer<RateLimits> = Layer.sync(RateLimits, () => make(countingInMemory()))

const unlimited: Bucket = { take: Effect.succeed(0), refused: () => Effect.succeed(0), retries: 0 }

/**
 * Does not delay calls; the exchange still enforces its limits.
 *
 * @category layers
 */
export const layerNone: Layer.Layer<RateLimits> = Layer.succeed(RateLimits, { bucket: () => unlimited })
