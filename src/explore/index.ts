/**
 * Finds the circumstances that break a program. Runs the program in thousands of simulated histories with its exchange,
 * each determined by a seed. Requires `fast-check`.
 */
export * as Counterexample from "./Counterexample.ts"
export * as Explore from "./Explore.ts"
export * as Invariant from "./Invariant.ts"
export * as Possibilities from "./Possibilities.ts"
export * as Report from "./Report.ts"
export * as Scenario from "./Scenario.ts"
export type { Moment } from "./Moment.ts"
