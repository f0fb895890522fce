/**
 * Searches for a scenario in which a program breaks one of its sentences: at random first, then also by varying the
 * scenarios that have reached something new.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import type * as Ambient from "./Ambient.ts"
import * as Coverage from "./Coverage.ts"
import type * as Journal from "./Journal.ts"
import * as Possibilities from "./Possibilities.ts"
import type { Program, SetUpFailed } from "./Program.ts"
import * as Scenario from "./Scenario.ts"
import * as Seeded from "./Seeded.ts"
import * as Shrink from "./Shrink.ts"
import * as World from "./World.ts"

/**
 * Settings of a search.
 *
 * @category models
 */
export interface Options {
  /** The seed of all scenarios; 0 by default. The same seed finds the same. */
  readonly seed?: number
  /** The number of histories; 1000 by default. */
  readonly runs?: number
  /** The longest duration, on the machine's clock; no bound by default. */
  readonly within?: Duration.Input
  /** The number of histories to make a counterexample smaller; 1000 by default. */
  readonly shrinks?: number
  /** Whether scenarios that have reached something new are varied; `true` by default. */
  readonly guided?: boolean
  /** Told of the progress after every history. */
  readonly onProgress?: (progress: Progress) => Effect.Effect<void>
}

/**
 * The progress of a search.
 *
 * @category models
 */
export interface Progress {
  /** Whether it searches, or makes a counterexample smaller. */
  readonly phase: "searching" | "shrinking"
  /** The number of histories so far. */
  readonly runs: number
  /** The number of different things that were reached. */
  readonly reached: number
}

/** The result of a search. */
export interface Found {
  /** The history that breaks a sentence, made as small as possible; absent if none does. */
  readonly history?: World.History
  /** The number of the history that first broke it, counted from 1. */
  readonly foundAt?: number
  /** Why the search could not judge the program; absent if it could. */
  readonly invalid?: string
  /** The states that were to be reached, and were not. */
  readonly missed: ReadonlyArray<string>
  /** The number of histories, without those that made the counterexample smaller. */
  readonly runs: number
  /** The number of histories that made the counterexample smaller. */
  readonly shrinks: number
  /** What was reached. */
  readonly coverage: Coverage.Coverage
  /** What the seed does not control, in any history. */
  readonly foreign: ReadonlyArray<Ambient.Foreign>
  /** The exchange that every history started from. */
  readonly prepared: Journal.Prepared
}

const markets = ["BTC_USDT"]

/** The surroundings of a program, from a history in which nothing happens. */
const around = (
  { during = "1 minute", markets: own = markets }: Program,
  { channels, moment }: World.History
): Possibilities.Surroundings => {
  const millis = Duration.toMillis(Duration.fromInputUnsafe(during))
  const latest = moment.sent.at(-1)
  return {
    markets: own,
    millis,
    paths: [...new Set(moment.sent.map(({ path }) => path))],
    channels: [...channels],
    calls: moment.sent.length,
    busyMillis: Math.min(millis, channels.size > 0 ? millis : (latest?.answeredAt ?? World.start) - World.start + 100)
  }
}

/** The number of scenarios that are drawn at once. */
const batch = 64

/** Draws scenarios at random, one after the other. */
const drawing = <A>(arbitrary: fc.Arbitrary<A>, seed: number): () => A => {
  let drawn: Array<A> = []
  let batches = 0
  return () => {
    if (drawn.length === 0)
      drawn = fc.sample(arbitrary, { seed: seed + batches++ * 0x10001, numRuns: batch }).toReversed()
    return drawn.pop() as A
  }
}

/** Scenarios that have reached something new, and how to vary them. */
class Corpus {
  private readonly scenarios: Array<Scenario.Scenario> = []
  private readonly random: Seeded.Seeded
  private readonly event: (() => Scenario.Event) | undefined
  private readonly possible: Possibilities.Possibilities
  private readonly millis: number

  constructor(possible: Possibilities.Possibilities, surroundings: Possibilities.Surroundings, seed: number) {
    this.random = Seeded.make(seed, 5)
    const event = Possibilities.event(possible, surroundings)
    this.event = event && drawing(event, seed + 1)
    this.possible = possible
    this.millis = surroundings.millis
  }

  add(scenario: Scenario.Scenario): void {
    this.scenarios.push(scenario)
  }

  /** A variation of a scenario, or of the latest ones more often; `undefined` for a scenario at random instead. */
  next(): Scenario.Scenario | undefined {
    const { random, scenarios } = this
    if (scenarios.length === 0 || random.next() < 0.4) return undefined
    const recent = Math.max(0, scenarios.length - 10)
    const index = random.next() < 0.5
      ? recent + random.below(scenarios.length - recent)
      : random.below(scenarios.length)
    let scenario = scenarios[index]
    for (let change = random.below(3); scenario !== undefined && change >= 0; change--) scenario = this.vary(scenario)
    return scenario
  }

  private vary(scenario: Scenario.Scenario): Scenario.Scenario {
    const { event, millis, possible: { always = [], most = 6, orders = true }, random } = this
    const { events } = scenario
    const index = always.length + random.below(events.length - always.length)
    const chosen = events[index]
    switch (random.below(4)) {
      case 0:
        return orders ? { ...scenario, order: random.below(2 ** 30) } : scenario
      case 1:
        return event !== undefined && events.length < most + always.length
          ? { ...scenario, events: [...events, event()] }
          : scenario
      case 2:
        return chosen === undefined ? scenario : { ...scenario, events: events.toSpliced(index, 1) }
      default: {
        if (chosen === undefined || !("at" in chosen)) return scenario
        const at = Math.min(millis, Math.max(0, chosen.at + random.below(2001) - 1000))
        return { ...scenario, events: events.with(index, { ...chosen, at }) }
      }
    }
  }
}

/** Searches for a history that breaks a sentence. */
export const search = Effect.fnUntraced(function*(
  program: Program,
  { guided = true, onProgress = () => Effect.void, runs: most = 1000, seed = 0, shrinks = 1000, within }: Options = {}
): Effect.fn.Return<Found, SetUpFailed> {
  const prepared = yield* World.prepare(program)
  const clock = yield* Clock.Clock
  const until = within === undefined
    ? Infinity
    : clock.currentTimeMillisUnsafe() + Duration.toMillis(Duration.fromInputUnsafe(within))
  const run = (scenario: Scenario.Scenario) => World.run(program, prepared, scenario)

  const possible = program.possible ?? {}
  const { always = [] } = possible
  let history = yield* run({ ...Scenario.calm, events: always })
  const surroundings = around(program, history)
  const scenarios = Possibilities.scenarios(possible, surroundings)
  const draw = drawing(scenarios, seed)
  const corpus = new Corpus(possible, surroundings, seed)
  const coverage = new Map<string, number>()
  const foreign = new Map<string, Ambient.Foreign>()
  let runs = 1

  const learn = Effect.suspend(() => {
    const before = coverage.size
    for (const name of Coverage.reachedBy(history)) coverage.set(name, (coverage.get(name) ?? 0) + 1)
    if (coverage.size > before) corpus.add(history.scenario)
    for (const found of history.foreign) foreign.set(`${found.kind} ${found.at}`, found)
    return onProgress({ phase: "searching", runs, reached: coverage.size })
  })

  yield* learn
  while (
    history.broken === undefined && history.invalid === undefined && runs < most &&
    clock.currentTimeMillisUnsafe() < until
  ) {
    const varied = guided ? corpus.next() : undefined
    history = yield* run(varied ?? draw())
    runs++
    yield* learn
    // The caller may interrupt, and show the progress.
    if (runs % 16 === 0) yield* Effect.yieldNow
  }
  const missed = program.invariants.flatMap(({ _tag, name }) =>
    _tag === "Reached" && !coverage.has(`reached ${name}`) ? [name] : []
  )
  const result = { missed, runs, shrinks: 0, coverage, foreign: [...foreign.values()], prepared }
  if (history.invalid !== undefined) return { ...result, invalid: history.invalid }
  if (history.broken === undefined) return result
  const shrunk = yield* Shrink.shrink(scenarios, history, run, {
    runs: shrinks,
    fixed: always.length,
    shrunk: onProgress({ phase: "shrinking", runs, reached: coverage.size })
  })
  return { ...result, history: shrunk.history, foundAt: runs, shrinks: shrunk.runs }
})
