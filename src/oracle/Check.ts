/** Checks a target: runs the rules one after the other, each with many generated values, from one seed. */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Preflight from "./Preflight.ts"
import type { Profile } from "./Profile.ts"
import * as Report from "./Report.ts"
import * as Rule from "./Rule.ts"
import { rules as allRules } from "./Rules.ts"
import { runRule } from "./Run.ts"
import { scrubber } from "./Secrets.ts"
import * as Target from "./Target.ts"
import * as Session from "./world/Session.ts"

/**
 * The options that select the rules of a check and control how the rules run.
 *
 * @category models
 */
export interface RunOptions {
  /** The profile, which limits what the check may do to the target; `read-only` by default. */
  readonly profile?: Profile
  /**
   * Ids of the rules to run; `auth` and `auth.*` both select every id that begins with `auth.`. All rules by default.
   */
  readonly only?: ReadonlyArray<string>
  /** Ids of the rules to leave out; none by default. */
  readonly skip?: ReadonlyArray<string>
  /** The seed of all generated values; random by default. */
  readonly seed?: number
  /** The number of generated values per rule; 10 by default, 5 for the `read-only` profile. */
  readonly runs?: number
  /** Whether broken `SHOULD` rules also fail the check; false by default. */
  readonly strict?: boolean
  /**
   * The time limit of the check in milliseconds. Rules that have not started by then are skipped. No limit by default.
   */
  readonly budget?: number
  /** The minimum number of rules that must be evaluated for the check to succeed; 1 by default. */
  readonly minJudged?: number
  /**
   * Whether the check can succeed even if it checks only public calls, because the target has no keys. False by
   * default.
   */
  readonly publicOnly?: boolean
  /** The rules to select from; all rules of this package by default. */
  readonly rules?: ReadonlyArray<Rule.Rule>
}

/**
 * Options of a check: the run options, the known failures and two callbacks.
 *
 * @category models
 */
export interface Options extends RunOptions {
  /** Ids of rules known to be broken. They still run, and an id whose rule holds is reported as stale. */
  readonly knownFailing?: ReadonlyArray<string>
  /** Ids of rules that break only sometimes. Such a rule never fails the check and is never stale. */
  readonly knownFlaky?: ReadonlyArray<string>
  /** Receives the report so far when the check is interrupted, after everything has been undone. */
  readonly onInterrupt?: (report: Report.Report) => Effect.Effect<void>
  /** Receives each result as soon as its rule ends; `index` counts from 0. */
  readonly onResult?: (result: Report.Result, index: number, of: number) => Effect.Effect<void>
}

/**
 * Runs an effect with a session, and undoes all changes to the target, whether the effect succeeds, fails or is
 * interrupted. Fails when the target cannot be checked.
 */
const within = <A>(session: Session.Session, use: Effect.Effect<A>): Effect.Effect<A, Target.TargetError> =>
  Effect.ensuring(Effect.andThen(session.begin, Effect.andThen(Preflight.check(session), use)), session.end)

/**
 * Selects the rules that match `only` and do not match `skip`.
 *
 * @category selection
 */
export const select = (
  { only = [], rules = allRules, skip = [] }: Pick<Options, "only" | "skip" | "rules">
): ReadonlyArray<Rule.Rule> =>
  rules.filter(({ id }) => (only.length === 0 || Report.matches(only, id)) && !Report.matches(skip, id))

/**
 * The check aborts after this many rules in a row get no response, so that the remaining rules do not wait for a dead
 * target.
 */
const maxUnanswered = 3

/**
 * Runs the rules one after the other, and appends their results to `results`. Returns the reason if the check aborts.
 */
const runAll = Effect.fnUntraced(function*(
  session: Session.Session,
  options: Options,
  draws: { readonly seed: number; readonly runs: number; readonly deadline: number },
  selected: ReadonlyArray<Rule.Rule>,
  results: Array<Report.Result>
) {
  const { knownFailing = [], knownFlaky = [], onResult = () => Effect.void } = options
  let unanswered = 0
  let aborted: string | undefined
  for (const [index, rule] of selected.entries()) {
    const startedAt = yield* Target.now
    const outcome: Report.Outcome = aborted !== undefined
      ? { _tag: "CouldNotRun", why: "the target no longer responds" }
      : startedAt >= draws.deadline
      ? { _tag: "Skipped", why: Report.budgetUsedUp }
      : yield* runRule(session, rule, draws)
    unanswered = outcome._tag === "CouldNotRun" ? unanswered + 1 : 0
    if (aborted === undefined && unanswered >= maxUnanswered && outcome._tag === "CouldNotRun") {
      aborted = `${unanswered} rules in a row got no response. ${outcome.why}`
    }
    const isKnown = Report.matches([...knownFailing, ...knownFlaky], rule.id)
    const level = Rule.levelIn(rule, session.target.dialect.name)
    const result: Report.Result = { rule, level, outcome, isKnown, millis: (yield* Target.now) - startedAt }
    results.push(result)
    yield* onResult(result, index, selected.length)
  }
  return aborted
})

/** Returns the stale known failures: the patterns that match a rule that holds, but no broken rule. */
const staleOf = (knownFailing: ReadonlyArray<string>, results: ReadonlyArray<Report.Result>): ReadonlyArray<string> =>
  knownFailing.filter((pattern) => {
    const named = results.filter(({ rule }) => Report.matches([pattern], rule.id))
    return named.some(({ outcome }) => outcome._tag === "Held") &&
      !named.some(({ outcome }) => outcome._tag === "Broken")
  })

/**
 * Checks a target against the rules. Fails with `TargetError` only if it cannot check any rule: the target does not
 * respond, does not speak this API or this dialect, or refuses the key.
 *
 * @category running
 */
export const check = Effect.fn("Oracle.check")(function*(
  target: Target.Target,
  options: Options = {}
): Effect.fn.Return<Report.Report, Target.TargetError> {
  const { budget = Infinity, knownFailing = [], profile = "read-only", strict = false } = options
  const { runs = profile === "read-only" ? 5 : 10 } = options
  const { onInterrupt = () => Effect.void } = options
  const deadline = (yield* Target.now) + budget
  const seed = options.seed ?? (yield* Random.nextIntBetween(0, 0x7fffffff))
  const session = Session.make(target, profile, yield* Target.now)
  const selected = select(options)
  const results: Array<Report.Result> = []
  const report = (aborted: string | undefined): Report.Report => ({
    version: Report.version,
    target: target.baseUrl,
    dialect: target.dialect.name,
    profile,
    strict,
    minJudged: options.minJudged ?? 1,
    publicOnly: options.publicOnly ?? false,
    seed,
    runs,
    results,
    stale: staleOf(knownFailing, results),
    warnings: session.warnings().map(scrubber(target)),
    remains: session.remains(),
    traffic: { ...session.traffic, served: [...session.traffic.served].toSorted() },
    ...(aborted === undefined ? {} : { aborted })
  })
  const checked = within(session, runAll(session, options, { seed, runs, deadline }, selected, results))
  return yield* Effect.map(checked, report).pipe(
    Effect.onInterrupt(() =>
      Effect.suspend(() =>
        onInterrupt(report(`the check was interrupted after ${results.length} of ${selected.length} rules`))
      )
    )
  )
})

/**
 * Runs a broken rule again with the same value. Fails with `TargetError` if the rule no longer exists, or if the target
 * cannot be checked.
 *
 * @category running
 */
export const replay = Effect.fn("Oracle.replay")(function*(
  target: Target.Target,
  { path, profile, replayPath, rule: id, runs, seed }: Report.Replay,
  rules: ReadonlyArray<Rule.Rule> = allRules
): Effect.fn.Return<Report.Outcome, Target.TargetError> {
  const rule = rules.find((rule) => rule.id === id)
  if (rule === undefined) return yield* new Target.TargetError({ reason: `the rule ${id} no longer exists` })
  const session = Session.make(target, profile, yield* Target.now)
  const options = { seed, runs, path, ...(replayPath === undefined ? {} : { replayPath }) }
  return yield* within(session, runRule(session, rule, options))
})
