import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Check from "../../src/oracle/Check.ts"
import * as Report from "../../src/oracle/Report.ts"
import { rules } from "../../src/oracle/Rules.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { isLong } from "../support/long.ts"
import * as Support from "../support/oracle.ts"

const runs = isLong ? 20 : 1

/** The first rule for each subject except limits, which take thousands of sequential calls. */
const oneOfEach = [...new Map(
  rules.filter(({ id }) => !id.startsWith("limits")).toReversed().map(({ id }) => [id.split(".")[0], id])
).values()]

/** The applicable rules that were skipped, with the reasons. */
const skipped = (report: Report.Report) =>
  report.results.flatMap(({ outcome, rule }) =>
    outcome._tag === "Skipped" && !outcome.why.startsWith("not applicable") ? [`${rule.id}: ${outcome.why}`] : []
  )

const holds = (report: Report.Report) => {
  const broken = report.results.filter(({ outcome }) => outcome._tag === "Broken" || outcome._tag === "CouldNotRun")
  assert.deepStrictEqual(broken.map(Report.line), [])
  assert.deepStrictEqual(skipped(report), [])
  assert.deepStrictEqual(report.warnings, [])
  assert.strictEqual(Report.exitCode(report), 0)
}

describe("the sandbox under the oracle", () => {
  for (const dialect of [Dialect.document, Dialect.live]) {
    // The short version runs a third of one dialect's rules in process. CI checks all rules of both over HTTP.
    if (isLong || dialect === Dialect.live) {
      it.live(
        `the sandbox satisfies ${isLong ? "every rule" : "a third of the rules"} in process (${dialect.name})`,
        () =>
          Effect.gen(function*() {
            const target = yield* Support.inProcess(dialect)
            // Another test checks the rules about streams. The rules about limits need thousands of calls, so they also
            // have their own test.
            const skip = isLong ? [] : ["streams", "limits"]
            const rules = isLong ? Support.rules : Support.rules.filter((_, index) => index % 3 === 0)
            holds(yield* Check.check(target, { profile: "control", seed: 1, runs, skip, rules }))
          })
      )
    }

    // Rules behave the same over a socket, so the short version has one dialect, and one rule for each subject.
    if (!isLong && dialect === Dialect.document) continue
    it.live(`the sandbox satisfies every rule over HTTP (${dialect.name})`, () =>
      Effect.gen(function*() {
        const target = yield* Support.overHttp(dialect)
        const options = isLong ? { runs: 2 } : { runs: 1, only: oneOfEach }
        holds(yield* Check.check(target, { profile: "control", seed: 7, rules: Support.rules, ...options }))
      }))
  }

  it.live("a venue on a host satisfies every rule when it is served under a path", () =>
    Effect.gen(function*() {
      const only = isLong ? {} : { only: ["auth", "codes"] }
      for (const dialect of isLong ? [Dialect.document, Dialect.live] : [Dialect.document]) {
        const target = yield* Support.hosted(dialect)
        holds(yield* Check.check(target, { profile: "control", seed: 7, runs: 1, rules: Support.rules, ...only }))
      }
    }))
})
