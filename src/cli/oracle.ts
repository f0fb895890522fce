/**
 * `effect-txc oracle`: checks a target against the rules of the document, lists them, and tries failures again.
 *
 * @since 0.1.0
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as Terminal from "effect/Terminal"
import * as Check from "../oracle/Check.ts"
import * as OpenPoints from "../oracle/OpenPoints.ts"
import * as Report from "../oracle/Report.ts"
import type * as Rule from "../oracle/Rule.ts"
import { rules as allRules } from "../oracle/Rules.ts"
import * as Target from "../oracle/Target.ts"
import * as Dialect from "../protocol/Dialect.ts"
import * as FromOutside from "./Credentials.ts"

/** Rules are broken: exit code 1. */
class RulesBroken extends Schema.TaggedError<RulesBroken>()("RulesBroken", { summary: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 1
  override get message(): string {
    return this.summary
  }
}

/** There was nothing to judge: exit code 2. */
class CouldNotRun extends Schema.TaggedError<CouldNotRun>()("CouldNotRun", { reason: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return `The rules could not be checked: ${this.reason}`
  }
}

/** Whatever goes wrong but broken rules: there was nothing to judge. */
const toEnd = <E extends { readonly _tag: string; readonly message: string }>(error: E | RulesBroken | CouldNotRun) =>
  error._tag === "RulesBroken" || error._tag === "CouldNotRun"
    ? error as RulesBroken | CouldNotRun
    : new CouldNotRun({ reason: error.message })

// -----------------------------------------------------------------------------
// The target
// -----------------------------------------------------------------------------

const dialect = Flag.Literals("dialect", ["document", "live"]).pipe(
  Flag.withDescription("How the target is expected to speak"),
  Flag.withDefault("document")
)

const profiles = ["read-only", "mutating", "control"] as const

const profile = Flag.Literals("profile", profiles).pipe(
  Flag.withDescription(
    "What may be done: read; place the smallest orders far from the market and cancel them; or all that a sandbox allows"
  ),
  Flag.withDefault("read-only")
)

const target = {
  url: Flag.String("url").pipe(Flag.withDescription("The base URL of the target"), Flag.optional),
  key: Flag.String("key").pipe(
    Flag.withDescription("The public API key; without it TXC_API_KEY is read. The secret is never an argument"),
    Flag.optional
  ),
  secretFile: FromOutside.secretFile,
  controlUrl: Flag.String("control-url").pipe(
    Flag.withDescription("The control plane of a sandbox, opened by TXC_CONTROL_TOKEN"),
    Flag.optional
  ),
  maxRate: Flag.Int("max-rate").pipe(
    Flag.withDescription("The most requests in a second: 10 unless said otherwise, no bound for a sandbox's control"),
    Flag.optional
  ),
  timeout: Flag.Int("timeout").pipe(
    Flag.withDescription("How many milliseconds an answer may take"),
    Flag.withDefault(10_000)
  )
}

/** What a run against somebody's real exchange may ask for in a second. */
const politeRate = 10

const keysOf = Effect.fnUntraced(function*(key: Option.Option<string>, secretFile: Option.Option<string>) {
  const known = Option.isSome(key)
    ? Option.some(Redacted.make(key.value))
    : yield* Config.option(Config.Redacted("TXC_API_KEY"))
  return Option.isNone(known) ? undefined : yield* FromOutside.read(secretFile, known.value)
})

const controlOf = Effect.fnUntraced(function*(url: Option.Option<string>, asked: Rule.Profile) {
  if (asked !== "control") return undefined
  if (Option.isNone(url)) return yield* new CouldNotRun({ reason: "the profile control needs --control-url" })
  return {
    url: url.value.endsWith("/") ? url.value : `${url.value}/`,
    token: yield* Config.Redacted("TXC_CONTROL_TOKEN")
  }
})

const targetOf = Effect.fnUntraced(function*(
  flags: {
    readonly url: Option.Option<string>
    readonly key: Option.Option<string>
    readonly secretFile: Option.Option<string>
    readonly controlUrl: Option.Option<string>
    readonly maxRate: Option.Option<number>
    readonly timeout: number
  },
  name: Dialect.Dialect["name"],
  asked: Rule.Profile
) {
  if (Option.isNone(flags.url)) return yield* new CouldNotRun({ reason: "say which target: --url URL" })
  const keys = yield* keysOf(flags.key, flags.secretFile)
  const control = yield* controlOf(flags.controlUrl, asked)
  const polite = asked === "control" ? undefined : politeRate
  const maxRate = Option.getOrElse(flags.maxRate, () => polite)
  if (maxRate !== undefined && maxRate < 1) return yield* new CouldNotRun({ reason: "--max-rate is 1 or more" })
  return yield* Target.http({
    baseUrl: flags.url.value,
    dialect: Dialect.byName[name],
    timeout: flags.timeout,
    ...(keys === undefined ? {} : { keys }),
    ...(control === undefined ? {} : { control }),
    ...(maxRate === undefined ? {} : { maxRate })
  })
})

// -----------------------------------------------------------------------------
// Running
// -----------------------------------------------------------------------------

const patterns = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.atLeast(0))

const split = (given: ReadonlyArray<string>): ReadonlyArray<string> =>
  given.flatMap((text) => text.split(",")).map((text) => text.trim()).filter((text) => text !== "")

/** One id, or a pattern, on a line; what follows a # is a remark. */
const readKnown = Effect.fnUntraced(function*(file: Option.Option<string>) {
  if (Option.isNone(file)) return []
  const text = yield* (yield* FileSystem.FileSystem).readFileString(file.value)
  return text.split("\n").map((line) => line.replace(/#.*$/u, "").trim()).filter((line) => line !== "")
})

const isTerminal = Effect.sync(() => process.stdout.isTTY)

const clear = "\r\u001B[K"

/** On a terminal what holds is a line that comes and goes; elsewhere each result is a line. */
const progress = Effect.fnUntraced(function*(isLive: boolean) {
  const terminal = yield* Terminal.Terminal
  return (result: Report.Result, index: number, of: number): Effect.Effect<void> => {
    if (!isLive) return Console.log(Report.line(result))
    const isQuiet = result.outcome._tag === "Held" || result.outcome._tag === "Skipped"
    const shown = isQuiet ? "" : `${Report.line(result)}\n`
    const next = index + 1 === of ? "" : `${index + 1}/${of} ${result.rule.id}`
    return Effect.ignore(terminal.display(`${clear}${shown}${next}`))
  }
})

const replaysFolder = Flag.String("replays").pipe(
  Flag.withDescription("The folder for the replay files of broken rules"),
  Flag.withDefault("effect-txc-replays")
)

const writeReplays = Effect.fnUntraced(function*(folder: string, report: Report.Report) {
  const files = yield* FileSystem.FileSystem
  const broken = Report.broken(report)
  if (broken.length > 0) yield* files.makeDirectory(folder, { recursive: true })
  for (const { outcome, rule } of broken) {
    if (outcome._tag !== "Broken") continue
    const file = `${folder}/${rule.id}.json`
    yield* files.writeFileString(file, `${JSON.stringify(outcome.replay, undefined, 2)}\n`)
    yield* Console.error(`effect-txc oracle replay ${file} --url ${report.target}`)
  }
})

const run = Effect.fn(function*(flags: {
  readonly dialect: Dialect.Dialect["name"]
  readonly profile: Rule.Profile
  readonly only: ReadonlyArray<string>
  readonly skip: ReadonlyArray<string>
  readonly seed: Option.Option<number>
  readonly runs: number
  readonly strict: boolean
  readonly budget: Option.Option<number>
  readonly knownFailing: Option.Option<string>
  readonly report: "text" | "json" | "junit"
  readonly out: Option.Option<string>
  readonly replays: string
  readonly target: Parameters<typeof targetOf>[0]
}) {
  const found = yield* targetOf(flags.target, flags.dialect, flags.profile)
  const isText = flags.report === "text" && Option.isNone(flags.out)
  const only = split(flags.only)
  if (Check.select({ only, skip: split(flags.skip) }).length === 0) {
    return yield* new CouldNotRun({ reason: "no rule has such an id; see effect-txc oracle list" })
  }
  // What can't be written is told before anything is sent, not when all of it is done.
  if (Option.isSome(flags.out)) yield* (yield* FileSystem.FileSystem).writeFileString(flags.out.value, "")
  const onResult = isText || Option.isSome(flags.out) ? yield* progress(yield* isTerminal) : () => Effect.void
  const report = yield* Check.check(found, {
    profile: flags.profile,
    only,
    skip: split(flags.skip),
    runs: flags.runs,
    strict: flags.strict,
    ...(Option.isSome(flags.budget) ? { budget: flags.budget.value * 1000 } : {}),
    knownFailing: yield* readKnown(flags.knownFailing),
    onResult,
    ...(Option.isSome(flags.seed) ? { seed: flags.seed.value } : {})
  })
  const rendered = Report.render[flags.report](report)
  if (Option.isSome(flags.out)) {
    yield* (yield* FileSystem.FileSystem).writeFileString(flags.out.value, `${rendered}\n`)
  } else if (!isText) yield* Console.log(rendered)
  yield* writeReplays(flags.replays, report)
  const summary = Report.summary(report)
  const code = Report.exitCode(report)
  if (code === 1) return yield* new RulesBroken({ summary })
  if (code === 2) return yield* new CouldNotRun({ reason: summary })
  if (isText || Option.isSome(flags.out)) yield* Console.log(summary)
})

// -----------------------------------------------------------------------------
// The table
// -----------------------------------------------------------------------------

const expectationOf = (expectation: Rule.Expectation): string => {
  switch (expectation._tag) {
    case "Same":
      return ""
    case "Other":
      return `${expectation.expectation} (${expectation.source})`
    case "NotApplicable":
      return `not applicable: ${expectation.why}`
  }
}

const rulesCommand = Command.make(
  "rules",
  { dialect: Flag.Literals("dialect", ["document", "live"]).pipe(Flag.optional) },
  Effect.fn(function*({ dialect }) {
    const names = Option.match(dialect, { onNone: () => ["document", "live"] as const, onSome: (name) => [name] })
    for (const { clause, dialects, id, level, profile, statement } of allRules) {
      yield* Console.log(`${id}  [${level}, ${profile}; ${clause}]\n    ${statement}`)
      for (const name of names) {
        const said = expectationOf(dialects[name])
        if (said !== "") yield* Console.log(`    ${name}: ${said}`)
      }
    }
    yield* Console.log("\nWhat the document does not show, and where this project stands:\n")
    for (const { id, point, rules, stance } of OpenPoints.openPoints) {
      const checked = "unchecked" in rules ? `not checked: ${rules.unchecked}` : `checked by ${rules.join(", ")}`
      yield* Console.log(`${id}\n    ${point}: ${stance}\n    ${checked}`)
    }
  })
).pipe(Command.withDescription("Print every rule, and what the document leaves open"))

const listCommand = Command.make(
  "list",
  { profile: Flag.Literals("profile", profiles).pipe(Flag.optional) },
  ({ profile }) =>
    Effect.forEach(
      allRules.filter((rule) => Option.isNone(profile) || rule.profile === profile.value),
      ({ id }) => Console.log(id),
      { discard: true }
    )
).pipe(Command.withDescription("Print the ids of all rules, or of those that need a profile"))

// -----------------------------------------------------------------------------
// Replay
// -----------------------------------------------------------------------------

const ReplayFile = Schema.fromJsonString(Schema.Struct({
  rule: Schema.String,
  dialect: Schema.Literals(["document", "live"]),
  profile: Schema.Literals(["read-only", "mutating", "control"]),
  seed: Schema.Int,
  path: Schema.String,
  runs: Schema.Int,
  replayPath: Schema.optionalKey(Schema.String)
}))

const replayCommand = Command.make(
  "replay",
  { ...target, file: Argument.File("file").pipe(Argument.withDescription("A replay file of a run before")) },
  Effect.fn(
    function*({ file, ...flags }) {
      const text = yield* (yield* FileSystem.FileSystem).readFileString(file)
      const replay = yield* Schema.decodeEffect(ReplayFile)(text).pipe(
        Effect.mapError(() => new CouldNotRun({ reason: `${file} is no replay file` }))
      )
      const found = yield* targetOf(flags, replay.dialect, replay.profile)
      const outcome = yield* Check.replay(found, replay)
      const rule = allRules.find(({ id }) => id === replay.rule)
      if (rule === undefined) return
      yield* Console.log(Report.line({ rule, outcome, isKnown: false, millis: 0 }))
      if (outcome._tag === "Broken") return yield* new RulesBroken({ summary: `${rule.id} is still broken` })
      if (outcome._tag !== "Held") return yield* new CouldNotRun({ reason: outcome.why })
      yield* Console.log(`${rule.id} is fixed: it holds for what broke it`)
    },
    Effect.mapError(toEnd)
  )
).pipe(Command.withDescription("Try a failure again: broken still (exit code 1), or fixed (0)"))

/** @category commands */
export const oracle = Command.make(
  "oracle",
  {
    ...target,
    dialect,
    profile,
    only: patterns("only", "Rules by their ids, such as auth or *.limit.max; again for more"),
    skip: patterns("skip", "Rules that are left out"),
    seed: Flag.Int("seed").pipe(Flag.withDescription("Of everything that is drawn"), Flag.optional),
    runs: Flag.Int("runs").pipe(Flag.withDescription("How many values are drawn for a rule"), Flag.withDefault(10)),
    strict: Flag.Boolean("strict").pipe(
      Flag.withDescription("Rules that only should hold count too"),
      Flag.withDefault(false)
    ),
    budget: Flag.Int("budget").pipe(
      Flag.withDescription("How many seconds all of it may take; rules that have not begun by then are skipped"),
      Flag.optional
    ),
    knownFailing: Flag.File("known-failing").pipe(
      Flag.withDescription("A file of rules that are known to be broken; one that holds is stale, and fails"),
      Flag.optional
    ),
    report: Flag.Literals("report", ["text", "json", "junit"]).pipe(Flag.withDefault("text")),
    out: Flag.String("out").pipe(Flag.withDescription("A file for the report"), Flag.optional),
    replays: replaysFolder
  },
  ({ controlUrl, key, maxRate, secretFile, timeout, url, ...flags }) =>
    run({ ...flags, target: { controlUrl, key, maxRate, secretFile, timeout, url } }).pipe(
      Effect.mapError(toEnd)
    )
).pipe(
  Command.withDescription("Check whether anything that speaks this protocol does what the document says"),
  Command.withSubcommands([rulesCommand, listCommand, replayCommand]),
  Command.withExamples([
    {
      command: "effect-txc oracle --url https://mock.example.com --key K --secret-file secret",
      description: "Reads only"
    },
    {
      command: "TXC_CONTROL_TOKEN=... effect-txc oracle --url URL --control-url URL/control/v1/ --profile control",
      description: "Everything, against a sandbox"
    }
  ])
)
