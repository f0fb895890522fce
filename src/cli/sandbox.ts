/**
 * `effect-txc sandbox`: serves a sandbox until it is stopped.
 *
 * @since 0.1.0
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Dialect from "../protocol/Dialect.ts"
import * as Control from "../sandbox/Control.ts"
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
    file: Flag.String("file").pipe(
      Flag.withDescription("Where the journal is kept; what happened there before is there again"),
      Flag.withDefault("effect-txc.sqlite")
    ),
    memory: Flag.Boolean("memory").pipe(
      Flag.withDescription("Keep the journal in memory: nothing survives the process"),
      Flag.withDefault(false)
    )
  },
  Effect.fn(function*({ dialect: name, file, host, memory, port }) {
    const dialect = Dialect.byName[name]
    const layer = Control.layer.pipe(Layer.provideMerge(Venue.layer({ dialect, ...(memory ? {} : { file }) })))
    return yield* Effect.gen(function*() {
      const { state } = yield* Venue.Venue
      const isNew = state.accounts.size === 0
      if (isNew) yield* Example.setUp
      const { baseUrl } = yield* Server.serve({ host, port })
      yield* Console.log(
        memory
          ? "In memory: not durable, nothing survives this process."
          : `${isNew ? "A new journal" : "Resumed from the journal"}: ${file}`
      )
      yield* Console.log(Serving.instructions(baseUrl, dialect))
      return yield* Effect.never
    }).pipe(Effect.provide(layer))
  }, Effect.scoped)
).pipe(
  Command.withDescription("Serve a sandbox of the exchange"),
  Command.withExamples([
    { command: "effect-txc sandbox --port 8080", description: "Keep the journal in ./effect-txc.sqlite" },
    { command: "effect-txc sandbox --memory --dialect live", description: "Speak as the live exchange, keep nothing" }
  ])
)
