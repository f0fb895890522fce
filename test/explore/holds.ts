/** Explores a program that should hold. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Explore } from "../../src/explore/index.ts"
import { isLong } from "../support/long.ts"

/** An hour in the long form. It ends a test that hangs. */
export const timeout = isLong ? 3_600_000 : 60_000

/**
 * Explores a program in so many histories, or in a few in the short form, which may miss states that are to be reached.
 * All programs together run a hundred thousand histories in the long form.
 */
export const holds = (program: Explore.Program, histories: number) =>
  Effect.gen(function*() {
    const { counterexample, foreign, invalid, verdict } = yield* Explore.explore(program, {
      runs: isLong ? histories : 8,
      seed: 36
    })
    if (verdict === "broken") assert.fail(counterexample?.words.join("\n"))
    assert.isUndefined(invalid)
    assert.deepEqual(foreign, [])
    if (isLong) assert.strictEqual(verdict, "held")
  })
