import { describe, it } from "@effect/vitest"
import { holds, timeout } from "./holds.ts"
import { making } from "./maker.ts"

describe("the market maker of the docs", () => {
  it.effect(
    "has at most one quote on each side, leaves none, and knows what it owns, in every history",
    () => holds(making, 5000),
    timeout
  )
})
