/**
 * A counterexample: a scenario that breaks an invariant, stored as a file. The file tells in plain English what
 * happens, and contains everything that is needed to run the scenario again.
 *
 * @example
 * ```ts
 * import { Counterexample } from "effect-txc/explore"
 * import * as Schema from "effect/Schema"
 *
 * // Reads a file that `effect-txc explore` has written.
 * const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Counterexample.schema))
 * ```
 */
import * as Schema from "effect/Schema"
import * as Dialect from "../protocol/Dialect.ts"
import * as Json from "../protocol/Json.ts"
import type { Program } from "./Program.ts"
import * as Scenario from "./Scenario.ts"
import type { Span } from "./Spans.ts"
import * as Words from "./Words.ts"
import * as World from "./World.ts"

/**
 * A scenario that breaks an invariant.
 *
 * @category models
 */
export interface Counterexample {
  /** A description of what happens, in at most eight lines. */
  readonly words: ReadonlyArray<string>
  /** The program's name. */
  readonly program: string
  /** The name of the exchange's API dialect. */
  readonly dialect: Dialect.Dialect["name"]
  /** The name of the broken invariant. */
  readonly invariant: string
  /** The reason why the invariant does not hold. */
  readonly why: string
  /** The scenario. */
  readonly scenario: Scenario.Scenario
  /**
   * Whether the seed controlled everything that the program did, and a second run gave the same history. If not, a
   * replay might not break the invariant.
   */
  readonly replayable: boolean
  /** The version of effect-txc that has written the file; absent in a counterexample that was not read from a file. */
  readonly version?: string
  /** The program's latest spans, in the order in which they ended. */
  readonly spans: ReadonlyArray<Span>
  /**
   * All commands of the exchange, as lines of a journal. `effect-txc sandbox --replay` accepts a counterexample file
   * and executes these commands.
   */
  readonly commands: ReadonlyArray<string>
}

/**
 * The schema of {@link Counterexample}.
 *
 * @category schemas
 */
export const schema: Schema.Codec<Counterexample, unknown> = Schema.Struct({
  words: Schema.Array(Schema.String),
  program: Schema.String,
  dialect: Schema.Literals(["document", "live"]),
  invariant: Schema.String,
  why: Schema.String,
  scenario: Scenario.schema,
  replayable: Schema.Boolean,
  version: Schema.optionalKey(Schema.String),
  spans: Schema.Array(Schema.Struct({
    name: Schema.String,
    at: Schema.Int,
    millis: Schema.Int,
    failure: Schema.optionalKey(Schema.String)
  })),
  commands: Schema.Array(Schema.String)
})

/** The part of a history that a program which the seed does not control completely may change. */
const outcomeOf = ({ broken, lines, marks }: World.History): string => Json.stringify([broken, lines(), marks])

/**
 * Creates the counterexample from a history and a second history of the same scenario. Returns `undefined` if the
 * history breaks no invariant.
 */
export const of = (
  { dialect = Dialect.live, name }: Program,
  history: World.History,
  again: World.History
): Counterexample | undefined =>
  history.broken && {
    words: Words.tell(history, World.start),
    program: name,
    dialect: dialect.name,
    invariant: history.broken.invariant,
    why: history.broken.why,
    scenario: history.scenario,
    replayable: history.foreign.length === 0 && outcomeOf(history) === outcomeOf(again),
    spans: history.spans(),
    commands: history.lines()
  }
