/**
 * Finds the circumstances that break a program. Runs the program and its exchange in thousands of simulated histories,
 * each determined by a seed. Requires `fast-check`.
 */
export * as Counterexample from "./Counterexample.ts"
export * as Explore from "./Explore.ts"
export * as Invariant from "./Invariant.ts"
export * as Possibilities from "./Possibilities.ts"
export * as Report from "./Report.ts"
export * as Scenario from "./Scenario.ts"
export type { Moment } from "./Moment.ts"
