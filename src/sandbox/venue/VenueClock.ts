/**
 * A venue's two clocks. Times are in Unix microseconds.
 *
 * The owner sets the venue's own clock, which orders, interest and limits use. The clock that callers see and that
 * nonces are checked against follows the machine's clock, so nonces stay valid whatever time the owner sets on the
 * venue's own clock.
 */
import type * as Clock from "effect/Clock"
import type * as State from "../engine/State.ts"
import * as Times from "../engine/Times.ts"
import type { Moment } from "../gateway/Message.ts"

/** The time on the machine's clock, in Unix microseconds. */
export const real = (clock: Clock.Clock): number => Number(clock.currentTimeNanosUnsafe() / 1000n)

/**
 * The time on the clock that callers see and that nonces are checked against: the machine's time plus the skew that the
 * owner has set. Moving or freezing the venue's own clock does not affect this clock.
 */
export const serverTime = (state: State.State, clock: Clock.Clock): number =>
  clock.currentTimeMillisUnsafe() * 1000 + state.skew

/** The time that a venue's clock shows with this setting, in Unix microseconds. */
export const shown = (setting: State.Clock, clock: Clock.Clock): number =>
  setting._tag === "Frozen" ? setting.at : real(clock) + setting.ahead

/**
 * The venue's current time, in Unix microseconds. It never goes back, even if the machine's clock does, unless an
 * earlier state is restored.
 */
export const now = (state: State.State, clock: Clock.Clock): number => Math.max(state.at, shown(state.clock, clock))

/** Whether the venue's time is past the last time that a journal can record. */
export const isTooLate = (state: State.State, clock: Clock.Clock): boolean => now(state, clock) > Times.latest

/** The current time on both clocks, and a timer that starts now. */
export const moment = (state: State.State, clock: Clock.Clock): Moment => {
  const start = clock.monotonicTimeNanosUnsafe()
  return {
    at: now(state, clock),
    serverTime: serverTime(state, clock),
    took: () => Number(clock.monotonicTimeNanosUnsafe() - start) / 1e6
  }
}
