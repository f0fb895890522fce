/**
 * `effect-txc sandbox`: serves a sandbox until it is stopped.
 *
 * @since 0.1.0
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { createHash, randomBytes } from "node:crypto"
import * as Dialect from "../protocol/Dialect.ts"
import * as Json from "../protocol/Json.ts"
import * as Control from "../sandbox/control/Control.ts"
import * as ControlApi from "../sandbox/control/ControlApi.ts"
import * as Example from "../sandbox/Example.ts"
import * as Server from "../sandbox/gateway/Server.ts"
import * as Dashboard from "../sandbox/page/Dashboard.ts"
import * as Venue from "../sandbox/Venue.ts"
import * as Data from "./Data.ts"
import * as Serving from "./Serving.ts"

/** An option for a new venue was given for one that exists. */
class NotNew extends Schema.TaggedError<NotNew>()("NotNew", { folder: Schema.String }) {
  override get message(): string {
    return `${this.folder} holds a venue already. --empty, --replay and --clock are for a new one: name another folder ` +
      "with --data"
  }
}

/** An option contradicts the replayed journal. */
class Contradiction extends Schema.TaggedError<Contradiction>()("Contradiction", {}) {
  override readonly message = "--replay restores the journal's own clock and accounts: leave out --empty and --clock"
}

/** @category commands */
export const sandbox = Command.make(
  "sandbox",
  {
    host: Flag.String("host").pipe(Flag.withDescription("The address to listen on"), Flag.withDefault("127.0.0.1")),
    port: Flag.Int("port").pipe(Flag.withDescription("The port; 0 is any free one"), Flag.withDefault(0)),
    dialect: Flag.Literals("dialect", ["document", "live"]).pipe(
      Flag.withDescription("The dialect: as the document writes the protocol, or as the live exchange speaks it"),
      Flag.withDefault("document")
    ),
    reduceOnly: Flag.Literals("reduce-only", ["accepted", "announced"]).pipe(
      Flag.withDescription("Whether reduce-only orders are accepted, or refused as not available yet"),
      Flag.withDefault("accepted")
    ),
    data: Data.folder,
    memory: Flag.Boolean("memory").pipe(
      Flag.withDescription("Keep the journal in memory. Nothing survives the process"),
      Flag.withDefault(false)
    ),
    empty: Flag.Boolean("empty").pipe(
      Flag.withDescription("Start without the example: no accounts and no keys"),
      Flag.withDefault(false)
    ),
    replay: Flag.FileText("replay").pipe(
      Flag.withDescription("Start by replaying an exported journal; see effect-txc journal"),
      Flag.optional
    ),
    clock: Flag.String("clock").pipe(
      Flag.withDescription("Start at this time, such as 2026-01-01T00:00:00Z, with a frozen clock"),
      Flag.mapTryCatch(
        (text) => DateTime.toEpochMillis(DateTime.makeUnsafe(text)),
        () => "write a time such as 2026-01-01T00:00:00Z"
      ),
      Flag.optional
    ),
    seed: Flag.Int("seed").pipe(
      Flag.withDescription("The seed of the control token and of the faults' chances. Without it the token is random"),
      Flag.optional
    ),
    untilStdinEnds: Flag.Boolean("until-stdin-ends").pipe(
      Flag.withDescription("Stop when standard input ends: with the program that holds it, however that ends"),
      Flag.withDefault(false)
    )
  },
  Effect.fn(function*(
    { clock, data, dialect: name, empty, host, memory, port, reduceOnly, replay, seed, untilStdinEnds }
  ) {
    if (Option.isSome(replay) && (empty || Option.isSome(clock))) return yield* new Contradiction()
    const spoken = Dialect.byName[name]
    const dialect = { ...spoken, policy: { ...spoken.policy, reduceOnly } }
    const controlToken = Option.match(seed, {
      onNone: () => randomBytes(24).toString("base64url"),
      onSome: (seed) => createHash("sha256").update(`control token ${seed}`).digest("base64url").slice(0, 32)
    })
    const files = yield* FileSystem.FileSystem
    if (!memory) yield* files.makeDirectory(data, { recursive: true, mode: 0o700 })
    const journal = memory ? {} : { file: Data.journalIn(data) }
    const options = { dialect, seed: Option.getOrElse(seed, () => 0), ...journal }
    const layer = Control.layer.pipe(Layer.provideMerge(Venue.layer(options)))
    return yield* Effect.gen(function*() {
      const control = yield* Control.Control
      const isNew = (yield* control.status).sequence === 0
      if (isNew) {
        if (Option.isSome(replay)) {
          yield* control.replay(replay.value.split("\n"))
        } else {
          if (Option.isSome(clock)) yield* control.setClock({ at: clock.value * 1000 })
          if (!empty) yield* Example.setUp
        }
        // A journal may say itself where it begins.
        if ((yield* control.status).beginning === 0) yield* control.begin
      } else if (empty || Option.isSome(replay) || Option.isSome(clock)) {
        return yield* new NotNew({ folder: data })
      }
      const { baseUrl } = yield* Server.serve({ host, port, controlToken })
      const { apiKey, apiSecret } = Example.alice
      // The first line is for programs, the rest is for people.
      yield* Console.log(
        Json.stringify({ url: baseUrl, controlUrl: baseUrl + ControlApi.prefix, controlToken, apiKey, apiSecret })
      )
      yield* Console.log(
        memory
          ? "The journal is in memory. Nothing survives this process."
          : `${isNew ? "A new journal" : "Resumed from the journal"}: ${Data.journalIn(data)}`
      )
      yield* Console.log(`Watch and control it: ${baseUrl}${Dashboard.path}#token=${controlToken}`)
      yield* Console.log(Serving.instructions(baseUrl, dialect))
      const { stdin } = yield* Stdio.Stdio
      return yield* untilStdinEnds ? Stream.runDrain(stdin) : Effect.never
    }).pipe(Effect.provide(layer))
  }, Effect.scoped)
).pipe(
  Command.withDescription("Serve a sandbox of the exchange"),
  Command.withExamples([
    { command: "effect-txc sandbox --port 8080", description: "Keeps the journal in ./effect-txc-data" },
    {
      command: "effect-txc sandbox --memory --dialect live",
      description: "Speaks like the live exchange and keeps nothing"
    }
  ])
)
