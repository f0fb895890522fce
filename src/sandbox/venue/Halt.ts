/**
 * Stops a venue whose state in memory might differ from its journal, because the engine or the disk failed in the
 * middle of a command. A halted venue refuses all calls until it is reopened.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"

/** Stops a venue whose state can no longer be trusted. */
export interface Halt {
  /** Whether the venue is halted. */
  readonly isHalted: () => boolean
  /** Halts the venue, which then refuses all calls. */
  readonly halt: () => void
  /** Calls `listener`, which must not throw, when the venue halts. Returns a function that removes the listener. */
  readonly whenHalted: (listener: () => void) => () => void
  /** Runs `work`. If `work` throws, halts the venue and returns the thrown value as a failure. */
  readonly attempt: <A>(work: () => A) => Result.Result<A, unknown>
  /** Runs `work`, and halts the venue when it fails or dies. An interruption does not halt the venue. */
  readonly onFailure: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** Creates the halt switch for a running venue. */
export const make = (): Halt => {
  let isHalted = false
  const listeners = new Set<() => void>()
  const halt = () => {
    if (isHalted) return
    isHalted = true
    for (const listener of listeners) listener()
  }
  return {
    isHalted: () => isHalted,
    halt,
    whenHalted: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
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
