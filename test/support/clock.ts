import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"

/** Lets everything happen that waits for a turn of the event loop, while the test clock stands still. */
export const turn = TestClock.withLive(Effect.sleep("5 millis"))

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
