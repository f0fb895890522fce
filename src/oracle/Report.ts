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
import type { Profile, Rule } from "./Rule.ts"

/**
 * Reproduces a broken rule: the same seed and path generate the same value.
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
  /** The point where fast-check stopped shrinking a command sequence; absent for other rules. */
  readonly replayPath?: string
}

/**
 * The result of one rule.
 *
 * @category models
 */
export type Outcome = Held | Broken | Skipped | CouldNotRun

/**
 * The rule holds for all values that were judged.
 *
 * @category models
 */
export interface Held {
  readonly _tag: "Held"
  /** The number of judged values. */
  readonly runs: number
}

/**
 * The rule is broken. All fields describe the smallest counterexample found.
 *
 * @category models
 */
export interface Broken {
  readonly _tag: "Broken"
  /** The counterexample. */
  readonly counterexample: string
  /** The rule's expectation. */
  readonly expected: string
  /** What the target did instead. */
  readonly got: string
  /** A shell command that sends the request again; empty when no single answer shows the fault. */
  readonly curl: string
  /** Reproduces the failure. */
  readonly replay: Replay
}

/**
 * The rule was not judged: it does not apply, was not reached, or cannot be judged on this target.
 *
 * @category models
 */
export interface Skipped {
  readonly _tag: "Skipped"
  /** The reason, in words. */
  readonly why: string
}

/**
 * The target gave no answer to judge.
 *
 * @category models
 */
export interface CouldNotRun {
  readonly _tag: "CouldNotRun"
  /** The reason, in words. */
  readonly why: string
}

/**
 * One rule and its result.
 *
 * @category models
 */
export interface Result {
  /** The rule. */
  readonly rule: Rule
  /** Its result. */
  readonly outcome: Outcome
  /** Whether the rule is listed as a known failure or as flaky. */
  readonly isKnown: boolean
  /** The duration of the rule, in milliseconds. */
  readonly millis: number
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
  /** The seed of all generated values. */
  readonly seed: number
  /** The number of generated values per rule. */
  readonly runs: number
  /** The results, in the order of the rules. */
  readonly results: ReadonlyArray<Result>
  /** The number of rules that must be judged for the check to succeed; 1 or more. */
  readonly minJudged: number
  /** Known failures that hold. */
  readonly stale: ReadonlyArray<string>
  /** State left on the target, such as an order that could not be canceled. */
  readonly warnings: ReadonlyArray<string>
  /** Why the check ended before it had tried all rules; absent when it tried all. */
  readonly aborted?: string
}

/** The reason of rules that were skipped because the budget was used up. */
export const budgetUsedUp = "the budget was used up"

/**
 * The version of the rule suite. It changes when the meaning of a rule changes.
 *
 * @category models
 */
export const version = "2"

/**
 * Whether a pattern selects a rule. A `*` matches any text; `auth` and `auth.*` both select every id that begins with
 * `auth.`.
 *
 * @category selection
 */
export const matches = (patterns: ReadonlyArray<string>, id: string): boolean =>
  patterns.some((pattern) => {
    const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/gu, "\\$&"))
    return new RegExp(`^${parts.join(".*")}(?:\\..*)?$`, "u").test(id)
  })

/**
 * The broken rules that are not known failures.
 *
 * @category results
 */
export const broken = (report: Report): ReadonlyArray<Result> =>
  report.results.filter(({ isKnown, outcome, rule }) => outcome._tag === "Broken" && !isKnown && rule.level !== "INFO")

/**
 * The informational rules that the target deviates from. They never fail a check.
 *
 * @category results
 */
export const noted = (report: Report): ReadonlyArray<Result> =>
  report.results.filter(({ outcome, rule }) => outcome._tag === "Broken" && rule.level === "INFO")

/** The number of rules that were judged: they hold or are broken. Informational rules do not count. */
const judged = (report: Report): number =>
  report.results.filter(({ outcome, rule }) =>
    rule.level !== "INFO" && (outcome._tag === "Held" || outcome._tag === "Broken")
  ).length

/** The number of rules that the budget left no time for. */
const unreached = (report: Report): number =>
  report.results.filter(({ outcome }) => outcome._tag === "Skipped" && outcome.why === budgetUsedUp).length

/**
 * Why a check without broken rules still cannot count as a success: it judged too few rules. `undefined` when it judged
 * enough.
 *
 * @category results
 */
export const tooLittle = (report: Report): string | undefined => {
  const [count, left] = [judged(report), unreached(report)]
  if (count === 0) return "no rule was judged"
  if (count < report.minJudged) return `${count} rules were judged, fewer than the ${report.minJudged} asked for`
  return left > count ? `the budget was used up: ${count} rules were judged, ${left} were not reached` : undefined
}

/**
 * The exit code of a check:
 *
 * - 0: every rule that could be judged holds
 * - 1: a `MUST` rule is broken (in a strict check, a `SHOULD` rule too), or a known failure holds
 * - 2: the target did not answer, something was left behind on it, or too few rules were judged: none, fewer than
 *   `minJudged`, or fewer than the budget left out
 *
 * @category results
 */
export const exitCode = (report: Report): 0 | 1 | 2 => {
  const counted = broken(report).filter(({ rule }) => report.strict || rule.level === "MUST")
  if (counted.length > 0 || report.stale.length > 0) return 1
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
  /** Those of level `SHOULD`. */
  readonly should: number
  /** Informational rules that the target deviates from. */
  readonly noted: number
  /** Known failures that are broken. */
  readonly known: number
  /** Rules that were not judged. */
  readonly skipped: number
  /** Rules that got no answer from the target. */
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
    should: broken(report).filter(({ rule }) => rule.level === "SHOULD").length,
    noted: noted(report).length,
    known:
      report.results.filter(({ isKnown, outcome, rule }) =>
        isKnown && outcome._tag === "Broken" && rule.level !== "INFO"
      ).length,
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
export const line = ({ isKnown, outcome, rule }: Result): string => {
  const isNote = rule.level === "INFO" && outcome._tag === "Broken"
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
        `${head} (${rule.level}; ${rule.clause})`,
        `    ${rule.statement}`,
        `    with      ${outcome.counterexample}`,
        `    expected  ${outcome.expected}`,
        `    got       ${outcome.got}`,
        ...(outcome.curl === "" ? [] : [`    send      ${outcome.curl}`]),
        `    reproduce --only ${rule.id} --seed ${outcome.replay.seed} --runs ${outcome.replay.runs}`
      ].join("\n")
  }
}

/** The most reasons that the line of skipped rules shows. */
const maxReasons = 4

/** All skipped rules in one line, with the most frequent reasons. */
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

/**
 * Whether a report gives a result its own line. Skipped rules share one line.
 *
 * @category rendering
 */
export const isShown = ({ outcome }: Result): boolean => outcome._tag !== "Skipped"

/**
 * Renders the end of a report: skipped rules, stale known failures, warnings and counts.
 *
 * @category rendering
 */
export const summary = (report: Report): string => {
  const { broken, couldNotRun, held, known, noted, should, skipped } = tally(report)
  const little = tooLittle(report)
  return [
    ...(skipped === 0 ? [] : [skippedLine(report)]),
    ...report.stale.map((id) => `STALE  ${id} is a known failure, but it holds`),
    ...report.warnings.map((warning) => `LEFT BEHIND  ${warning}`),
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
 * Renders a report as text.
 *
 * @category rendering
 */
export const text = (report: Report): string =>
  [...report.results.filter(isShown).map(line), "", summary(report)].join("\n")

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
      results: report.results.map(({ isKnown, millis, outcome, rule }) => ({
        ...rule,
        property: undefined,
        isKnown,
        millis,
        outcome
      }))
    },
    undefined,
    2
  )

// XML 1.0 cannot represent most control characters, escaped or not.
const xml = (text: string): string =>
  text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")

/**
 * Renders a report as the XML of JUnit.
 *
 * @category rendering
 */
export const junit = (report: Report): string => {
  const { broken, couldNotRun, known, skipped } = tally(report)
  const cases = report.results.map((result) => {
    const { isKnown, millis, outcome, rule } = result
    const head = `    <testcase classname="${xml(rule.id.split(".")[0] ?? "")}" name="${xml(rule.id)}" time="${
      millis / 1000
    }"`
    const isNote = outcome._tag === "Broken" && rule.level === "INFO"
    const inner = isNote
      ? `<system-out>${xml(line(result))}</system-out>`
      : outcome._tag === "Held"
      ? ""
      : outcome._tag === "Skipped" || (outcome._tag === "Broken" && isKnown)
      ? `<skipped message="${xml(outcome._tag === "Skipped" ? outcome.why : "known failure")}"/>`
      : outcome._tag === "Broken"
      ? `<failure message="${xml(rule.statement)}">${xml(line(result))}</failure>`
      : `<error message="${xml(outcome.why)}"/>`
    return inner === "" ? `${head}/>` : `${head}>${inner}</testcase>`
  })
  const stale = report.stale.map((id) =>
    `    <testcase classname="known-failing" name="${
      xml(id)
    }"><failure message="a known failure, but it holds"/></testcase>`
  )
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites>`,
    `  <testsuite name="effect-txc oracle (${report.dialect}, ${report.profile}, seed ${report.seed})" tests="${
      cases.length + stale.length
    }" failures="${broken + stale.length}" errors="${couldNotRun}" skipped="${skipped + known}">`,
    ...cases,
    ...stale,
    `  </testsuite>`,
    `</testsuites>`
  ].join("\n")
}

/**
 * Renders a report in one of its forms.
 *
 * @category rendering
 */
export const render: { readonly [K in "text" | "json" | "junit"]: (report: Report) => string } = { text, json, junit }
