/**
 * The owner's control of the venue's clock, and of the clock that callers see, which follows the machine's with a lead
 * or a lag.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { refuse } from "../venue/ControlRefused.ts"
import { perform } from "../venue/Perform.ts"
import type { Venue } from "../venue/Venue.ts"

/** The state of the venue's clocks. */
export interface ClockReading {
  /** The time, in Unix microseconds. */
  readonly at: number
  /** Whether the clock stands still. */
  readonly frozen: boolean
  /** The lead of the clock that callers see, which judges their nonces, over the machine's, in milliseconds. */
  readonly skewMillis: number
}

/** The schema of {@link ClockReading}. */
export const ClockReading: Schema.Codec<ClockReading, unknown> = Schema.Struct({
  at: Schema.Int,
  frozen: Schema.Boolean,
  skewMillis: Schema.Finite
})

/** The latest time that the clock can be set to, 1 January 2200: well below the largest safe integer. */
const latest = Date.UTC(2200, 0, 1) * 1000

/** The largest skew, in milliseconds: 30 years. */
const largestSkew = 30 * 365 * 86_400_000

/**
 * Moves the clock forward to a time; it keeps running or stays frozen. In a venue without commands any time is allowed,
 * and the clock freezes there: no later command then depends on the machine's clock.
 */
const set = Effect.fnUntraced(function*(
  venue: Venue["Service"],
  name: string,
  field: string,
  to: (now: number) => number
) {
  const now = yield* venue.now
  if (!Number.isSafeInteger(to(now))) return yield* refuse(name, { [field]: to(now) > latest ? "max" : "type" })
  const isNew = venue.sequence() === 0
  if (to(now) < (isNew ? 0 : now)) return yield* refuse(name, { [field]: "min" })
  if (to(now) > latest) return yield* refuse(name, { [field]: "max" })
  yield* perform(venue, name, ({ clock }, now, real) => ({
    _tag: "SetClock",
    clock: isNew || clock._tag === "Frozen"
      ? { _tag: "Frozen", at: to(now) }
      : { _tag: "Running", ahead: to(now) - real }
  }))
})

/** The methods of `Control` about the clock. */
export const make = (venue: Venue["Service"]) => ({
  clock: Effect.map(venue.now, (at) => ({
    at,
    frozen: venue.state.clock._tag === "Frozen",
    skewMillis: venue.state.skew / 1000
  })).pipe(Effect.tap(venue.journal.committed)),
  freezeClock: perform(venue, "FreezeClock", (_state, at) => ({ _tag: "SetClock", clock: { _tag: "Frozen", at } })),
  runClock: perform(venue, "RunClock", (_state, at, real) => ({
    _tag: "SetClock",
    clock: { _tag: "Running", ahead: at - real }
  })),
  setClock: ({ at }: { readonly at: number }) => set(venue, "SetClock", "at", () => at),
  advanceClock: ({ millis }: { readonly millis: number }) =>
    set(venue, "AdvanceClock", "millis", (now) => now + millis * 1000),
  skewClock: ({ millis }: { readonly millis: number }) =>
    Math.abs(millis) <= largestSkew
      ? perform(venue, "SkewClock", { _tag: "SetSkew", skew: Math.round(millis * 1000) })
      : refuse("SkewClock", { millis: millis < 0 ? "min" : "max" })
})
