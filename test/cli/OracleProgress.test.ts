import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as OracleProgress from "../../src/cli/OracleProgress.ts"
import type * as Report from "../../src/oracle/Report.ts"
import { rules } from "../../src/oracle/Rules.ts"

describe("the progress of a check", () => {
  it("the remaining time is estimated from the pace so far", () => {
    assert.strictEqual(OracleProgress.left(0, 0, 10), 0)
    assert.strictEqual(OracleProgress.left(20_000, 10, 40), 60_000)
    assert.strictEqual(OracleProgress.left(20_000, 50, 40), 0)
    assert.deepStrictEqual([100, 60_000, 90_001].map(OracleProgress.duration), ["1 s", "60 s", "2 min"])
  })

  it.effect("the estimate includes only rules that the check runs, and is shown from the fifth rule on", () =>
    Effect.gen(function*() {
      const shown: Array<string> = []
      const progress = { show: (text: string) => Effect.sync(() => shown.push(text)), clear: Effect.void }
      const willRun = (rule: typeof rules[number]) => OracleProgress.runs(rule, "document", "read-only")
      const [runnable, others] = [rules.filter(willRun), rules.filter((rule) => !willRun(rule))]
      assert.isAbove(others.length, runnable.length)
      const onResult = OracleProgress.onResult({ progress, isListed: false, isTerminal: true, willRun, all: 20 })
      const result = (rule: typeof rules[number] | undefined): Report.Result => ({
        rule: rule ?? assert.fail(),
        level: "MUST",
        outcome: { _tag: "Held", runs: 1 },
        isKnown: false,
        millis: 4000
      })
      const given = [...runnable.slice(0, 4), others[0], runnable[4]]
      for (const [index, rule] of given.entries()) yield* onResult(result(rule), index, 700)
      assert.deepStrictEqual(shown.slice(3), [
        `4/700: ${runnable[3]?.id}`,
        `5/700: ${others[0]?.id}`,
        `6/700, about 60 s left: ${runnable[4]?.id}`
      ])
    }))
})
