import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { setImmediate, setTimeout } from "node:timers/promises"

/**
 * Lets the event loop turn 50 times while the test clock stands still, so that pending work can run even on a slow
 * machine.
 */
export const turn = Effect.promise(() => setImmediate()).pipe(Effect.repeat({ times: 50 }), Effect.asVoid)

/** Waits in real time until a condition is true. Only the test's own timeout limits the wait. */
export const until = <E, R>(holds: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.gen(function*() {
    while (!(yield* holds)) yield* Effect.promise(() => setTimeout(5))
  })

/**
 * Advances the test clock until the effect ends, by ten milliseconds for every 50 turns of the event loop. The turns
 * let this process's sockets deliver their data. A response takes few turns, even on a busy machine.
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

/** Advances the test clock, step by step, until the effect ends. */
export const passing = <A, E, R>(effect: Effect.Effect<A, E, R>, millis = 100): Effect.Effect<A, E, R> =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(effect)
    while (fiber.pollUnsafe() === undefined) {
      yield* TestClock.adjust(millis)
      yield* TestClock.withLive(Effect.sleep(0))
    }
    return yield* Fiber.join(fiber)
  })
