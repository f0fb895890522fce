import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as TestRun from "../../src/explore/TestRun.ts"
import { careful, impatient } from "./programs.ts"

/** Makes each history take a second. */
const slow = { onProgress: () => TestClock.adjust("1 second") }

describe("explorations that run as tests", () => {
  it.effect("a test fails with the story and the scenario of a counterexample", () =>
    Effect.gen(function*() {
      const failure = (yield* TestRun.failureOf(impatient, { runs: 200 })) ?? ""
      assert.include(failure, "broken: no order is placed twice")
      assert.match(failure, /^scenario: \{"order":/mu)
    }))

  it.effect("a test fails if its timeout leaves no time for all histories, unless the time was limited on purpose", () =>
    Effect.gen(function*() {
      const failure = yield* TestRun.failureOf(careful, { runs: 20, timeout: 10_000, ...slow })
      assert.include(failure ?? "", "Only 9 of 20 histories ran in 9s, and nothing was found.")
      assert.isUndefined(yield* TestRun.failureOf(careful, { runs: 20, within: "9 seconds", ...slow }))
      assert.isUndefined(yield* TestRun.failureOf(careful, { runs: 5, timeout: 10_000, ...slow }))
    }))
})
