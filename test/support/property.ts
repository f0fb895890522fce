import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fc from "fast-check"
import { isLong, isSample } from "./long.ts"

/** Set `TXC_TEST_SEED` to run every property with the seed that a failure printed. */
const seed = process.env["TXC_TEST_SEED"] === undefined ? undefined : Number(process.env["TXC_TEST_SEED"])

/**
 * Runs a property as a test: `check` must succeed for every combination of values. If it fails with an Effect failure
 * or an assertion, the report contains the shrunk values, the seed and the path.
 */
export const property = <T extends [unknown, ...Array<unknown>], E>(
  name: string,
  values: { readonly [K in keyof T]: fc.Arbitrary<T[K]> },
  check: (...values: T) => Effect.Effect<unknown, E, Scope.Scope>,
  options: {
    /** The number of runs in the long version. 500 by default. CI runs a third. */
    readonly runs?: number
    /** The number of runs in the short version. By default, a fifth of `runs`, or 20 if `runs` is absent. */
    readonly short?: number
    readonly seed?: number | undefined
    readonly timeout?: number | undefined
  } = {}
): void =>
  it.effect(name, () =>
    Effect.gen(function*() {
      const context = yield* Effect.context()
      const long = Math.ceil((options.runs ?? 500) / (isSample ? 3 : 1))
      const drawnFrom = seed ?? options.seed
      const run = (drawn: ReadonlyArray<unknown>) =>
        Effect.runPromiseWith(context)(Effect.scoped(Effect.asVoid(Effect.suspend(() => check(...(drawn as T))))))
      yield* Effect.promise(() =>
        fc.assert(fc.asyncProperty(fc.tuple(...(values as ReadonlyArray<fc.Arbitrary<unknown>>)), run), {
          numRuns: isLong ? long : (options.short ?? Math.ceil((options.runs ?? 100) / 5)),
          ...(drawnFrom === undefined ? {} : { seed: drawnFrom }),
          // Stops before the test's own timeout, because a test that times out while it shrinks would not print its
          // seed.
          ...(options.timeout === undefined
            ? {}
            : { interruptAfterTimeLimit: options.timeout * 0.9, markInterruptAsFailure: true })
        })
      )
    }), options.timeout)
