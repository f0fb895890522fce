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

/** One line for a person. A setting that is missing or wrong is called by its name. */
const explain = (error: { readonly message: string }): string =>
  error instanceof Config.ConfigError && Schema.isSchemaError(error.cause)
    ? toIssues(error.cause.issue).issues
      .map(({ message, path }) =>
        `${path?.map(String).join("_") ?? "The environment"} is not set, or wrong: ${message}.`
      )
      .join(" ")
    : error.message

let isTerminated = false

/** Wrong arguments, or a defect: nothing was done that a command could tell the end of. */
const isUntold = <E>(cause: Cause.Cause<E>): boolean => {
  const error = Cause.findErrorOption(cause)
  return error._tag === "Some" ? CliError.isCliError(error.value) : Cause.hasDies(cause)
}

/** Who is told to end, and does, has done what it was told; who is interrupted has not. */
const teardown: Runtime.Teardown = (exit, onExit) =>
  isTerminated && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
    ? onExit(0)
    : Exit.isFailure(exit) && isUntold(exit.cause)
    ? onExit(2)
    : Runtime.defaultTeardown(exit, onExit)

/**
 * Runs a command with the arguments of the process. An error is one line, and the exit code is not zero.
 *
 * @category running
 * @since 0.1.0
 */
export const run = <Name extends string, Input, Context, E extends { readonly message: string }>(
  command: Command.Command<Name, Input, Context, E, NodeServices.NodeServices | HttpClient.HttpClient>
): void => {
  process.once("SIGTERM", () => isTerminated = true)
  // Whoever reads the output may have read enough.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1))
  Command.run(command, { version }).pipe(
    // What is wrong with the arguments the command has said already.
    Effect.tapError((error) => CliError.isCliError(error) ? Effect.void : Console.error(explain(error))),
    Effect.tapDefect((defect) => Console.error("This is a defect of effect-txc; please report it:", defect)),
    Effect.provide(Layer.merge(NodeServices.layer, NodeHttpClient.layerUndici)),
    NodeRuntime.runMain({ disableErrorReporting: true, teardown })
  )
}
