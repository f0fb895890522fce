/**
 * Registers the rules as Vitest tests, one test per rule. Needs `vitest` and `fast-check`.
 *
 * @example
 * ```ts
 * import * as FetchHttpClient from "effect/http/FetchHttpClient"
 * import { Dialect } from "effect-txc"
 * import { Target } from "effect-txc/oracle"
 * import { conformance } from "effect-txc/oracle/vitest"
 *
 * const target = Target.fromLayer(FetchHttpClient.layer, {
 *   baseUrl: "http://127.0.0.1:8080",
 *   dialect: Dialect.document
 * })
 *
 * conformance("my mock", target, { only: ["ping", "general.public"] })
 * ```
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { describe, it } from "vitest"
import * as Check from "./Check.ts"
import * as Report from "./Report.ts"
import type * as Target from "./Target.ts"
import * as Verdict from "./Verdict.ts"

/**
 * Registers one test per selected rule, each with a new target. A rule that cannot be evaluated is a skipped test. A
 * broken rule fails its test with the lines of the report. An informational rule never fails: a deviation becomes an
 * annotation.
 *
 * @category running
 */
export const conformance = <E>(
  name: string,
  target: Effect.Effect<Target.Target, E, Scope.Scope>,
  options: Check.RunOptions = {}
): void => {
  describe(name, () => {
    for (const rule of Check.select(options)) {
      it(`${rule.id}: ${rule.statement}`, async ({ annotate, skip }) => {
        const judged = Effect.flatMap(
          target,
          (found) => Check.check(found, { ...options, rules: [rule], only: [], skip: [] })
        )
        const { results: [result] } = await Effect.runPromise(Effect.scoped(judged))
        if (result === undefined || result.outcome._tag === "Held") return
        if (result.outcome._tag === "Skipped") return skip(result.outcome.why)
        if (result.level === "INFO") return void await annotate(Report.line(result))
        return Promise.reject(new Verdict.Broken({ expected: rule.statement, got: Report.line(result) }))
      })
    }
  })
}
