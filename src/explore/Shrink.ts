/** Makes a scenario that breaks an invariant as small as possible. */
import * as Effect from "effect/Effect"
import type * as fc from "fast-check"
import * as Json from "../protocol/Json.ts"
import * as Scenario from "./Scenario.ts"
import type { History } from "./World.ts"

/**
 * The methods of a fast-check arbitrary that shrink values, including values that the arbitrary did not generate.
 */
type Shrinks = Pick<fc.Arbitrary<Scenario.Scenario>, "canShrinkWithoutContext" | "shrink">

/**
 * Returns scenarios with the usual fiber order, the default delays or fewer events. They are tried before individual
 * numbers are made smaller.
 */
const simpler = (scenario: Scenario.Scenario): ReadonlyArray<Scenario.Scenario> => {
  const { events, latency, order } = scenario
  const half = Math.ceil(events.length / 2)
  const calm = Scenario.calm.latency
  return [
    ...order === 0 ? [] : [{ ...scenario, order: 0 }],
    ...latency.from === calm.from && latency.to === calm.to ? [] : [{ ...scenario, latency: calm }],
    ...events.length < 3 ? [] : [
      { ...scenario, events: events.slice(half) },
      { ...scenario, events: events.slice(0, half) }
    ],
    ...events.map((_, index) => ({ ...scenario, events: events.toSpliced(index, 1) }))
  ]
}

function* candidates(shrinks: Shrinks, scenario: Scenario.Scenario, fixed: number): Generator<Scenario.Scenario> {
  for (const candidate of simpler(scenario)) if (candidate.events.length >= fixed) yield candidate
  if (!shrinks.canShrinkWithoutContext(scenario)) return
  for (const { value } of shrinks.shrink(scenario, undefined)) {
    // fast-check would shrink the latency to its lowest bounds, but the calm scenario's latency is simpler. So a
    // latency that has already been simplified stays the same.
    if (value.latency === scenario.latency || scenario.latency.from !== Scenario.calm.latency.from) yield value
  }
}

/**
 * Shrinks the scenario of a history that breaks an invariant, as long as the same invariant is broken. Runs at most
 * `runs` further histories.
 */
export const shrink = Effect.fnUntraced(function*<E>(
  shrinks: Shrinks,
  found: History,
  run: (scenario: Scenario.Scenario) => Effect.Effect<History, E>,
  options: { readonly runs: number; readonly fixed: number; readonly shrunk: Effect.Effect<void> }
) {
  let best = found
  let runs = 0
  const tried = new Set<string>()
  for (let isSmaller = true; isSmaller && runs < options.runs;) {
    isSmaller = false
    for (const scenario of candidates(shrinks, best.scenario, options.fixed)) {
      const key = Json.stringify(scenario)
      if (tried.has(key)) continue
      tried.add(key)
      if (++runs > options.runs) break
      const history = yield* run(scenario)
      if (history.broken?.invariant !== found.broken?.invariant) continue
      best = history
      yield* options.shrunk
      isSmaller = true
      break
    }
  }
  return { history: best, runs }
})
