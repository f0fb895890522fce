/** Runs one rule: fast-check generates values and shrinks failures; the rule checks each value. */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import * as Curl from "./Curl.ts"
import * as Profile from "./Profile.ts"
import type * as Report from "./Report.ts"
import type * as Rule from "./Rule.ts"
import { scrubber } from "./Secrets.ts"
import * as Target from "./Target.ts"
import * as Verdict from "./Verdict.ts"
import * as Connection from "./world/Connection.ts"
import type * as Session from "./world/Session.ts"
import * as Throttling from "./world/Throttling.ts"

/** Returns the path that fast-check prints at the end of a call sequence. A replay resumes shrinking there. */
const replayPathOf = (counterexample: string): string | undefined => /replayPath="([^"]*)"/u.exec(counterexample)?.[1]

/** Options of one rule's run. */
export interface RunOptions {
  /** The seed of all generated values. */
  readonly seed: number
  /** The number of values to generate. A rule may cap this number, or raise it to the number of the rule's examples. */
  readonly runs: number
  /** The path to the counterexample in fast-check; only in a replay. */
  readonly path?: string
  /** The point where fast-check resumes shrinking a call sequence; only in a replay. */
  readonly replayPath?: string
}

/** Returns the reason to skip a rule without running it, or `undefined` if it can run. */
const whyNot = (rule: Rule.Rule, { profile, target }: Session.Session): string | undefined => {
  const expectation = rule.dialects[target.dialect.name]
  if (expectation._tag === "NotApplicable") return `not applicable: ${expectation.why}`
  return Profile.allows(profile, rule.profile) ? undefined : `needs the ${rule.profile} profile`
}

/** The outcome of a rule's runs so far, except for the data that fast-check records. */
interface Runs {
  judged: number
  skipped?: Verdict.Skipped
  unanswered?: Target.TargetError
  defect?: Cause.Cause<unknown>
  /** Completes when the check is interrupted. */
  readonly stop: Deferred.Deferred<void>
}

/**
 * Repeats the check of a value while the target throttles its calls. Waits at most `patience` milliseconds in total.
 */
const throttled = (
  check: Effect.Effect<unknown, Verdict.CheckError>,
  patience: number
): Effect.Effect<unknown, Verdict.CheckError> =>
  Effect.catchTag(
    check,
    "TargetError",
    (error) =>
      error.retryAfter === undefined || error.retryAfter > patience
        ? Effect.fail(error)
        : Effect.delay(Effect.suspend(() => throttled(check, patience - (error.retryAfter ?? 0))), error.retryAfter)
  )

/**
 * Repeats the check of a value while a call in it gets no response. If all attempts fail at the same call, after the
 * same number of responses, the target does not respond to that call. If they fail at different points, the connection
 * is at fault, and the value cannot be evaluated.
 */
const answered = (
  check: Effect.Effect<unknown, Verdict.CheckError>,
  { traffic }: Session.Session
): Effect.Effect<unknown, Verdict.CheckError> =>
  Effect.suspend(() => {
    const points = new Set<string>()
    const responses = () => traffic.requests - traffic.unanswered
    const noted = Effect.suspend(() => {
      const before = responses()
      return Effect.tapErrorTag(
        check,
        "TargetError",
        ({ unanswered }) =>
          Effect.sync(() => unanswered === undefined ? undefined : points.add(`${unanswered} ${responses() - before}`))
      )
    })
    return Effect.catchIf(
      Connection.retry(noted, Connection.patienceOfValue),
      (error) => Connection.isUnanswered(error) && points.size > 1,
      (error) => Verdict.skip(`not evaluated: the connection failed: ${Verdict.whyOf(error)}`)
    )
  })

/**
 * Checks one value. In fast-check, a run can only pass or fail, so a value that cannot be evaluated passes. After a
 * missing response, all further runs pass, so nothing is shrunk.
 */
const judge = Effect.fnUntraced(function*(
  { end, wasLate, world }: Session.RuleWorld,
  session: Session.Session,
  { property }: Rule.Rule,
  runs: Runs,
  value: unknown
): Effect.fn.Return<void, Verdict.Broken> {
  if (runs.unanswered !== undefined || runs.defect !== undefined || (yield* Deferred.isDone(runs.stop))) return
  let isLate = false
  const stopped = Effect.andThen(Deferred.await(runs.stop), Effect.interrupt)
  const once = Effect.raceFirst(Effect.suspend(() => property.check(world, value as never)), stopped).pipe(
    Effect.tapErrorTag("Broken", () => Effect.map(wasLate, (late) => isLate = late)),
    Effect.ensuring(end)
  )
  // An outdated list proves nothing, so the value is checked again. From now on, reads wait until the lists have
  // settled.
  const judged = Effect.catchTag(once, "Broken", (broken) => isLate ? once : Effect.fail(broken))
  const exit = yield* Effect.exit(
    throttled(answered(judged, session), session.target.patience ?? Throttling.defaultPatience)
  )
  if (Exit.isSuccess(exit)) {
    runs.judged++
    return
  }
  if (yield* Deferred.isDone(runs.stop)) return
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  if (error === undefined) runs.defect = exit.cause
  else if (error._tag === "Broken") return yield* error
  else if (error._tag === "Skipped") runs.skipped = error
  else runs.unanswered = error
})

/** The maximum wait for the current run to undo its changes after an interrupt, in milliseconds. */
const undoing = 20_000

/** Lets fast-check generate values and shrink counterexamples. */
const search = Effect.fnUntraced(function*(
  session: Session.Session,
  rule: Rule.Rule,
  { path, replayPath, runs: most, seed }: RunOptions,
  runs: Runs
) {
  const { examples: examplesOf, runs: useful, values } = rule.property
  const { profile, target: { dialect } } = session
  const setting: Rule.Setting = { dialect, profile, ...(replayPath === undefined ? {} : { replayPath }) }
  const examples = examplesOf(setting)
  const ruleWorld = session.world()
  const runPromise = Effect.runPromiseWith(yield* Effect.context())
  const checking = Effect.promise(() =>
    Promise.resolve(
      fc.check(
        fc.asyncProperty(values(setting), (value) => runPromise(judge(ruleWorld, session, rule, runs, value))),
        {
          seed,
          numRuns: Math.max(Math.min(most, useful), examples.length, 1),
          examples: examples.map((example): [unknown] => [example]),
          ...(path === undefined ? {} : { path, endOnFailure: true })
        }
      )
    )
  )
  // An interrupt ends the current run, and waits until the run has undone its changes to the target.
  return yield* Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
    const fiber = yield* Effect.forkChild(checking)
    return yield* Effect.onInterrupt(
      restore(Fiber.join(fiber)),
      () => Effect.andThen(Deferred.succeed(runs.stop, undefined), Effect.timeoutOption(Fiber.await(fiber), undoing))
    )
  }))
})

const callOf = (answer: Target.Answer | undefined): Pick<Report.Broken, "call"> =>
  answer === undefined ? {} : { call: `${answer.sent.method} ${answer.sent.path}` }

/**
 * Builds the outcome of a broken rule from its smallest counterexample. Only `Broken` may fail a run; any other error
 * is a defect.
 */
const brokenOf = (
  { profile, target }: Session.Session,
  rule: Rule.Rule,
  { runs }: RunOptions,
  { counterexample: drawn, counterexamplePath, errorInstance: failure, seed }: fc.RunDetails<[unknown]>
): Effect.Effect<Report.Outcome> => {
  if (!Verdict.isBroken(failure)) return Effect.die(failure)
  const scrub = scrubber(target)
  const counterexample = fc.stringify(drawn?.[0])
  const replayPath = replayPathOf(counterexample)
  return Effect.succeed({
    _tag: "Broken",
    counterexample: scrub(counterexample),
    expected: scrub(failure.expected),
    got: scrub(failure.got),
    ...callOf(failure.answer),
    curl: failure.answer === undefined ? "" : scrub(Curl.line(target.baseUrl, failure.answer.sent)),
    replay: {
      rule: rule.id,
      dialect: target.dialect.name,
      profile,
      seed,
      path: counterexamplePath ?? "",
      runs,
      ...(replayPath === undefined ? {} : { replayPath })
    }
  })
}

/** Runs one rule. Dies if the rule's generator or check dies. */
export const runRule = Effect.fnUntraced(function*(
  session: Session.Session,
  rule: Rule.Rule,
  options: RunOptions
): Effect.fn.Return<Report.Outcome> {
  const why = whyNot(rule, session)
  if (why !== undefined) return { _tag: "Skipped", why }
  const runs: Runs = { judged: 0, stop: yield* Deferred.make<void>() }
  const details = yield* search(session, rule, options, runs)
  const { defect, judged, skipped, unanswered } = runs
  if (defect !== undefined) return yield* Effect.failCause(defect as Cause.Cause<never>)
  if (details.failed) return yield* brokenOf(session, rule, options, details)
  if (unanswered !== undefined) return { _tag: "CouldNotRun", why: scrubber(session.target)(unanswered.message) }
  if (skipped !== undefined && judged === 0) return { _tag: "Skipped", why: skipped.why }
  return { _tag: "Held", runs: judged }
})
