/** The nonces of one key, by a clock: the counting that all layers of nonces share. */
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
  /** The key for which they are unique. */
  readonly apiKey: Redacted.Redacted
  /** The ticks in which they count. */
  readonly unit: Dialect["nonceUnit"]
  /**
   * The exchange's clock minus this machine's, in milliseconds; negative when the exchange's is behind. Default zero.
   */
  readonly offset?: number
}

/** The maximum lead of a nonce over the clock, in milliseconds: well within the live exchange's five seconds. */
export const maxAhead = 2000

/** The maximum step back of a clock for which calls wait, in milliseconds. */
export const maxSetBack = 4000

/** Tracks the latest time that a clock has shown. Fails when the clock was set back too far since then. */
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
 * No nonce is available, so nothing was sent: this program has no lease on the nonces of a shared key, or this
 * machine's clock was set back.
 */
export class NonceUnavailable extends Schema.TaggedError<NonceUnavailable>()("NonceUnavailable", {
  reason: Schema.String
}) {
  /** The reason, which the call's error shows. */
  declare readonly reason: string
}

/** The number of ticks of a unit per millisecond. */
export const ticks = {
  /** The live dialect counts milliseconds: one tick. */
  milliseconds: 1,
  /** The document's dialect counts microseconds: a thousand ticks. */
  microseconds: 1000
} as const

/** Draws the nonces of one key from a clock: taken immediately, then waited for if needed. */
export const drawing = (unit: Of["unit"]) => {
  const perMillisecond = ticks[unit]
  const setBack = steady()
  let last = -1
  /** Waits until the nonce's lead is small enough; the clock may step back meanwhile. */
  const inTime = (nonce: number, clock: Clock.Clock, offset: number): Effect.Effect<number, NonceUnavailable> => {
    const now = clock.currentTimeMillisUnsafe() + offset
    const unavailable = setBack(now)
    if (unavailable !== undefined) return Effect.fail(unavailable)
    const ahead = nonce / perMillisecond - now - maxAhead
    return ahead > 0
      // In steps, so that waiting calls notice a clock that is set back.
      ? Effect.flatMap(Effect.sleep(Math.min(Math.ceil(ahead), maxSetBack)), () => inTime(nonce, clock, offset))
      : Effect.succeed(nonce)
  }
  // The nonce is taken before the wait, so waiting calls keep their order.
  return (clock: Clock.Clock, offset = 0): Effect.Effect<number, NonceUnavailable> => {
    const now = clock.currentTimeMillisUnsafe() + offset
    const unavailable = setBack(now)
    if (unavailable !== undefined) return Effect.fail(unavailable)
    // A nonce is a whole number, but a test clock may stand between two milliseconds after a wait with jitter.
    last = Math.max(Math.floor(now * perMillisecond), last + 1)
    return inTime(last, clock, offset)
  }
}

/**
 * The sequence of nonces of one key. `offset` is added to the clock, in milliseconds. Fails when the clock was set back
 * by more than four seconds.
 */
export const sequence = (unit: Of["unit"]): (offset?: number) => Effect.Effect<number, NonceUnavailable> => {
  const draw = drawing(unit)
  return (offset) => Clock.clockWith((clock) => draw(clock, offset))
}

/** One value per key and unit, made on first use, with a fast path for objects seen before. */
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
