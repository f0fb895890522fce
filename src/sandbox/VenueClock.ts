/**
 * What time it is in a venue. Times are Unix microseconds.
 *
 * @since 0.1.0
 */
import type * as Clock from "effect/Clock"
import type * as State from "./engine/State.ts"

/**
 * The computer's clock.
 *
 * @category clock
 * @since 0.1.0
 */
export const real = (clock: Clock.Clock): number => clock.currentTimeMillisUnsafe() * 1000

/**
 * The time that a venue's clock shows with a setting.
 *
 * @category clock
 * @since 0.1.0
 */
export const shown = (setting: State.Clock, clock: Clock.Clock): number =>
  setting._tag === "Frozen" ? setting.at : real(clock) + setting.ahead

/**
 * The time of a venue. It never runs backwards while a state lives, whatever the computer's clock does.
 *
 * @category clock
 * @since 0.1.0
 */
export const now = (state: State.State, clock: Clock.Clock): number => Math.max(state.at, shown(state.clock, clock))
