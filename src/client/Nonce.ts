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
import * as Semaphore from "effect/Semaphore"
import { Region } from "./Region.ts"

/** How far a nonce may run ahead of the clock, in milliseconds: well within the five seconds of the live exchange. */
export const maxAhead = 2000

/**
 * - `window`: whether the exchange may accept nonces in any order near its clock. If not, they arrive in the order of
 *   their numbers.
 * - `use`: runs a call with a fresh nonce
 *
 * @category services
 * @since 0.1.0
 */
export class Nonce extends Context.Service<Nonce, {
  readonly window: boolean
  readonly use: <A, E, R>(call: (nonce: number) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}>()("effect-txc/client/Nonce") {}

/**
 * The next nonces, one after the other, in ticks of which `perMillisecond` make a millisecond.
 *
 * @category constructors
 * @since 0.1.0
 */
export const sequence = (perMillisecond: number): Effect.Effect<number> => {
  let last = -1
  const next: Effect.Effect<number> = Clock.clockWith((clock) => {
    const now = clock.currentTimeMillisUnsafe() * perMillisecond
    const candidate = Math.max(now, last + 1)
    const ahead = candidate - now - maxAhead * perMillisecond
    if (ahead > 0) return Effect.andThen(Effect.sleep(Math.ceil(ahead / perMillisecond)), next)
    last = candidate
    return Effect.succeed(candidate)
  })
  return next
}

const ticks = { milliseconds: 1, microseconds: 1000 } as const

/**
 * Unique nonces in any order of arrival. Calls run side by side. About 1,000 calls per second and key where nonces count
 * milliseconds (live), a million where they count microseconds (document).
 *
 * @category layers
 * @since 0.1.0
 */
export const layerWindow: Layer.Layer<Nonce, never, Region> = Layer.effect(
  Nonce,
  Effect.map(Region, ({ dialect }) => {
    const next = sequence(ticks[dialect.nonceUnit])
    return { window: true, use: (call) => Effect.flatMap(next, call) }
  })
)

/**
 * Increasing nonces: one call at a time, because nonces overtake each other on parallel connections. For exchanges or
 * keys that know no window. Slow: every call waits for the answer of the one before.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerIncreasing: Layer.Layer<Nonce, never, Region> = Layer.effect(
  Nonce,
  Effect.gen(function*() {
    const { dialect } = yield* Region
    const next = sequence(ticks[dialect.nonceUnit])
    const one = yield* Semaphore.make(1)
    return { window: false, use: (call) => one.withPermits(1)(Effect.flatMap(next, call)) }
  })
)
