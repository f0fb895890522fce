import { describe, it } from "@effect/vitest"
import { holds } from "./holds.ts"
import { making } from "./maker.ts"

describe("the market maker from the documentation", () => {
  it.effect(
    "in every history, the maker has at most one quote on each side, leaves no quotes open, and knows what it owns",
    () => holds(making, 2000)
  )
})
