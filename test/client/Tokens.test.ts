import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { Tokens } from "../../src/client/Tokens.ts"
import { property } from "../support/property.ts"

/** How many milliseconds each try comes after the one before. */
const gaps = fc.array(fc.nat(400), { minLength: 1, maxLength: 60 })

property(
  "a bucket gives in any time no more than it holds and what has come, and the next one when it says",
  [fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 150 }), gaps],
  (most, interval, gaps) =>
    Effect.sync(() => {
      const tokens = new Tokens(most, interval)
      const taken: Array<number> = []
      let now = 1_000_000
      for (const gap of gaps) {
        now += gap
        const wait = tokens.take(now)
        if (wait > 0) {
          assert.isAtMost(wait, Math.ceil(interval))
          now += wait
          assert.strictEqual(tokens.take(now), 0)
        }
        taken.push(now)
      }
      for (const [i, from] of taken.entries()) {
        for (const [j, to] of taken.entries()) {
          if (j >= i) assert.isAtMost(j - i + 1, most + Math.floor((to - from) / interval))
        }
      }
    })
)
