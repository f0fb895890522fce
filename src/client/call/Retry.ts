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
 * Makes attempts of an endpoint until one succeeds, or fails with an error that no further attempt would mend. What it takes
 * to retry a read is built after the first failure: most calls have none.
 *
 * @category combinators
 * @since 0.1.0
 */
export const of = (endpoint: Endpoint.Any, bucket: RateLimits.Bucket) =>
(
  attempt: () => Effect.Effect<unknown, Errors.CallError>,
  schedule: Schedule.Schedule<unknown>
): Effect.Effect<unknown, Errors.CallError> =>
  Effect.catchEager(attempt(), (error): Effect.Effect<unknown, Errors.CallError> => {
    if (endpoint.mutates) return error._tag === "NonceRejected" ? attempt() : Effect.fail(error)
    return isRetried(error) ? afterFailure(error, attempt, schedule, bucket) : Effect.fail(error)
  })

const isRetried = ({ _tag, isRetryable }: Errors.CallError): boolean => _tag === "NonceRejected" || isRetryable

/** Goes on after the first attempt of a read has failed with an error that is worth another attempt. */
const afterFailure = (
  first: Errors.CallError,
  attempt: () => Effect.Effect<unknown, Errors.CallError>,
  schedule: Schedule.Schedule<unknown>,
  bucket: RateLimits.Bucket
): Effect.Effect<unknown, Errors.CallError> =>
  Effect.withFiber((fiber) => {
    let attempts = 0
    let refusedNonces = 0
    return Effect.suspend(() => attempts++ === 0 ? Effect.fail(first) : attempt()).pipe(
      Effect.retry({
        // A rate limit refuses calls that come soon. A nonce that is refused twice will be refused a third time.
        while: (error) =>
          error._tag === "NonceRejected" ? refusedNonces++ === 0 : error.isRetryable && error._tag !== "RateLimited",
        schedule
      }),
      Effect.retry({
        // The next attempt waits in line until the pause that follows a refusal has ended.
        while: (error) => error._tag === "RateLimited" && error.origin === "exchange",
        times: Duration.isZero(Duration.fromInputUnsafe(fiber.getRef(RateLimits.MaxWait))) ? 0 : bucket.retries
      })
    )
  })
