/**
 * Nonces: a number that is unique per request of an API key (document, "Authentication", 3).
 *
 * A nonce is Unix time, counted on where the clock stands still, is asked again within the same tick, or steps back. It
 * never runs further ahead of the clock than {@link maxAhead}: beyond that the call waits.
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

/**
 * Whose nonce, in which ticks it counts, and what to add to this machine's clock, in milliseconds, to have the
 * exchange's.
 *
 * @category models
 * @since 0.1.0
 */
export interface Of {
  readonly apiKey: Redacted.Redacted
  readonly unit: Dialect["nonceUnit"]
  readonly offset?: number
}

/**
 * How far the exchange's clock is ahead of this machine's, in milliseconds: what nonces are corrected by. None unless
 * measured, see `ServerClock`. Read when an exchange's layer is built.
 *
 * @category services
 * @since 0.1.0
 */
export const ClockOffset = Context.Reference<{ readonly millis: number }>("effect-txc/client/Nonce/ClockOffset", {
  defaultValue: () => ({ millis: 0 })
})

/**
 * There is no nonce to be had, so nothing was sent: this program holds no lease on the nonces of a key that it shares.
 *
 * @category errors
 * @since 0.1.0
 */
export class NonceUnavailable extends Schema.TaggedError<NonceUnavailable>()("NonceUnavailable", {
  reason: Schema.String
}) {}

/**
 * - `window`: whether the exchange may accept nonces in any order near its clock. If not, they arrive in the order of
 *   their numbers.
 * - `use`: runs a call with a fresh nonce of an API key, or fails without running it
 *
 * One of these serves any number of keys, and every key has nonces of its own. Both layers are the same value wherever
 * they are used, so that all exchanges built together share one and no nonce of a key is used twice. Another program, or
 * another runtime of this one, that uses the same key knows nothing of it: a nonce that both take is refused. Programs
 * that share a key share its nonces by `NonceRedis`.
 *
 * @category services
 * @since 0.1.0
 */
export class Nonce extends Context.Service<Nonce, {
  readonly window: boolean
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
export const ticks = { milliseconds: 1, microseconds: 1000 } as const

/**
 * The next nonces of one key, one after the other; `offset` is what to add to the clock, in milliseconds.
 *
 * @category constructors
 * @since 0.1.0
 */
export const sequence = (unit: Of["unit"]): (offset?: number) => Effect.Effect<number> => {
  const perMillisecond = ticks[unit]
  let last = -1
  /** Waits until the nonce is no further ahead than it may be; the clock may step back meanwhile. */
  const inTime = (nonce: number, offset: number): Effect.Effect<number> =>
    Clock.clockWith((clock) => {
      const ahead = nonce / perMillisecond - clock.currentTimeMillisUnsafe() - offset - maxAhead
      return ahead > 0
        ? Effect.flatMap(Effect.sleep(Math.ceil(ahead)), () => inTime(nonce, offset))
        : Effect.succeed(nonce)
    })
  // The nonce is taken before the wait, so that those who wait do so in line.
  return (offset = 0) =>
    Clock.clockWith((clock) => {
      last = Math.max((clock.currentTimeMillisUnsafe() + offset) * perMillisecond, last + 1)
      return inTime(last, offset)
    })
}

/**
 * One value per key and unit, made when it is first asked for.
 *
 * @category constructors
 * @since 0.1.0
 */
export const perKey = <A>(make: (of: Of) => A): (of: Of) => A => {
  const known = new Map<string, A>()
  return (of) => {
    const id = `${of.unit} ${Redacted.value(of.apiKey)}`
    const found = known.get(id) ?? make(of)
    known.set(id, found)
    return found
  }
}

/**
 * Unique nonces in any order of arrival. Calls run side by side. About 1,000 calls per second and key where nonces count
 * milliseconds (live), a million where they count microseconds (document).
 *
 * @category layers
 * @since 0.1.0
 */
export const layerWindow: Layer.Layer<Nonce> = Layer.sync(Nonce, () => {
  const sequenceOf = perKey(({ unit }) => sequence(unit))
  return { window: true, use: (of, call) => Effect.flatMap(sequenceOf(of)(of.offset), call) }
})

/**
 * Increasing nonces: one call of a key at a time, because nonces overtake each other on parallel connections. For
 * exchanges or keys that know no window. Slow: every call waits for the answer of the one before.
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
