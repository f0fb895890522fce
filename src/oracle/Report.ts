/**
 * What came of a check, as data and as text, JSON or JUnit.
 *
 * @since 0.1.0
 */
import type { Dialect } from "../protocol/Dialect.ts"
import type { Profile, Rule } from "./Rule.ts"

/**
 * What makes a broken rule break again: with the same seed and path the same value is drawn.
 *
 * @category models
 * @since 0.1.0
 */
export interface Replay {
  readonly rule: string
  readonly dialect: Dialect["name"]
  readonly profile: Profile
  readonly seed: number
  readonly path: string
  readonly runs: number
  readonly replayPath?: string
}

/**
 * What came of one rule:
 *
 * - `Held`: for so many values
 * - `Broken`: for the smallest value that was found; `expected` and `got` are of that value
 * - `Skipped`: not applicable, not asked for, or not to be judged here
 * - `CouldNotRun`: the target gave no answer to judge
 *
 * @category models
 * @since 0.1.0
 */
export type Outcome =
  | { readonly _tag: "Held"; readonly runs: number }
  | {
    readonly _tag: "Broken"
    readonly counterexample: string
    readonly expected: string
    readonly got: string
    readonly curl: string
    readonly replay: Replay
  }
  | { readonly _tag: "Skipped"; readonly why: string }
  | { readonly _tag: "CouldNotRun"; readonly why: string }

/** @category models */
export interface Result {
  readonly rule: Rule
  readonly outcome: Outcome
  /** Whether the list of known failures has it. */
  readonly isKnown: boolean
  readonly millis: number
}

/**
 * - `version`: of the suite; it changes when the meaning of a rule does
 * - `strict`: whether rules that only should hold count too
 * - `stale`: known failures that hold
 * - `warnings`: what was left behind on the target, such as an order that could not be canceled
 * - `aborted`: why the check ended before all rules were tried
 *
 * @category models
 * @since 0.1.0
 */
export interface Report {
  readonly version: string
  readonly target: string
  readonly dialect: Dialect["name"]
  readonly profile: Profile
  readonly strict: boolean
  readonly seed: number
  readonly runs: number
  readonly results: ReadonlyArray<Result>
  readonly stale: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
  readonly aborted?: string
}

/** The version of the suite. */
export const version = "1"

/**
 * Which words a rule is known by: `auth.*` is all that begins with `auth.`, `auth` too.
 *
 * @category selection
 * @since 0.1.0
 */
export const matches = (patterns: ReadonlyArray<string>, id: string): boolean =>
  patterns.some((pattern) => {
    const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/gu, "\\$&"))
    return new RegExp(`^${parts.join(".*")}(?:\\..*)?$`, "u").test(id)
  })

/** @category results */
export const broken = (report: Report): ReadonlyArray<Result> =>
  report.results.filter(({ isKnown, outcome }) => outcome._tag === "Broken" && !isKnown)

/**
 * 0 when all that could be judged holds, 1 when a rule is broken that must hold (or, if strict, that should) or a known
 * failure is none any more, 2 when a rule could not be judged because the target did not answer, when none was judged at
 * all, or when something was left behind on it.
 *
 * @category results
 * @since 0.1.0
 */
export const exitCode = (report: Report): 0 | 1 | 2 => {
  const counted = broken(report).filter(({ rule }) => report.strict || rule.level === "MUST")
  if (counted.length > 0 || report.stale.length > 0) return 1
  if (report.aborted !== undefined || report.warnings.length > 0) return 2
  if (report.results.some(({ outcome }) => outcome._tag === "CouldNotRun")) return 2
  return report.results.every(({ outcome }) => outcome._tag === "Skipped") ? 2 : 0
}

/** @category results */
export const tally = (report: Report) => {
  const count = (tag: Outcome["_tag"]) => report.results.filter(({ outcome }) => outcome._tag === tag).length
  return {
    held: count("Held"),
    broken: broken(report).length,
    should: broken(report).filter(({ rule }) => rule.level === "SHOULD").length,
    known: report.results.filter(({ isKnown, outcome }) => isKnown && outcome._tag === "Broken").length,
    skipped: count("Skipped"),
    couldNotRun: count("CouldNotRun")
  }
}

// -----------------------------------------------------------------------------
// Text
// -----------------------------------------------------------------------------

const marks = { Held: "held", Broken: "BROKEN", Skipped: "skipped", CouldNotRun: "COULD NOT RUN" } as const

/**
 * One rule in one line; a broken one in several, with all that is needed to see it again.
 *
 * @category rendering
 * @since 0.1.0
 */
export const line = ({ isKnown, outcome, rule }: Result): string => {
  const head = `${outcome._tag === "Broken" && isKnown ? "known" : marks[outcome._tag]}  ${rule.id}`
  switch (outcome._tag) {
    case "Held":
      return head
    case "Skipped":
    case "CouldNotRun":
      return `${head}: ${outcome.why}`
    case "Broken":
      return isKnown ? head : [
        `${head} (${rule.level}; ${rule.clause})`,
        `    ${rule.statement}`,
        `    with      ${outcome.counterexample}`,
        `    expected  ${outcome.expected}`,
        `    got       ${outcome.got}`,
        ...(outcome.curl === "" ? [] : [`    send      ${outcome.curl}`]),
        `    again     --only ${rule.id} --seed ${outcome.replay.seed} --runs ${outcome.replay.runs}`
      ].join("\n")
  }
}

/**
 * The end of a report: what was counted, and what is wrong with the list of known failures.
 *
 * @category rendering
 * @since 0.1.0
 */
export const summary = (report: Report): string => {
  const { broken, couldNotRun, held, known, should, skipped } = tally(report)
  return [
    ...report.stale.map((id) => `STALE  ${id} is listed as known to fail, but holds`),
    ...report.warnings.map((warning) => `LEFT BEHIND  ${warning}`),
    ...(report.aborted === undefined ? [] : [`STOPPED  ${report.aborted}`]),
    `${held} held, ${broken} broken${should === 0 ? "" : ` (${should} of them should hold, and need not)`}${
      known === 0 ? "" : ` (${known} more as known)`
    }, ${skipped} skipped${
      couldNotRun === 0 ? "" : `, ${couldNotRun} could not run`
    }; ${report.dialect} dialect, ${report.profile} profile, seed ${report.seed}, suite ${report.version}`
  ].join("\n")
}

/** @category rendering */
export const text = (report: Report): string => [...report.results.map(line), "", summary(report)].join("\n")

// -----------------------------------------------------------------------------
// JSON and JUnit
// -----------------------------------------------------------------------------

/** @category rendering */
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

/** @category rendering */
export const junit = (report: Report): string => {
  const { broken, couldNotRun, known, skipped } = tally(report)
  const cases = report.results.map((result) => {
    const { isKnown, millis, outcome, rule } = result
    const head = `    <testcase classname="${xml(rule.id.split(".")[0] ?? "")}" name="${xml(rule.id)}" time="${
      millis / 1000
    }"`
    const inner = outcome._tag === "Held"
      ? ""
      : outcome._tag === "Skipped" || (outcome._tag === "Broken" && isKnown)
      ? `<skipped message="${xml(outcome._tag === "Skipped" ? outcome.why : "known to fail")}"/>`
      : outcome._tag === "Broken"
      ? `<failure message="${xml(rule.statement)}">${xml(line(result))}</failure>`
      : `<error message="${xml(outcome.why)}"/>`
    return inner === "" ? `${head}/>` : `${head}>${inner}</testcase>`
  })
  const stale = report.stale.map((id) =>
    `    <testcase classname="known-failing" name="${
      xml(id)
    }"><failure message="listed as known to fail, but holds"/></testcase>`
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
 * A report in one of its forms.
 *
 * @category rendering
 * @since 0.1.0
 */
export const render: { readonly [K in "text" | "json" | "junit"]: (report: Report) => string } = { text, json, junit }
