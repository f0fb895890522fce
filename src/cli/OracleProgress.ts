/** Shows the results of a check while it runs, with an estimate of the remaining time. */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Profile from "../oracle/Profile.ts"
import * as Report from "../oracle/Report.ts"
import type * as Rule from "../oracle/Rule.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import type * as Progress from "./Progress.ts"

/** Whether the check will run a rule instead of skipping it. */
export const runs = (rule: Rule.Rule, dialect: Dialect["name"], profile: Profile.Profile): boolean =>
  rule.dialects[dialect]._tag !== "NotApplicable" && Profile.allows(profile, rule.profile)

/** Estimates the time for the remaining rules, in milliseconds, from the average speed so far. */
export const left = (millis: number, done: number, all: number): number =>
  done === 0 ? 0 : millis / done * Math.max(all - done, 0)

/** Returns a duration in seconds or minutes, rounded up. */
export const duration = (millis: number): string =>
  millis <= 90_000 ? `${Math.ceil(millis / 1000)} s` : `${Math.ceil(millis / 60_000)} min`

/** An estimate is shown after this number of rules. */
const minDone = 5

/**
 * Prints the results that {@link onResult} has postponed. A result is left out if the summary already states its cause.
 */
export const rest = (report: Report.Report, isListed: boolean): Effect.Effect<void> =>
  isListed
    ? Effect.forEach(Report.late(report), (result) => Console.log(Report.line(result)), { discard: true })
    : Effect.void

/**
 * Prints a result. On a terminal, prints only rules that are broken or could not run, and shows the progress and the
 * time left on standard error. Otherwise prints one line per result, unless standard output is reserved for the report.
 * Results that may share a cause are left to {@link rest}.
 */
export const onResult = ({ all, isListed, isTerminal, progress: { clear, show }, willRun }: {
  readonly progress: Progress.Progress
  /** Whether results are printed at all. */
  readonly isListed: boolean
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean
  /** Whether the check will run a rule. */
  readonly willRun: (rule: Rule.Rule) => boolean
  /** The number of rules that the check will run. */
  readonly all: number
}): (result: Report.Result, index: number, of: number) => Effect.Effect<void> => {
  let [done, spent] = [0, 0]
  return (result, index, of) => {
    if (willRun(result.rule)) [done, spent] = [done + 1, spent + result.millis]
    const isPrinted = isListed && Report.isShown(result) && !Report.isLate(result) &&
      (!isTerminal || result.outcome._tag !== "Held")
    const line = isPrinted ? Console.log(Report.line(result)) : Effect.void
    const rest = done < minDone ? "" : `, about ${duration(left(spent, done, all))} left`
    const next = index + 1 === of ? Effect.void : show(`${index + 1}/${of}${rest}: ${result.rule.id}`)
    return Effect.andThen(clear, Effect.andThen(line, next))
  }
}
