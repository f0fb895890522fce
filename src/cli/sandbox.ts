/**
 * `effect-txc sandbox`: serves a sandbox until it is stopped.
 *
 * @since 0.1.0
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { createHash, randomBytes } from "node:crypto"
import * as Dialect from "../protocol/Dialect.ts"
import * as Json from "../protocol/Json.ts"
import * as Control from "../sandbox/Control.ts"
import * as ControlPlane from "../sandbox/ControlPlane.ts"
import * as Example from "../sandbox/Example.ts"
import * as Server from "../sandbox/Server.ts"
import * as Venue from "../sandbox/Venue.ts"
import * as Serving from "./Serving.ts"

/** @category commands */
export const sandbox = Command.make(
  "sandbox",
  {
    host: Flag.String("host").pipe(Flag.withDescription("The address to listen on"), Flag.withDefault("127.0.0.1")),
    port: Flag.Int("port").pipe(Flag.withDescription("The port; 0 is any free one"), Flag.withDefault(0)),
    dialect: Flag.Literals("dialect", ["document", "live"]).pipe(
      Flag.withDescription("How the protocol is spoken: as the document writes it, or as the live exchange does"),
      Flag.withDefault("document")
    ),
    reduceOnly: Flag.Literals("reduce-only", ["accepted", "announced"]).pipe(
      Flag.withDescription("Whether reduce-only orders are accepted, or refused as not available yet"),
      Flag.withDefault("accepted")
    ),
    data: Flag.String("data").pipe(
      Flag.withDescription("The folder of the journal; what happened there before is there again"),
      Flag.withDefault("effect-txc-data")
    ),
    memory: Flag.Boolean("memory").pipe(
      Flag.withDescription("Keep the journal in memory: nothing survives the process"),
      Flag.withDefault(false)
    ),
    seed: Flag.Int("seed").pipe(
      Flag.withDescription("Makes the control token the same every time; otherwise it is random"),
      Flag.optional
    )
  },
  Effect.fn(function*({ data, dialect: name, host, memory, port, reduceOnly, seed }) {
    const spoken = Dialect.byName[name]
    const dialect = { ...spoken, rules: { ...spoken.rules, reduceOnly } }
    const controlToken = Option.match(seed, {
      onNone: () => randomBytes(24).toString("base64url"),
      onSome: (seed) => createHash("sha256").update(`control token ${seed}`).digest("base64url").slice(0, 32)
    })
    const files = yield* FileSystem.FileSystem
    if (!memory) yield* files.makeDirectory(data, { recursive: true, mode: 0o700 })
    const journal = memory ? {} : { file: `${data}/journal.sqlite` }
    const layer = Control.layer.pipe(Layer.provideMerge(Venue.layer({ dialect, ...journal })))
    return yield* Effect.gen(function*() {
      const { state } = yield* Venue.Venue
      const isNew = state.accounts.size === 0
      if (isNew) yield* Example.setUp
      const { baseUrl } = yield* Server.serve({ host, port, controlToken })
      const { apiKey, apiSecret } = Example.alice
      // The first line is for programs, the others are for people.
      yield* Console.log(
        Json.stringify({ url: baseUrl, controlUrl: baseUrl + ControlPlane.prefix, controlToken, apiKey, apiSecret })
      )
      yield* Console.log(
        memory
          ? "In memory: not durable, nothing survives this process."
          : `${isNew ? "A new journal" : "Resumed from the journal"}: ${data}/journal.sqlite`
      )
      yield* Console.log(Serving.instructions(baseUrl, dialect))
      return yield* Effect.never
    }).pipe(Effect.provide(layer))
  }, Effect.scoped)
).pipe(
  Command.withDescription("Serve a sandbox of the exchange"),
  Command.withExamples([
    { command: "effect-txc sandbox --port 8080", description: "Keep the journal in ./effect-txc-data" },
    { command: "effect-txc sandbox --memory --dialect live", description: "Speak as the live exchange, keep nothing" }
  ])
)
