import { describe, it } from "@effect/vitest"
import { placing, reconciling, watching } from "./client.ts"
import { holds } from "./holds.ts"

describe("promises that the client makes", () => {
  it.effect(
    "in every history, a call is delivered at most once, and no nonce is used twice",
    () => holds(placing, 54_000)
  )

  it.effect("in every history, Reconciliation's verdicts are right", () => holds(reconciling, 30_000))

  it.effect(
    "in every history, a live view equals the exchange's state once the faults have stopped",
    () => holds(watching, 8000)
  )
})
