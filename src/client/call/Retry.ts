/**
 * Decides whether and when another attempt follows a failed attempt.
 *
 * The client retries reads after errors that a retry may fix. A mutating call gets a second attempt only after the
 * exchange has refused its nonce, which proves that the call was not applied, and only over a transport that watched
 * the connection on which the refusal arrived. Over a transport that does not watch its connections, the refusal may be
 * the response to another call.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type * as Endpoint from "../../protocol/Endpoint.ts"
import type * as Errors from "../../protocol/Errors.ts"
import type { Progress } from "../Observation.ts"
import * as RateLimits from "../RateLimits.ts"

/**
 * The pauses between retries of a read that failed transiently: by default about 100, then about 200 milliseconds. Each
 * pause varies randomly by up to a fifth, so that several programs do not retry at the same time. To turn these retries
 * off, provide `[]` to an exchange's layer or to a single call, as with `Timeout`. Retries after a rate-limit refusal
 * do not use these pauses: {@link RateLimits.MaxWait} limits their wait, and a `MaxWait` of 0 turns them off.
 */
export const ReadRetry = Context.Reference<ReadonlyArray<Duration.Input>>("effect-txc/client/Call/ReadRetry", {
  defaultValue: () => ["100 millis", "200 millis"]
})

/**
 * Makes attempts until an attempt succeeds, fails with an error that a retry can't fix, or is the last one allowed. The
 * effect that retries a read is built only after the read's first failure, because most calls do not fail.
 */
export const of = (endpoint: Endpoint.Any, bucket: RateLimits.Bucket) =>
(
  attempt: () => Effect.Effect<unknown, Errors.CallError>,
  pauses: ReadonlyArray<Duration.Input>,
  progress: Progress
): Effect.Effect<unknown, Errors.CallError> =>
  Effect.catchEager(attempt(), (error): Effect.Effect<unknown, Errors.CallError> => {
    if (endpoint.mutates) return progress.isRefused ? attempt() : Effect.fail(error)
    return isRetried(error) ? afterFailure(error, attempt, pauses, bucket) : Effect.fail(error)
  })

const isRetried = ({ _tag, isRetryable }: Errors.CallError): boolean => _tag === "NonceRejected" || isRetryable

/** Retries a read whose first attempt failed with a retryable error. */
const afterFailure = (
  first: Errors.CallError,
  attempt: () => Effect.Effect<unknown, Errors.CallError>,
  pauses: ReadonlyArray<Duration.Input>,
  bucket: RateLimits.Bucket
): Effect.Effect<unknown, Errors.CallError> =>
  Effect.withFiber((fiber) => {
    let refusals = Duration.toMillis(fiber.getRef(RateLimits.MaxWait)) > 0 ? bucket.retries : 0
    let refusedNonces = 0

    const goOn = (
      error: Errors.CallError,
      [pause, ...later]: ReadonlyArray<Duration.Input>
    ): Effect.Effect<unknown, Errors.CallError> => {
      if (error._tag === "RateLimited") {
        // The next attempt waits in the queue until the pause after the refusal ends.
        return error.origin === "exchange" && refusals-- > 0 ? tried(pauses) : Effect.fail(error)
      }
      // After a second refused nonce, another attempt would not help.
      const isWorthIt = error._tag === "NonceRejected" ? refusedNonces++ === 0 : error.isRetryable
      return isWorthIt && pause !== undefined ? Effect.andThen(about(pause), tried(later)) : Effect.fail(error)
    }
    const tried = (left: ReadonlyArray<Duration.Input>): Effect.Effect<unknown, Errors.CallError> =>
      Effect.catch(Effect.suspend(attempt), (error) => goOn(error, left))

    return goOn(first, pauses)
  })

/** Sleeps for a random time of 80 to 120 percent of the given time. */
const about = (pause: Duration.Input): Effect.Effect<void> =>
  Effect.flatMap(Random.next, (random) => Effect.sleep(Duration.toMillis(pause) * (0.8 + 0.4 * random)))
