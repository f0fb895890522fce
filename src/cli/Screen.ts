/** Where a command's words appear: on a person's terminal, or in a file or a pipe. */
import * as CliOutput from "effect/cli/CliOutput"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"

const styles = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const

/** Gives a text a style, where styles can be shown. */
export type Paint = Readonly<Record<keyof typeof styles, (text: string) => string>>

/** What standard output can show. */
export interface Screen {
  /** Whether a person reads it as it is written. */
  readonly isTerminal: boolean
  /** How many characters fit into a line; `Infinity` where nobody counts them. */
  readonly columns: number
  /** Its styles. They do nothing where `NO_COLOR` is set, or where nobody looks. */
  readonly paint: Paint
}

const paintWith = (isColoured: boolean): Paint => {
  const style = (code: number) => (text: string) => isColoured ? `\u001B[${code}m${text}\u001B[0m` : text
  return {
    bold: style(styles.bold),
    dim: style(styles.dim),
    red: style(styles.red),
    green: style(styles.green),
    yellow: style(styles.yellow),
    cyan: style(styles.cyan)
  }
}

/** A screen that nobody looks at. */
export const unseen: Screen = { isTerminal: false, columns: Infinity, paint: paintWith(false) }

/** The screen of this process. */
export const current: Effect.Effect<Screen, never, Stdio.Stdio | Terminal.Terminal> = Effect.gen(function*() {
  const stdio = yield* Stdio.Stdio
  const terminal = yield* Terminal.Terminal
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const isTerminal = yield* stdio.stdoutIsTerminal
  const columns = isTerminal ? yield* terminal.columns : 0
  return { isTerminal, columns: columns > 0 ? columns : Infinity, paint: paintWith(canColor) }
})

/** Writes a text on standard error, without a line break after it. Standard output is for answers. */
export const toStderr = Effect.fnUntraced(function*(text: string) {
  const stdio = yield* Stdio.Stdio
  yield* Effect.ignore(Stream.run(Stream.succeed(text), stdio.stderr()))
})

/**
 * The text without what a terminal takes for a command. For what others wrote: a caller must not write on the screen.
 */
export const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, "?")

/** The text, cut where it is longer than `width`. It has no styles yet. */
export const cut = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text

/** The text in exactly `width` characters. It has no styles yet. */
export const fit = (text: string, width: number): string => cut(text, width).padEnd(width)

/** Where the last column of a line begins: words of a broken line continue below it. */
const indentOf = (line: string, width: number): number => {
  const [head = ""] = /^.*\S {2,}(?=\S)|^ */u.exec(line) ?? []
  const indent = CliOutput.displayWidth(head)
  return indent > width / 2 ? 6 : indent
}

const wrapLine = (line: string, width: number): string => {
  if (CliOutput.displayWidth(line) <= width) return line
  const indent = " ".repeat(indentOf(line, width))
  const lines: Array<string> = []
  let current = ""
  // Spaces stay with the word before them, so that columns keep their places.
  for (const word of line.match(/ *\S+ */gu) ?? []) {
    if (current !== "" && CliOutput.displayWidth(current + word.trimEnd()) > width) {
      lines.push(current.trimEnd())
      current = indent + word.trimStart()
    } else current += word
  }
  return [...lines, current.trimEnd()].join("\n")
}

/** The text with every line that is too long broken between words. It may have styles. */
export const wrap = (text: string, width: number): string =>
  width === Infinity ? text : text.split("\n").map((line) => wrapLine(line, width)).join("\n")
