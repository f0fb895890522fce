import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rules } from "../../src/oracle/Rules.ts"
import { runRule } from "../../src/oracle/Run.ts"
import * as Target from "../../src/oracle/Target.ts"
import * as Session from "../../src/oracle/world/Session.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Support from "../support/oracle.ts"

/** The rules that need to know which records a page contains. */
const ids = ["limit.bound", "offset.default", "offset.skips", "pages.complete", "pages.stable"]

/** Returns the outcomes of these rules for an account with these interest payments, all in the same second. */
const outcomes = (amounts: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const target = yield* Support.inProcess(Dialect.document)
    const keys = yield* Support.account(target)
    const { world } = Session.make(target, "control", yield* Target.now).world()
    yield* world.control("FreezeClock", {})
    for (const amount of amounts) {
      const payment = { planId: "plan", investmentId: "investment", ticker: "USDT", amount }
      yield* world.control("PayInterest", { account: keys.id, ...payment })
    }
    const session = Session.make({ ...target, keys }, "read-only", yield* Target.now)
    return yield* Effect.forEach(ids, (id) => {
      const rule = rules.find((rule) => rule.id === `interest.${id}`) ?? assert.fail(id)
      return Effect.map(runRule(session, rule, { seed: 1, runs: 5 }), ({ _tag }) => _tag)
    })
  })

describe("the pages of a real account", () => {
  it.live("rules about pages are checked on a real account whose records differ", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* outcomes(["1", "2", "3"]), ids.map(() => "Held" as const))
    }))

  for (const amounts of [[], ["1"], ["1", "1", "1"], ["1", "2", "1"]]) {
    it.live(`rules about pages are skipped on a real account with the payments [${amounts.join(", ")}]`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* outcomes(amounts), ids.map(() => "Skipped" as const))
      }))
  }
})
