/**
 * `npm start`: starts the sandbox, makes every call against it, prints the result of each, and keeps serving.
 *
 * @since 0.1.0
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as UndiciTransport from "../client/transport/UndiciTransport.ts"
import * as Exchange from "../Exchange.ts"
import * as Dialect from "../protocol/Dialect.ts"
import * as Control from "../sandbox/control/Control.ts"
import * as Example from "../sandbox/Example.ts"
import * as Server from "../sandbox/gateway/Server.ts"
import * as Venue from "../sandbox/Venue.ts"
import { run } from "./run.ts"
import * as Serving from "./Serving.ts"
import * as Tour from "./tour/tour.ts"

/** Some calls did not do what the document says; the table shows which. */
class NotAsDocumented extends Schema.TaggedError<NotAsDocumented>()("NotAsDocumented", { calls: Schema.Int }) {
  override get message(): string {
    return `${this.calls} of the calls did not do what the document says`
  }
}

const start = Command.make(
  "start",
  {
    once: Flag.Boolean("once").pipe(Flag.withDescription("Stop after the table"), Flag.withDefault(false)),
    dialect: Flag.Literals("dialect", ["document", "live"]).pipe(
      Flag.withDescription("How the protocol is spoken"),
      Flag.withDefault("document")
    )
  },
  Effect.fn(function*({ dialect: name, once }) {
    const dialect = Dialect.byName[name]
    const port = yield* Config.withDefault(Config.Port("PORT"), 0)
    const files = yield* FileSystem.FileSystem
    const file = `${yield* files.makeTempDirectoryScoped({ prefix: "effect-txc-" })}/journal.sqlite`
    const sandbox = Control.layer.pipe(Layer.provideMerge(Venue.layer({ dialect, file })))

    yield* Effect.gen(function*() {
      const { baseUrl } = yield* Server.serve({ port })
      yield* Example.setUp
      yield* Console.log(`The sandbox serves the ${name} dialect on ${baseUrl}; its journal is ${file}\n`)
      const exchange = Exchange.layer({
        baseUrl,
        dialect,
        transport: UndiciTransport.layer,
        credentials: {
          apiKey: Redacted.make(Example.alice.apiKey),
          apiSecret: Redacted.make(Example.alice.apiSecret)
        }
      })
      const broken = yield* Effect.provide(Tour.run(baseUrl, dialect), exchange)
      if (once) return broken === 0 ? undefined : yield* new NotAsDocumented({ calls: broken })
      yield* Console.log(Serving.instructions(baseUrl, dialect))
      return yield* Effect.never
    }).pipe(Effect.provide(sandbox))
  }, Effect.scoped)
).pipe(Command.withDescription("Make every call of the API against a sandbox, then keep serving it"))

run(start)
