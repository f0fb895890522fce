/**
 * Searches for a scenario in which a program breaks one of its invariants. The search draws scenarios at random, and
 * varies earlier scenarios in which a new state, event or fault occurred.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import type * as Ambient from "./Ambient.ts"
import * as Coverage from "./Coverage.ts"
import type * as Journal from "./Journal.ts"
import * as Possibilities from "./Possibilities.ts"
import { flawOf, isDuration, type Program, type SetUpFailed } from "./Program.ts"
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
  /**
   * The seed of all scenarios; 0 by default. With the same program and settings, the same seed finds the same
   * counterexample.
   */
  readonly seed?: number
  /** The maximum number of histories; 1000 by default. */
  readonly runs?: number
  /**
   * The maximum duration of the search, in real time, including the time for making a counterexample smaller; unlimited
   * by default.
   */
  readonly within?: Duration.Input
  /** The maximum number of histories that are used to make a counterexample smaller; 1000 by default. */
  readonly shrinks?: number
  /**
   * Whether to vary scenarios in which a new state, event or fault occurred; `true` by default. If `false`, all
   * scenarios are drawn at random.
   */
  readonly guided?: boolean
  /** Called after every history. */
  readonly onProgress?: (progress: Progress) => Effect.Effect<void>
}

/**
 * The progress of a search.
 *
 * @category models
 */
export interface Progress {
  /** Whether the search is looking for a counterexample or making one smaller. */
  readonly phase: "searching" | "shrinking"
  /** The number of histories so far. */
  readonly runs: number
  /** The number of different states, events and faults that have occurred. */
  readonly reached: number
}

/** The result of a search. */
export interface Found {
  /** The history that breaks an invariant, made as small as possible; absent if no history breaks one. */
  readonly history?: World.History
  /** The number of the first history that broke the invariant, counted from 1. */
  readonly foundAt?: number
  /** The reason why the program could not be checked; absent if it was checked. */
  readonly invalid?: string
  /** The required states that no history reached. */
  readonly missed: ReadonlyArray<string>
  /** The number of histories that were run to find a counterexample. */
  readonly runs: number
  /** The number of histories that were used to make the counterexample smaller. */
  readonly shrinks: number
  /** The number of histories in which each state, event or fault occurred, keyed by its name. */
  readonly coverage: Coverage.Coverage
  /** The resources that the seed did not control, from all histories. */
  readonly foreign: ReadonlyArray<Ambient.Foreign>
  /** The prepared exchange that every history started from; absent if the search could not start. */
  readonly prepared?: Journal.Prepared
}

const markets = ["BTC_USDT"]

/** Determines which events can affect the program, and when, from a history without random events. */
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

/** The scenario without random events: the events that always happen, and the calm delays, or the nearest allowed ones. */
const calmOf = ({ always = [], latency = Scenario.calm.latency }: Possibilities.Possibilities): Scenario.Scenario => {
  const nearest = (millis: number) => Math.min(latency.to, Math.max(latency.from, millis))
  const { from, to } = Scenario.calm.latency
  return { ...Scenario.calm, latency: { from: nearest(from), to: nearest(to) }, events: always }
}

/** The number of random values that are generated at a time. */
const batch = 64

/** Returns a function that returns another random value at each call. */
const drawing = <A>(arbitrary: fc.Arbitrary<A>, seed: number): () => A => {
  let drawn: Array<A> = []
  let batches = 0
  return () => {
    if (drawn.length === 0)
      drawn = fc.sample(arbitrary, { seed: seed + batches++ * 0x10001, numRuns: batch }).toReversed()
    return drawn.pop() as A
  }
}

/** The scenarios in which something new occurred. The search varies them. */
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

  /**
   * Returns a variation of a stored scenario; recent scenarios are chosen more often. Returns `undefined` if the
   * search should run a random scenario instead.
   */
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

/** Returns the reason why a search cannot start with these settings, or `undefined` if it can. */
const wrongIn = ({ runs = 1, seed = 0, within = 0 }: Options): string | undefined => {
  if (!Number.isSafeInteger(seed)) return `\`seed\` must be an integer, not ${seed}`
  if (!(runs >= 1)) return `\`runs\` must be at least 1, not ${runs}`
  return isDuration(within) ? undefined : `\`within\` is not a duration: ${JSON.stringify(within)}`
}

/** The result of a search that could not start. */
export const notStarted = (invalid: string): Found => ({
  invalid,
  missed: [],
  runs: 0,
  shrinks: 0,
  coverage: new Map(),
  foreign: []
})

/** Searches for a history that breaks an invariant. */
export const search = Effect.fnUntraced(function*(
  program: Program,
  options: Options = {}
): Effect.fn.Return<Found, SetUpFailed> {
  const { guided = true, onProgress = () => Effect.void, runs: most = 1000, seed = 0, shrinks = 1000, within } = options
  const flaw = flawOf(program) ?? wrongIn(options)
  if (flaw !== undefined) return notStarted(flaw)
  const prepared = yield* World.prepare(program)
  const clock = yield* Clock.Clock
  const until = within === undefined
    ? Infinity
    : clock.currentTimeMillisUnsafe() + Duration.toMillis(Duration.fromInputUnsafe(within))
  const hasTime = () => clock.currentTimeMillisUnsafe() < until
  const run = (scenario: Scenario.Scenario) => World.run(program, prepared, scenario)

  const possible = program.possible ?? {}
  const calm = calmOf(possible)
  let history = yield* run(calm)
  const surroundings = around(program, history)
  const scenarios = Possibilities.scenarios(possible, surroundings)
  const draw = drawing(scenarios, seed)
  const corpus = new Corpus(possible, surroundings, seed)
  const coverage = new Map<string, number>()
  const refused = new Map<string, number>()
  const foreign = new Map<string, Ambient.Foreign>()
  let runs = 1

  const count = (names: Iterable<string>, into: Map<string, number>): void => {
    for (const name of names) into.set(name, (into.get(name) ?? 0) + 1)
  }
  const learn = Effect.suspend(() => {
    const before = coverage.size
    count(Coverage.reachedBy(history), coverage)
    if (coverage.size > before) corpus.add(history.scenario)
    // Events without effect are counted separately, because they are no reason to vary a scenario.
    count(Coverage.refusedIn(history), refused)
    for (const found of history.foreign) foreign.set(`${found.kind} ${found.at}`, found)
    return onProgress({ phase: "searching", runs, reached: coverage.size })
  })

  yield* learn
  while (history.broken === undefined && history.invalid === undefined && runs < most && hasTime()) {
    const varied = guided ? corpus.next() : undefined
    history = yield* run(varied ?? draw())
    runs++
    yield* learn
    // Yields, so that the caller can interrupt the search or show its progress.
    if (runs % 16 === 0) yield* Effect.yieldNow
  }
  const missed = program.invariants.flatMap(({ _tag, name }) =>
    _tag === "Reached" && !coverage.has(`reached ${name}`) ? [name] : []
  )
  const found = new Map([...coverage, ...refused])
  const result = { missed, runs, shrinks: 0, coverage: found, foreign: [...foreign.values()], prepared }
  if (history.invalid !== undefined) return { ...result, invalid: history.invalid }
  if (history.broken === undefined) return result
  const shrunk = yield* Shrink.shrink(scenarios, history, run, {
    runs: shrinks,
    calm,
    hasTime,
    shrunk: onProgress({ phase: "shrinking", runs, reached: coverage.size })
  })
  return { ...result, history: shrunk.history, foundAt: runs, shrinks: shrunk.runs }
})
