/** `effect-txc oracle`: checks a target against the document's rules, lists the rules, and replays failures. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as Socket from "effect/socket/Socket"
import * as FileProblem from "../client/FileProblem.ts"
import * as Dialer from "../client/session/Dialer.ts"
import * as Check from "../oracle/Check.ts"
import * as Features from "../oracle/Features.ts"
import * as OpenPoints from "../oracle/OpenPoints.ts"
import { type Profile, profiles } from "../oracle/Profile.ts"
import * as Report from "../oracle/Report.ts"
import * as Rule from "../oracle/Rule.ts"
import { rules as allRules } from "../oracle/Rules.ts"
import * as Target from "../oracle/Target.ts"
import * as Dialect from "../protocol/Dialect.ts"
import * as CredentialFlags from "./CredentialFlags.ts"
import { isOfSettings } from "./explain.ts"
import * as Flags from "./Flags.ts"
import * as Interruption from "./Interruption.ts"
import * as OracleOptions from "./OracleOptions.ts"
import * as OracleProgress from "./OracleProgress.ts"
import * as Progress from "./Progress.ts"
import { Refused } from "./Refused.ts"
import * as Screen from "./Screen.ts"

/** The target breaks rules. The command exits with code 1. */
class RulesBroken extends Schema.TaggedError<RulesBroken>()("RulesBroken", { summary: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 1
  override get message(): string {
    return this.summary
  }
}

/** The check could not run. The command exits with code 2. */
class CouldNotRun extends Schema.TaggedError<CouldNotRun>()("CouldNotRun", { reason: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return `The rules could not be checked: ${this.reason}`
  }
}

/**
 * Maps an error to an error with an exit code. Any error except broken rules means that the check could not run, so the
 * exit code is 2. Errors in arguments and settings already have this code.
 */
const toExitCode = <E extends { readonly _tag: string; readonly message: string }>(
  error: E | RulesBroken | CouldNotRun | Refused
) =>
  error._tag === "RulesBroken" || error._tag === "CouldNotRun" || error._tag === "Refused" || isOfSettings(error)
    ? error
    : new CouldNotRun({ reason: error.message })

// -----------------------------------------------------------------------------
// The target
// -----------------------------------------------------------------------------

const dialects = ["document", "live"] as const

const dialect = Flag.Literals("dialect", dialects).pipe(
  Flag.withDescription("The expected dialect of the target; document by default"),
  Flag.withDefault("document")
)

const profile = Flag.Literals("profile", profiles).pipe(
  Flag.withDescription(
    "What the check may do. read-only: only read; mutating: also place and cancel small orders; control: use a sandbox's control plane, and restore the sandbox at the end"
  ),
  Flag.withDefault("read-only")
)

const target = {
  url: Flags.optional(Flags.url("url"), "The base URL of the target"),
  streamsUrl: Flags.optional(
    Flags.text("streams-url", "a URL such as ws://127.0.0.1:8080/ws"),
    "The URL of the target's WebSocket; /ws under the base URL by default"
  ),
  key: Flags.optional(
    Flags.text("key", "the public API key"),
    "The public API key; TXC_API_KEY by default. The secret is never an argument"
  ),
  secretFile: CredentialFlags.secretFile,
  controlUrl: Flags.optional(
    Flags.url("control-url"),
    "The URL of a sandbox's control plane; its token is TXC_CONTROL_TOKEN"
  ),
  features: Flags.optional(
    Flag.File("features"),
    "A JSON file with the features of the target: endpoints, missing calls and streams with reasons, other paths, prices; rules about unlisted endpoints are skipped"
  ),
  maxRate: Flags.optional(
    Flags.count("max-rate"),
    "Maximum requests per second; 10 by default, unlimited for the control profile"
  ),
  timeout: Flags.count("timeout").pipe(
    Flag.withDescription("Timeout of a request in milliseconds; 10000 by default"),
    Flag.withDefault(10_000)
  )
}

/** The default request rate, in requests per second. With the profile `control`, the rate is unlimited. */
const politeRate = 10

const keysOf = Effect.fnUntraced(function*(key: Option.Option<string>, secretFile: Option.Option<string>) {
  const given = Option.isSome(key)
    ? Option.some(Redacted.make(key.value))
    : yield* Config.option(Config.Redacted("TXC_API_KEY"))
  if (Option.isNone(given)) return undefined
  return yield* CredentialFlags.read(secretFile, given.value)
})

/** Reads the file that an argument names. */
const readText = (name: string, file: string) =>
  FileSystem.FileSystem.use((files) => files.readFileString(file)).pipe(
    Effect.mapError((error) => new CouldNotRun({ reason: `${name} ${file} can't be read: ${FileProblem.of(error)}` }))
  )

const controlOf = Effect.fnUntraced(function*(url: Option.Option<string>, profile: Profile) {
  if (profile !== "control") return undefined
  if (Option.isNone(url)) return yield* new CouldNotRun({ reason: "the control profile needs --control-url" })
  return {
    url: url.value.endsWith("/") ? url.value : `${url.value}/`,
    token: yield* Config.Redacted("TXC_CONTROL_TOKEN").pipe(
      Effect.catchTag("ConfigError", () =>
        new Refused({
          wrong: "The control plane has no token",
          remedy: "Set TXC_CONTROL_TOKEN to the token that the sandbox printed when it started"
        }))
    )
  }
})

const streamsUrlOf = (given: Option.Option<string>, baseUrl: string) =>
  Option.isNone(given) || /^wss?:\/\/[^/]/u.test(given.value)
    ? Effect.succeed(Option.getOrElse(given, () => Target.streamsUrl(baseUrl)))
    : new Refused({
      wrong: `--streams-url is not the URL of a WebSocket: ${given.value}`,
      remedy: "Give a URL that begins with ws:// or wss://"
    })

const targetOf = Effect.fnUntraced(function*(
  flags: Command.Command.Config.Infer<typeof target>,
  name: Dialect.Dialect["name"],
  profile: Profile
) {
  if (Option.isNone(flags.url)) return yield* new CouldNotRun({ reason: "no target; give its URL with --url" })
  const keys = yield* keysOf(flags.key, flags.secretFile)
  const control = yield* controlOf(flags.controlUrl, profile)
  const polite = profile === "control" ? undefined : politeRate
  const maxRate = Option.getOrElse(flags.maxRate, () => polite)
  const features = Option.isNone(flags.features)
    ? undefined
    : yield* Effect.flatMap(readText("--features", flags.features.value), Features.parse)
  const streamsUrl = yield* streamsUrlOf(flags.streamsUrl, flags.url.value)
  const dialer = Dialer.layer({ url: streamsUrl }).pipe(Layer.provide(Socket.layerWebSocketConstructorGlobal))
  const found = Target.http({
    baseUrl: flags.url.value,
    dialect: Dialect.byName[name],
    timeout: flags.timeout,
    ...(keys === undefined ? {} : { keys }),
    ...(control === undefined ? {} : { control }),
    ...(features === undefined ? {} : { features }),
    ...(maxRate === undefined ? {} : { maxRate })
  })
  return yield* Effect.provide(found, dialer)
})

// -----------------------------------------------------------------------------
// Running
// -----------------------------------------------------------------------------

const patterns = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.atLeast(0))

const flags = {
  ...target,
  dialect,
  profile,
  only: patterns("only", "Ids or patterns of the rules to run, such as auth or *.limit.max; repeatable"),
  skip: patterns("skip", "Ids or patterns of the rules to leave out; repeatable"),
  seed: Flags.optional(Flag.Int("seed"), "The seed of the generated values; random by default"),
  runs: Flags.optional(
    Flags.count("runs"),
    "The number of generated values per rule; 10 by default, 5 for the read-only profile"
  ),
  strict: Flags.toggle("strict", "Fail for broken SHOULD rules too"),
  publicOnly: Flags.toggle(
    "public-only",
    "Accept a check without an API key, which covers only public calls; without this flag, the exit code is then 2"
  ),
  budget: Flags.optional(
    Flags.count("budget"),
    "The time limit of the check in seconds; rules that have not begun by then are skipped"
  ),
  knownFailing: Flags.optional(
    Flag.File("known-failing"),
    "A file with ids of rules known to be broken; an entry whose rule holds is stale, and fails the check"
  ),
  knownFlaky: Flags.optional(
    Flag.File("known-flaky"),
    "A file with ids of rules that break only sometimes; these rules never fail the check"
  ),
  minJudged: Flags.optional(
    Flags.count("min-judged"),
    "The minimum number of rules to evaluate; with fewer, the exit code is 2; 1 by default"
  ),
  report: Flag.Literals("report", ["text", "json", "junit"]).pipe(
    Flag.withDescription("The format of the report; text by default"),
    Flag.withDefault("text")
  ),
  out: Flags.optional(Flags.text("out", "a file"), "The file for the report; standard output by default"),
  replays: Flags.optional(
    Flags.text("replays", "a folder"),
    "The folder for one replay file per broken rule; none by default"
  )
}

const writeReplays = Effect.fnUntraced(function*(folder: string, report: Report.Report) {
  const files = yield* FileSystem.FileSystem
  const broken = Report.broken(report)
  for (const { outcome, rule } of broken) {
    if (outcome._tag !== "Broken") continue
    const file = `${folder}/${rule.id}.json`
    yield* files.writeFileString(file, `${JSON.stringify(outcome.replay, undefined, 2)}\n`)
    yield* Console.error(`effect-txc oracle replay ${file} --url ${report.target}`)
  }
})

/**
 * Writes the report to its file or, unless its format is text, to standard output. Also writes the replay files if a
 * folder is given.
 */
const write = Effect.fnUntraced(function*(
  { out, replays, report: format }: Pick<Command.Command.Config.Infer<typeof flags>, "out" | "replays" | "report">,
  report: Report.Report
) {
  const rendered = Report.render[format](report)
  if (Option.isSome(out)) yield* (yield* FileSystem.FileSystem).writeFileString(out.value, `${rendered}\n`)
  else if (format !== "text") yield* Console.log(rendered)
  if (Option.isSome(replays)) yield* writeReplays(replays.value, report)
})

/**
 * When the check is interrupted, writes a report on the rules that have run. The process then exits with the report's
 * exit code.
 */
const onInterrupt = Effect.fnUntraced(function*(
  given: Command.Command.Config.Infer<typeof flags>,
  progress: Progress.Progress,
  report: Report.Report
) {
  yield* progress.clear
  yield* OracleProgress.rest(report, given.report === "text" || Option.isSome(given.out))
  yield* Effect.catch(write(given, report), ({ message }) => Console.error(message))
  yield* Console.error(Report.summary(report))
  yield* Interruption.endWith(Report.exitCode(report))
})

const run = Effect.fn(function*(given: Command.Command.Config.Infer<typeof flags>) {
  const options = yield* OracleOptions.read(given)
  const found = yield* targetOf(given, given.dialect, given.profile)
  const isListed = given.report === "text" || Option.isSome(given.out)
  const willRun = (rule: Rule.Rule) => OracleProgress.runs(rule, given.dialect, given.profile)
  const all = Check.select(options).filter(willRun).length
  const progress = yield* Progress.current
  yield* progress.show(`Checking ${found.baseUrl} against ${all} rules`)
  const context = yield* Effect.context<FileSystem.FileSystem>()
  const report = yield* Check.check(found, {
    ...options,
    profile: given.profile,
    onResult: OracleProgress.onResult({
      progress,
      isListed,
      isTerminal: (yield* Screen.current).isTerminal,
      willRun,
      all
    }),
    onInterrupt: (report) => Effect.provideContext(onInterrupt(given, progress, report), context)
  }).pipe(Effect.ensuring(progress.clear))
  yield* OracleProgress.rest(report, isListed)
  yield* write(given, report)
  const summary = Report.summary(report)
  const code = Report.exitCode(report)
  if (code === 1) return yield* new RulesBroken({ summary })
  if (code === 2) return yield* new CouldNotRun({ reason: summary })
  if (isListed) yield* Console.log(summary)
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

/**
 * Returns a rule's level, such as `MUST`. If the level differs between the dialects to which the rule applies, returns
 * all its levels.
 */
const levels = (rule: Rule.Rule, names: ReadonlyArray<Dialect.Dialect["name"]>): string => {
  const applying = names.filter((name) => rule.dialects[name]._tag !== "NotApplicable")
  const found = applying.map((name) => ({ name, level: Rule.levelIn(rule, name) }))
  return new Set(found.map(({ level }) => level)).size < 2
    ? found[0]?.level ?? rule.level
    : found.map(({ level, name }) => `${level} in the ${name} dialect`).join(" and ")
}

const rulesCommand = Command.make(
  "rules",
  {
    dialect: Flags.optional(
      Flag.Literals("dialect", dialects),
      "Print the expectation of this dialect only; both by default"
    )
  },
  Effect.fn(function*({ dialect }) {
    const names = Option.match(dialect, { onNone: () => dialects, onSome: (name) => [name] })
    for (const rule of allRules) {
      const { clause, id, profile, statement } = rule
      yield* Console.log(`${id}  [${levels(rule, names)}, ${profile}; ${clause}]\n    ${statement}`)
      for (const name of names) {
        const expectation = expectationOf(rule.dialects[name])
        if (expectation !== "") yield* Console.log(`    ${name}: ${expectation}`)
      }
    }
    yield* Console.log("\nPoints that the document leaves open, with the stance of this project:\n")
    for (const { id, point, rules, stance } of OpenPoints.openPoints) {
      const checked = "unchecked" in rules ? `not checked: ${rules.unchecked}` : `checked by ${rules.join(", ")}`
      yield* Console.log(`${id}\n    ${point}: ${stance}\n    ${checked}`)
    }
  })
).pipe(Command.withDescription("Print all rules, and the points that the document leaves open"))

const listCommand = Command.make(
  "list",
  {
    profile: Flags.optional(Flag.Literals("profile", profiles), "Print only rules of this profile")
  },
  ({ profile }) =>
    Effect.forEach(
      allRules.filter((rule) => Option.isNone(profile) || rule.profile === profile.value),
      ({ id }) => Console.log(id),
      { discard: true }
    )
).pipe(Command.withDescription("Print the ids of all rules"))

// -----------------------------------------------------------------------------
// Replay
// -----------------------------------------------------------------------------

const ReplayFile = Schema.fromJsonString(Schema.Struct({
  rule: Schema.String,
  dialect: Schema.Literals(dialects),
  profile: Schema.Literals(profiles),
  seed: Schema.Int,
  path: Schema.String,
  runs: Schema.Int,
  replayPath: Schema.optionalKey(Schema.String)
}))

const replayCommand = Command.make(
  "replay",
  { ...target, file: Argument.File("file").pipe(Argument.withDescription("A replay file of an earlier check")) },
  Effect.fn(
    function*({ file, ...flags }) {
      const text = yield* readText("<file>", file)
      const replay = yield* Schema.decodeEffect(ReplayFile)(text).pipe(
        Effect.mapError(() => new CouldNotRun({ reason: `${file} is not a replay file` }))
      )
      const found = yield* targetOf(flags, replay.dialect, replay.profile)
      const outcome = yield* Progress.during(`Replaying ${replay.rule}`, Check.replay(found, replay))
      const rule = allRules.find(({ id }) => id === replay.rule)
      if (rule === undefined) return
      const level = Rule.levelIn(rule, replay.dialect)
      yield* Console.log(Report.line({ rule, level, outcome, isKnown: false, millis: 0 }))
      if (outcome._tag === "Broken") return yield* new RulesBroken({ summary: `${rule.id} is still broken` })
      if (outcome._tag !== "Held") return yield* new CouldNotRun({ reason: outcome.why })
      yield* Console.log(`${rule.id} is fixed: it holds for the value that broke it`)
    },
    Effect.mapError(toExitCode)
  )
).pipe(Command.withDescription("Replay a failure: exit code 1 if the rule is still broken, 0 if it is fixed"))

export const oracle = Command.make("oracle", flags, (given) => Effect.mapError(run(given), toExitCode)).pipe(
  Command.withDescription("Check whether a server implements this protocol as the document says"),
  Command.withShortDescription("Check whether a server implements the document"),
  Command.withSubcommands([rulesCommand, listCommand, replayCommand]),
  Command.withExamples([
    {
      command: "effect-txc oracle --url https://mock.example.com --key my-key --secret-file secret",
      description: "Reads only"
    },
    {
      command: "TXC_CONTROL_TOKEN=... effect-txc oracle --url URL --control-url URL/control/v1/ --profile control",
      description: "All rules, on a sandbox"
    }
  ])
)
