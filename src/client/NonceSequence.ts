/** Derives a key's nonces from a clock, for all `Nonce` layers. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Dialect } from "../protocol/Dialect.ts"

/**
 * Selects a sequence of nonces.
 *
 * @category models
 */
export interface Of {
  /** The API key that uses the nonces. */
  readonly apiKey: Redacted.Redacted
  /** The unit of the nonces. */
  readonly unit: Dialect["nonceUnit"]
  /**
   * The exchange's clock minus this machine's clock, in milliseconds; negative when the exchange's clock is behind.
   * Default zero.
   */
  readonly offset?: number
}

/**
 * The maximum time by which a nonce may be ahead of the clock, in milliseconds. It is well within the five seconds that
 * the live exchange allows.
 */
export const maxAhead = 2000

/** How far, in milliseconds, a clock can be set back: up to this, calls wait; beyond it, they fail. */
export const maxSetBack = 4000

/** Creates a function that tracks a clock's latest time, and returns an error when the clock was set back too far. */
export const steady = () => {
  let latest = Number.NEGATIVE_INFINITY
  return (now: number): NonceUnavailable | undefined => {
    if (now >= latest) latest = now
    const back = latest - now
    return back <= maxSetBack ? undefined : new NonceUnavailable({
      reason:
        `this machine's clock was set back by ${
          Math.ceil(back / 1000)
        } seconds: this key gets nonces again when the clock has `
        + "caught up, or in a new process"
    })
  }
}

/**
 * No nonce is available, so nothing was sent. For example, this machine's clock was set back, Redis does not respond,
 * or this program has no lease on the nonces of a shared key.
 */
export class NonceUnavailable extends Schema.TaggedError<NonceUnavailable>()("NonceUnavailable", {
  reason: Schema.String
}) {
  /** The reason, included in the call's error. */
  declare readonly reason: string
}

/** The nonces per millisecond in each unit. */
export const ticks = {
  /** The unit of the live dialect. */
  milliseconds: 1,
  /** The unit of the document's dialect. */
  microseconds: 1000
} as const

/**
 * Derives a key's nonces from a clock. Each call takes its nonce immediately, then waits if the nonce is too far ahead
 * of the clock.
 */
export const drawing = (unit: Of["unit"]) => {
  const perMillisecond = ticks[unit]
  const setBack = steady()
  let last = -1
  /**
   * Waits until the nonce is at most {@link maxAhead} ahead of the clock. Fails if the clock is set back too far during
   * the wait.
   */
  const inTime = (nonce: number, clock: Clock.Clock, offset: number): Effect.Effect<number, NonceUnavailable> => {
    const now = clock.currentTimeMillisUnsafe() + offset
    const unavailable = setBack(now)
    if (unavailable !== undefined) return Effect.fail(unavailable)
    const ahead = nonce / perMillisecond - now - maxAhead
    return ahead > 0
      // Sleeps in short steps, so that a waiting call notices when the clock is set back.
      ? Effect.flatMap(Effect.sleep(Math.min(Math.ceil(ahead), maxSetBack)), () => inTime(nonce, clock, offset))
      : Effect.succeed(nonce)
  }
  // The nonce is taken before the wait, so waiting calls keep their order.
  return (clock: Clock.Clock, offset = 0): Effect.Effect<number, NonceUnavailable> => {
    const now = clock.currentTimeMillisUnsafe() + offset
    const unavailable = setBack(now)
    if (unavailable !== undefined) return Effect.fail(unavailable)
    // A nonce is an integer, but a test clock's time can have a fraction of a millisecond after a random pause.
    last = Math.max(Math.floor(now * perMillisecond), last + 1)
    return inTime(last, clock, offset)
  }
}

/**
 * Returns a function that draws the next nonce of a key's sequence. `offset`, in milliseconds, is added to the clock's
 * time. Drawing fails when the clock was set back by more than four seconds.
 */
export const sequence = (unit: Of["unit"]): (offset?: number) => Effect.Effect<number, NonceUnavailable> => {
  const draw = drawing(unit)
  return (offset) => Clock.clockWith((clock) => draw(clock, offset))
}

/**
 * Returns a function that creates one value per API key and nonce unit, on first use. Repeated lookups with the same
 * `Of` object are faster.
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
