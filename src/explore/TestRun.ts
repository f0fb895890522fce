/** Runs an exploration as a test: first the counterexamples that were found earlier, then the search. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
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
  /**
   * The test's timeout, in milliseconds; one minute by default. The search ends shortly before. If it has then run fewer
   * histories than `runs`, the test fails, unless `within` is set.
   */
  readonly timeout?: number
  /** Counterexamples that were found earlier. Their scenarios run first, so that the test also catches regressions. */
  readonly regressions?: ReadonlyArray<Pick<Counterexample, "scenario">>
}

/** The default of `timeout`. */
export const minute = 60_000

/** Returns the message with which the test fails, or `undefined` if the test passes. */
export const failureOf = Effect.fnUntraced(function*(
  program: Explore.Program,
  { regressions = [], runs = 1000, timeout = minute, within, ...options }: Options
): Effect.fn.Return<string | undefined, Explore.NotChecked> {
  for (const regression of regressions) {
    const again = yield* Explore.replay(program, regression)
    if (again !== undefined) return again.words.join("\n")
  }
  const limit = Duration.millis(timeout * 0.9)
  const result = yield* Explore.explore(program, { ...options, runs, within: within ?? limit })
  if (result.verdict !== "held") {
    const { counterexample } = result
    const scenario = counterexample === undefined ? "" : `\nscenario: ${Json.stringify(counterexample.scenario)}`
    return `${Report.render.text([result])}${scenario}`
  }
  if (within !== undefined || result.runs >= runs) return undefined
  return `Only ${result.runs} of ${runs} histories ran in ${Duration.format(limit)}, and nothing was found. ` +
    "Set a longer `timeout`, fewer `runs`, or `within`."
})
