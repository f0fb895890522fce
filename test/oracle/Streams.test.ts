import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Check from "../../src/oracle/Check.ts"
import * as Report from "../../src/oracle/Report.ts"
import { rules } from "../../src/oracle/Rules.ts"
import { runRule } from "../../src/oracle/Run.ts"
import * as Target from "../../src/oracle/Target.ts"
import * as Session from "../../src/oracle/world/Session.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { passing } from "../support/clock.ts"
import { isLong } from "../support/long.ts"
import * as Support from "../support/oracle.ts"
import * as Doubles from "./doubles/Streams.ts"
import { streams } from "./mutants/all.ts"
import { type Fault, faulty } from "./mutants/Frames.ts"

/** The steps of the test clock, in milliseconds. */
const step = 20

const begin = TestClock.setTime(1_800_000_000_017)

const check = (target: Target.Target, options: Check.Options = {}) =>
  passing(
    Check.check(target, { profile: "control", only: ["streams"], seed: 1, runs: isLong ? 5 : 1, ...options }),
    step
  )

/** Expects that every rule about streams was judged, and holds. */
const allHold = (report: Report.Report) => {
  const odd = report.results.filter(({ outcome }) => outcome._tag !== "Held").map(Report.line)
  assert.deepStrictEqual(odd, [])
  assert.deepStrictEqual(report.warnings, [])
  assert.isAbove(report.results.length, 50)
}

/** The outcome of a rule on a sandbox with this fault. */
const outcome = (id: string, fault: Fault) =>
  Effect.scoped(Effect.gen(function*() {
    const target = faulty(yield* Support.inProcess(Dialect.live), fault)
    const session = Session.make(target, "control", yield* Target.now)
    const rule = rules.find((rule) => rule.id === id) ?? assert.fail(`unknown rule ${id}`)
    return yield* passing(runRule(session, rule, { seed: 1, runs: 1 }), step)
  }))

describe("rules about streams", () => {
  it.effect("the sandbox satisfies every rule about streams", () =>
    Effect.gen(function*() {
      yield* begin
      allHold(yield* check(yield* Support.inProcess(Dialect.live)))
    }), 60_000)

  it.effect("a WebSocket that takes every freedom of the documentation breaks no rule", () =>
    Effect.gen(function*() {
      yield* begin
      allHold(yield* check(faulty(yield* Support.inProcess(Dialect.live), Doubles.free)))
    }), 60_000)

  it("every mutant has a unique id", () => {
    assert.strictEqual(new Set(streams.map(({ id }) => id)).size, streams.length)
  })

  // CI runs the long form.
  if (isLong) {
    it.effect("every mutant breaks all the rules that it names", () =>
      Effect.gen(function*() {
        yield* begin
        const survivors: Array<string> = []
        for (const { breaks, change, id } of streams) {
          for (const rule of breaks) {
            const { _tag } = yield* outcome(rule, change)
            if (_tag !== "Broken") survivors.push(`${id}: ${rule} is ${_tag}`)
          }
        }
        assert.deepStrictEqual(survivors, [])
      }), 300_000)
  }
})
