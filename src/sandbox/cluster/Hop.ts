/**
 * The path of requests from one node to another. The path limits how many requests are handed over at the same time,
 * and how many wait. So if a node falls silent, only a few requests have an unknown outcome; all others were certainly
 * not sent.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"

/** The maximum number of requests that are handed over to a node at the same time. */
export const atOnce = 64

/** The maximum number of requests that may wait to be handed over. */
export const maxWaiting = 1024

/** The maximum time that a request waits to be handed over, in milliseconds. */
const patience = 1000

/**
 * The reason why a request was not handed over: too many other requests were waiting, or this request had waited too
 * long.
 */
export type Refused = "full" | "late"

/** The path to one node. */
export interface Hop {
  /**
   * Runs `handOver` when it is the request's turn. The request waits at most `millis`, and never longer than a second.
   * If the path refuses the request, `handOver` never runs.
   */
  readonly pass: <A, E>(handOver: Effect.Effect<A, E>, millis?: number) => Effect.Effect<A, E | Refused>
}

/** Creates the path to a node. */
export const make = (): Hop => {
  const turns = Semaphore.makeUnsafe(atOnce)
  let waiting = 0

  const inTurn = <A, E>(handOver: Effect.Effect<A, E>, millis: number): Effect.Effect<A, E | Refused> =>
    Effect.suspend((): Effect.Effect<A, E | Refused> => {
      if (waiting >= maxWaiting) return Effect.fail("full")
      let isWaiting = true
      /** Ends the wait; `false` if the wait has already ended. */
      const proceed = (): boolean => {
        if (!isWaiting) return false
        isWaiting = false
        waiting--
        return true
      }
      waiting++
      const passing = turns.withPermit(Effect.suspend(() => proceed() ? handOver : Effect.never))
      const late = Effect.flatMap(
        Effect.sleep(Math.min(patience, millis)),
        (): Effect.Effect<never, Refused> => proceed() ? Effect.fail("late") : Effect.never
      )
      return Effect.ensuring(Effect.raceFirst(passing, late), Effect.sync(proceed))
    })

  return {
    pass: (handOver, millis = patience) =>
      Effect.flatMap(
        turns.withPermitsIfAvailable(1)(handOver),
        Option.match({ onNone: () => inTurn(handOver, millis), onSome: Effect.succeed })
      )
  }
}
