/**
 * Finds the market that breaks a program: explores what can happen between a program and its exchange, in thousands of
 * histories, each from a seed. Needs `fast-check`.
 */
export * as Counterexample from "./Counterexample.ts"
export * as Explore from "./Explore.ts"
export * as Invariant from "./Invariant.ts"
export * as Possibilities from "./Possibilities.ts"
export * as Report from "./Report.ts"
export * as Scenario from "./Scenario.ts"
export type { Moment } from "./Moment.ts"
