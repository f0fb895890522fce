import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Explore } from "../../src/explore/index.ts"
import * as World from "../../src/explore/World.ts"
import { holds } from "./holds.ts"
import { hosting } from "./host.ts"
import { careful } from "./programs.ts"

describe("promises that a host makes", () => {
  it.effect(
    "in every history, a venue loses no accepted order and places none twice, even if it sleeps or its host is killed",
    () => Effect.flatMap(World.prepare(careful), (prepared) => holds(hosting({ prepared, isHasty: false }), 2000))
  )

  it.effect("the exploration finds a host that responds before its commands are durable", () =>
    Effect.gen(function*() {
      const prepared = yield* World.prepare(careful)
      const { counterexample } = yield* Explore.explore(hosting({ prepared, isHasty: true }), { shrinks: 0 })
      assert.match(counterexample?.why ?? "", /^lost: \S/u)
    }))
})
