/** Explores a program that should break no invariant. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Explore } from "../../src/explore/index.ts"
import { isLong } from "../support/long.ts"

/** Long test runs allow an hour, after which a test that hangs is stopped. */
export const timeout = isLong ? 3_600_000 : 60_000

/**
 * Explores a program, in long test runs in `histories` histories. Short test runs use only a few, and can miss required
 * states. In long test runs, all programs together have a hundred thousand histories.
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
