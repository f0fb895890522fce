/**
 * The rules as tests of Vitest: one test for each. Needs vitest.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { describe, it } from "vitest"
import * as Check from "./Check.ts"
import * as Report from "./Report.ts"
import type * as Target from "./Target.ts"
import * as Verdict from "./Verdict.ts"

/**
 * Registers one test for each rule that is asked for, each against a target of its own. A rule that can't be judged is
 * skipped, and one that is broken fails with all that a report says of it.
 *
 * @category running
 * @since 0.1.0
 */
export const conformance = <E>(
  name: string,
  target: Effect.Effect<Target.Target, E, Scope.Scope>,
  options: Omit<Check.Options, "onResult" | "knownFailing"> = {}
): void => {
  describe(name, () => {
    for (const rule of Check.select(options)) {
      it(`${rule.id}: ${rule.statement}`, async ({ skip }) => {
        const judged = Effect.flatMap(
          target,
          (found) => Check.check(found, { ...options, rules: [rule], only: [], skip: [] })
        )
        const { results: [result] } = await Effect.runPromise(Effect.scoped(judged))
        if (result === undefined || result.outcome._tag === "Held") return
        if (result.outcome._tag === "Skipped") return skip(result.outcome.why)
        return Promise.reject(new Verdict.Broken({ expected: rule.statement, got: Report.line(result) }))
      })
    }
  })
}
