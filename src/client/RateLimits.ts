/**
 * Staying within the exchange's rate limits, so that it refuses no call for its rate (document, "Limits").
 *
 * Calls are counted as the exchange counts them: those of private endpoints per key and endpoint, those of public endpoints
 * all together. It is not known whether the exchange's windows slide, or follow each other. So a bucket admits no more calls
 * than the limit in *any* stretch of time as long as its window: a quarter of the limit at once, and the rest spread evenly
 * over the window and {@link slack}.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { MainBalance, RateLimits } from "effect-txc"
 *
 * // Fails with `RateLimited` at once instead of waiting for a turn.
 * export const balances = MainBalance.MainBalance.use(({ all }) => all).pipe(
 *   Effect.provideService(RateLimits.MaxWait, 0)
 * )
 * ```
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as RateLimiter from "effect/persistence/RateLimiter"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"
import type * as Endpoint from "../protocol/Endpoint.ts"
import * as Errors from "../protocol/Errors.ts"

/**
 * How long an attempt may wait for its turn before it fails with `RateLimited` and `origin: "local"`: thirty seconds unless
 * provided otherwise, for one call or for many. With zero an attempt that is not within the limit fails at once.
 *
 * @category configuration
 * @since 0.1.0
 */
export const MaxWait = Context.Reference<Duration.Input>("effect-txc/client/RateLimits/MaxWait", {
  defaultValue: () => "30 seconds"
})

/** By how many milliseconds one call may take longer to reach the exchange than the next. */
export const slack = 250

/** How often a read is retried after the exchange refused it for its rate. */
const retries = 3

/**
 * The calls that are counted together.
 *
 * @category models
 * @since 0.1.0
 */
export interface Bucket {
  /**
   * Waits until one more call is within the limit, and counts it. Gives the milliseconds waited. Every attempt takes its
   * own turn. Fails with `RateLimited`, origin `local`, when the wait would be longer than {@link MaxWait}.
   */
  readonly take: Effect.Effect<number, Errors.RateLimited>
  /**
   * Reports that the exchange has refused an attempt for its rate, perhaps with a `Retry-After`. No attempt takes a turn
   * for a while: gives for how many milliseconds. Never fails.
   */
  readonly refused: (retryAfter?: string) => Effect.Effect<number>
  /** How often a read may be retried after such a refusal. */
  readonly retries: number
}

/**
 * Whose calls: those of a key at an exchange, or without a key all public calls of this program there.
 *
 * @category models
 * @since 0.1.0
 */
export interface Of {
  /** The exchange, without a slash at the end. */
  readonly baseUrl: string
  /** The key that signs; absent for public calls. */
  readonly apiKey?: Redacted.Redacted
}

/**
 * Keeps calls within the exchange's rate limits.
 *
 * @category services
 * @since 0.1.0
 */
export class RateLimits extends Context.Service<RateLimits, {
  /** Where the calls of an endpoint are counted: the same bucket for all calls that the exchange counts together. */
  readonly bucket: (of: Of, endpoint: Endpoint.Any) => Bucket
}>()("effect-txc/client/RateLimits") {}

/**
 * Tokens and the time in which all of them come back, so that no window of the limit holds more calls than it allows:
 * of `limit` tokens and those that come back in any time shorter than a window and the slack, there are never more.
 */
const spread = ({ calls, perSeconds }: Endpoint.RateLimit) => {
  const limit = Math.max(1, Math.floor(calls / 4))
  const refill = (perSeconds * 1000 + slack) / (calls - limit + 1)
  return { limit, refill, window: Duration.millis(limit * refill) }
}

// -----------------------------------------------------------------------------
// Pauses after a refusal
// -----------------------------------------------------------------------------

/** The attempts that wait for one limit, and the pause that the exchange has asked for. */
interface Line {
  /** Held by the first in line. */
  readonly one: Semaphore.Semaphore
  /** How many attempts wait. */
  waiting: number
  /** Until when no attempt takes a turn, in Unix milliseconds. */
  pausedUntil: number
  /** How many refusals have followed each other. */
  refusals: number
}

const maxBackoff = 30_000
const maxRetryAfter = 600_000

/** The milliseconds that a `Retry-After` asks for, if any: a number of seconds, or a date. */
const askedFor = (retryAfter: string, now: number): number | undefined => {
  const millis = /^\d+$/u.test(retryAfter)
    ? Number(retryAfter) * 1000
    : Option.getOrUndefined(Option.map(DateTime.make(retryAfter), (at) => DateTime.toEpochMillis(at) - now))
  return millis === undefined || millis <= 0 ? undefined : Math.min(millis, maxRetryAfter)
}

/** Pauses the line: for as long as the exchange asks, or for a second that doubles with every refusal, up to thirty. */
const pause = (line: Line, retryAfter: string | undefined): Effect.Effect<number> =>
  Effect.map(Effect.zip(Clock.currentTimeMillis, Random.next), ([now, random]) => {
    const asked = retryAfter === undefined ? undefined : askedFor(retryAfter, now)
    // Of many calls that are refused together, the first says enough.
    if (asked !== undefined || line.pausedUntil <= now) {
      if (now - line.pausedUntil > maxBackoff) line.refusals = 0
      const millis = asked ?? Math.min(1000 * 2 ** line.refusals, maxBackoff)
      line.refusals++
      line.pausedUntil = Math.max(line.pausedUntil, now + Math.ceil(millis * (1 + random / 4)))
    }
    return line.pausedUntil - now
  })

// -----------------------------------------------------------------------------
// Waiting in line
// -----------------------------------------------------------------------------

/** One limit: how calls are counted against it, and the line of attempts that wait. */
interface Counter {
  readonly endpoint: Endpoint.Any
  readonly line: Line
  /** Counts a call and gives 0, or gives the milliseconds until the next. */
  readonly count: Effect.Effect<number>
  /** The milliseconds until one more call is within the limit, when all of it is used up. */
  readonly refill: number
}

const notInTurn = ({ name, rateLimit: { calls, perSeconds } }: Endpoint.Any, millis: number, isPaused: boolean) =>
  Effect.fail(
    new Errors.RateLimited({
      endpoint: name,
      origin: "local",
      status: 429,
      reason: isPaused ? "the exchange has refused calls for their rate" : `${calls} calls in ${perSeconds} seconds`,
      retryAfter: millis
    })
  )

/** The turn of the first in line. */
const turn = ({ count, line }: Counter): Effect.Effect<void> => {
  const next: Effect.Effect<void> = Effect.clockWith((clock) => {
    const paused = line.pausedUntil - clock.currentTimeMillisUnsafe()
    return paused > 0
      ? Effect.andThen(Effect.sleep(Math.ceil(paused)), next)
      : Effect.flatMap(count, (left) => left === 0 ? Effect.void : Effect.andThen(Effect.sleep(left), next))
  })
  return next
}

/** Waits in line, or fails at once when that would take too long. `left` is what the first in line would wait. */
const waiting = (counter: Counter): (left: number) => Effect.Effect<number, Errors.RateLimited> => {
  const { endpoint, line, refill } = counter
  const inTurn = turn(counter)
  return (left) =>
    Effect.withFiber((fiber) => {
      const clock = fiber.getRef(Clock.Clock)
      const since = clock.currentTimeMillisUnsafe()
      const most = Duration.toMillis(fiber.getRef(MaxWait))
      const paused = line.pausedUntil - since
      const expected = Math.max(left, paused) + Math.ceil(line.waiting * refill)
      if (expected > most) return notInTurn(endpoint, expected, paused > 0)
      line.waiting++
      return line.one.withPermits(1)(inTurn).pipe(
        Effect.timeoutOrElse({
          duration: most,
          orElse: () => notInTurn(endpoint, Math.ceil(refill), line.pausedUntil > since)
        }),
        Effect.ensuring(Effect.sync(() => line.waiting--)),
        Effect.map(() => clock.currentTimeMillisUnsafe() - since)
      )
    })
}

const bucketOf = (counter: Counter): Bucket => {
  const { count, line } = counter
  const wait = waiting(counter)
  return {
    take: Effect.clockWith((clock) =>
      // No attempt overtakes those that wait.
      line.waiting > 0 || line.pausedUntil > clock.currentTimeMillisUnsafe()
        ? wait(0)
        : Effect.flatMap(count, (left) => left === 0 ? Effect.succeed(0) : wait(left))
    ),
    refused: (retryAfter) => pause(line, retryAfter),
    retries
  }
}

// -----------------------------------------------------------------------------
// The service
// -----------------------------------------------------------------------------

/**
 * Counts with a limiter of Effect. `nameOf` names a key in the limiter's store.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  consume: RateLimiter.RateLimiter["consume"],
  nameOf: (apiKey: string) => Effect.Effect<string>
): RateLimits["Service"] => {
  const lines = new Map<string, Line>()

  const lineOf = (id: string): Line => {
    const line = lines.get(id) ?? { one: Semaphore.makeUnsafe(1), waiting: 0, pausedUntil: 0, refusals: 0 }
    lines.set(id, line)
    return line
  }

  const bucket = ({ apiKey, baseUrl }: Of, endpoint: Endpoint.Any): Bucket => {
    const { calls, perSeconds } = endpoint.rateLimit
    const counted = apiKey === undefined ? `public ${calls}/${perSeconds}` : endpoint.path
    const { limit, refill, window } = spread(endpoint.rateLimit)
    const consumed = (key: string) => consume({ key, limit, window, algorithm: "token-bucket", onExceeded: "fail" })
    const one = apiKey === undefined
      ? consumed(`${baseUrl} ${counted}`)
      : Effect.flatMapEager(nameOf(Redacted.value(apiKey)), (name) => consumed(`${baseUrl} ${counted} ${name}`))
    return bucketOf({
      endpoint,
      line: lineOf(`${baseUrl} ${counted} ${apiKey === undefined ? "" : Redacted.value(apiKey)}`),
      count: Effect.matchEffect(one, {
        onSuccess: () => Effect.succeed(0),
        onFailure: ({ reason }) =>
          reason._tag === "RateLimitExceeded"
            ? Effect.succeed(Math.ceil(Duration.toMillis(reason.retryAfter)))
            : Effect.die(reason)
      }),
      refill
    })
  }
  return { bucket }
}

/**
 * Counts in memory. All exchanges built together share one count, since the layer is the same value wherever it is used.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMemory: Layer.Layer<RateLimits> = Layer.effect(
  RateLimits,
  Effect.map(RateLimiter.RateLimiter, ({ consume }) => make(consume, Effect.succeed))
).pipe(Layer.provide(RateLimiter.layer), Layer.provide(Layer.fresh(RateLimiter.layerStoreMemory)))

const unlimited: Bucket = { take: Effect.succeed(0), refused: () => Effect.succeed(0), retries: 0 }

/**
 * Counts nothing: only the exchange limits calls.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerNone: Layer.Layer<RateLimits> = Layer.succeed(RateLimits, { bucket: () => unlimited })
