/**
 * The two clocks of a venue. Times are Unix microseconds.
 *
 * The owner sets the venue's own clock: orders, interest and limits carry its time. The clock that callers see, which
 * judges their nonces, follows the machine: nonces stay valid wherever the owner moves the venue's time.
 */
import type * as Clock from "effect/Clock"
import type * as State from "../engine/State.ts"
import type { Moment } from "../gateway/Message.ts"

/** The machine's clock, with microseconds if it has them. */
export const real = (clock: Clock.Clock): number => Number(clock.currentTimeNanosUnsafe() / 1000n)

/**
 * The clock that callers see, which judges their nonces: the machine's time plus the lead that the owner has set.
 * Neither a restored state nor a frozen venue holds it back.
 */
export const serverTime = (state: State.State, clock: Clock.Clock): number =>
  clock.currentTimeMillisUnsafe() * 1000 + state.skew

/** The time that a venue's clock shows with a given setting. */
export const shown = (setting: State.Clock, clock: Clock.Clock): number =>
  setting._tag === "Frozen" ? setting.at : real(clock) + setting.ahead

/** The venue's time. It never runs backwards while a state lives, whatever the machine's clock does. */
export const now = (state: State.State, clock: Clock.Clock): number => Math.max(state.at, shown(state.clock, clock))

/** Reads both clocks. */
export const moment = (state: State.State, clock: Clock.Clock): Moment => {
  const start = clock.monotonicTimeNanosUnsafe()
  return {
    at: now(state, clock),
    serverTime: serverTime(state, clock),
    took: () => Number(clock.monotonicTimeNanosUnsafe() - start) / 1e6
  }
}
