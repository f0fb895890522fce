/**
 * Checking a target: one rule after the other, each for many values, from one seed.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Preflight from "./Preflight.ts"
import type { Profile } from "./Profile.ts"
import * as Report from "./Report.ts"
import type * as Rule from "./Rule.ts"
import { rules as allRules } from "./Rules.ts"
import { runRule } from "./Run.ts"
import { scrubber } from "./Secrets.ts"
import * as Target from "./Target.ts"
import * as Session from "./world/Session.ts"

/**
 * Which rules are checked, and how.
 *
 * @category models
 * @since 0.1.0
 */
export interface RunOptions {
  /** What may be done to the target; `read-only` by default. */
  readonly profile?: Profile
  /** The rules to run, by their ids; `auth` and `auth.*` are all that begin so. All by default. */
  readonly only?: ReadonlyArray<string>
  /** The rules to leave out, by their ids; none by default. */
  readonly skip?: ReadonlyArray<string>
  /** The seed of everything that is drawn; random by default. */
  readonly seed?: number
  /** How many values are drawn for each rule; 10 by default. */
  readonly runs?: number
  /** Whether broken rules of the level `SHOULD` count for the exit code too; false by default. */
  readonly strict?: boolean
  /** How many milliseconds the check may take; rules that have not begun by then are skipped. No bound by default. */
  readonly budget?: number
  /** How many rules have to be judged for the check to be a success; 1 by default. */
  readonly minJudged?: number
  /** The rules to choose from; those of the document by default. */
  readonly rules?: ReadonlyArray<Rule.Rule>
}

/**
 * How a target is checked.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends RunOptions {
  /** The rules that are known to be broken, by their ids. They are run all the same; one that holds is stale. */
  readonly knownFailing?: ReadonlyArray<string>
  /** The rules that are sometimes broken, by their ids. They do not count when they are, and are not stale when they hold. */
  readonly knownFlaky?: ReadonlyArray<string>
  /** Is called with each result as soon as there is one; `index` counts from 0. */
  readonly onResult?: (result: Report.Result, index: number, of: number) => Effect.Effect<void>
}

/** Begins to check a target, once it is known that there is something to check. */
const begin = Effect.fnUntraced(function*(target: Target.Target, profile: Profile) {
  const session = Session.make(target, profile, yield* Target.now)
  yield* Preflight.check(session)
  return session
})

/**
 * The rules that are asked for.
 *
 * @category selection
 * @since 0.1.0
 */
export const select = (
  { only = [], rules = allRules, skip = [] }: Pick<Options, "only" | "skip" | "rules">
): ReadonlyArray<Rule.Rule> =>
  rules.filter(({ id }) => (only.length === 0 || Report.matches(only, id)) && !Report.matches(skip, id))

/** After so many rules in a row without an answer the target is gone, and the other rules do not wait for it. */
const maxUnanswered = 3

/** Runs the rules one after the other, and says why it gave up, if it did. */
const runAll = Effect.fnUntraced(function*(
  session: Session.Session,
  options: Options,
  draws: { readonly seed: number; readonly runs: number; readonly deadline: number }
) {
  const { knownFailing = [], knownFlaky = [], onResult = () => Effect.void } = options
  const selected = select(options)
  const results: Array<Report.Result> = []
  let unanswered = 0
  let aborted: string | undefined
  for (const [index, rule] of selected.entries()) {
    const startedAt = yield* Target.now
    const outcome: Report.Outcome = aborted !== undefined
      ? { _tag: "CouldNotRun", why: "the target no longer answers" }
      : startedAt >= draws.deadline
      ? { _tag: "Skipped", why: Report.budgetUsedUp }
      : yield* runRule(session, rule, draws)
    unanswered = outcome._tag === "CouldNotRun" ? unanswered + 1 : 0
    if (aborted === undefined && unanswered >= maxUnanswered && outcome._tag === "CouldNotRun") {
      aborted = `${unanswered} rules in a row got no answer. ${outcome.why}`
    }
    const isKnown = Report.matches([...knownFailing, ...knownFlaky], rule.id)
    const result: Report.Result = { rule, outcome, isKnown, millis: (yield* Target.now) - startedAt }
    results.push(result)
    yield* onResult(result, index, selected.length)
  }
  return { results, aborted }
})

/** The known failures of which some hold and none is broken. */
const staleOf = (knownFailing: ReadonlyArray<string>, results: ReadonlyArray<Report.Result>): ReadonlyArray<string> =>
  knownFailing.filter((pattern) => {
    const named = results.filter(({ rule }) => Report.matches([pattern], rule.id))
    return named.some(({ outcome }) => outcome._tag === "Held") &&
      !named.some(({ outcome }) => outcome._tag === "Broken")
  })

/**
 * Checks a target against the rules. Fails with `TargetError` only when there is nothing to check: the target does not
 * answer at all, or it refuses the keys.
 *
 * @category running
 * @since 0.1.0
 */
export const check = Effect.fn("Oracle.check")(function*(
  target: Target.Target,
  options: Options = {}
): Effect.fn.Return<Report.Report, Target.TargetError> {
  const { budget = Infinity, knownFailing = [], profile = "read-only", runs = 10, strict = false } = options
  const deadline = (yield* Target.now) + budget
  const seed = options.seed ?? (yield* Random.nextIntBetween(0, 0x7fffffff))
  const session = yield* begin(target, profile)
  const { aborted, results } = yield* runAll(session, options, { seed, runs, deadline })
  return {
    version: Report.version,
    target: target.baseUrl,
    dialect: target.dialect.name,
    profile,
    strict,
    minJudged: options.minJudged ?? 1,
    seed,
    runs,
    results,
    stale: staleOf(knownFailing, results),
    warnings: session.warnings.map(scrubber(target)),
    ...(aborted === undefined ? {} : { aborted })
  }
})

/**
 * Tries a failure again: the same rule with the same value. Fails with `TargetError` when the rule no longer exists, or
 * when there is nothing to check.
 *
 * @category running
 * @since 0.1.0
 */
export const replay = Effect.fn("Oracle.replay")(function*(
  target: Target.Target,
  { path, profile, replayPath, rule: id, runs, seed }: Report.Replay,
  rules: ReadonlyArray<Rule.Rule> = allRules
): Effect.fn.Return<Report.Outcome, Target.TargetError> {
  const rule = rules.find((rule) => rule.id === id)
  if (rule === undefined) return yield* new Target.TargetError({ reason: `the rule ${id} no longer exists` })
  const session = yield* begin(target, profile)
  return yield* runRule(session, rule, { seed, runs, path, ...(replayPath === undefined ? {} : { replayPath }) })
})
