/** `effect-txc tour`: starts a sandbox, makes every call against it, and prints the result of each. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
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
import * as Dashboard from "../sandbox/page/Dashboard.ts"
import * as Venue from "../sandbox/venue/Venue.ts"
import * as JournalFolder from "./JournalFolder.ts"
import * as Progress from "./Progress.ts"
import * as Running from "./Running.ts"
import * as SandboxServer from "./SandboxServer.ts"
import * as Screen from "./Screen.ts"
import * as Tour from "./tour/Tour.ts"

/** Some calls deviated from the document. The printed table shows which. */
class NotAsDocumented extends Schema.TaggedError<NotAsDocumented>()("NotAsDocumented", { calls: Schema.Int }) {
  override get message(): string {
    return `${this.calls} calls deviate from the document`
  }
}

/** The flag for the dialect of the tour's sandbox. */
export const dialect = Flag.Literals("dialect", ["document", "live"]).pipe(
  Flag.withDescription("The dialect of the sandbox"),
  Flag.withDefault("document")
)

/** The options of a tour. */
export interface Options {
  /** The sandbox's dialect. */
  readonly dialect: Dialect.Dialect["name"]
  /** The port of the sandbox; 0 for any free port. */
  readonly port: number
  /** Whether the sandbox keeps serving after the tour. */
  readonly serves: boolean
}

/** Starts a sandbox and makes every call of the API against it over HTTP. */
export const give = Effect.fnUntraced(function*({ dialect: name, port, serves }: Options) {
  const dialect = Dialect.byName[name]
  const screen = yield* Screen.current
  const progress = screen.isTerminal ? Progress.hidden : yield* Progress.current
  const files = yield* FileSystem.FileSystem
  const file = `${yield* files.makeTempDirectoryScoped({ prefix: "effect-txc-" })}/journal.sqlite`
  const sandbox = Control.layer.pipe(Layer.provideMerge(Venue.layer({ dialect, file })))

  yield* Effect.gen(function*() {
    const controlToken = JournalFolder.newToken()
    const { baseUrl } = yield* SandboxServer.serve({ port, controlToken })
    yield* Example.playDay
    yield* Example.setUp
    yield* Control.Control.use((control) => control.begin)
    const page = `Watch and control it: ${baseUrl}${Dashboard.path}#token=${controlToken}`
    if (serves) yield* Console.log(page)
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
    const broken = yield* Effect.provide(Tour.run({ baseUrl, dialect, screen, progress }), exchange)
    if (serves) {
      yield* Running.announce({ kind: "sandbox", url: baseUrl, controlToken })
      yield* Console.log(SandboxServer.instructions(baseUrl, dialect))
      // Prints the address again, because the table has scrolled the first line off the screen.
      yield* Console.log(`\n${page}`)
      return yield* Effect.never
    }
    if (broken > 0) return yield* new NotAsDocumented({ calls: broken })
    if (screen.isTerminal) yield* Console.log("Next: effect-txc sandbox serves an exchange that you can call yourself.")
  }).pipe(
    Effect.scoped,
    Effect.provide(sandbox),
    Effect.onInterrupt(() => screen.isTerminal ? Console.log("\rStopped. Nothing was saved.") : Effect.void)
  )
}, Effect.scoped)

export const tour = Command.make("tour", { dialect }, ({ dialect }) => give({ dialect, port: 0, serves: false })).pipe(
  Command.withDescription(
    "Start a sandbox in this process, make every call of the API against it over HTTP, and print the outcome of each. " +
      "It leaves nothing behind"
  ),
  Command.withShortDescription("See it work: make every call against a temporary sandbox"),
  Command.withExamples([{ command: "effect-txc tour --dialect live", description: "The live dialect" }])
)
