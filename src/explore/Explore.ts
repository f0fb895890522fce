/**
 * Explores programs: searches for a history that breaks one of a program's invariants.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Decimal, Identifiers, LimitOrders } from "effect-txc"
 * import { Explore, Invariant } from "effect-txc/explore"
 *
 * // Places an order, and places it again after any failure. This is the bug: the first order may exist.
 * const program = Explore.program({
 *   name: "impatient",
 *   run: LimitOrders.LimitOrders.use(({ create }) =>
 *     create({
 *       market: Identifiers.marketName("BTC_USDT"),
 *       side: "buy",
 *       amount: Decimal.amount("0.01"),
 *       price: Decimal.price("39000")
 *     })
 *   ).pipe(Effect.retry({ times: 3 })),
 *   invariants: [Invariant.noOrderTwice()]
 * })
 *
 * const result = Explore.explore(program, { runs: 200 })
 * ```
 */
import * as Effect from "effect/Effect"
import type * as Ambient from "./Ambient.ts"
import * as Counterexample from "./Counterexample.ts"
import type * as Journal from "./Journal.ts"
import {
  flawOf,
  nameOf,
  NotChecked,
  type Options as ProgramOptions,
  type Program,
  type SetUpFailed,
  TypeId
} from "./Program.ts"
import * as Search from "./Search.ts"
import * as World from "./World.ts"

export {
  isProgram,
  NotChecked,
  type Options as ProgramOptions,
  type Program,
  type Services,
  type SetUpFailed
} from "./Program.ts"
export { say } from "./Say.ts"
export type { Options, Progress } from "./Search.ts"
export { setUp } from "./Prepared.ts"

/**
 * The result of an exploration.
 *
 * @category models
 */
export interface Result {
  /** The program's name. */
  readonly program: string
  /**
   * `held`: no history broke an invariant, and all required states were reached. `broken`: a history broke an
   * invariant. `missed`: no history broke an invariant, but a state that `Invariant.reached` requires was never
   * reached. `invalid`: the program could not be checked.
   */
  readonly verdict: "held" | "broken" | "missed" | "invalid"
  /** The history that breaks an invariant, made as small as possible; present only if the verdict is `broken`. */
  readonly counterexample?: Counterexample.Counterexample
  /**
   * The number of the first history that broke the invariant, counted from 1; present only if the verdict is `broken`.
   */
  readonly foundAt?: number
  /** The reason why the program could not be checked; present only if the verdict is `invalid`. */
  readonly invalid?: string
  /** The required states that no history reached. */
  readonly missed: ReadonlyArray<string>
  /** The search's seed. */
  readonly seed: number
  /** The number of histories that were run to find a counterexample. */
  readonly runs: number
  /** The number of histories that were used to make the counterexample smaller. */
  readonly shrinks: number
  /** The number of histories in which each state, event or fault occurred, keyed by its name. */
  readonly coverage: Readonly<Record<string, number>>
  /**
   * The resources that the seed does not control. Unless the list is empty, a replay might not reproduce a
   * counterexample.
   */
  readonly foreign: ReadonlyArray<Ambient.Foreign>
}

/**
 * Defines a program to explore.
 *
 * @category constructors
 */
export const program = (options: ProgramOptions): Program => ({ ...options, [TypeId]: TypeId })

const verdictOf = ({ history, invalid, missed }: Search.Found): Result["verdict"] => {
  if (invalid !== undefined) return "invalid"
  if (history !== undefined) return "broken"
  return missed.length > 0 ? "missed" : "held"
}

/** Returns the counterexample of a history. Runs the history again, to find out whether it can be replayed. */
const counterexampleOf = Effect.fnUntraced(function*(
  program: Program,
  prepared: Journal.Prepared,
  history: World.History
) {
  return Counterexample.of(program, history, yield* World.run(program, prepared, history.scenario))
})

const unprepared = (error: SetUpFailed): string => `its exchange could not be prepared: ${error.message}`

/**
 * Searches for a history that breaks an invariant, and makes its scenario as small as possible.
 *
 * @category running
 */
export const explore = Effect.fn("Explore.explore")(
  function*(program: Program, options: Search.Options = {}): Effect.fn.Return<Result> {
    const found = yield* Effect.catch(
      Search.search(program, options),
      (error) => Effect.succeed(Search.notStarted(unprepared(error)))
    )
    const { coverage, foreign, foundAt, history, invalid, missed, prepared, runs, shrinks } = found
    const counterexample = history && prepared && (yield* counterexampleOf(program, prepared, history))
    return {
      program: nameOf(program),
      verdict: verdictOf(found),
      ...counterexample === undefined ? {} : { counterexample },
      ...foundAt === undefined ? {} : { foundAt },
      ...invalid === undefined ? {} : { invalid },
      missed,
      seed: options.seed ?? 0,
      runs,
      shrinks,
      coverage: Object.fromEntries([...coverage].toSorted(([one], [other]) => one < other ? -1 : 1)),
      foreign
    }
  }
)

/**
 * Runs a counterexample's scenario again. Returns the new counterexample, or `undefined` if the program no longer
 * breaks an invariant. Fails with `NotChecked` if the scenario does not show whether the program breaks one, for example
 * because an invariant has thrown an error.
 *
 * @category running
 */
export const replay = Effect.fn("Explore.replay")(
  function*(
    program: Program,
    { scenario }: Pick<Counterexample.Counterexample, "scenario">
  ): Effect.fn.Return<Counterexample.Counterexample | undefined, NotChecked> {
    const fail = (why: string) => new NotChecked({ program: nameOf(program), why })
    const flaw = flawOf(program)
    if (flaw !== undefined) return yield* fail(flaw)
    const prepared = yield* Effect.mapError(World.prepare(program), (error) => fail(unprepared(error)))
    const history = yield* World.run(program, prepared, scenario)
    if (history.invalid !== undefined) return yield* fail(history.invalid)
    return history.broken && (yield* counterexampleOf(program, prepared, history))
  }
)
