/** Applies events, such as interest payments and scheduled prices, as soon as they are due, even if no call arrives. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Schedule from "../engine/Schedule.ts"
import type { JournalError } from "../store/Journal.ts"
import type { Executor } from "./Executor.ts"
import type { Halt } from "./Halt.ts"
import * as VenueClock from "./VenueClock.ts"

/**
 * Waits until the next event is due, or until a command may have changed which event is next. Then applies all due
 * events.
 */
const ring = ({ durably, history, rescheduled, settle }: Executor, halt: Halt): Effect.Effect<void, JournalError> =>
  Effect.clockWith((clock) =>
    Effect.suspend(() => {
      const { state } = history
      const isStill = halt.isHalted() || state.clock._tag === "Frozen" || VenueClock.isTooLate(state, clock)
      const due = isStill ? undefined : Schedule.next(state)
      const comesDue = due === undefined
        ? Effect.never
        : Effect.sleep(Math.max(0, Math.ceil((due - VenueClock.now(state, clock)) / 1000)))
      // Once the venue's clock is past the last time that can be recorded, nothing comes due until an earlier state is
      // restored.
      const settled = Effect.suspend(() =>
        VenueClock.isTooLate(history.state, clock)
          ? Effect.void
          : durably((clock) => settle(VenueClock.now(history.state, clock)))
      )
      return Effect.andThen(Effect.raceFirst(comesDue, rescheduled), settled)
    })
  )

/** Applies due events until the scope is closed. */
export const start = (executor: Executor, halt: Halt): Effect.Effect<unknown, never, Scope.Scope> =>
  Effect.forkScoped(Effect.tapCause(
    Effect.forever(ring(executor, halt)),
    (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.void
        : Effect.logError("Due events will be applied only when the next call arrives. Reopen the venue", cause)
  ))
