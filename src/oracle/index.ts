/**
 * The document as executable rules for any implementation of the API. Needs `fast-check`.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Redacted from "effect/Redacted"
 * import { Dialect } from "effect-txc"
 * import { check, Report, Target } from "effect-txc/oracle"
 * import { InProcess, Sandbox } from "effect-txc/sandbox"
 *
 * // The target is a sandbox in this process. Use `Target.http` for a server with a URL.
 * const target = Target.fromLayer(Sandbox.layer({ controlToken: "a token of mine" }), {
 *   baseUrl: InProcess.baseUrl,
 *   dialect: Dialect.document,
 *   control: { url: `${InProcess.baseUrl}/control/v1/`, token: Redacted.make("a token of mine") }
 * })
 *
 * export const program = Effect.gen(function*() {
 *   const report = yield* check(yield* target, { profile: "control", only: ["codes", "ping"], runs: 5 })
 *   yield* Effect.logInfo(Report.text(report))
 *   return Report.exitCode(report)
 * }).pipe(Effect.scoped)
 * ```
 */
export * as Arbitraries from "./Arbitraries.ts"
export { check, replay } from "./Check.ts"
export type { Options, RunOptions } from "./Check.ts"
export { clauses } from "./Clauses.ts"
export { openPoints } from "./OpenPoints.ts"
export type { OpenPoint, Unchecked } from "./OpenPoints.ts"
export * as Features from "./Features.ts"
export * as Report from "./Report.ts"
export * as Rule from "./Rule.ts"
export { rules } from "./Rules.ts"
export * as Target from "./Target.ts"
export type { Tampering } from "./world/Signing.ts"
export type { Account, Market, Opening, World } from "./world/World.ts"
