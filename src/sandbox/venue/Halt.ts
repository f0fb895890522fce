/**
 * When a venue may not answer any more: memory and journal may differ, because the engine failed halfway through a command
 * or the disk failed. A halted venue answers nothing until it is reopened.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"

/** Whether a venue is halted. */
export interface Halt {
  /** Whether the venue is halted. */
  readonly isHalted: () => boolean
  /** Halts the venue. */
  readonly halt: () => void
  /** Does some work now, and halts the venue when it throws; gives what it threw. */
  readonly attempt: <A>(work: () => A) => Result.Result<A, unknown>
  /** Does some work, and halts the venue when the work fails or dies. An interruption does not halt it. */
  readonly onFailure: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** A venue that is not halted. */
export const make = (): Halt => {
  let isHalted = false
  const halt = () => {
    isHalted = true
  }
  return {
    isHalted: () => isHalted,
    halt,
    attempt: (work) => {
      const done = Result.try(work)
      if (Result.isFailure(done)) halt()
      return done
    },
    onFailure: (work) =>
      Effect.onExit(
        work,
        (exit) => Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause) ? Effect.sync(halt) : Effect.void
      )
  }
}
