/** Buckets of calls: counting, the line of attempts that wait, and the pause after a refusal. */
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
import type { Bucket, Of, RateLimits } from "./RateLimits.ts"
import { Tokens } from "./Tokens.ts"

/**
 * How long an attempt may wait for its turn before it fails with `RateLimited` and `origin: "local"`: thirty seconds unless
 * provided otherwise, for one call or for many. With zero an attempt that is not within the limit fails at once.
 */
export const MaxWait = Context.Reference<Duration.Input>("effect-txc/client/RateLimits/MaxWait", {
  defaultValue: () => "30 seconds"
})

/** By how many milliseconds one call may take longer to reach the exchange than the next. */
export const slack = 250

/** How often a read is retried after the exchange refused it for its rate. */
const retries = 3

/**
 * So many tokens, and the milliseconds until one comes back, that no window of the limit holds more calls than it allows:
 * of `most` tokens and those that come back in any time shorter than a window and the slack, there are never more.
 */
const spread = ({ calls, perSeconds }: Endpoint.RateLimit) => {
  const most = Math.max(1, Math.floor(calls / 4))
  return { most, refill: (perSeconds * 1000 + slack) / (calls - most + 1) }
}

/** The attempts that wait for one limit, and the pause that the exchange has asked for. */
interface Line {
  /** What each attempt that waits is told that it is the first. They are in the order in which they came. */
  readonly waiting: Set<Deferred.Deferred<void>>
  /** Until when no attempt takes a turn, in Unix milliseconds: see {@link pauseLeft}. */
  pausedUntil: number
  /** When the line was last looked at, in Unix milliseconds. */
  seen: number
  /** How many refusals have followed each other. */
  refusals: number
}

const maxBackoff = 30_000

const maxRetryAfter = 600_000

/** The milliseconds that a `Retry-After` asks for, if any: a number of seconds, or a date. */
const askedFor = (retryAfter: string, now: number): number | undefined => {
  const millis = /^\d+$/u.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now
  return millis > 0 ? Math.min(millis, maxRetryAfter) : undefined
}

/**
 * The milliseconds until the pause ends; negative once it has ended. A clock that is set back does not prolong a pause.
 */
const pauseLeft = (line: Line, now: number): number => {
  if (now < line.seen) line.pausedUntil -= line.seen - now
  line.seen = now
  return line.pausedUntil - now
}

/** Pauses the line: for as long as the exchange asks, or for a second that doubles with every refusal, up to thirty. */
const pause = (line: Line, retryAfter: string | undefined): Effect.Effect<number> =>
  Effect.withFiber((fiber) => {
    const now = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
    const random = fiber.getRef(Random.Random).nextDoubleUnsafe()
    const asked = retryAfter === undefined ? undefined : askedFor(retryAfter, now)
    // Of many calls that are refused together, the first says enough.
    const left = pauseLeft(line, now)
    if (asked !== undefined || left <= 0) {
      if (-left > maxBackoff) line.refusals = 0
      const millis = asked ?? Math.min(1000 * 2 ** line.refusals, maxBackoff)
      line.refusals++
      line.pausedUntil = Math.max(line.pausedUntil, now + Math.ceil(millis * (1 + random / 4)))
    }
    return Effect.succeed(line.pausedUntil - now)
  })

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
    const paused = pauseLeft(line, clock.currentTimeMillisUnsafe())
    return paused > 0
      ? Effect.andThen(Effect.sleep(Math.ceil(paused)), next)
      : Effect.flatMap(count, (left) => left === 0 ? Effect.void : Effect.andThen(Effect.sleep(left), next))
  })
  return next
}

/** Tells the first in line that it is the first. */
const callFirst = ({ waiting }: Line): void => {
  const [first] = waiting
  if (first !== undefined) Deferred.doneUnsafe(first, Exit.void)
}

/** Waits in line, or fails at once when that would take too long. `left` is what the first in line would wait. */
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
      // No attempt overtakes those that wait.
      line.waiting.size > 0 || pauseLeft(line, clock.currentTimeMillisUnsafe()) > 0
        ? wait(0)
        : Effect.flatMap(count, (left) => left === 0 ? Effect.succeed(0) : wait(left))
    ),
    refused: (retryAfter) => pause(line, retryAfter),
    retries
  }
}

/** What is counted by itself: at most so many calls at once, and one more after each interval. */
export interface Counted {
  /** The exchange and the endpoint, or all public endpoints of one limit. The same text for what is counted together. */
  readonly what: string
  /** The key that signs; absent for public calls. */
  readonly apiKey: string | undefined
  /** The most calls at once. */
  readonly most: number
  /** After how many milliseconds one more call may follow. */
  readonly refill: number
}

/** Counts a call and gives 0, or gives the milliseconds until the next one. */
export type Count = (counted: Counted) => Effect.Effect<number>

/** One text for what is counted by itself. */
const idOf = ({ apiKey = "", what }: Counted): string => `${what} ${apiKey}`

/** Counts in this program alone. */
export const countingInMemory = (): Count => {
  const buckets = new Map<string, Tokens>()
  return (counted) => {
    const id = idOf(counted)
    const tokens = buckets.get(id) ?? new Tokens(counted.most, counted.refill)
    buckets.set(id, tokens)
    return Effect.clockWith((clock) => Effect.succeed(tokens.take(clock.currentTimeMillisUnsafe())))
  }
}

/** Keeps calls within what is counted elsewhere. */
export const make = (count: Count): RateLimits["Service"] => {
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
