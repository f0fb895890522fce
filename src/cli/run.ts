/** Runs a command as the process's main program: from arguments to exit code. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import { explain, isOfSettings } from "./explain.ts"
import * as Interruption from "./Interruption.ts"
import * as Presenter from "./Presenter.ts"
import { version } from "./version.ts"

/** The exit codes and their meanings, as shown in the help. */
export const exitCodes: ReadonlyArray<readonly [code: number, meaning: string]> = [
  [0, "Success, a server stopped with SIGTERM, or watch stopped with Ctrl-C"],
  [1, "The command ran and failed: the exchange refused the call, or rules are broken"],
  [2, "The command did not run because of an argument, a setting or a dependency; or a signal stopped the oracle"],
  [130, "Stopped with Ctrl-C"]
]

/** Returns the exit code of an interrupted or failed command, or `undefined` for the default. */
const exitCodeOf = <E extends { readonly message: string }>(cause: Cause.Cause<E>): number | undefined => {
  if (Cause.hasInterruptsOnly(cause)) return Interruption.exitCode()
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error === undefined) return 2
  // `ShowHelp` without errors means that the user asked for help, which is not an error.
  if (CliError.isCliError(error)) return error._tag === "ShowHelp" && error.errors.length === 0 ? 0 : 2
  return isOfSettings(error) ? 2 : undefined
}

const teardown: Runtime.Teardown = (exit, onExit) => {
  const code = Exit.isFailure(exit) ? exitCodeOf(exit.cause as Cause.Cause<{ readonly message: string }>) : undefined
  return code === undefined ? Runtime.defaultTeardown(exit, onExit) : onExit(code)
}

/**
 * Runs a command with the arguments of the process. Prints an error in one or two lines and exits with a nonzero code.
 */
export const run = <Name extends string, Input, Context, E extends { readonly message: string }>(
  command: Command.Command<Name, Input, Context, E, NodeServices.NodeServices | HttpClient.HttpClient>
): void => {
  Interruption.listen()
  Effect.andThen(Effect.forkChild(Interruption.followNpm), Command.run(command, { version })).pipe(
    // Usage errors have already been printed.
    Effect.tapError((error) => CliError.isCliError(error) ? Effect.void : Console.error(explain(error))),
    Effect.tapDefect((defect) => Console.error("This is a defect of effect-txc; please report it:", defect)),
    Effect.provide(
      Layer.merge(Presenter.layer, NodeHttpClient.layerUndici).pipe(Layer.provideMerge(NodeServices.layer))
    ),
    NodeRuntime.runMain({ disableErrorReporting: true, teardown })
  )
}
