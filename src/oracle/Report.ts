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
 *
 * @since 0.1.0
 */
import type { Dialect } from "../protocol/Dialect.ts"
import type { Profile, Rule } from "./Rule.ts"

/**
 * How to break a rule again: the same seed and path draw the same value.
 *
 * @category models
 * @since 0.1.0
 */
export interface Replay {
  /** The rule's id. */
  readonly rule: string
  /** The dialect of the check. */
  readonly dialect: Dialect["name"]
  /** What the check was allowed to do. */
  readonly profile: Profile
  /** The seed of the check. */
  readonly seed: number
  /** Where fast-check finds the counterexample. */
  readonly path: string
  /** How many values the check drew for a rule. */
  readonly runs: number
  /** Where the shrinking of a list of commands ended; absent for other rules. */
  readonly replayPath?: string
}

/**
 * The result of one rule.
 *
 * @category models
 * @since 0.1.0
 */
export type Outcome = Held | Broken | Skipped | CouldNotRun

/**
 * The rule holds for all values that were judged.
 *
 * @category models
 * @since 0.1.0
 */
export interface Held {
  readonly _tag: "Held"
  /** How many values were judged. */
  readonly runs: number
}

/**
 * The rule is broken. Everything is about the smallest value that was found.
 *
 * @category models
 * @since 0.1.0
 */
export interface Broken {
  readonly _tag: "Broken"
  /** The value. */
  readonly counterexample: string
  /** What the rule expects. */
  readonly expected: string
  /** What the target did instead. */
  readonly got: string
  /** A line for a shell that sends the request again; empty when no single answer shows the fault. */
  readonly curl: string
  /** How to break the rule again. */
  readonly replay: Replay
}

/**
 * The rule was not judged: it does not apply, was not reached, or cannot be judged on this target.
 *
 * @category models
 * @since 0.1.0
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
 * @since 0.1.0
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
 * @since 0.1.0
 */
export interface Result {
  /** The rule. */
  readonly rule: Rule
  /** Its result. */
  readonly outcome: Outcome
  /** Whether the rule is on the list of known failures, or on that of rules that are sometimes broken. */
  readonly isKnown: boolean
  /** How many milliseconds the rule took. */
  readonly millis: number
}

/**
 * The result of a check.
 *
 * @category models
 * @since 0.1.0
 */
export interface Report {
  /** The version of the suite. */
  readonly version: string
  /** Where the target is. */
  readonly target: string
  /** The dialect that the target was expected to speak. */
  readonly dialect: Dialect["name"]
  /** What the check was allowed to do. */
  readonly profile: Profile
  /** Whether broken rules of the level `SHOULD` count for the exit code. */
  readonly strict: boolean
  /** The seed of everything that was drawn. */
  readonly seed: number
  /** How many values were drawn for each rule. */
  readonly runs: number
  /** The results, in the order of the rules. */
  readonly results: ReadonlyArray<Result>
  /** How many rules have to be judged for the check to be a success; 1 or more. */
  readonly minJudged: number
  /** The known failures that hold. */
  readonly stale: ReadonlyArray<string>
  /** What was left behind on the target, such as an order that could not be canceled. */
  readonly warnings: ReadonlyArray<string>
  /** Why the check ended before all rules were tried; absent when it did not. */
  readonly aborted?: string
}

/** Why a rule was skipped that the budget left no time for. */
export const budgetUsedUp = "the budget was used up"

/**
 * The version of the suite. It changes when the meaning of a rule does.
 *
 * @category models
 * @since 0.1.0
 */
export const version = "2"

/**
 * Whether one of the patterns names a rule. A `*` stands for any text; `auth` and `auth.*` both name all rules whose
 * ids begin with `auth.`.
 *
 * @category selection
 * @since 0.1.0
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
 * @since 0.1.0
 */
export const broken = (report: Report): ReadonlyArray<Result> =>
  report.results.filter(({ isKnown, outcome, rule }) => outcome._tag === "Broken" && !isKnown && rule.level !== "INFO")

/**
 * The informational rules that say something else than the target does. They judge nothing.
 *
 * @category results
 * @since 0.1.0
 */
export const noted = (report: Report): ReadonlyArray<Result> =>
  report.results.filter(({ outcome, rule }) => outcome._tag === "Broken" && rule.level === "INFO")

/** The rules that were judged: they hold or are broken. Informational rules judge nothing. */
const judged = (report: Report): number =>
  report.results.filter(({ outcome, rule }) =>
    rule.level !== "INFO" && (outcome._tag === "Held" || outcome._tag === "Broken")
  ).length

/** The rules that the budget left no time for. */
const unreached = (report: Report): number =>
  report.results.filter(({ outcome }) => outcome._tag === "Skipped" && outcome.why === budgetUsedUp).length

/**
 * Why a check says too little about its target to be a success, although no rule is broken; `undefined` when it does not.
 *
 * @category results
 * @since 0.1.0
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
 * - 2: the target did not answer, something was left behind on it, or too little was judged: nothing, less than was asked
 *   for, or less than the budget left out
 *
 * @category results
 * @since 0.1.0
 */
export const exitCode = (report: Report): 0 | 1 | 2 => {
  const counted = broken(report).filter(({ rule }) => report.strict || rule.level === "MUST")
  if (counted.length > 0 || report.stale.length > 0) return 1
  if (report.aborted !== undefined || report.warnings.length > 0) return 2
  if (report.results.some(({ outcome }) => outcome._tag === "CouldNotRun")) return 2
  return tooLittle(report) === undefined ? 0 : 2
}

/**
 * How many rules there are of each result.
 *
 * @category models
 * @since 0.1.0
 */
export interface Tally {
  /** Rules that hold. */
  readonly held: number
  /** Broken rules that are not known failures. */
  readonly broken: number
  /** Those of them whose level is `SHOULD`. */
  readonly should: number
  /** Informational rules that say something else than the target does. */
  readonly noted: number
  /** Known failures that are broken. */
  readonly known: number
  /** Rules that were not judged. */
  readonly skipped: number
  /** Rules for which the target gave no answer. */
  readonly couldNotRun: number
}

/**
 * Counts the results.
 *
 * @category results
 * @since 0.1.0
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
 * Renders one result: one line, or several for a broken rule, with all that is needed to reproduce it.
 *
 * @category rendering
 * @since 0.1.0
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
      if (isNote) return `${head}: not as this project has it (${outcome.expected}), but ${outcome.got}`
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

/** The most reasons that the line about skipped rules shows. */
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
 * Whether a report shows a result on a line of its own. Skipped rules share one line.
 *
 * @category rendering
 * @since 0.1.0
 */
export const isShown = ({ outcome }: Result): boolean => outcome._tag !== "Skipped"

/**
 * Renders the end of a report: the skipped rules, the stale known failures, what was left behind, and the counts.
 *
 * @category rendering
 * @since 0.1.0
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
 * @since 0.1.0
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
 * @since 0.1.0
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

// XML has no form for most control characters, escaped or not.
const xml = (text: string): string =>
  text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")

/**
 * Renders a report as the XML of JUnit.
 *
 * @category rendering
 * @since 0.1.0
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
 * @since 0.1.0
 */
export const render: { readonly [K in "text" | "json" | "junit"]: (report: Report) => string } = { text, json, junit }
