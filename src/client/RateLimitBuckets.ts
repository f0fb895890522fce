/** Counts calls against rate limits, queues attempts that must wait, and pauses after a rate-limit refusal. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import type * as Endpoint from "../protocol/Endpoint.ts"
import * as Errors from "../protocol/Errors.ts"
import { TokenBucket } from "./TokenBucket.ts"

/**
 * A group of calls that are counted together.
 *
 * @category models
 */
export interface Bucket {
  /**
   * Waits until one more call is within the limit, counts the call, and returns the milliseconds waited. Every attempt
   * of a call is counted. Fails with `RateLimited` (`origin: "local"`) when the wait would be longer than `MaxWait`.
   */
  readonly take: Effect.Effect<number, Errors.RateLimited>
  /**
   * Pauses the bucket after the exchange has refused an attempt because of a rate limit, and returns the length of the
   * pause in milliseconds. `retryAfter` is the response's `Retry-After` header, if present. Never fails.
   */
  readonly refused: (retryAfter?: string) => Effect.Effect<number>
  /** The maximum number of retries of a read after a rate-limit refusal. */
  readonly retries: number
}

/**
 * Identifies the caller at an exchange: an API key, or this program itself for public calls.
 *
 * @category models
 */
export interface Of {
  /** The exchange's base URL, without a trailing slash. */
  readonly baseUrl: string
  /** The API key that signs the calls; absent for public calls. */
  readonly apiKey?: Redacted.Redacted
}

/**
 * The maximum time that an attempt waits for a rate limit before it fails with `RateLimited` and `origin: "local"`.
 * Default: thirty seconds. You can provide a value to a single call or to many calls. With zero, an attempt beyond the
 * limit fails immediately.
 */
export const MaxWait = Context.Reference<Duration.Input>("effect-txc/client/RateLimits/MaxWait", {
  defaultValue: () => "30 seconds"
})

/** The maximum difference between the times that two calls take to reach the exchange, in milliseconds. */
export const slack = 250

/** The maximum number of retries of a read after a rate-limit refusal. */
const retries = 3

/**
 * Chooses the size of a bucket (`most`) and the milliseconds until a token returns. The tokens in a full bucket, plus
 * the tokens that return during one window and the slack time after it, never exceed the limit.
 */
const spread = ({ calls, perSeconds }: Endpoint.RateLimit) => {
  const most = Math.max(1, Math.floor(calls / 4))
  return { most, refill: (perSeconds * 1000 + slack) / (calls - most + 1) }
}

/** The queue of attempts that wait for one limit, and the pause requested by the exchange. */
interface Line {
  /**
   * The waiting attempts in order of arrival. Each attempt has a signal, which is sent when the attempt is first in the
   * queue.
   */
  readonly waiting: Set<Deferred.Deferred<void>>
  /** The end of the pause, in Unix milliseconds; no attempt is sent before that time: see {@link pauseLeft}. */
  pausedUntil: number
  /** The time when the queue was last checked, in Unix milliseconds. */
  seen: number
  /** The number of consecutive refusals. */
  refusals: number
}

const maxBackoff = 30_000

const maxRetryAfter = 600_000

/**
 * The milliseconds requested by a `Retry-After` header, which contains either seconds or a date; at most ten minutes.
 * `undefined` if the requested time is not in the future.
 */
const askedFor = (retryAfter: string, now: number): number | undefined => {
  const millis = /^\d+$/u.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now
  return millis > 0 ? Math.min(millis, maxRetryAfter) : undefined
}

/**
 * The milliseconds until the pause ends; negative once the pause is over. Setting the clock back does not prolong a
 * pause.
 */
const pauseLeft = (line: Line, now: number): number => {
  if (now < line.seen) line.pausedUntil -= line.seen - now
  line.seen = now
  return line.pausedUntil - now
}

/**
 * Pauses the queue for the time that the exchange requests. Without a requested time, the pause is one second, doubled
 * with every consecutive refusal, up to thirty seconds. In both cases, up to a quarter is added at random.
 */
const pause = (line: Line, retryAfter: string | undefined): Effect.Effect<number> =>
  Effect.withFiber((fiber) => {
    const now = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
    const random = fiber.getRef(Random.Random).nextDoubleUnsafe()
    const asked = retryAfter === undefined ? undefined : askedFor(retryAfter, now)
    // If the exchange refuses several calls at about the same time, without a `Retry-After` header, only the first
    // refusal starts a pause.
    const left = pauseLeft(line, now)
    if (asked !== undefined || left <= 0) {
      if (-left > maxBackoff) line.refusals = 0
      const millis = asked ?? Math.min(1000 * 2 ** line.refusals, maxBackoff)
      line.refusals++
      line.pausedUntil = Math.max(line.pausedUntil, now + Math.ceil(millis * (1 + random / 4)))
    }
    return Effect.succeed(line.pausedUntil - now)
  })

/** One limit: the count of its calls, and its queue of waiting attempts. */
interface Counter {
  readonly endpoint: Endpoint.Any
  readonly line: Line
  /**
   * Counts a call and returns 0. If the limit is used up, counts nothing and returns the milliseconds until the next
   * call is allowed.
   */
  readonly count: Effect.Effect<number>
  /** The milliseconds between calls once the limit is used up. */
  readonly refill: number
}

const notInTurn = ({ name, rateLimit: { calls, perSeconds } }: Endpoint.Any, millis: number, isPaused: boolean) =>
  Effect.fail(
    new Errors.RateLimited({
      endpoint: name,
      origin: "local",
      status: 429,
      reason: isPaused ? "the exchange has rate-limited calls" : `${calls} calls in ${perSeconds} seconds`,
      retryAfter: millis
    })
  )

/** Waits until the first attempt in the queue may be sent, and counts it. */
const turn = ({ count, line }: Counter): Effect.Effect<void> => {
  const next: Effect.Effect<void> = Effect.clockWith((clock) => {
    const paused = pauseLeft(line, clock.currentTimeMillisUnsafe())
    return paused > 0
      ? Effect.andThen(Effect.sleep(Math.ceil(paused)), next)
      : Effect.flatMap(count, (left) => left === 0 ? Effect.void : Effect.andThen(Effect.sleep(left), next))
  })
  return next
}

/** Signals to the first attempt in the queue that it is first. */
const callFirst = ({ waiting }: Line): void => {
  const [first] = waiting
  if (first !== undefined) Deferred.doneUnsafe(first, Exit.void)
}

/**
 * Returns a function that waits in the queue, or fails immediately when the wait would be too long. `left` is the first
 * attempt's wait, in milliseconds.
 */
const waiting = (counter: Counter): (left: number) => Effect.Effect<number, Errors.RateLimited> => {
  const { endpoint, line, refill } = counter
  const inTurn = turn(counter)
  return (left) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.withFiber((fiber) => {
        const clock = fiber.getRef(Clock.Clock)
        const since = clock.currentTimeMillisUnsafe()
        const most = Duration.toMillis(fiber.getRef(MaxWait))
        const paused = pauseLeft(line, since)
        const expected = Math.max(left, paused) + Math.ceil(line.waiting.size * refill)
        if (expected > most) return notInTurn(endpoint, expected, paused > 0)
        const isFirst = Deferred.makeUnsafe<void>()
        line.waiting.add(isFirst)
        callFirst(line)
        const inTime = Effect.timeoutOrElse(Effect.andThen(Deferred.await(isFirst), inTurn), {
          duration: most,
          orElse: () => notInTurn(endpoint, Math.ceil(refill), paused > 0 || line.pausedUntil > since)
        })
        return restore(inTime).pipe(
          Effect.ensuring(Effect.sync(() => {
            line.waiting.delete(isFirst)
            callFirst(line)
          })),
          Effect.map(() => Math.max(0, clock.currentTimeMillisUnsafe() - since))
        )
      })
    )
}

const bucketOf = (counter: Counter): Bucket => {
  const { count, line } = counter
  const wait = waiting(counter)
  return {
    take: Effect.clockWith((clock) =>
      // No attempt overtakes the attempts that are already waiting.
      line.waiting.size > 0 || pauseLeft(line, clock.currentTimeMillisUnsafe()) > 0
        ? wait(0)
        : Effect.flatMap(count, (left) => left === 0 ? Effect.succeed(0) : wait(left))
    ),
    refused: (retryAfter) => pause(line, retryAfter),
    retries
  }
}

/** A separately counted limit: a burst of up to `most` calls, then one more call per interval. */
export interface Counted {
  /**
   * Identifies the exchange and the endpoint or, for public calls, the exchange and the limit. Calls with the same
   * string are counted together.
   */
  readonly what: string
  /** The API key that signs the calls; absent for public calls. */
  readonly apiKey: string | undefined
  /** The maximum number of calls in a burst. */
  readonly most: number
  /** The interval between calls after a burst, in milliseconds. */
  readonly refill: number
}

/**
 * Counts a call and returns 0. If the limit is used up, counts nothing and returns the milliseconds until the next call
 * is allowed.
 */
export type Count = (counted: Counted) => Effect.Effect<number>

/** Identifies the calls that are counted together. */
const idOf = ({ apiKey = "", what }: Counted): string => `${what} ${apiKey}`

/** Counts the calls of this program only. */
export const countingInMemory = (): Count => {
  const buckets = new Map<string, TokenBucket>()
  return (counted) => {
    const id = idOf(counted)
    const tokens = buckets.get(id) ?? new TokenBucket(counted.most, counted.refill)
    buckets.set(id, tokens)
    return Effect.clockWith((clock) => Effect.succeed(tokens.take(clock.currentTimeMillisUnsafe())))
  }
}

/** Creates the service from a function that counts calls. */
export const make = (count: Count): { readonly bucket: (of: Of, endpoint: Endpoint.Any) => Bucket } => {
  const lines = new Map<string, Line>()

  const lineOf = (id: string): Line => {
    const line = lines.get(id) ?? { waiting: new Set(), pausedUntil: 0, seen: 0, refusals: 0 }
    lines.set(id, line)
    return line
  }

  const bucket = ({ apiKey, baseUrl }: Of, endpoint: Endpoint.Any): Bucket => {
    const { calls, perSeconds } = endpoint.rateLimit
    const counted: Counted = {
      what: `${baseUrl} ${apiKey === undefined ? `public ${calls}/${perSeconds}` : endpoint.path}`,
      apiKey: apiKey && Redacted.value(apiKey),
      ...spread(endpoint.rateLimit)
    }
    return bucketOf({ endpoint, line: lineOf(idOf(counted)), count: count(counted), refill: counted.refill })
  }
  return { bucket }
}
