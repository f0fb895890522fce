/**
 * A counterexample: a scenario that breaks a sentence, as a file. It says in words what happens, and holds everything
 * needed to run it again.
 */
import * as Schema from "effect/Schema"
import * as Dialect from "../protocol/Dialect.ts"
import type { Program } from "./Program.ts"
import * as Scenario from "./Scenario.ts"
import type { Span } from "./Spans.ts"
import * as Words from "./Words.ts"
import * as World from "./World.ts"

/**
 * A scenario that breaks a sentence.
 *
 * @category models
 */
export interface Counterexample {
  /** What happens, in at most eight lines. */
  readonly words: ReadonlyArray<string>
  /** The name of the program. */
  readonly program: string
  /** The name of the exchange's dialect. */
  readonly dialect: Dialect.Dialect["name"]
  /** The sentence that is broken. */
  readonly invariant: string
  /** Why it does not hold. */
  readonly why: string
  /** The scenario. */
  readonly scenario: Scenario.Scenario
  /** Whether the seed controls everything that the program did. If not, the scenario may not break it again. */
  readonly replayable: boolean
  /** The latest spans of the program, in the order in which they ended. */
  readonly spans: ReadonlyArray<Span>
  /** All commands of the exchange, as lines: `effect-txc sandbox --replay` takes the whole file. */
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
  spans: Schema.Array(Schema.Struct({
    name: Schema.String,
    at: Schema.Int,
    millis: Schema.Int,
    failure: Schema.optionalKey(Schema.String)
  })),
  commands: Schema.Array(Schema.String)
})

/** The counterexample of a history; `undefined` if it breaks nothing. */
export const of = (
  { dialect = Dialect.live, name }: Program,
  history: World.History
): Counterexample | undefined =>
  history.broken && {
    words: Words.tell(history, World.start),
    program: name,
    dialect: dialect.name,
    invariant: history.broken.invariant,
    why: history.broken.why,
    scenario: history.scenario,
    replayable: history.foreign.length === 0,
    spans: history.spans(),
    commands: history.lines()
  }
