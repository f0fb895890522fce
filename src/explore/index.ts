/**
 * Finds the market conditions that break a program. Explores what can happen between a program and its exchange in
 * thousands of histories, each determined by a seed. Requires `fast-check`.
 */
export * as Counterexample from "./Counterexample.ts"
export * as Explore from "./Explore.ts"
export * as Invariant from "./Invariant.ts"
export * as Possibilities from "./Possibilities.ts"
export * as Report from "./Report.ts"
export * as Scenario from "./Scenario.ts"
export type { Moment } from "./Moment.ts"
