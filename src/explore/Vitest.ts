/**
 * Runs explorations as Vitest tests. Requires `vitest` and `fast-check`.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Explore, Invariant } from "effect-txc/explore"
 * import { it } from "effect-txc/explore/vitest"
 *
 * const idle = Explore.program({ name: "idle", run: Effect.void, invariants: [Invariant.noOrdersLeft] })
 *
 * it.explore("a program that does nothing leaves no order", idle, { runs: 100 })
 * ```
 */
import * as Effect from "effect/Effect"
import * as Vitest from "vitest"
import type * as Explore from "./Explore.ts"
import * as TestRun from "./TestRun.ts"

export type { Options } from "./TestRun.ts"

/**
 * Registers an exploration as a test, which fails unless the verdict is `held`. If the search finds a counterexample,
 * the failure shows its story, its scenario and the seed.
 *
 * @category running
 */
export const explore = (name: string, program: Explore.Program, options: TestRun.Options = {}): void =>
  Vitest.it(name, async () => {
    const failure = await Effect.runPromise(TestRun.failureOf(program, options))
    if (failure !== undefined) Vitest.assert.fail(failure)
  }, options.timeout ?? TestRun.minute)

/** The method that this module adds to Vitest's `it`, or to the `it` from `@effect/vitest`. */
interface Explores {
  /** Registers an exploration as a test. */
  readonly explore: typeof explore
}

/**
 * Adds `explore` to another `it`, such as the one from `@effect/vitest`.
 *
 * @category running
 */
export const extend = <It extends object>(it: It): It & Explores =>
  // The cast is safe, because the proxy has everything that `it` has, plus `explore`.
  new Proxy(it, { get: (target, name) => name === "explore" ? explore : Reflect.get(target, name) }) as It & Explores

/** Vitest's `it`, with `it.explore`. */
export const it: Vitest.TestAPI & Explores = extend(Vitest.it)
