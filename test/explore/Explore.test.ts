import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Explore } from "../../src/explore/index.ts"
import * as Scenario from "../../src/explore/Scenario.ts"
import * as World from "../../src/explore/World.ts"
import { isLong } from "../support/long.ts"
import { careful, impatient, racing } from "./programs.ts"

describe("exploring histories", () => {
  it.effect("Explore finds and describes an order that is placed again because its response is lost", () =>
    Effect.gen(function*() {
      const { counterexample, foreign, foundAt = Infinity, verdict } = yield* Explore.explore(impatient, { seed: 1 })
      assert.strictEqual(verdict, "broken")
      assert.isBelow(foundAt, 200)
      assert.deepEqual(foreign, [])
      const { events = [], order } = counterexample?.scenario ?? {}
      assert.strictEqual(order, 0)
      assert.lengthOf(events, 1)
      assert.strictEqual(events[0]?._tag, "Fault")
      const words = counterexample?.words ?? []
      assert.isAtMost(words.length, 8)
      assert.match(words.at(-1) ?? "", /broken: no order is placed twice/u)
    }))

  it.effect("Explore finds a race between fibers that check and then act, even without faults", () =>
    Effect.gen(function*() {
      const { counterexample, verdict } = yield* Explore.explore(racing, { seed: 1 })
      assert.strictEqual(verdict, "broken")
      assert.deepEqual(counterexample?.scenario.events, [])
    }))

  it.effect("Explore finds nothing in a program that records what it is about to do", () =>
    Effect.gen(function*() {
      const most = isLong ? 5000 : 40
      const { coverage, invalid, missed, runs, verdict } = yield* Explore.explore(careful, { runs: most })
      assert.strictEqual(verdict, "held", invalid)
      assert.deepEqual(missed, [])
      assert.strictEqual(runs, most)
      assert.property(coverage, "program killed")
    }))

  it.effect("Explore counts the events that the exchange refuses, and rejects markets that do not exist", () =>
    Effect.gen(function*() {
      const trade = { _tag: "Trade", at: 0, market: "BTC_USDT", side: "sell", thousandths: 10 ** 12 } as const
      const busy = Explore.program({ ...careful, possible: { always: [trade], weights: {} } })
      const { coverage, verdict } = yield* Explore.explore(busy, { runs: 3 })
      assert.strictEqual(verdict, "held")
      assert.lengthOf(Object.keys(coverage).filter((name) => name.startsWith("no effect Trade: ")), 1)
      const lost = Explore.program({ ...careful, markets: ["BTC_USD"] })
      assert.match((yield* Explore.explore(lost, { runs: 50 })).invalid ?? "", /no market BTC_USD/u)
    }))

  it.effect("a replay reproduces a counterexample, or finds nothing once the program is repaired", () =>
    Effect.gen(function*() {
      const { counterexample } = yield* Explore.explore(impatient, { seed: 1, shrinks: 0 })
      if (counterexample === undefined) return assert.fail("nothing was found")
      assert.deepEqual(yield* Explore.replay(impatient, counterexample), counterexample)
      assert.isUndefined(yield* Explore.replay(careful, counterexample))
    }))

  it.effect("the same scenario gives the same history, byte for byte", () =>
    Effect.gen(function*() {
      const prepared = yield* World.prepare(careful)
      const scenario: Scenario.Scenario = {
        order: 12,
        latency: { from: 0, to: 100 },
        events: [
          { _tag: "KillAtCall", call: 2, downMillis: 100 },
          { _tag: "Walk", at: 0, market: "BTC_USDT", steps: 5, everyMillis: 100, permille: 10, seed: 1 }
        ]
      }
      const textOf = Effect.map(World.run(careful, prepared, scenario), ({ lines, marks, spans, tasks }) =>
        JSON.stringify([lines(), marks, spans(), tasks]))
      const first = yield* textOf
      for (let time = 0; time < (isLong ? 1000 : 5); time++)
        assert.strictEqual(yield* textOf, first)
    }), isLong ? 60_000 : undefined)
})
