import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Explore } from "../../src/explore/index.ts"
import { isLong } from "../support/long.ts"
import { placing, reconciling, watching } from "./client.ts"

const runs = isLong ? 10_000 : 8

const holds = (program: Explore.Program) =>
  Effect.gen(function*() {
    const { counterexample, foreign, invalid, verdict } = yield* Explore.explore(program, { runs, seed: 36 })
    if (verdict === "broken") assert.fail(counterexample?.words.join("\n"))
    assert.isUndefined(invalid)
    assert.deepEqual(foreign, [])
    if (isLong) assert.strictEqual(verdict, "held")
  })

const timeout = isLong ? 1_200_000 : 60_000

describe("promises that the client makes", () => {
  it.effect(
    "in every history, a call is delivered at most once, and no nonce is used twice",
    () => holds(placing),
    timeout
  )

  it.effect("in every history, Reconciliation's verdicts are right", () => holds(reconciling), timeout)

  it.effect("hold in every history: a live view is what the exchange has", () => holds(watching), timeout)
})
