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
import * as Json from "../protocol/Json.ts"
import type { Counterexample } from "./Counterexample.ts"
import * as Explore from "./Explore.ts"
import * as Report from "./Report.ts"

/**
 * Settings of an exploration that runs as a test.
 *
 * @category models
 */
export interface Options extends Explore.Options {
  /** The test's timeout, in milliseconds; one minute by default. */
  readonly timeout?: number
  /** Counterexamples that were found earlier. Their scenarios run first, so that the test also catches regressions. */
  readonly regressions?: ReadonlyArray<Pick<Counterexample, "scenario">>
}

/**
 * Registers an exploration as a test, which fails unless the verdict is `held`. If the search finds a counterexample,
 * the failure shows its story, its scenario and the seed.
 *
 * @category running
 */
export const explore = (
  name: string,
  program: Explore.Program,
  { regressions = [], timeout = 60_000, ...options }: Options = {}
): void => {
  Vitest.it(name, async () => {
    const judged = Effect.gen(function*() {
      for (const regression of regressions) {
        const again = yield* Explore.replay(program, regression)
        if (again !== undefined) return again.words.join("\n")
      }
      const result = yield* Explore.explore(program, options)
      if (result.verdict === "held") return undefined
      const scenario = result.counterexample === undefined
        ? ""
        : `\nscenario: ${Json.stringify(result.counterexample.scenario)}`
      return `${Report.render.text([result])}${scenario}`
    })
    const failure = await Effect.runPromise(judged)
    if (failure !== undefined) Vitest.assert.fail(failure)
  }, timeout)
}

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
