import { assert, describe, it } from "@effect/vitest"
import { gallery } from "./gallery/all.ts"
import { counterexamples } from "./gallery/counterexamples.ts"
import { mistakes, names } from "./gallery/mistakes.ts"

describe("the gallery of mistakes, exhibits 1 to 10", () => {
  mistakes(names.slice(0, 10))

  it("the gallery has twenty exhibits, each with a different mistake", () => {
    assert.lengthOf(new Set(names.map((name) => gallery[name].mistake)), 20)
    assert.sameMembers(Object.keys(counterexamples), [...names])
  })
})
