/** `effect-txc sandbox`: serves a sandbox until it is stopped. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { ApiKey } from "../domain/Identifiers.ts"
import * as Dialect from "../protocol/Dialect.ts"
import * as Json from "../protocol/Json.ts"
import * as Control from "../sandbox/control/Control.ts"
import * as ControlApi from "../sandbox/control/ControlApi.ts"
import type { SetCounterpartyOptions } from "../sandbox/engine/SetCounterparty.ts"
import * as Times from "../sandbox/engine/Times.ts"
import * as Example from "../sandbox/Example.ts"
import * as Dashboard from "../sandbox/page/Dashboard.ts"
import * as Venue from "../sandbox/venue/Venue.ts"
import * as Browser from "./Browser.ts"
import * as Counterparty from "./Counterparty.ts"
import * as Flags from "./Flags.ts"
import * as JournalFolder from "./JournalFolder.ts"
import * as Listening from "./Listening.ts"
import * as Panel from "./Panel.ts"
import * as Progress from "./Progress.ts"
import { Refused } from "./Refused.ts"
import * as Running from "./Running.ts"
import * as SandboxServer from "./SandboxServer.ts"
import * as Screen from "./Screen.ts"

const flags = {
  host: Listening.host,
  port: Listening.port,
  allowHosts: Listening.allowHosts,
  json: Flags.json,
  open: Flags.open,
  dialect: Flag.Literals("dialect", ["document", "live"]).pipe(
    Flag.withDescription("The dialect: that of the document, or that of the live exchange"),
    Flag.withDefault("document")
  ),
  reduceOnly: Flag.Literals("reduce-only", ["accepted", "announced"]).pipe(
    Flag.withDescription("Accept reduce-only orders, or refuse them as not yet available"),
    Flag.withDefault("accepted")
  ),
  data: JournalFolder.folder.pipe(
    Flag.withDescription(
      "The folder of the journal and of the control token. A sandbox resumes from the journal in it. Default: a folder of this " +
        "project under your state folder on a terminal, effect-txc-data for a program"
    )
  ),
  memory: Flags.toggle(
    "memory",
    "Keep the journal in memory; nothing survives the process, and each start has a new control token"
  ),
  empty: Flags.toggle("empty", "Start without the example: no accounts and no keys"),
  replay: Flags.optional(
    Flag.FileText("replay"),
    "Replay an exported journal or a counterexample at the start; see effect-txc journal and effect-txc explore"
  ),
  clock: Flag.String("clock").pipe(
    Flag.withDescription("Start with the clock frozen at this time, such as 2026-01-01T00:00:00Z"),
    Flag.filterMap(
      (text) =>
        Option.filter(
          Option.map(DateTime.make(text), DateTime.toEpochMillis),
          (millis) => millis >= 0 && millis * 1000 <= Times.latest
        ),
      () => "a time from 1970 to the end of 2199 such as 2026-01-01T00:00:00Z"
    ),
    Flag.optional
  ),
  counterparty: Counterparty.flag,
  seed: Flags.optional(
    Flag.Int("seed"),
    "The seed of random faults; 0 by default. The control token, secrets and codes are always random, from the machine"
  ),
  untilStdinEnds: Flags.untilStdinEnds
}

/** The flags that determine the initial state of a new venue. */
interface Beginning {
  readonly empty: boolean
  readonly replay: Option.Option<string>
  readonly clock: Option.Option<number>
  readonly counterparty: ReadonlyArray<SetCounterpartyOptions>
}

const WithCommands = Schema.fromJsonString(Schema.Struct({ commands: Schema.Array(Schema.String) }))

/** Makes the counterparty quote the markets that the flags name. */
const quoteMarkets = (counterparty: Beginning["counterparty"]) =>
  Effect.flatMap(
    Control.Control,
    (control) =>
      Effect.forEach(counterparty, (options) =>
        Effect.catchTag(control.setCounterparty(options), "ControlRefused", ({ message }) =>
          Effect.fail(
            new Refused({
              wrong: `--counterparty ${options.market}: ${message}`,
              remedy: "See effect-txc sandbox --help"
            })
          )), { discard: true })
  )

/**
 * Returns the commands in a file that is either an exported journal or a counterexample from `effect-txc explore
 * --save`.
 */
const linesOf = (text: string): ReadonlyArray<string> =>
  Option.match(Schema.decodeOption(WithCommands)(text), {
    onNone: () => text.split("\n"),
    onSome: ({ commands }) => commands
  })

const begin = Effect.fnUntraced(function*({ clock, counterparty, empty, replay }: Beginning) {
  const control = yield* Control.Control
  if (Option.isSome(replay)) {
    const lines = linesOf(replay.value)
    yield* Progress.during(`Replaying ${lines.length} commands`, control.replay(lines)).pipe(
      Effect.catchTag(
        "ControlRefused",
        ({ message }) =>
          Effect.fail(
            new Refused({ wrong: message, remedy: "Pass --replay the complete output of effect-txc journal" })
          )
      )
    )
  } else {
    if (Option.isSome(clock)) yield* control.setClock({ at: clock.value * 1000 })
    else if (!empty) yield* Example.playDay
    if (!empty) yield* Example.setUp
  }
  yield* quoteMarkets(counterparty)
  // `begin` marks the state that a reset restores. A replayed journal may already contain this mark.
  if ((yield* control.status).beginning === 0) yield* control.begin
})

/** Sets up a new venue, or resumes the venue in the journal. Returns whether the venue is new. */
const startOrResume = Effect.fnUntraced(function*(beginning: Beginning, folder: string) {
  const control = yield* Control.Control
  if ((yield* control.status).sequence === 0) {
    yield* begin(beginning)
    return true
  }
  const { clock, counterparty, empty, replay } = beginning
  if (!empty && Option.isNone(replay) && Option.isNone(clock)) {
    yield* quoteMarkets(counterparty)
    return false
  }
  return yield* new Refused({
    wrong: `${folder} already has a venue, and --empty, --replay and --clock need a new one`,
    remedy: "Pass another folder with --data, or use --memory to save nothing"
  })
})

/** The data about a started sandbox that the command prints. */
interface Started {
  readonly baseUrl: string
  readonly controlToken: string
  readonly dialect: Dialect.Dialect
  readonly folder: Option.Option<string>
  readonly isNew: boolean
}

/** Returns the URL of the sandbox's page, with the token that grants access. */
const pageOf = ({ baseUrl, controlToken }: Started): string => `${baseUrl}${Dashboard.path}#token=${controlToken}`

/** Prints the output if a program started this command: JSON on the first line, then lines for human readers. */
const printForProgram = (started: Started) => {
  const { baseUrl, controlToken, dialect, folder, isNew } = started
  const { apiKey, apiSecret } = Example.alice
  const journal = Option.match(folder, {
    onNone: () => "The journal is in memory. Nothing survives this process.",
    onSome: (folder) => `${isNew ? "A new journal" : "Resumed from the journal"}: ${JournalFolder.journalIn(folder)}`
  })
  return Effect.forEach(
    [
      Json.stringify({ url: baseUrl, controlUrl: baseUrl + ControlApi.prefix, controlToken, apiKey, apiSecret }),
      journal,
      `Watch and control it: ${pageOf(started)}`,
      SandboxServer.instructions(baseUrl, dialect)
    ],
    (line) => Console.log(line),
    { discard: true }
  )
}

const printForPerson = Effect.fnUntraced(function*(
  started: Started,
  isUsualPort: boolean,
  { paint }: Screen.Screen
) {
  const { baseUrl, dialect, folder, isNew } = started
  const { state } = yield* Venue.Venue
  const content: Panel.Content = {
    baseUrl,
    otherPort: isUsualPort ? undefined : `port ${Listening.usualPort} is in use`,
    dialect: dialect.name,
    page: pageOf(started),
    journal: Option.match(folder, {
      onNone: () => "in memory; nothing survives this process",
      onSome: (folder) => `${JournalFolder.journalIn(folder)} (${isNew ? "new" : "resumed"})`
    }),
    hasExample: state.keys.has(ApiKey.make(Example.alice.apiKey))
  }
  yield* Console.log(Panel.render(content, paint))
})

const farewell = (folder: Option.Option<string>): string =>
  Option.isSome(folder) ? "Stopped. Run the same command to resume." : "Stopped. Nothing was saved."

export const sandbox = Command.make(
  "sandbox",
  flags,
  Effect.fn(function*(
    {
      allowHosts,
      clock,
      counterparty,
      data,
      dialect: name,
      empty,
      host,
      json,
      memory,
      open,
      port,
      reduceOnly,
      replay,
      seed,
      untilStdinEnds
    }
  ) {
    if (Option.isSome(replay) && (empty || Option.isSome(clock))) {
      return yield* new Refused({
        wrong: "--replay restores the journal's own clock and accounts",
        remedy: "Remove --empty and --clock"
      })
    }
    yield* JournalFolder.unlessMemory(memory, data)
    const screen = yield* Screen.current
    const isForPeople = screen.isTerminal && !json
    const folder = memory ? Option.none() : Option.some(yield* JournalFolder.forSandbox(data, isForPeople))
    if (Option.isSome(folder)) yield* JournalFolder.make(folder.value)

    const spoken = Dialect.byName[name]
    const dialect = { ...spoken, policy: { ...spoken.policy, reduceOnly } }
    const file = Option.match(folder, {
      onNone: () => ({}),
      onSome: (folder) => ({ file: JournalFolder.journalIn(folder) })
    })
    const options = { dialect, seed: Option.getOrElse(seed, () => 0), secrets: "random" as const, ...file }
    const where = Option.getOrElse(folder, () => "memory")

    const serve = Effect.gen(function*() {
      const isNew = yield* startOrResume({ empty, replay, clock, counterparty }, where)
      const controlToken = Option.isSome(folder) ? yield* JournalFolder.token(folder.value) : JournalFolder.newToken()
      const { baseUrl } = yield* Listening.listen(
        (port) => SandboxServer.serve({ host, allowHosts, controlToken, port }),
        port,
        isForPeople
      )
      yield* Running.announce({ kind: "sandbox", url: baseUrl, controlToken, data: Option.getOrUndefined(folder) })
      const serving = { baseUrl, controlToken, dialect, folder, isNew }
      const isUsualPort = Option.isSome(port) || baseUrl.endsWith(`:${Listening.usualPort}`)
      yield* isForPeople ? printForPerson(serving, isUsualPort, screen) : printForProgram(serving)
      if (open) yield* Browser.open(pageOf(serving))
      if (isForPeople) yield* Panel.follow(screen)
      const { stdin } = yield* Stdio.Stdio
      return yield* untilStdinEnds ? Stream.runDrain(stdin) : Effect.never
    })
    return yield* Effect.scoped(serve).pipe(
      Effect.provide(Control.layer.pipe(Layer.provideMerge(Venue.layer(options)))),
      Effect.catchTag("JournalError", (error) => Effect.flatMap(JournalFolder.refusalOf(error, where), Effect.fail)),
      Effect.onInterrupt(() => isForPeople ? Console.log(`\r${farewell(folder)}`) : Effect.void)
    )
  })
).pipe(
  Command.withDescription(
    "Serve a sandbox of the exchange until it is stopped. On a terminal it shows its address, and a line for every " +
      "call. For programs (--json, or if standard output is not a terminal) the first line is JSON: url, controlUrl, " +
      "controlToken, apiKey, apiSecret"
  ),
  Command.withShortDescription("Serve an exchange that you can call, watch and break, with a persistent journal"),
  Command.withExamples([
    { command: "effect-txc sandbox", description: "For you: on port 8080, with a persistent journal" },
    {
      command: "effect-txc sandbox --memory --dialect live",
      description: "The live dialect, in memory"
    },
    { command: "effect-txc sandbox --memory --json", description: "For a program: the first line is JSON" }
  ])
)
