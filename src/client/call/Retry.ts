/**
 * Which attempts are followed by another one, and when.
 *
 * Only reads are retried. A mutating call gets a second attempt for one reason: its nonce was refused, which proves that it
 * was not applied.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import type * as Endpoint from "../../protocol/Endpoint.ts"
import type * as Errors from "../../protocol/Errors.ts"
import * as RateLimits from "../RateLimits.ts"

/**
 * When a read is retried after a failure that may pass: by default twice, after about 100 and 200 milliseconds. A refusal
 * by the rate limit is not such a failure: see {@link RateLimits.MaxWait}. Provide `Schedule.recurs(0)` for a single
 * attempt: to an exchange's layer or to a call, as with `Timeout`.
 *
 * @category configuration
 * @since 0.1.0
 */
export const ReadRetry = Context.Reference<Schedule.Schedule<unknown>>("effect-txc/client/Call/ReadRetry", {
  defaultValue: () => Schedule.exponential("100 millis").pipe(Schedule.jittered, Schedule.upTo({ times: 2 }))
})

/**
 * Makes attempts until one succeeds, or fails with an error that no further attempt would mend. Built once per call.
 *
 * @category combinators
 * @since 0.1.0
 */
export const retrying = (
  endpoint: Endpoint.Any,
  bucket: RateLimits.Bucket,
  attempt: Effect.Effect<unknown, Errors.CallError>,
  schedule: Schedule.Schedule<unknown>,
  fiber: Fiber.Fiber<unknown, unknown>
): Effect.Effect<unknown, Errors.CallError> => {
  if (endpoint.mutates) return Effect.catchTag(attempt, "NonceRejected", () => attempt)
  let refusedNonces = 0
  return Effect.retry(attempt, {
    // A rate limit refuses calls that come soon. A nonce that is refused twice will be refused a third time.
    while: (error) =>
      error._tag === "NonceRejected" ? refusedNonces++ === 0 : error.isRetryable && error._tag !== "RateLimited",
    schedule
  }).pipe(Effect.retry({
    // The next attempt waits in line until the pause that follows a refusal has ended.
    while: (error) => error._tag === "RateLimited" && error.origin === "exchange",
    times: Duration.isZero(Duration.fromInputUnsafe(fiber.getRef(RateLimits.MaxWait))) ? 0 : bucket.retries
  }))
}
