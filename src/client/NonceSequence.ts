/** The nonces of one key, by a clock: the counting that all layers of nonces share. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Of } from "./Nonce.ts"

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
 * There is no nonce, so nothing was sent: this program holds no lease on the nonces of a key that it shares, or this machine's
 * clock was set back.
 */
export class NonceUnavailable extends Schema.TaggedError<NonceUnavailable>()("NonceUnavailable", {
  reason: Schema.String
}) {
  /** Why; it is shown in the call's error. */
  declare readonly reason: string
}

/** How many ticks of a unit a millisecond has. */
export const ticks = {
  /** The live dialect counts milliseconds: one tick. */
  milliseconds: 1,
  /** The document's dialect counts microseconds: a thousand ticks. */
  microseconds: 1000
} as const

/** The nonces of one key by a clock, one after the other: taken at once, and then waited for where they must be. */
export const drawing = (unit: Of["unit"]) => {
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
 */
export const sequence = (unit: Of["unit"]): (offset?: number) => Effect.Effect<number, NonceUnavailable> => {
  const draw = drawing(unit)
  return (offset) => Clock.clockWith((clock) => draw(clock, offset))
}

/**
 * One value per key and unit, made when it is first needed. It is found at once for an object that was seen before.
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
