/**
 * Staying within the exchange's rate limits, so that it has nothing to refuse (document, "Limits").
 *
 * Limits are counted where the exchange counts them: those of private endpoints per key and endpoint, the one of public
 * endpoints for all of them together. How it counts (in windows that slide, or that follow each other from any moment
 * on) is not known, so a bucket admits no more calls than the limit in *any* stretch of time as long as its window: a
 * quarter of the limit at once, and the rest spread evenly over the window and {@link slack}.
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
 * provided otherwise, for one call or for many. Zero never waits: what is not within the limit fails at once.
 *
 * @category configuration
 * @since 0.1.0
 */
export const MaxWait = Context.Reference<Duration.Input>("effect-txc/client/RateLimits/MaxWait", {
  defaultValue: () => "30 seconds"
})

/** By how many milliseconds the way to the exchange may take longer for one call than for the next. */
export const slack = 250

/** How often a read is attempted again after the exchange refused it for its rate. */
const retries = 3

/**
 * The calls that are counted together.
 *
 * - `take`: waits until one more call is within the limit, and counts it. Gives the milliseconds waited. Every attempt
 *   takes anew.
 * - `refused`: the exchange has refused an attempt for its rate, perhaps with a `Retry-After`. Nobody takes for a while:
 *   gives how many milliseconds.
 * - `retries`: how often a read may be attempted again after such a refusal
 *
 * @category models
 * @since 0.1.0
 */
export interface Bucket {
  readonly take: Effect.Effect<number, Errors.RateLimited>
  readonly refused: (retryAfter?: string) => Effect.Effect<number>
  readonly retries: number
}

/**
 * Whose calls: of a key at an exchange, or without a key those of this program.
 *
 * @category models
 * @since 0.1.0
 */
export interface Of {
  readonly baseUrl: string
  readonly apiKey?: Redacted.Redacted
}

/**
 * - `bucket`: where the calls of an endpoint are counted
 *
 * @category services
 * @since 0.1.0
 */
export class RateLimits extends Context.Service<RateLimits, {
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

/** The calls of one limit: who waits, and until when the exchange wants none. */
interface Line {
  readonly one: Semaphore.Semaphore
  waiting: number
  pausedUntil: number
  refusals: number
}

const maxBackoff = 30_000
const maxRetryAfter = 600_000

/** The milliseconds that a `Retry-After` asks for, if any: a number of seconds, or a date. */
const asked = (retryAfter: string, now: number): number | undefined => {
  const millis = /^\d+$/u.test(retryAfter)
    ? Number(retryAfter) * 1000
    : Option.getOrUndefined(Option.map(DateTime.make(retryAfter), (at) => DateTime.toEpochMillis(at) - now))
  return millis === undefined || millis <= 0 ? undefined : Math.min(millis, maxRetryAfter)
}

/**
 * Counts with a limiter of Effect. `nameOf` is what a key is called in its store.
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
    const line = lineOf(`${baseUrl} ${counted} ${apiKey === undefined ? "" : Redacted.value(apiKey)}`)
    const { limit, refill, window } = spread(endpoint.rateLimit)
    const consumed = (key: string) => consume({ key, limit, window, algorithm: "token-bucket", onExceeded: "fail" })
    const one = apiKey === undefined
      ? consumed(`${baseUrl} ${counted}`)
      : Effect.flatMap(nameOf(Redacted.value(apiKey)), (name) => consumed(`${baseUrl} ${counted} ${name}`))

    /** Counts a call and gives 0, or gives the milliseconds until the next. */
    const taken: Effect.Effect<number> = Effect.matchEffect(one, {
      onSuccess: () => Effect.succeed(0),
      onFailure: ({ reason }) =>
        reason._tag === "RateLimitExceeded"
          ? Effect.succeed(Math.ceil(Duration.toMillis(reason.retryAfter)))
          : Effect.die(reason)
    })

    const limited = (millis: number, paused: boolean) =>
      Effect.fail(
        new Errors.RateLimited({
          endpoint: endpoint.name,
          origin: "local",
          status: 429,
          reason: paused ? "the exchange has refused calls for their rate" : `${calls} calls in ${perSeconds} seconds`,
          retryAfter: millis
        })
      )

    /** The turn of whoever is first in line. */
    const turn: Effect.Effect<void> = Effect.clockWith((clock) => {
      const paused = line.pausedUntil - clock.currentTimeMillisUnsafe()
      return paused > 0
        ? Effect.andThen(Effect.sleep(Math.ceil(paused)), turn)
        : Effect.flatMap(taken, (left) => left === 0 ? Effect.void : Effect.andThen(Effect.sleep(left), turn))
    })

    /** Waits in line, or not at all when that would take too long. `left` is what the first in line would wait. */
    const wait = (left: number): Effect.Effect<number, Errors.RateLimited> =>
      Effect.withFiber((fiber) => {
        const clock = fiber.getRef(Clock.Clock)
        const since = clock.currentTimeMillisUnsafe()
        const most = Duration.toMillis(fiber.getRef(MaxWait))
        const paused = line.pausedUntil - since
        const expected = Math.max(left, paused) + Math.ceil(line.waiting * refill)
        if (expected > most) return limited(expected, paused > 0)
        line.waiting++
        return line.one.withPermits(1)(turn).pipe(
          Effect.timeoutOrElse({ duration: most, orElse: () => limited(Math.ceil(refill), line.pausedUntil > since) }),
          Effect.ensuring(Effect.sync(() => line.waiting--)),
          Effect.map(() => clock.currentTimeMillisUnsafe() - since)
        )
      })

    return {
      take: Effect.clockWith((clock) =>
        // Nobody overtakes those who wait.
        line.waiting > 0 || line.pausedUntil > clock.currentTimeMillisUnsafe()
          ? wait(0)
          : Effect.flatMap(taken, (left) => left === 0 ? Effect.succeed(0) : wait(left))
      ),
      refused: (retryAfter) =>
        Effect.map(Effect.zip(Clock.currentTimeMillis, Random.next), ([now, random]) => {
          const wanted = retryAfter === undefined ? undefined : asked(retryAfter, now)
          // Of many calls that are refused together, the first says enough.
          if (wanted !== undefined || line.pausedUntil <= now) {
            if (now - line.pausedUntil > maxBackoff) line.refusals = 0
            const pause = wanted ?? Math.min(1000 * 2 ** line.refusals, maxBackoff)
            line.refusals++
            line.pausedUntil = Math.max(line.pausedUntil, now + Math.ceil(pause * (1 + random / 4)))
          }
          return line.pausedUntil - now
        }),
      retries
    }
  }
  return { bucket }
}

/**
 * Counts in memory: for all exchanges built together, since the layer is the same value wherever it is used.
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
 * Counts nothing: the exchange judges alone.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerNone: Layer.Layer<RateLimits> = Layer.succeed(RateLimits, { bucket: () => unlimited })
