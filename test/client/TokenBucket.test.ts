import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { TokenBucket } from "../../src/client/TokenBucket.ts"
import { property } from "../support/property.ts"

/** The delay of each attempt after the previous one, in milliseconds. */
const gaps = fc.array(fc.nat(400), { minLength: 1, maxLength: 60 })

property(
  "a token bucket never exceeds its capacity and refill rate, and provides the next token at the announced time",
  [fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 150 }), gaps],
  (most, interval, gaps) =>
    Effect.sync(() => {
      const tokens = new TokenBucket(most, interval)
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

property(
  "after the clock is set back, no call waits longer than the refill time of one token",
  [fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 150 }), fc.array(fc.integer({ min: -5000, max: 400 }))],
  (most, interval, steps) =>
    Effect.sync(() => {
      const tokens = new TokenBucket(most, interval)
      let now = 1_000_000
      let passed = 0
      let taken = 0
      for (const step of steps) {
        now += step
        passed += Math.max(0, step)
        const wait = tokens.take(now)
        assert.isAtLeast(wait, 0)
        assert.isAtMost(wait, Math.ceil(interval))
        now += wait
        passed += wait
        if (wait > 0) assert.strictEqual(tokens.take(now), 0)
        taken++
        assert.isAtMost(taken, most + Math.floor(passed / interval), "setting the clock back yields no token twice")
      }
    })
)
