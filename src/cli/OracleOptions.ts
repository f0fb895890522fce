/** Reads the options of a check, and refuses invalid ones before anything is sent to the target. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as FileProblem from "../client/FileProblem.ts"
import * as Check from "../oracle/Check.ts"
import * as Report from "../oracle/Report.ts"
import { rules } from "../oracle/Rules.ts"
import { Refused } from "./Refused.ts"
import * as Suggestion from "./Suggestion.ts"
import * as Writable from "./Writable.ts"

/** The options as given on the command line. */
export interface Given {
  readonly only: ReadonlyArray<string>
  readonly skip: ReadonlyArray<string>
  readonly seed: Option.Option<number>
  readonly runs: Option.Option<number>
  readonly strict: boolean
  readonly publicOnly: boolean
  readonly budget: Option.Option<number>
  readonly minJudged: Option.Option<number>
  readonly knownFailing: Option.Option<string>
  readonly knownFlaky: Option.Option<string>
  readonly out: Option.Option<string>
  readonly replays: Option.Option<string>
}

const ids = rules.map(({ id }) => id)

const refuse = (wrong: string, remedy: string) => Effect.fail(new Refused({ wrong, remedy }))

const split = (given: ReadonlyArray<string>): ReadonlyArray<string> =>
  given.flatMap((text) => text.split(",")).map((text) => text.trim()).filter((text) => text !== "")

/** Refuses a pattern that matches no rule. Otherwise a mistyped pattern would silently have no effect. */
const known = Effect.fnUntraced(function*(patterns: ReadonlyArray<string>, source: string) {
  const unknown = patterns.find((pattern) => !ids.some((id) => Report.matches([pattern], id)))
  return unknown === undefined ? patterns : yield* refuse(
    `${source} names ${unknown}, which matches no rule${Suggestion.question(unknown, ids)}`,
    "effect-txc oracle list prints the ids of all rules"
  )
})

/** Returns the ids or patterns in a file, one per line. `#` starts a comment. */
const listed = Effect.fnUntraced(function*(file: Option.Option<string>, flag: string) {
  if (Option.isNone(file)) return []
  const text = yield* (yield* FileSystem.FileSystem).readFileString(file.value).pipe(
    Effect.catch((error) =>
      refuse(
        `${flag} ${file.value} cannot be read: ${FileProblem.of(error)}`,
        "Give a file with one id or pattern per line"
      )
    )
  )
  const lines = text.split("\n").map((line) => line.replace(/#.*$/u, "").trim()).filter((line) => line !== "")
  return yield* known(lines, `${flag} ${file.value}`)
})

/** Validates the options of a check and returns them. */
export const read = Effect.fnUntraced(function*(given: Given) {
  const only = yield* known(split(given.only), "--only")
  const skip = yield* known(split(given.skip), "--skip")
  if (Check.select({ only, skip }).length === 0) {
    return yield* refuse("--skip leaves out every rule that --only selects", "Skip fewer rules")
  }
  const knownFailing = yield* listed(given.knownFailing, "--known-failing")
  const knownFlaky = yield* listed(given.knownFlaky, "--known-flaky")
  yield* Writable.check({ file: ["--out", given.out], folder: ["--replays", given.replays] })
  return {
    only,
    skip,
    strict: given.strict,
    publicOnly: given.publicOnly,
    knownFailing,
    knownFlaky,
    ...(Option.isSome(given.budget) ? { budget: given.budget.value * 1000 } : {}),
    ...(Option.isSome(given.minJudged) ? { minJudged: given.minJudged.value } : {}),
    ...(Option.isSome(given.seed) ? { seed: given.seed.value } : {}),
    ...(Option.isSome(given.runs) ? { runs: given.runs.value } : {})
  } satisfies Check.Options
})
