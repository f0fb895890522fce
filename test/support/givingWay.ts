/** Makes an effect yield after every operation, as a fiber may do anywhere. */
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"

/** Gives each operation a separate turn of the event loop. The first two operations in a turn only resume the fiber. */
const always: Scheduler.Scheduler = {
  executionMode: "async",
  shouldYield: ({ currentOpCount }) => currentOpCount > 2,
  makeDispatcher: () => ({ scheduleTask: (run) => void setImmediate(run), flush: () => undefined })
}

export const givingWay = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Scheduler.Scheduler, always)

/** The number of places at which a short effect may yield. */
export const places = 40

/** Waits for this many turns of the event loop. */
export const turns = (count: number): Effect.Effect<void> =>
  Effect.replicateEffect(
    Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void))),
    count,
    { discard: true }
  )
