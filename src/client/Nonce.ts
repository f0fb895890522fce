/**
 * Nonces: a number that is unique per request of an API key (document, "Authentication", 3).
 *
 * A nonce is Unix time. Where the clock has not moved since the last nonce, or has stepped back, the next nonce is one more
 * than the last. It never runs further ahead of the clock than {@link maxAhead}: beyond that the call waits. A clock that is set
 * back by more than {@link maxSetBack} is not waited for: calls fail, and say so, until it has caught up.
 *
 * @example
 * ```ts
 * import * as Config from "effect/Config"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import { Credentials, Exchange, Nonce } from "effect-txc"
 *
 * // An exchange, or a key, that knows no nonce window: one call at a time.
 * export const exchange = Layer.unwrap(
 *   Effect.map(
 *     Config.all({ apiKey: Config.Redacted("TXC_API_KEY"), apiSecret: Config.Redacted("TXC_API_SECRET") }),
 *     (credentials: Credentials.Options) =>
 *       Exchange.layer({ region: "eu", credentials, nonce: Nonce.layerIncreasing })
 *   )
 * )
 * ```
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type { Dialect } from "../protocol/Dialect.ts"

/** How far a nonce may run ahead of the clock, in milliseconds: well within the five seconds of the live exchange. */
export const maxAhead = 2000

/** By how much a clock may be set back, in milliseconds: so long a call may wait until it has caught up. */
export const maxSetBack = 4000

/** Knows the latest time that a clock has shown. Fails when the clock was set back by too much since. */
export const steady = () => {
  let latest = Number.NEGATIVE_INFINITY
  return (now: number): NonceUnavailable | undefined => {
    if (now >= latest) latest = now
    const back = latest - now
    return back <= maxSetBack ? undefined : new NonceUnavailable({
      reason:
        `this machine's clock was set back by ${
          Math.ceil(back / 1000)
        } seconds: the nonces of this key go on when it has `
        + "caught up, or in another process"
    })
  }
}

/**
 * Which nonces are meant.
 *
 * @category models
 * @since 0.1.0
 */
export interface Of {
  /** The key that they are unique for. */
  readonly apiKey: Redacted.Redacted
  /** The ticks that they count. */
  readonly unit: Dialect["nonceUnit"]
  /** How far the exchange's clock is ahead of this machine's, in milliseconds; negative when it is behind. Zero if absent. */
  readonly offset?: number
}

/**
 * How far the exchange's clock is ahead of this machine's, in milliseconds. Nonces are corrected by it. Zero unless measured:
 * see `ServerClock`. The object is read when an exchange's layer is built, its `millis` before every attempt.
 *
 * @category services
 * @since 0.1.0
 */
export const ClockOffset = Context.Reference<{ readonly millis: number }>("effect-txc/client/Nonce/ClockOffset", {
  defaultValue: () => ({ millis: 0 })
})

/**
 * There is no nonce, so nothing was sent: this program holds no lease on the nonces of a key that it shares, or this machine's
 * clock was set back.
 *
 * @category errors
 * @since 0.1.0
 */
export class NonceUnavailable extends Schema.TaggedError<NonceUnavailable>()("NonceUnavailable", {
  reason: Schema.String
}) {
  /** Why; it is shown in the call's error. */
  declare readonly reason: string
}

/**
 * Gives calls their nonces.
 *
 * One service serves any number of keys, and every key has nonces of its own. Both layers are the same value wherever they
 * are used, so all exchanges built together share one and no nonce of a key is used twice. Another program, or another
 * runtime of this one, knows nothing of it: where both use the same key, the exchange refuses a nonce that both take. Programs
 * that share a key share its nonces by `NonceRedis`.
 *
 * @category services
 * @since 0.1.0
 */
export class Nonce extends Context.Service<Nonce, {
  /** Whether the exchange may accept nonces in any order near its clock. If not, they arrive in the order of their numbers. */
  readonly window: boolean
  /**
   * Runs a call with a fresh nonce of an API key. Fails with `NonceUnavailable` without running it; the call then fails with
   * `ExchangeUnreachable`, why `nonce`.
   */
  readonly use: <A, E, R>(
    of: Of,
    call: (nonce: number) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | NonceUnavailable, R>
}>()("effect-txc/client/Nonce") {}

/**
 * How many ticks of a unit a millisecond has.
 *
 * @category models
 * @since 0.1.0
 */
export const ticks = {
  /** The live dialect counts milliseconds: one tick. */
  milliseconds: 1,
  /** The document's dialect counts microseconds: a thousand ticks. */
  microseconds: 1000
} as const

/** The nonces of one key by a clock, one after the other: taken at once, and then waited for where they must be. */
const drawing = (unit: Of["unit"]) => {
  const perMillisecond = ticks[unit]
  const setBack = steady()
  let last = -1
  /** Waits until the nonce is no further ahead than it may be; the clock may step back meanwhile. */
  const inTime = (nonce: number, clock: Clock.Clock, offset: number): Effect.Effect<number, NonceUnavailable> => {
    const now = clock.currentTimeMillisUnsafe() + offset
    const unavailable = setBack(now)
    if (unavailable !== undefined) return Effect.fail(unavailable)
    const ahead = nonce / perMillisecond - now - maxAhead
    return ahead > 0
      // In steps, so that a clock that is set back is noticed by those who wait.
      ? Effect.flatMap(Effect.sleep(Math.min(Math.ceil(ahead), maxSetBack)), () => inTime(nonce, clock, offset))
      : Effect.succeed(nonce)
  }
  // The nonce is taken before the wait, so that those who wait keep their order.
  return (clock: Clock.Clock, offset = 0): Effect.Effect<number, NonceUnavailable> => {
    const now = clock.currentTimeMillisUnsafe() + offset
    const unavailable = setBack(now)
    if (unavailable !== undefined) return Effect.fail(unavailable)
    // A test's clock may stand between two milliseconds, as after a wait with jitter. A nonce is a whole number.
    last = Math.max(Math.floor(now * perMillisecond), last + 1)
    return inTime(last, clock, offset)
  }
}

/**
 * The nonces of one key, one after the other. `offset` is added to the clock, in milliseconds. Fails when the clock was set
 * back by more than four seconds.
 *
 * @category constructors
 * @since 0.1.0
 */
export const sequence = (unit: Of["unit"]): (offset?: number) => Effect.Effect<number, NonceUnavailable> => {
  const draw = drawing(unit)
  return (offset) => Clock.clockWith((clock) => draw(clock, offset))
}

/**
 * One value per key and unit, made when it is first needed. It is found at once for an object that was seen before.
 *
 * @category constructors
 * @since 0.1.0
 */
export const perKey = <A>(make: (of: Of) => A): (of: Of) => A => {
  const known = new Map<string, A>()
  const seen = new WeakMap<Of, A>()
  return (of) => {
    const again = seen.get(of)
    if (again !== undefined) return again
    const id = `${of.unit} ${Redacted.value(of.apiKey)}`
    const found = known.get(id) ?? make(of)
    known.set(id, found)
    seen.set(of, found)
    return found
  }
}

/**
 * Unique nonces that may arrive in any order, so calls run side by side. About 1,000 calls per second and key where nonces count
 * milliseconds (live), a million where they count microseconds (document).
 *
 * @category layers
 * @since 0.1.0
 */
export const layerWindow: Layer.Layer<Nonce> = Layer.sync(Nonce, () => {
  const drawingOf = perKey(({ unit }) => drawing(unit))
  return {
    window: true,
    use: (of, call) => Clock.clockWith((clock) => Effect.flatMapEager(drawingOf(of)(clock, of.offset), call))
  }
})

/**
 * Increasing nonces: one call of a key at a time, because nonces overtake each other on parallel connections. For exchanges or
 * keys without a nonce window. Slow: every call waits for the answer to the one before.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerIncreasing: Layer.Layer<Nonce> = Layer.sync(Nonce, () => {
  const lineOf = perKey(({ unit }) => ({ next: sequence(unit), one: Semaphore.makeUnsafe(1) }))
  return {
    window: false,
    use: (of, call) => {
      const { next, one } = lineOf(of)
      return one.withPermits(1)(Effect.flatMap(Effect.suspend(() => next(of.offset)), call))
    }
  }
})
