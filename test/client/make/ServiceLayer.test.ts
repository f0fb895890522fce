import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Channels from "../../../src/channels/all.ts"
import * as ServiceLayer from "../../../src/client/make/ServiceLayer.ts"
import * as Endpoints from "../../../src/endpoints/all.ts"

class One extends Context.Service<One, { readonly value: number }>()("test/One") {}

class Two extends Context.Service<Two, { readonly value: number }>()("test/Two") {}

describe("ServiceLayer", () => {
  it("all endpoints and channels have recipes, so an account's services are built together", () => {
    const slow = [...Endpoints.entries, ...Channels.entries].filter(({ layer }) => !ServiceLayer.hasRecipe(layer))
    assert.deepEqual(slow.map(({ name }) => name), [])
  })

  it.effect("ServiceLayer merges layers with and without recipes", () =>
    Effect.gen(function*() {
      const merged = ServiceLayer.mergeAll<One | Two, never>([
        ServiceLayer.layer(One, Effect.succeed({ value: 1 })),
        Layer.succeed(Two, { value: 2 })
      ])
      const both = Effect.all([One, Two])
      assert.deepEqual(yield* Effect.provide(both, merged), [{ value: 1 }, { value: 2 }])
    }))
})
