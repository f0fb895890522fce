/**
 * Checking a target: the rules one after the other, each for many values, from one seed.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import * as Signer from "../client/Signer.ts"
import * as Curl from "./Curl.ts"
import * as Report from "./Report.ts"
import * as Rule from "./Rule.ts"
import { rules as allRules } from "./Rules.ts"
import * as Target from "./Target.ts"
import * as World from "./world/World.ts"

/**
 * - `profile`: what may be done to the target; `read-only` unless said otherwise
 * - `only`, `skip`: rules by their ids: `auth` and `auth.*` are all that begin so
 * - `seed`: of everything that is drawn; random unless said otherwise
 * - `runs`: how many values are drawn for a rule; 10 unless said otherwise
 * - `strict`: whether rules that only should hold count too, when it comes to the exit code
 * - `budget`: how many milliseconds all of it may take; rules that have not begun by then are skipped
 * - `knownFailing`: rules that are broken as far as is known. They run all the same, and one that holds is stale
 * - `rules`: those of the document, unless said otherwise
 * - `onResult`: told of every result as it comes
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly profile?: Rule.Profile
  readonly only?: ReadonlyArray<string>
  readonly skip?: ReadonlyArray<string>
  readonly seed?: number
  readonly runs?: number
  readonly strict?: boolean
  readonly budget?: number
  readonly knownFailing?: ReadonlyArray<string>
  readonly rules?: ReadonlyArray<Rule.Rule>
  readonly onResult?: (result: Report.Result, index: number, of: number) => Effect.Effect<void>
}

/**
 * Takes what is secret out of a text: the keys, the token of the control plane, and the secrets of sub-accounts' keys,
 * which a target shows only by fault.
 */
const scrubber = ({ control, keys }: Target.Target): (text: string) => string => {
  const scrub = Signer.scrubber(
    ...[keys?.apiKey, keys?.apiSecret, control?.token].flatMap((secret) =>
      secret === undefined ? [] : [Redacted.value(secret)]
    )
  )
  return (text) => scrub(text).replace(/("apiSecret\\?"\s*:\s*\\?")[^"\\]+/gu, "$1<redacted>")
}

/** What a list of commands says at its end, for its own shrinking to begin again there. */
const replayPathOf = (counterexample: string): string | undefined => /replayPath="([^"]*)"/u.exec(counterexample)?.[1]

/**
 * Runs one rule.
 *
 * @category running
 * @since 0.1.0
 */
export const runRule = Effect.fnUntraced(function*(
  session: World.Session,
  rule: Rule.Rule,
  options: { readonly seed: number; readonly runs: number; readonly path?: string; readonly replayPath?: string }
): Effect.fn.Return<Report.Outcome> {
  const { profile, target: { baseUrl, dialect } } = session
  const expectation = rule.dialects[dialect.name]
  if (expectation._tag === "NotApplicable") return { _tag: "Skipped", why: `not applicable: ${expectation.why}` }
  if (Rule.profiles.indexOf(rule.profile) > Rule.profiles.indexOf(profile)) {
    return { _tag: "Skipped", why: `needs the profile ${rule.profile}` }
  }
  const { check, examples: examplesOf, runs: most, values } = rule.property
  const { end, world } = session.world()
  const { path, replayPath, seed } = options
  const setting: Rule.Setting = { dialect, profile, ...(replayPath === undefined ? {} : { replayPath }) }
  const examples = examplesOf(setting)
  const runs = Math.max(Math.min(options.runs, most), examples.length, 1)
  const context = yield* Effect.context()
  // fast-check knows only of runs that hold and runs that fail. When no answer comes the rest of the runs hold, so that
  // nothing is shrunk; a value that can't be judged is passed over.
  let silent: Target.TargetError | undefined
  let skipped: Rule.Skipped | undefined
  let judged = 0
  let defect: Cause.Cause<unknown> | undefined
  let isInterrupted = false
  const run = async (value: unknown): Promise<void> => {
    if (silent !== undefined || defect !== undefined || isInterrupted) return
    const exit = await Effect.runPromiseExitWith(context)(
      Effect.ensuring(Effect.suspend(() => check(world, value as never)), end)
    )
    if (Exit.isSuccess(exit)) {
      judged++
      return
    }
    const error = Cause.findErrorOption(exit.cause)
    if (error._tag === "None") {
      defect = exit.cause
      return
    }
    if (error.value._tag === "Broken") return Promise.reject(error.value)
    if (error.value._tag === "Skipped") skipped = error.value
    else silent = error.value
  }
  const checking = Effect.promise(() =>
    Promise.resolve(
      fc.check(fc.asyncProperty(values(setting), run), {
        seed,
        numRuns: runs,
        examples: examples.map((example): [unknown] => [example]),
        ...(path === undefined ? {} : { path, endOnFailure: true })
      })
    )
  )
  // Whoever interrupts it waits for the run that is under way, which has to undo what it has done to the target.
  const details = yield* Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
    const fiber = yield* Effect.forkChild(checking)
    return yield* Effect.onInterrupt(restore(Fiber.join(fiber)), () => {
      isInterrupted = true
      return Fiber.await(fiber)
    })
  }))
  if (defect !== undefined) return yield* Effect.failCause(defect as Cause.Cause<never>)
  const scrub = scrubber(session.target)
  const failure = details.errorInstance
  if (!details.failed && silent !== undefined) return { _tag: "CouldNotRun", why: scrub(silent.message) }
  if (!details.failed && skipped !== undefined && judged === 0) return { _tag: "Skipped", why: skipped.why }
  if (!details.failed) return { _tag: "Held", runs: judged }
  // Nothing but a broken rule makes a run fail; a generator that does is a defect.
  if (!Rule.isBroken(failure)) return yield* Effect.die(failure)
  const counterexample = fc.stringify(details.counterexample?.[0])
  const { answer } = failure
  const again = replayPathOf(counterexample)
  return {
    _tag: "Broken",
    counterexample: scrub(counterexample),
    expected: scrub(failure.expected),
    got: scrub(failure.got),
    curl: answer === undefined ? "" : scrub(Curl.line(baseUrl, answer.sent)),
    replay: {
      rule: rule.id,
      dialect: dialect.name,
      profile,
      seed: details.seed,
      path: details.counterexamplePath ?? "",
      runs: options.runs,
      ...(again === undefined ? {} : { replayPath: again })
    }
  }
})

const pingPath = "/api/v4/public/ping"
const balancePath = "/api/v4/main-account/balance"

const reasonOf = (stop: Rule.Broken | Rule.Skipped): string => stop._tag === "Skipped" ? stop.why : stop.got

/** Whether there is anything to check: the target answers, and knows the key that it is called with. */
const preflight = Effect.fnUntraced(function*(target: Target.Target, session: World.Session) {
  yield* target.send({ method: "GET", path: pingPath, headers: {} })
  const { world } = session.world()
  if (session.profile === "control") {
    const account = yield* Effect.mapError(
      world.open({ isPoor: true }),
      (stop) => stop._tag === "TargetError" ? stop : new Target.TargetError({ reason: reasonOf(stop) })
    )
    // Not judged: a target that is broken is found by the rules. One that has never heard of the key is another one.
    const answer = yield* world.call(account, balancePath)
    if (answer.status === 401) {
      const reason = `${target.baseUrl} does not know an account that its control plane has made`
      return yield* new Target.TargetError({ reason: `${reason}: ${Rule.describe(answer)}` })
    }
    return
  }
  if (target.keys === undefined) return
  const answer = yield* world.call({ ...target.keys, id: "", isOwn: false }, balancePath)
  if (answer.status === 401 || answer.status === 403) {
    const said = scrubber(target)(Rule.describe(answer))
    return yield* new Target.TargetError({ reason: `${target.baseUrl} refuses the key or its secret: ${said}` })
  }
})

/** So many rules in a row without an answer: the target is gone, and the others need not wait for it. */
const patience = 3

/** Which of the rules are asked for. */
export const select = (
  { only = [], rules = allRules, skip = [] }: Pick<Options, "only" | "skip" | "rules">
): ReadonlyArray<Rule.Rule> =>
  rules.filter(({ id }) => (only.length === 0 || Report.matches(only, id)) && !Report.matches(skip, id))

/**
 * Checks a target against the rules. It fails only when there is nothing to check: no answer at all, or keys that the
 * target refuses.
 *
 * @category running
 * @since 0.1.0
 */
export const check = Effect.fn("Oracle.check")(function*(
  target: Target.Target,
  options: Options = {}
): Effect.fn.Return<Report.Report, Target.TargetError> {
  const {
    budget = Infinity,
    knownFailing = [],
    onResult = () => Effect.void,
    profile = "read-only",
    runs = 10,
    strict = false
  } = options
  const beganAt = yield* Target.now
  const seed = options.seed ?? (yield* Random.nextIntBetween(0, 0x7fffffff))
  const session = World.session(target, profile, yield* Target.now)
  yield* preflight(target, session)
  const selected = select(options)
  const results: Array<Report.Result> = []
  let silent = 0
  let aborted: string | undefined
  for (const [index, rule] of selected.entries()) {
    const startedAt = yield* Target.now
    const outcome: Report.Outcome = aborted !== undefined
      ? { _tag: "CouldNotRun", why: "the target stopped answering" }
      : startedAt - beganAt >= budget
      ? { _tag: "Skipped", why: "the time was up" }
      : yield* runRule(session, rule, { seed, runs })
    silent = outcome._tag === "CouldNotRun" ? silent + 1 : 0
    if (aborted === undefined && silent >= patience && outcome._tag === "CouldNotRun") {
      aborted = `${silent} rules in a row got no answer. ${outcome.why}`
    }
    const result: Report.Result = {
      rule,
      outcome,
      isKnown: Report.matches(knownFailing, rule.id),
      millis: (yield* Target.now) - startedAt
    }
    results.push(result)
    yield* onResult(result, index, selected.length)
  }
  const stale = knownFailing.filter((pattern) => {
    const named = results.filter(({ rule }) => Report.matches([pattern], rule.id))
    return named.some(({ outcome }) => outcome._tag === "Held") &&
      !named.some(({ outcome }) => outcome._tag === "Broken")
  })
  return {
    version: Report.version,
    target: target.baseUrl,
    dialect: target.dialect.name,
    profile,
    strict,
    seed,
    runs,
    results,
    stale,
    warnings: session.warnings.map(scrubber(target)),
    ...(aborted === undefined ? {} : { aborted })
  }
})

/**
 * Tries a failure again: the same rule, the same value.
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
  if (rule === undefined) return yield* new Target.TargetError({ reason: `there is no rule ${id} any more` })
  const session = World.session(target, profile, yield* Target.now)
  yield* preflight(target, session)
  return yield* runRule(session, rule, {
    seed,
    runs,
    path,
    ...(replayPath === undefined ? {} : { replayPath })
  })
})
