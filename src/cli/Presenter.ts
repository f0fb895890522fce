/** Prints the command's help and usage errors. */
import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import type { HelpDoc } from "effect/cli/HelpDoc"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as FlagSuggestion from "./FlagSuggestion.ts"
import * as Screen from "./Screen.ts"
import * as Suggestion from "./Suggestion.ts"
import { version } from "./version.ts"

/** Extra help text for a command. The text is built only when help is printed. */
export class ExtraHelp extends Context.Reference<(paint: Screen.Paint) => string>("effect-txc/cli/ExtraHelp", {
  defaultValue: () => () => ""
}) {}

/** Formats an overview of the subcommands, in the order in which a new user needs them. */
const overview = ({ subcommands = [] }: HelpDoc, { bold, cyan, dim }: Screen.Paint): string =>
  [
    `${bold("effect-txc")} ${version}: a client, a sandbox and an oracle for a crypto exchange's private HTTP API V4`,
    "",
    ...subcommands.flatMap(({ commands }) =>
      commands.map(({ description, name, shortDescription }) =>
        `  ${cyan(`effect-txc ${name}`.padEnd(20))} ${shortDescription ?? description}`
      )
    ),
    "",
    `Start with ${cyan("effect-txc tour")}. ${dim("effect-txc COMMAND --help explains each command.")}`
  ].join("\n")

/** For each command, the names of similar commands in other tools. */
const synonyms: Readonly<Record<string, ReadonlyArray<string>>> = {
  call: ["curl", "get", "post", "request", "send"],
  control: ["admin", "ps", "status"],
  oracle: ["check", "conformance", "test", "validate", "verify"],
  sandbox: ["mock", "run", "serve", "server", "simulator", "start", "up"],
  tour: ["demo", "example", "try"],
  watch: ["follow", "stream", "subscribe", "tail", "ws"]
}

/** Extracts the choices from an error such as `Expected "main" | "trade"`. Other errors have no choices. */
const choicesIn = (expected: string): ReadonlyArray<string> => {
  const [, list = ""] = /^(?:Expected:? )?("[^"]+"(?: \| "[^"]+")*)$/u.exec(expected) ?? []
  return [...list.matchAll(/"([^"]+)"/gu)].map(([, choice = ""]) => choice)
}

/** The maximum number of choices that an error lists. */
const fewChoices = 8

/** Rewrites Effect's description of a valid value in plain words, such as `a whole number`. */
const inWords = (expected: string): string =>
  expected.replace(/^Expected:? /u, "")
    .replace(/^(?:a string representing a finite number|an integer).*$/u, "a whole number")
    // A description that begins with a capital letter is already a complete sentence.
    .replace(/^(?=[a-z])/u, "expected ")

const wrongValue = ({ expected, kind, option, value }: CliError.InvalidValue): string => {
  const name = kind === "flag" ? `--${option}` : `<${option}>`
  if (value === "") return `${name} needs a value: ${inWords(expected)}`
  const choices = choicesIn(expected)
  if (choices.length === 0)
    return `${name} cannot be "${value}": ${inWords(expected)}`
  const near = Suggestion.question(value, choices)
  return near === "" && choices.length <= fewChoices
    ? `${name} cannot be "${value}": choose one of ${choices.join(", ")}`
    : `${name} cannot be "${value}"${near}`
}

/** Returns the first argument that the command does not take, such as the value of an unknown flag. */
const operandIn = (errors: ReadonlyArray<CliError.NonShowHelpErrors>): string | undefined => {
  for (const error of errors) {
    if (error._tag === "UnknownSubcommand") return error.subcommand
    if (error._tag === "UnexpectedArgument") return error.arguments[0]
  }
  return undefined
}

/** Explains a usage error in one line. `errors` lists all usage errors of the invocation, including this one. */
const explain = (
  error: CliError.NonShowHelpErrors,
  errors: ReadonlyArray<CliError.NonShowHelpErrors>,
  doc: HelpDoc
): string => {
  switch (error._tag) {
    case "UnrecognizedOption": {
      const flags = [...doc.flags, ...doc.inheritedFlags ?? [], ...doc.globalFlags ?? []]
      return `There is no flag ${error.option}${FlagSuggestion.question(error.option, flags, operandIn(errors))}`
    }
    case "UnknownSubcommand": {
      const names = (doc.subcommands ?? []).flatMap(({ commands }) =>
        commands.flatMap(({ alias, name }) => alias === undefined ? [name] : [name, alias])
      )
      const synonym = names.find((name) => synonyms[name]?.includes(error.subcommand) === true)
      const question = synonym === undefined
        ? Suggestion.question(error.subcommand, [...names, "--help"])
        : `; did you mean ${synonym}?`
      return `There is no command "${error.subcommand}"${question}`
    }
    case "MissingArgument":
      return `The argument <${error.argument}> is missing`
    case "UnexpectedArgument":
      return `There are more arguments than the command takes: ${error.arguments.join(" ")}`
    case "InvalidValue":
      return wrongValue(error)
    default:
      return error.message.split("\n").join(" ")
  }
}

/**
 * Returns the text of a usage error. It shows only the first error, because an unknown subcommand is also reported as
 * an unexpected argument.
 */
const usage = ({ commandPath, errors, helpDoc }: CliOutput.Presenter.InvalidInvocation): string => {
  const [first] = errors
  const wrong = first === undefined ? "This command is incomplete" : explain(first, errors, helpDoc)
  return `${Screen.printable(wrong)}\nSee ${commandPath.join(" ")} --help`
}

/**
 * Prints help wrapped to the terminal's width, and a usage error as two lines on standard error: the error, and the
 * help command to run.
 */
export const layer = Layer.effect(
  CliOutput.Presenter,
  Effect.gen(function*() {
    const screen = yield* Screen.current
    const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
    const formatter = CliOutput.defaultFormatter({ colors: canColor, globalFlags: "summary" })
    const print = (text: string) => Console.log(Screen.wrap(text, screen.columns))
    return {
      present: (event) => {
        switch (event._tag) {
          case "Help": {
            const { commandPath, helpDoc, reason } = event
            if (reason === "Implicit" && commandPath.length === 1) return print(overview(helpDoc, screen.paint))
            const more = Context.get(helpDoc.annotations, ExtraHelp)(screen.paint)
            return print(formatter.formatHelpDoc(helpDoc) + (more === "" ? "" : `\n\n${more}`))
          }
          case "InvalidInvocation":
            return Console.error(usage(event))
          case "Version":
            return Console.log(formatter.formatVersion(event.name, event.version))
        }
      }
    }
  })
)
