import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { setImmediate, setTimeout } from "node:timers/promises"

/** Lets everything happen that waits for a turn of the event loop, while the test clock stands still. Counts turns. */
export const turn = Effect.promise(() => setImmediate()).pipe(Effect.repeat({ times: 50 }), Effect.asVoid)

/** Waits until a condition holds, in real time. Only the test's own time limit ends it otherwise. */
export const until = <E, R>(holds: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.gen(function*() {
    while (!(yield* holds)) yield* Effect.promise(() => setTimeout(5))
  })

/**
 * Moves the test clock on until the effect has come to an end, while sockets of this process bring what is under way: ten
 * milliseconds for so many turns of the event loop. However busy the machine is, an answer takes few turns.
 */
export const passingOverSockets = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(effect)
    while (fiber.pollUnsafe() === undefined) {
      yield* turn
      yield* TestClock.adjust(10)
    }
    return yield* Fiber.join(fiber)
  })

/** Moves the test clock on, step by step, until the effect has come to an end. */
export const passing = <A, E, R>(effect: Effect.Effect<A, E, R>, millis = 100): Effect.Effect<A, E, R> =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(effect)
    while (fiber.pollUnsafe() === undefined) {
      yield* TestClock.adjust(millis)
      yield* TestClock.withLive(Effect.sleep(0))
    }
    return yield* Fiber.join(fiber)
  })
