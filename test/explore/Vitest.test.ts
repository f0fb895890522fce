import { assert, describe, it as plain } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Explore } from "../../src/explore/index.ts"
import { extend, it } from "../../src/explore/Vitest.ts"
import { careful, impatient } from "./programs.ts"

describe("it.explore in Vitest", () => {
  it.explore("an it.explore test passes if no counterexample is found", careful, { runs: 5 })

  it.explore("it.explore runs the scenarios of earlier counterexamples first", careful, {
    runs: 1,
    regressions: [{ scenario: { order: 0, latency: { from: 0, to: 0 }, events: [] } }]
  })

  extend(plain).explore("it.explore can be added to the test functions of @effect/vitest", careful, { runs: 1 })

  plain.effect("extend keeps everything that the test function already has", () =>
    Effect.gen(function*() {
      const extended = extend(plain)
      assert.strictEqual(extended.effect, plain.effect)
      assert.isTrue(Explore.isProgram(impatient))
      assert.isFalse(Explore.isProgram({}))
    }))
})
