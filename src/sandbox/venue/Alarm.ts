/** Applies due events when no call arrives: interest payments and played prices. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Schedule from "../engine/Schedule.ts"
import type { JournalError } from "../store/Journal.ts"
import type { Executor } from "./Executor.ts"
import type { Halt } from "./Halt.ts"
import * as VenueClock from "./VenueClock.ts"

/** Waits until the next event is due, or until a command may change which one is next; then applies all due events. */
const ring = ({ durably, history, rescheduled, settle }: Executor, halt: Halt): Effect.Effect<void, JournalError> =>
  Effect.clockWith((clock) =>
    Effect.suspend(() => {
      const { state } = history
      const due = halt.isHalted() || state.clock._tag === "Frozen" ? undefined : Schedule.next(state)
      const comesDue = due === undefined
        ? Effect.never
        : Effect.sleep(Math.max(0, Math.ceil((due - VenueClock.now(state, clock)) / 1000)))
      const settled = durably((clock) => settle(VenueClock.now(history.state, clock)))
      return Effect.andThen(Effect.raceFirst(comesDue, rescheduled), settled)
    })
  )

/** Applies due events as long as the scope lives. */
export const start = (executor: Executor, halt: Halt): Effect.Effect<unknown, never, Scope.Scope> =>
  Effect.forkScoped(Effect.tapCause(
    Effect.forever(ring(executor, halt)),
    (cause) => Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logError("The venue is halted. Reopen it", cause)
  ))
