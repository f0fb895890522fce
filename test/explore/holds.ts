/** Explores a program that should break no invariant. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Explore } from "../../src/explore/index.ts"
import { isLong } from "../support/long.ts"

/**
 * Explores a program. `npm run test:long` runs all `histories`, which are a hundred thousand for all programs together. A short test run runs only a few histories, so it may not reach every required state.
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
