/**
 * The owner's hands on the venue's clock, and on the clock that callers see: it follows the machine, ahead of it or behind.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { refuse } from "../venue/ControlRefused.ts"
import { perform } from "../venue/Perform.ts"
import type { Venue } from "../venue/Venue.ts"

/** What the venue's clock shows. */
export interface ClockReading {
  /** The time, in Unix microseconds. */
  readonly at: number
  /** Whether the clock stands still. */
  readonly frozen: boolean
  /** How far the clock that callers see, and that judges their nonces, is ahead of the machine's, in milliseconds. */
  readonly skewMillis: number
}

/** The schema of {@link ClockReading}. */
export const ClockReading: Schema.Codec<ClockReading, unknown> = Schema.Struct({
  at: Schema.Int,
  frozen: Schema.Boolean,
  skewMillis: Schema.Finite
})

/** The latest time that the clock can be set to, 1 January 2200: a safe integer by far. */
const latest = Date.UTC(2200, 0, 1) * 1000

/** The largest skew, in milliseconds: 30 years. */
const largestSkew = 30 * 365 * 86_400_000

/**
 * Moves the clock on to a time, which it then shows; it runs or stands still as before. In a venue without commands it
 * stands still at any time: then no later command depends on the machine's clock.
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

/** The clock's part of a venue's control. */
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
