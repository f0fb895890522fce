/** The owner's control of the venue's clock, and of the callers' clock, which is the machine's clock plus a skew. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Times from "../engine/Times.ts"
import { beyondLatest, refuse } from "../venue/ControlRefused.ts"
import { perform } from "../venue/Perform.ts"
import type { Venue } from "../venue/Venue.ts"

/** The state of the venue's clock and of the callers' clock. */
export interface ClockReading {
  /** The venue's time, in Unix microseconds. */
  readonly at: number
  /** Whether the venue's clock is frozen. */
  readonly frozen: boolean
  /**
   * How far the callers' clock, against which nonces are checked, is ahead of the machine's clock, in milliseconds;
   * negative if the callers' clock is behind.
   */
  readonly skewMillis: number
}

/** The schema of {@link ClockReading}. */
export const ClockReading: Schema.Codec<ClockReading, unknown> = Schema.Struct({
  at: Schema.Int,
  frozen: Schema.Boolean,
  skewMillis: Schema.Finite
})

const backwards = "the clock only moves forward. To take it back, Reset or Restore the venue"

/**
 * Moves the clock forward to a time. A running clock keeps running, and a frozen one stays frozen. If the venue has no
 * commands yet, any time is allowed, even an earlier one; the clock then freezes at that time, so no later command
 * depends on the machine's clock.
 */
const set = Effect.fnUntraced(function*(
  venue: Venue["Service"],
  name: string,
  field: string,
  to: (now: number) => number
) {
  const now = yield* venue.now
  const { clock } = venue.state
  const isNew = venue.sequence() === 0
  const runs = !isNew && clock._tag === "Running"
  if (runs ? to(now) >= Times.latest : to(now) > Times.latest) {
    return yield* refuse(name, { [field]: "max" }, beyondLatest)
  }
  if (!Number.isSafeInteger(to(now)))
    return yield* refuse(name, { [field]: "type" }, `${field} must be a whole number of microseconds`)
  if (to(now) < (isNew ? 0 : now)) return yield* refuse(name, { [field]: "min" }, backwards)
  yield* perform(venue, name, ({ clock }, now, real) => ({
    _tag: "SetClock",
    clock: isNew || clock._tag === "Frozen"
      ? { _tag: "Frozen", at: to(now) }
      : { _tag: "Running", ahead: to(now) - real }
  }))
})

/** The methods of `Control` that set and read the clocks. */
export const make = (venue: Venue["Service"]) => ({
  clock: Effect.flatMap(
    venue.read,
    ({ clock, skew }) =>
      Effect.map(venue.now, (at) => ({ at, frozen: clock._tag === "Frozen", skewMillis: skew / 1000 }))
  ),
  freezeClock: perform(venue, "FreezeClock", (_state, at) => ({ _tag: "SetClock", clock: { _tag: "Frozen", at } })),
  runClock: Effect.flatMap(venue.now, (at) =>
    at >= Times.latest
      ? refuse("RunClock", { clock: "max" }, beyondLatest)
      : perform(venue, "RunClock", (_state, at, real) => ({
        _tag: "SetClock",
        clock: { _tag: "Running", ahead: at - real }
      }))),
  setClock: ({ at }: { readonly at: number }) => set(venue, "SetClock", "at", () => at),
  advanceClock: ({ millis }: { readonly millis: number }) =>
    set(venue, "AdvanceClock", "millis", (now) => now + millis * 1000),
  skewClock: ({ millis }: { readonly millis: number }) =>
    Math.abs(millis) <= Times.largestSkew
      ? perform(venue, "SkewClock", { _tag: "SetSkew", skew: Math.round(millis * 1000) })
      : refuse("SkewClock", { millis: millis < 0 ? "min" : "max" }, "the skew is at most 30 years in either direction")
})
