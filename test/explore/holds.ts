/** Explores a program that should hold: a few histories, or ten thousand in the long form. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Explore } from "../../src/explore/index.ts"
import { isLong } from "../support/long.ts"

export const timeout = isLong ? 1_200_000 : 60_000

export const holds = (program: Explore.Program, runs = isLong ? 10_000 : 8) =>
  Effect.gen(function*() {
    const { counterexample, foreign, invalid, verdict } = yield* Explore.explore(program, { runs, seed: 36 })
    if (verdict === "broken") assert.fail(counterexample?.words.join("\n"))
    assert.isUndefined(invalid)
    assert.deepEqual(foreign, [])
    if (isLong) assert.strictEqual(verdict, "held")
  })
