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

const isSame = (one: Scenario.Latency, other: Scenario.Latency): boolean =>
  one.from === other.from && one.to === other.to

/**
 * Returns scenarios with the usual fiber order, the calm scenario's delays or fewer random events. They are tried before
 * individual numbers are made smaller.
 */
const simpler = (scenario: Scenario.Scenario, calm: Scenario.Scenario): ReadonlyArray<Scenario.Scenario> => {
  const { latency, order } = scenario
  const always = calm.events
  const events = scenario.events.slice(always.length)
  const half = Math.ceil(events.length / 2)
  const having = (random: ReadonlyArray<Scenario.Event>) => ({ ...scenario, events: [...always, ...random] })
  return [
    ...order === 0 ? [] : [{ ...scenario, order: 0 }],
    ...isSame(latency, calm.latency) ? [] : [{ ...scenario, latency: calm.latency }],
    ...events.length < 3 ? [] : [having(events.slice(half)), having(events.slice(0, half))],
    ...events.map((_, index) => having(events.toSpliced(index, 1)))
  ]
}

function* candidates(
  shrinks: Shrinks,
  scenario: Scenario.Scenario,
  calm: Scenario.Scenario
): Generator<Scenario.Scenario> {
  yield* simpler(scenario, calm)
  if (!shrinks.canShrinkWithoutContext(scenario)) return
  for (const { value } of shrinks.shrink(scenario, undefined)) {
    // fast-check would shrink the latency to its lowest bounds, but the calm scenario's latency is simpler. So a
    // latency that has already been simplified stays the same.
    if (isSame(value.latency, scenario.latency) || !isSame(scenario.latency, calm.latency)) yield value
  }
}

/** Settings of the shrinking. */
interface Options {
  /** The maximum number of histories. */
  readonly runs: number
  /** The scenario without random events: its events are in every scenario. */
  readonly calm: Scenario.Scenario
  /** Whether there is time for another history. */
  readonly hasTime: () => boolean
  /** Runs whenever a smaller scenario breaks the invariant. */
  readonly shrunk: Effect.Effect<void>
}

/**
 * Shrinks the scenario of a history that breaks an invariant, as long as the same invariant is broken. Runs at most
 * `runs` further histories, as long as there is time.
 */
export const shrink = Effect.fnUntraced(function*<E>(
  shrinks: Shrinks,
  found: History,
  run: (scenario: Scenario.Scenario) => Effect.Effect<History, E>,
  options: Options
) {
  let best = found
  let runs = 0
  const tried = new Set<string>()
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false
    for (const scenario of candidates(shrinks, best.scenario, options.calm)) {
      const key = Json.stringify(scenario)
      if (tried.has(key)) continue
      tried.add(key)
      if (runs >= options.runs || !options.hasTime()) break
      runs++
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
