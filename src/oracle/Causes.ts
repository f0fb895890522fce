/** Groups broken rules by their likely cause, because one fault in a target often breaks many rules. */
import * as Json from "../protocol/Json.ts"
import { callOf } from "./Features.ts"
import type { Rule } from "./Rule.ts"
import * as Paths from "./world/Paths.ts"

/** The parts of a rule's result that determine its cause. */
interface Judged {
  readonly rule: Pick<Rule, "id">
  readonly outcome: { readonly _tag: string; readonly call?: string; readonly got?: string }
}

/** A likely cause that several broken rules share. */
export interface Cause {
  /** The cause, in one line. */
  readonly why: string
  /** The ids of the rules. */
  readonly rules: ReadonlyArray<string>
  /** Present if the cause is that the target does not serve the rules' calls. The rules' details are then redundant. */
  readonly isUnserved?: true
}

/** A broken rule with the response that shows the fault. */
interface Fault {
  readonly id: string
  /** The method and the path of the call. */
  readonly call: string
  /** The HTTP status and the message of the response; `undefined` if the rule checks only part of the response. */
  readonly answer: string | undefined
}

const answerOf = (got: string): string | undefined => {
  const status = /^HTTP [0-9]{3}(?: \(not JSON[^)]*\))?/u.exec(got)?.[0]
  const message = /"message":"([^"]*)"/u.exec(got)?.[1]
  return status === undefined || message === undefined || message === "" ? status : `${status}, ${message}`
}

const faultOf = ({ outcome: { _tag, call, got = "" }, rule }: Judged): ReadonlyArray<Fault> =>
  _tag === "Broken" && call !== undefined ? [{ id: rule.id, call, answer: answerOf(got) }] : []

const isAuthentication = (answer: string): boolean => /^HTTP 40[13]\b|unauthorized/iu.test(answer)

const isError = (answer: string): boolean => /^HTTP (?:[45][0-9]{2}|[0-9]{3} \(not JSON)/u.test(answer)

const isUnserved = (answer: string): boolean => /^HTTP (?:404|405|501)\b/u.test(answer)

/** Whether the response that breaks a rule is typical of a call that the target does not serve. */
export const mayBeUnserved = ({ outcome: { _tag, got = "" } }: Judged): boolean => _tag === "Broken" && isUnserved(got)

/** Returns the declaration that leaves calls out of a check, as the content of a file for `--features`. */
const declaration = (faults: ReadonlyArray<Fault>): string => {
  const paths = faults.map(({ call }) => callOf(call.replace(/^[A-Z]+ /u, ""))).filter((path) =>
    Paths.all.includes(path)
  )
  return Json.stringify({ missing: Object.fromEntries(paths.map((path) => [path, "not served"])) })
}

/** Describes what the faults have in common; `undefined` if they share too little. */
type Explain = (faults: ReadonlyArray<Fault>) => string | undefined

const everywhere: Explain = (faults) => {
  const calls = new Set(faults.map(({ call }) => call)).size
  const answer = faults[0]?.answer
  if (answer === undefined || !isError(answer) || calls < 2 || faults.length < 5) return undefined
  const many = `${calls} calls have the same response, ${answer}`
  if (isUnserved(answer)) {
    return `${calls} calls get the response ${answer}: the target does not seem to serve them. If it is not meant to, add `
      + `this to the file for --features: ${declaration(faults)}`
  }
  return isAuthentication(answer) ? `authentication fails: ${many}` : many
}

const sameAnswer: Explain = ([first, ...others]) =>
  first?.answer === undefined || others.length === 0 ? undefined : `${first.call} gets the response ${first.answer}`

const sameCall: Explain = ([first, ...others]) => first === undefined || others.length < 2 ? undefined : first.call

/**
 * Returns the ways to group faults, the most informative first. Each grouping applies to the faults that the earlier
 * groupings left over. For a call that is `served`, a response such as HTTP 404 is grouped separately.
 */
const groupings = (
  served: ReadonlyArray<string>
): ReadonlyArray<readonly [key: (fault: Fault) => string, explain: Explain]> => [
  [({ answer = "", call }) => isUnserved(answer) && served.includes(call) ? `${call} ${answer}` : answer, everywhere],
  [({ answer = "", call }) => `${call} ${answer}`, sameAnswer],
  [({ call }) => call, sameCall]
]

/**
 * Returns the likely causes of broken rules, the most frequent first. A rule has at most one cause. `served` are the
 * methods and paths of calls that the target serves.
 */
export const of = (broken: ReadonlyArray<Judged>, served: ReadonlyArray<string> = []): ReadonlyArray<Cause> => {
  let left = broken.flatMap(faultOf)
  const causes: Array<Cause> = []
  for (const [key, explain] of groupings(served)) {
    for (const faults of Map.groupBy(left, key).values()) {
      const why = explain(faults)
      if (why === undefined) continue
      const isOfCalls = explain === everywhere && isUnserved(faults[0]?.answer ?? "")
      causes.push({ why, rules: faults.map(({ id }) => id), ...(isOfCalls ? { isUnserved: true } : {}) })
      left = left.filter((fault) => !faults.includes(fault))
    }
  }
  return causes.toSorted((one, other) => other.rules.length - one.rules.length)
}
