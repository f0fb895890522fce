/**
 * Runs a command as the program: this is where the process begins and ends.
 *
 * @since 0.1.0
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { version } from "./version.ts"

const toIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** One line for a person. It names the setting that is missing or wrong. */
const explain = (error: { readonly message: string }): string =>
  error instanceof Config.ConfigError && Schema.isSchemaError(error.cause)
    ? toIssues(error.cause.issue).issues
      .map(({ message, path }) =>
        `${path?.map(String).join("_") ?? "The environment"} is not set, or wrong: ${message}.`
      )
      .join(" ")
    : error.message

let isTerminated = false

/** Wrong arguments, or a defect: the command did not run to an end of its own. */
const hasNotRun = <E>(cause: Cause.Cause<E>): boolean => {
  const error = Cause.findErrorOption(cause)
  return error._tag === "Some" ? CliError.isCliError(error.value) : Cause.hasDies(cause)
}

/** SIGTERM is a regular way to end: exit code 0. Ctrl-C is not. */
const teardown: Runtime.Teardown = (exit, onExit) =>
  isTerminated && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
    ? onExit(0)
    : Exit.isFailure(exit) && hasNotRun(exit.cause)
    ? onExit(2)
    : Runtime.defaultTeardown(exit, onExit)

/**
 * Runs a command with the arguments of the process. An error is printed as one line, and the exit code is not zero.
 *
 * @category running
 * @since 0.1.0
 */
export const run = <Name extends string, Input, Context, E extends { readonly message: string }>(
  command: Command.Command<Name, Input, Context, E, NodeServices.NodeServices | HttpClient.HttpClient>
): void => {
  process.once("SIGTERM", () => isTerminated = true)
  // A reader such as `head` may close the output early.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1))
  Command.run(command, { version }).pipe(
    // The command has already reported wrong arguments.
    Effect.tapError((error) => CliError.isCliError(error) ? Effect.void : Console.error(explain(error))),
    Effect.tapDefect((defect) => Console.error("This is a defect of effect-txc; please report it:", defect)),
    Effect.provide(Layer.merge(NodeServices.layer, NodeHttpClient.layerUndici)),
    NodeRuntime.runMain({ disableErrorReporting: true, teardown })
  )
}
