import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { Explore, Invariant, Possibilities } from "../../src/explore/index.ts"
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
      const most = isLong ? 500 : 40
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

  it.effect("a replay that does not show whether the program is repaired fails", () =>
    Effect.gen(function*() {
      const scenario = { order: 0, latency: { from: 20, to: 20 }, events: [] }
      const throwing = Explore.program({
        ...careful,
        invariants: [Invariant.always("a mistake", () => assert.fail("not a function"))]
      })
      const failed = yield* Effect.flip(Explore.replay(throwing, { scenario }))
      assert.include(failed.message, "careful could not be checked: the invariant \"a mistake\" threw an error")
      const events = [{ _tag: "Price", at: 0, market: "BTC_USD", permille: 1, overMillis: 0 }] as const
      const lost = yield* Effect.flip(Explore.replay(careful, { scenario: { ...scenario, events } }))
      assert.include(lost.why, "no market BTC_USD")
    }))

  it.effect("a counterexample is not replayable if the program keeps state between histories", () =>
    Effect.gen(function*() {
      let count = 0
      const counting = Explore.program({
        name: "counting",
        run: Explore.say("count", 1),
        invariants: [Invariant.always("never", ({ said }) => said.has("count") ? `${++count}` : true)]
      })
      assert.isFalse((yield* Explore.explore(counting)).counterexample?.replayable)
      assert.isTrue((yield* Explore.explore(impatient, { shrinks: 0 })).counterexample?.replayable)
    }))

  it.effect("a program with a flaw is invalid, and the reason says what to change", () =>
    Effect.gen(function*() {
      const flaws: ReadonlyArray<readonly [Partial<Record<keyof Explore.Program, unknown>>, RegExp]> = [
        [{ name: " " }, /needs a name/u],
        [{ name: undefined }, /needs a name/u],
        [{ run: () => undefined }, /must be an Effect/u],
        [{ invariants: [] }, /has no invariants/u],
        [{ invariants: undefined }, /has no invariants/u],
        [{ invariants: [Invariant.noOrderTwice] }, /`invariants\[0\]` is not an invariant.*must be called/u],
        [{ markets: [] }, /`markets` is empty/u],
        [{ during: "1 minuet" }, /`during` is not a duration: "1 minuet"/u],
        [{ calm: "soon" }, /`calm` is not a duration: "soon"/u]
      ]
      for (const [flaw, why] of flaws) {
        // The types forbid these programs, but a module in JavaScript can export them.
        const program = { ...careful, ...flaw } as Explore.Program
        const { invalid, verdict } = yield* Explore.explore(program)
        assert.strictEqual(verdict, "invalid")
        assert.match(invalid ?? "", why)
        assert.match((yield* Effect.flip(Explore.replay(program, { scenario: Scenario.calm }))).why, why)
      }
    }))

  it.effect("a search with wrong settings does not start", () =>
    Effect.gen(function*() {
      const settings = [{ runs: NaN }, { runs: 0 }, { seed: 0.5 }, { seed: NaN }, { within: "soon" as "1 minute" }]
      for (const wrong of settings) {
        const { invalid, runs } = yield* Explore.explore(careful, wrong)
        assert.include(invalid ?? "", `\`${Object.keys(wrong)[0]}\``)
        assert.strictEqual(runs, 0)
      }
    }))

  it.effect("a program whose exchange cannot be prepared is invalid", () =>
    Effect.gen(function*() {
      const again = Effect.andThen(Explore.setUp, Explore.setUp)
      const { invalid } = yield* Explore.explore(Explore.program({ ...careful, setUp: again }))
      assert.match(invalid ?? "", /its exchange could not be prepared: /u)
    }))

  it.effect("shrinking stays within the program's bounds, and makes faults without a path smaller", () =>
    Effect.gen(function*() {
      const always = [{ _tag: "Book", at: 0, market: "BTC_USDT", levels: 2, spreadPermille: 1 }] as const
      const bounded = Explore.program({
        ...impatient,
        possible: { ...Possibilities.lostAnswers, always, latency: { from: 500, to: 900 } }
      })
      for (let seed = 0; seed < 3; seed++) {
        const { counterexample } = yield* Explore.explore(bounded, { seed })
        const { events = [], latency } = counterexample?.scenario ?? {}
        assert.deepEqual(latency, { from: 500, to: 500 })
        assert.deepEqual(events[0], always[0])
        assert.lengthOf(events, 2)
        const [, fault] = events
        if (fault?._tag !== "Fault") return assert.fail("no fault")
        assert.deepEqual([fault.at, fault.fault.skip, fault.fault.times], [0, 0, 1])
      }
    }))

  it.effect("the time limit also ends the shrinking", () =>
    Effect.gen(function*() {
      const onProgress = () => TestClock.adjust("1 second")
      const { foundAt = 0, shrinks } = yield* Explore.explore(impatient, { seed: 1, onProgress })
      const limited = yield* Explore.explore(impatient, { seed: 1, onProgress, within: `${foundAt + 1} seconds` })
      assert.strictEqual(limited.verdict, "broken")
      assert.isBelow(limited.shrinks, shrinks)
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
