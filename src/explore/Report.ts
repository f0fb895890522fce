/**
 * The results of explorations, as text, JSON or JUnit.
 *
 * @example
 * ```ts
 * import { Explore, Report } from "effect-txc/explore"
 * import * as Effect from "effect/Effect"
 *
 * const report = (program: Explore.Program) =>
 *   Effect.map(Explore.explore(program, { runs: 1000 }), (result) => Report.render.text([result]))
 * ```
 */
import type { Result } from "./Explore.ts"

/**
 * The exit code of a command that has explored programs: 0 if all invariants held, 1 if an invariant was broken or a
 * required state was never reached, 2 if a program could not be checked.
 *
 * @category rendering
 */
export const exitCode = (results: ReadonlyArray<Result>): 0 | 1 | 2 => {
  if (results.length === 0 || results.some(({ verdict }) => verdict === "invalid")) return 2
  return results.every(({ verdict }) => verdict === "held") ? 0 : 1
}

const histories = (count: number): string => count === 1 ? "1 history" : `${count} histories`

/**
 * Describes an exploration's outcome in one line.
 *
 * @category rendering
 */
export const summary = ({ foundAt = 0, invalid = "", missed, program, runs, seed, verdict }: Result): string => {
  switch (verdict) {
    case "held":
      return `${program}: nothing found in ${histories(runs)} (seed ${seed})`
    case "broken":
      return `${program}: broken in history ${foundAt} (seed ${seed})`
    case "missed":
      return `${program}: never reached in ${histories(runs)} (seed ${seed}): ${missed.join("; ")}`
    case "invalid":
      return `${program}: could not be checked: ${invalid}`
  }
}

const foreign = ({ foreign }: Result): ReadonlyArray<string> =>
  foreign.length === 0 ? [] : [
    "Not replayable: the seed does not control",
    ...foreign.map(({ at, kind }) => `  ${kind}, started at ${at}`)
  ]

/** How often what happened to the program, and how many different states, events and faults occurred. */
const covered = ({ coverage, runs, verdict }: Result): ReadonlyArray<string> => {
  if (verdict === "invalid" || verdict === "broken") return []
  const names = Object.keys(coverage)
  const kinds = (prefix: string) => names.filter((name) => name.startsWith(prefix)).length
  const times = (name: string) => coverage[name] ?? 0
  const often = ["ended", "failed", "killed", "stopped"].map((what) => `${what} in ${times(`program ${what}`)}`)
  const [failure = ""] = names.filter((name) => name.startsWith("failure ")).toSorted((a, b) => times(b) - times(a))
  return [
    `  the program ${often.join(", ")} of these; states of orders: ${kinds("order ")}, calls with faults: ${
      kinds("fault ")
    }, states in all: ${names.length}`,
    ...times("program failed") < runs ? [] : [
      `  WARNING: the program failed in every history, so little was tested: ${failure.replace("failure ", "")}`
    ]
  ]
}

/**
 * Formats a result as lines: the summary, the counterexample's story or what the histories covered, and the resources
 * that the seed does not control.
 */
const lines = (result: Result): ReadonlyArray<string> => [
  summary(result),
  ...(result.counterexample?.words ?? []).map((line) => `  ${line}`),
  ...covered(result),
  ...foreign(result)
]

const text = (results: ReadonlyArray<Result>): string => results.flatMap(lines).join("\n")

const json = (results: ReadonlyArray<Result>): string => JSON.stringify(results, undefined, 2)

// XML 1.0 cannot represent most control characters, even as character references.
const xml = (text: string): string =>
  text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")

const caseOf = (result: Result): string => {
  const { program, verdict } = result
  const element = verdict === "invalid" ? "error" : "failure"
  const inner = verdict === "held"
    ? ""
    : `<${element} message="${xml(summary(result))}">${xml(lines(result).join("\n"))}</${element}>`
  return `    <testcase classname="explore" name="${xml(program)}">${inner}</testcase>`
}

const junit = (results: ReadonlyArray<Result>): string => {
  const count = (verdicts: ReadonlyArray<Result["verdict"]>) =>
    results.filter(({ verdict }) => verdicts.includes(verdict)).length
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites>`,
    `  <testsuite name="effect-txc explore" tests="${results.length}" failures="${
      count(["broken", "missed"])
    }" errors="${count(["invalid"])}">`,
    ...results.map(caseOf),
    `  </testsuite>`,
    `</testsuites>`
  ].join("\n")
}

/**
 * Renders results as text, JSON or JUnit XML.
 *
 * @category rendering
 */
export const render: { readonly [K in "text" | "json" | "junit"]: (results: ReadonlyArray<Result>) => string } = {
  text,
  json,
  junit
}
