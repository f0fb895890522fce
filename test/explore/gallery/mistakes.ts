/**
 * Tests of the gallery's exhibits. Two test files share them, so that they run on two cores.
 */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Explore } from "../../../src/explore/index.ts"
import { isLong } from "../../support/long.ts"
import { gallery } from "./all.ts"
import { counterexamples } from "./counterexamples.ts"

/** The names of all exhibits. The cast is safe because these are the object's keys. */
export const names = Object.keys(gallery) as ReadonlyArray<keyof typeof gallery>

/** Defines the tests of some exhibits. */
export const mistakes = (of: ReadonlyArray<keyof typeof gallery>): void => {
  for (const name of of) {
    const { broken, mistake, repaired, within } = gallery[name]

    it.effect(`${name}: its counterexample breaks the program with the mistake, but not the repaired program`, () =>
      Effect.gen(function*() {
        const scenario = counterexamples[name]
        const found = yield* Explore.replay(broken, { scenario })
        assert.isDefined(found, mistake)
        assert.isTrue(found?.replayable)
        assert.isAtMost(found?.words.length ?? Infinity, 8)
        assert.isUndefined(yield* Explore.replay(repaired, { scenario }))
      }))

    it.effect(`${name}: no history breaks the repaired program`, () =>
      Effect.gen(function*() {
        const { counterexample, foreign, invalid, verdict } = yield* Explore.explore(repaired, {
          seed: 36,
          runs: isLong ? 10_000 : 3
        })
        assert.strictEqual(verdict, "held", invalid ?? counterexample?.words.join("\n"))
        assert.deepEqual(foreign, [])
      }))

    if (isLong)
      it.effect(
        `${name}: the mistake is found within ${within} histories, with each of ten seeds`,
        () =>
          Effect.forEach(Array.from({ length: 10 }, (_, seed) => seed), (seed) =>
            Effect.gen(function*() {
              const { foundAt, verdict } = yield* Explore.explore(broken, { seed, runs: within, shrinks: 0 })
              assert.strictEqual(verdict, "broken", `seed ${seed}: ${mistake}`)
              assert.isAtMost(foundAt ?? Infinity, within)
            }))
      )
  }
}
