/**
 * The result of a check, as data and as text, JSON or JUnit.
 *
 * @example
 * ```ts
 * import * as Console from "effect/Console"
 * import * as Effect from "effect/Effect"
 * import { check, Report, type Target } from "effect-txc/oracle"
 *
 * export const print = (target: Target.Target) =>
 *   Effect.gen(function*() {
 *     const report = yield* check(target, { only: ["auth"] })
 *     yield* Console.log(Report.render.text(report))
 *     return Report.exitCode(report)
 *   })
 * ```
 */
import type { Dialect } from "../protocol/Dialect.ts"
import * as Causes from "./Causes.ts"
import type { Level, Profile, Rule } from "./Rule.ts"
import { lacksRecords, needsKey } from "./Verdict.ts"

/**
 * The data that reproduces a broken rule: the same seed and path generate the same value.
 *
 * @category models
 */
export interface Replay {
  /** The rule's id. */
  readonly rule: string
  /** The dialect of the check. */
  readonly dialect: Dialect["name"]
  /** The profile of the check. */
  readonly profile: Profile
  /** The seed of the check. */
  readonly seed: number
  /** The path to the counterexample in fast-check. */
  readonly path: string
  /** The number of values that the check generated per rule. */
  readonly runs: number
  /** The point where fast-check stopped shrinking a sequence of calls; absent for rules without sequences. */
  readonly replayPath?: string
}

/**
 * The result of one rule.
 *
 * @category models
 */
export type Outcome = Held | Broken | Skipped | CouldNotRun

/**
 * The rule holds for all values that were evaluated.
 *
 * @category models
 */
export interface Held {
  readonly _tag: "Held"
  /** The number of evaluated values. */
  readonly runs: number
}

/**
 * The rule is broken. All fields describe the smallest counterexample found.
 *
 * @category models
 */
export interface Broken {
  readonly _tag: "Broken"
  /** The smallest value found that breaks the rule, as text. */
  readonly counterexample: string
  /** The behavior that the rule expects. */
  readonly expected: string
  /** The target's actual behavior. */
  readonly got: string
  /** The method and the path of the call whose response shows the fault; absent if no single response does. */
  readonly call?: string
  /** A curl command that sends the request again; empty if no single response shows the fault. */
  readonly curl: string
  /** The data that reproduces the failure. */
  readonly replay: Replay
}

/**
 * The rule was not evaluated: it does not apply, the check ended before reaching it, or it cannot be evaluated on this
 * target.
 *
 * @category models
 */
export interface Skipped {
  readonly _tag: "Skipped"
  /** The reason why the rule was not evaluated. */
  readonly why: string
}

/**
 * The target gave no response to check.
 *
 * @category models
 */
export interface CouldNotRun {
  readonly _tag: "CouldNotRun"
  /** The reason why there was no response. */
  readonly why: string
}

/**
 * One rule and its result.
 *
 * @category models
 */
export interface Result {
  /** The rule that was run or skipped. */
  readonly rule: Rule
  /** The rule's level in the check's dialect. */
  readonly level: Level
  /** The outcome: the rule holds, is broken, was skipped, or could not run. */
  readonly outcome: Outcome
  /** Whether the rule is listed as a known failure or as flaky. */
  readonly isKnown: boolean
  /** The duration of the rule, in milliseconds. */
  readonly millis: number
}

/**
 * The requests of a check.
 *
 * @category models
 */
export interface Traffic {
  /** The number of requests that the check sent. */
  readonly requests: number
  /** The number of requests that got no response. */
  readonly unanswered: number
  /**
   * The methods and paths of the calls that the target serves: they succeeded, or were refused with HTTP 400, 403,
   * 409 or 422.
   */
  readonly served: ReadonlyArray<string>
}

/**
 * The result of a check.
 *
 * @category models
 */
export interface Report {
  /** The version of the rule suite; see `version`. */
  readonly version: string
  /** The base URL of the target. */
  readonly target: string
  /** The dialect that the target was expected to speak. */
  readonly dialect: Dialect["name"]
  /** The profile of the check. */
  readonly profile: Profile
  /** Whether broken `SHOULD` rules fail the check. */
  readonly strict: boolean
  /** Whether the check can succeed even if it checks only public calls, because the target has no keys. */
  readonly publicOnly: boolean
  /** The seed of all generated values. */
  readonly seed: number
  /** The number of generated values per rule. */
  readonly runs: number
  /** The results, in the same sequence as the rules. */
  readonly results: ReadonlyArray<Result>
  /** The minimum number of rules that must be evaluated for the check to succeed; 1 or more. */
  readonly minJudged: number
  /** The stale known failures: rules listed as known failures that now hold. */
  readonly stale: ReadonlyArray<string>
  /** Warnings about state that the check left on the target, such as an order that could not be canceled. */
  readonly warnings: ReadonlyArray<string>
  /** The changes to a sandbox that could not be undone, because its control plane has no snapshots. */
  readonly remains: ReadonlyArray<string>
  /** The number of requests that the check sent, how many of them got no response, and the calls that are served. */
  readonly traffic: Traffic
  /** The reason why the check ended before it had tried all rules; absent when it tried all. */
  readonly aborted?: string
}

/** The reason shown for rules that were skipped because the budget was used up. */
export const budgetUsedUp = "the budget was used up"

/**
 * The version of the rule suite. It changes when the meaning of a rule changes.
 *
 * @category models
 */
export const version = "4"

/**
 * Whether any of the patterns selects a rule. A `*` matches any text; `auth` and `auth.*` both select every id that
 * begins with `auth.`.
 *
 * @category selection
 */
export const matches = (patterns: ReadonlyArray<string>, id: string): boolean =>
  patterns.some((pattern) => {
    const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/gu, "\\$&"))
    return new RegExp(`^${parts.join(".*")}(?:\\..*)?$`, "u").test(id)
  })

/**
 * Returns the broken rules that are not known failures.
 *
 * @category results
 */
export const broken = (report: Report): ReadonlyArray<Result> =>
  report.results.filter(({ isKnown, level, outcome }) => outcome._tag === "Broken" && !isKnown && level !== "INFO")

/**
 * Returns the `INFO` rules that the target deviates from. They never fail a check.
 *
 * @category results
 */
export const noted = (report: Report): ReadonlyArray<Result> =>
  report.results.filter(({ level, outcome }) => outcome._tag === "Broken" && level === "INFO")

/** Returns the number of evaluated rules, which hold or are broken. `INFO` rules are not counted. */
const judged = (report: Report): number =>
  report.results.filter(({ level, outcome }) =>
    level !== "INFO" && (outcome._tag === "Held" || outcome._tag === "Broken")
  ).length

/** Returns the number of rules that were skipped for this reason. */
const skippedFor = (report: Report, why: string): number =>
  report.results.filter(({ outcome }) => outcome._tag === "Skipped" && outcome.why === why).length

/**
 * Returns the reason why a check evaluated too few rules to count as a success, even without broken rules. `undefined`
 * if it evaluated enough.
 *
 * @category results
 */
export const tooLittle = (report: Report): string | undefined => {
  const [count, left] = [judged(report), skippedFor(report, budgetUsedUp)]
  const keyless = report.publicOnly ? 0 : skippedFor(report, needsKey)
  if (keyless > 0) {
    return `there is no API key: only ${count} rules were evaluated, and ${keyless} need a key. Give it with --key and `
      + "TXC_API_SECRET, or check public calls only with --public-only"
  }
  if (count === 0) return "no rule was evaluated"
  if (count < report.minJudged) return `${count} rules were evaluated, fewer than the required ${report.minJudged}`
  return left > count ? `the budget was used up: ${count} rules were evaluated, ${left} were not reached` : undefined
}

/** Whether a broken rule fails the check. */
const fails = ({ strict }: Report, { level }: Result): boolean => level === "MUST" || (strict && level === "SHOULD")

/**
 * Returns a check's exit code:
 *
 * - 0: no rule fails the check, and enough rules were evaluated. `INFO` rules, known failures and, unless the check is
 *   strict, `SHOULD` rules may be broken
 * - 1: a rule that is `MUST` in the dialect is broken (in a strict check, a `SHOULD` rule too), or a known failure is
 *   stale
 * - 2: the target did not respond, an order or other state could not be removed from it, or too few rules were
 *   evaluated. "Too few" means: none; fewer than `minJudged`; fewer than were skipped because the budget was used up;
 *   or, unless `publicOnly`, rules were skipped for lack of an API key
 *
 * @category results
 */
export const exitCode = (report: Report): 0 | 1 | 2 => {
  if (broken(report).some((result) => fails(report, result)) || report.stale.length > 0) return 1
  if (report.aborted !== undefined || report.warnings.length > 0) return 2
  if (report.results.some(({ outcome }) => outcome._tag === "CouldNotRun")) return 2
  return tooLittle(report) === undefined ? 0 : 2
}

/**
 * The number of rules per outcome.
 *
 * @category models
 */
export interface Tally {
  /** Rules that hold. */
  readonly held: number
  /** Broken rules that are not known failures. */
  readonly broken: number
  /** Broken `SHOULD` rules that are not known failures. */
  readonly should: number
  /** `INFO` rules that the target deviates from. */
  readonly noted: number
  /** Known failures that are still broken. */
  readonly known: number
  /** Rules that were not evaluated. */
  readonly skipped: number
  /** Rules that got no response from the target. */
  readonly couldNotRun: number
}

/**
 * Counts the outcomes of a report.
 *
 * @category results
 */
export const tally = (report: Report): Tally => {
  const count = (tag: Outcome["_tag"]) => report.results.filter(({ outcome }) => outcome._tag === tag).length
  return {
    held: count("Held"),
    broken: broken(report).length,
    should: broken(report).filter(({ level }) => level === "SHOULD").length,
    noted: noted(report).length,
    known:
      report.results.filter(({ isKnown, level, outcome }) => isKnown && outcome._tag === "Broken" && level !== "INFO")
        .length,
    skipped: count("Skipped"),
    couldNotRun: count("CouldNotRun")
  }
}

// -----------------------------------------------------------------------------
// Text
// -----------------------------------------------------------------------------

const marks = { Held: "held", Broken: "BROKEN", Skipped: "skipped", CouldNotRun: "COULD NOT RUN" } as const

/**
 * Renders one result: one line, or several for a broken rule, with everything needed to reproduce it.
 *
 * @category rendering
 */
export const line = ({ isKnown, level, outcome, rule }: Result): string => {
  const isNote = level === "INFO" && outcome._tag === "Broken"
  const head = `${isNote ? "note" : outcome._tag === "Broken" && isKnown ? "known" : marks[outcome._tag]}  ${rule.id}`
  switch (outcome._tag) {
    case "Held":
      return head
    case "Skipped":
    case "CouldNotRun":
      return `${head}: ${outcome.why}`
    case "Broken":
      if (isNote) return `${head}: expected by this project: ${outcome.expected}; got ${outcome.got}`
      return isKnown ? head : [
        `${head} (${level}; ${rule.clause})`,
        `    ${rule.statement}`,
        `    with      ${outcome.counterexample}`,
        `    expected  ${outcome.expected}`,
        `    got       ${outcome.got}`,
        ...(outcome.curl === "" ? [] : [`    send      ${outcome.curl}`]),
        `    reproduce --only ${rule.id} --seed ${outcome.replay.seed} --runs ${outcome.replay.runs}`
      ].join("\n")
  }
}

/** The maximum number of reasons in the line about skipped rules. */
const maxReasons = 4

/** Returns all skipped rules in one line, with the most frequent reasons. */
const skippedLine = ({ results }: Report): string => {
  const counts = new Map<string, number>()
  for (const { outcome } of results) {
    if (outcome._tag !== "Skipped") continue
    const why = outcome.why.startsWith("not applicable") ? "not applicable to the dialect" : outcome.why
    counts.set(why, (counts.get(why) ?? 0) + 1)
  }
  const reasons = [...counts].toSorted(([, one], [, two]) => two - one)
  const others = reasons.slice(maxReasons).reduce((sum, [, count]) => sum + count, 0)
  const shown = reasons.slice(0, maxReasons).map(([why, count]) => `${count} ${why}`)
  return `SKIPPED  ${[...shown, ...(others === 0 ? [] : [`${others} for other reasons`])].join("; ")}`
}

/** The maximum number of causes shown, and of rules listed per cause. */
const [maxCauses, maxRules] = [5, 6]

/** Returns the likely causes that the report shows. */
const causesOf = (report: Report): ReadonlyArray<Causes.Cause> =>
  Causes.of(broken(report), report.traffic.served).slice(0, maxCauses)

/** Returns the likely causes of the broken rules, one per line. */
const causeLines = (report: Report): ReadonlyArray<string> =>
  causesOf(report).map(({ rules, why }) => {
    const others = rules.length - maxRules
    return `CAUSE  ${rules.length} rules: ${why} (${rules.slice(0, maxRules).join(", ")}${
      others > 0 ? `, and ${others} others` : ""
    })`
  })

/**
 * Lists in one line the rules that could not be evaluated because the account lacks records. Ids that differ only after
 * the last dot are combined.
 */
const unseenLine = ({ results }: Report): ReadonlyArray<string> => {
  const reasons: ReadonlyArray<string> = Object.values(lacksRecords)
  const unseen = results.flatMap(({ outcome, rule }) =>
    outcome._tag === "Skipped" && reasons.includes(outcome.why) ? [rule.id] : []
  )
  const groups = [...Map.groupBy(unseen, (id) => id.slice(0, id.lastIndexOf(".")))]
  const last = (id: string) => id.slice(id.lastIndexOf(".") + 1)
  const shown = groups.map(([group, ids]) => ids.length === 1 ? ids.join() : `${group} (${ids.map(last).join(", ")})`)
  return unseen.length === 0
    ? []
    : [`NOT SEEN  ${unseen.length} rules need records that the account does not have: ${shown.join(", ")}`]
}

/**
 * Whether a result has its own line in a report. Skipped rules share one line.
 *
 * @category rendering
 */
export const isShown = ({ outcome }: Result): boolean => outcome._tag !== "Skipped"

/** Returns the ids of the rules that are broken because the target does not serve their calls. */
const unserved = (report: Report): ReadonlySet<string> =>
  new Set(causesOf(report).flatMap(({ isUnserved = false, rules }) => isUnserved ? rules : []))

/**
 * Whether a listing that prints results as they arrive must leave this result for the end: the rule may be one of many
 * that are broken because the target does not serve a call. {@link late} returns the results to print then.
 *
 * @category rendering
 */
export const isLate = (result: Result): boolean => Causes.mayBeUnserved(result)

/**
 * Returns the late results to print at the end: see {@link isLate}. Leaves out results whose shared cause is in the
 * summary.
 *
 * @category rendering
 */
export const late = (report: Report): ReadonlyArray<Result> => {
  const explained = unserved(report)
  return report.results.filter((result) => isLate(result) && !explained.has(result.rule.id))
}

/**
 * Renders the end of a report: likely causes, skipped rules, stale known failures, warnings and counts.
 *
 * @category rendering
 */
export const summary = (report: Report): string => {
  const { broken, couldNotRun, held, known, noted, should, skipped } = tally(report)
  const little = tooLittle(report)
  return [
    ...causeLines(report),
    ...(skipped === 0 ? [] : [skippedLine(report)]),
    ...unseenLine(report),
    ...report.stale.map((id) => `STALE  ${id} is a known failure, but it holds`),
    ...report.warnings.map((warning) => `LEFT BEHIND  ${warning}`),
    ...report.remains.map((text) => `STAYS  ${text}`),
    ...(report.traffic.unanswered === 0
      ? []
      : [`CONNECTION  ${report.traffic.unanswered} of ${report.traffic.requests} requests got no response`]),
    ...(report.aborted === undefined ? [] : [`ABORTED  ${report.aborted}`]),
    ...(little === undefined ? [] : [`TOO LITTLE  ${little}`]),
    `${held} held, ${broken} broken${should === 0 ? "" : ` (${should} of them SHOULD rules)`}${
      known === 0 ? "" : ` (and ${known} known failures)`
    }${noted === 0 ? "" : `, ${noted} noted`}, ${skipped} skipped${
      couldNotRun === 0 ? "" : `, ${couldNotRun} could not run`
    }; ${report.dialect} dialect, ${report.profile} profile, seed ${report.seed}, suite ${report.version}`
  ].join("\n")
}

/**
 * Renders a report as text. If the target does not serve some calls, one line of the summary replaces the details of
 * the rules that are broken for that reason.
 *
 * @category rendering
 */
export const text = (report: Report): string => {
  const explained = unserved(report)
  const shown = report.results.filter((result) => isShown(result) && !explained.has(result.rule.id))
  return [...shown.map(line), "", summary(report)].join("\n")
}

// -----------------------------------------------------------------------------
// JSON and JUnit
// -----------------------------------------------------------------------------

/**
 * Renders a report as JSON, with its tally and exit code.
 *
 * @category rendering
 */
export const json = (report: Report): string =>
  JSON.stringify(
    {
      ...report,
      tally: tally(report),
      exitCode: exitCode(report),
      results: report.results.map(({ isKnown, level, millis, outcome, rule }) => ({
        ...rule,
        level,
        property: undefined,
        isKnown,
        millis,
        outcome
      }))
    },
    undefined,
    2
  )

// XML 1.0 cannot represent most control characters, not even escaped.
const xml = (text: string): string =>
  text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")

/** Returns the content of a result's test case. The content is empty if the rule holds. */
const caseOf = (report: Report, result: Result): string => {
  const { isKnown, level, outcome, rule } = result
  switch (outcome._tag) {
    case "Held":
      return ""
    case "Skipped":
      return `<skipped message="${xml(outcome.why)}"/>`
    case "CouldNotRun":
      return `<error message="${xml(outcome.why)}"/>`
    case "Broken":
      if (isKnown && level !== "INFO") return `<skipped message="known failure"/>`
      return fails(report, result)
        ? `<failure message="${xml(rule.statement)}">${xml(line(result))}</failure>`
        : `<system-out>${xml(line(result))}</system-out>`
  }
}

/** Returns the test cases that fail because of the check itself, not because of a rule. */
const casesOfCheck = (report: Report): ReadonlyArray<string> => {
  const failing = (kind: string, name: string, content: string) =>
    `    <testcase classname="${kind}" name="${xml(name)}">${content}</testcase>`
  const error = (name: string, message: string | undefined) =>
    message === undefined ? [] : [failing("check", name, `<error message="${xml(message)}"/>`)]
  return [
    ...report.stale.map((id) => failing("known-failing", id, `<failure message="a known failure, but it holds"/>`)),
    ...report.warnings.flatMap((warning, index) => error(`left-behind-${index + 1}`, warning)),
    ...error("aborted", report.aborted),
    ...error("too-little", tooLittle(report))
  ]
}

/**
 * Renders a report as JUnit XML. It has a failure or an error if and only if the exit code is not 0: a broken rule that
 * does not fail the check is a passing test case with output.
 *
 * @category rendering
 */
export const junit = (report: Report): string => {
  const cases = report.results.map((result) => {
    const { millis, rule } = result
    const head = `    <testcase classname="${xml(rule.id.split(".")[0] ?? "")}" name="${xml(rule.id)}" time="${
      millis / 1000
    }"`
    const inner = caseOf(report, result)
    return inner === "" ? `${head}/>` : `${head}>${inner}</testcase>`
  })
  const all = [...cases, ...casesOfCheck(report)]
  const count = (element: string) => all.filter((text) => text.includes(`<${element} `)).length
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites>`,
    `  <testsuite name="effect-txc oracle (${report.dialect}, ${report.profile}, seed ${report.seed})" tests="${all.length}" failures="${
      count("failure")
    }" errors="${count("error")}" skipped="${count("skipped")}">`,
    ...all,
    `    <system-out>${xml(summary(report))}</system-out>`,
    `  </testsuite>`,
    `</testsuites>`
  ].join("\n")
}

/**
 * Renders a report as text, JSON or JUnit XML.
 *
 * @category rendering
 */
export const render: { readonly [K in "text" | "json" | "junit"]: (report: Report) => string } = { text, json, junit }
