/**
 * The document as rules that can be checked against anything that answers its calls. Needs fast-check.
 *
 * @since 0.1.0
 */
export * as Arbitraries from "./Arbitraries.ts"
export { check, replay } from "./Check.ts"
export type { Options } from "./Check.ts"
export { clauses, openPoints } from "./OpenPoints.ts"
export type { OpenPoint } from "./OpenPoints.ts"
export * as Report from "./Report.ts"
export * as Rule from "./Rule.ts"
export { rules } from "./Rules.ts"
export * as Target from "./Target.ts"
