import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Listings from "../../src/sandbox/engine/Listings.ts"
import * as Example from "../../src/sandbox/Example.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import { rawPublic } from "../support/trading.ts"

describe("the example set-up", () => {
  it.live("every market in the example has a price from the start", () =>
    Effect.gen(function*() {
      yield* Example.setUp
      const { body } = yield* rawPublic("/api/v4/public/ticker")
      const tickers = Object.entries(body as Readonly<Record<string, { readonly last_price: string }>>)
      const priced = tickers.filter(([, { last_price }]) => Number(last_price) > 0).map(([market]) => market)
      assert.sameMembers(priced, Listings.markets.map(({ name }) => name))
    }).pipe(Effect.provide(Sandbox.layer())))
})
