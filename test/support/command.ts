/** Runs the `effect-txc` command in the test's own process, and captures its output and error. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Command from "effect/cli/Command"
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import * as TestConsole from "effect/testing/TestConsole"
import { explain } from "../../src/cli/explain.ts"
import * as Presenter from "../../src/cli/Presenter.ts"
import { root } from "../../src/cli/root.ts"

/** The terminal's user. If absent, the command runs without a terminal. */
export interface Person {
  readonly columns?: number
  readonly answer?: string
  readonly canColor?: boolean
}

const devices = (person: Person | undefined, drawn: Array<string>) => {
  const isTerminal = Effect.succeed(person !== undefined)
  return Layer.mergeAll(
    Stdio.layerTest({
      stdinIsTerminal: isTerminal,
      stdoutIsTerminal: isTerminal,
      stderrIsTerminal: isTerminal,
      stderr: () => Sink.forEach((text) => Effect.sync(() => drawn.push(String(text))))
    }),
    Layer.succeed(
      Terminal.Terminal,
      Terminal.make({
        columns: Effect.succeed(person?.columns ?? 0),
        rows: Effect.succeed(24),
        size: Effect.die("not asked for"),
        readInput: Effect.die("not asked for"),
        readLine: Effect.succeed(person?.answer ?? ""),
        display: () => Effect.void
      })
    ),
    Layer.succeed(TerminalCapabilities, {
      canColor: person?.canColor ?? false,
      canAnimate: person !== undefined,
      canPrompt: person !== undefined
    })
  )
}

/** Runs the command. Returns standard output, standard error, and the error if the command fails. */
export const run = Effect.fnUntraced(function*(
  args: ReadonlyArray<string>,
  { environment = {}, person }: {
    readonly environment?: Readonly<Record<string, string>>
    readonly person?: Person
  } = {}
) {
  const drawn: Array<string> = []
  return yield* Effect.gen(function*() {
    const failed = yield* Command.runWith(root, { version: "0.0.0" })(args).pipe(Effect.flip, Effect.option)
    return {
      out: (yield* TestConsole.logLines).join("\n"),
      error: (yield* TestConsole.errorLines).join("\n"),
      drawn: drawn.join(""),
      failed: failed._tag === "Some" ? { tag: failed.value._tag, said: explain(failed.value) } : undefined
    }
  }).pipe(
    Effect.provide([
      Layer.fresh(Presenter.layer).pipe(
        Layer.provideMerge(devices(person, drawn)),
        Layer.provideMerge(NodeServices.layer)
      ),
      FetchHttpClient.layer,
      ConfigProvider.layer(ConfigProvider.fromUnknown(environment)),
      // A fresh layer gives each run its own output.
      Layer.fresh(TestConsole.layer)
    ])
  )
})
