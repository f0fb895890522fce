/** Explores a program that should break no invariant. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Explore } from "../../src/explore/index.ts"
import { historiesOf, isLong } from "../support/long.ts"

/** Long test runs allow an hour, after which a test that hangs is stopped. */
export const timeout = isLong ? 3_600_000 : 60_000

/**
 * Explores a program. `npm run test:histories` runs all `histories`, more than a hundred thousand for all programs
 * together. Short test runs use only a few histories, and may miss required states.
 */
export const holds = (program: Explore.Program, histories: number) =>
  Effect.gen(function*() {
    const { counterexample, foreign, invalid, verdict } = yield* Explore.explore(program, {
      runs: historiesOf(histories, 8),
      seed: 36
    })
    if (verdict === "broken") assert.fail(counterexample?.words.join("\n"))
    assert.isUndefined(invalid)
    assert.deepEqual(foreign, [])
    if (isLong) assert.strictEqual(verdict, "held")
  })
