/**
 * What time it is in a venue. Times are Unix microseconds.
 *
 * There are two clocks. The venue's own is the owner's to set: orders, interest and limits carry its time. The clock that
 * callers see, and that judges their nonces, follows the machine: their nonces stay good wherever the owner takes the
 * venue.
 */
import type * as Clock from "effect/Clock"
import type * as State from "../engine/State.ts"
import type { Moment } from "../gateway/Message.ts"

/** The machine's clock, with its microseconds if it has them. */
export const real = (clock: Clock.Clock): number => Number(clock.currentTimeNanosUnsafe() / 1000n)

/**
 * The clock that callers see, and that judges their nonces: the machine's, and how far the owner has set it ahead. Not
 * even a restored state or a frozen venue holds it back.
 */
export const serverTime = (state: State.State, clock: Clock.Clock): number =>
  clock.currentTimeMillisUnsafe() * 1000 + state.skew

/** The time that a venue's clock shows with a setting. */
export const shown = (setting: State.Clock, clock: Clock.Clock): number =>
  setting._tag === "Frozen" ? setting.at : real(clock) + setting.ahead

/** The time of a venue. It never runs backwards while a state lives, whatever the machine's clock does. */
export const now = (state: State.State, clock: Clock.Clock): number => Math.max(state.at, shown(state.clock, clock))

/** What the clocks show. */
export const moment = (state: State.State, clock: Clock.Clock): Moment => {
  const start = clock.monotonicTimeNanosUnsafe()
  return {
    at: now(state, clock),
    serverTime: serverTime(state, clock),
    took: () => Number(clock.monotonicTimeNanosUnsafe() - start) / 1e6
  }
}
