/** The output of a command: a terminal, a file or a pipe. */
import * as CliOutput from "effect/cli/CliOutput"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"

const styles = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const

/**
 * Functions that add styles to text, such as bold or red; they return the text unchanged if the output has no styles.
 */
export type Paint = Readonly<Record<keyof typeof styles, (text: string) => string>>

/** The properties of standard output. */
export interface Screen {
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean
  /** The width of a line in characters; `Infinity` if standard output is not a terminal. */
  readonly columns: number
  /** The styles. They do nothing if `NO_COLOR` is set or standard output is not a terminal. */
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

/** A screen that is not a terminal. */
export const unseen: Screen = { isTerminal: false, columns: Infinity, paint: paintWith(false) }

/** This process's screen. */
export const current: Effect.Effect<Screen, never, Stdio.Stdio | Terminal.Terminal> = Effect.gen(function*() {
  const stdio = yield* Stdio.Stdio
  const terminal = yield* Terminal.Terminal
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const isTerminal = yield* stdio.stdoutIsTerminal
  const columns = isTerminal ? yield* terminal.columns : 0
  return { isTerminal, columns: columns > 0 ? columns : Infinity, paint: paintWith(canColor) }
})

/** Writes text to standard error, without a line break. Standard output is reserved for responses. */
export const toStderr = Effect.fnUntraced(function*(text: string) {
  const stdio = yield* Stdio.Stdio
  yield* Effect.ignore(Stream.run(Stream.succeed(text), stdio.stderr()))
})

/**
 * Replaces each control character in a text with `?`. Use this function for text from other sources, which might
 * otherwise control the terminal.
 */
export const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, "?")

/** Returns the text, truncated to `width` characters. The text must not contain styles. */
export const cut = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text

/** Returns the text, truncated or padded to exactly `width` characters. The text must not contain styles. */
export const fit = (text: string, width: number): string => cut(text, width).padEnd(width)

/** Returns the indentation of a wrapped line's continuation: the start of the last column, or 6 if that is too far. */
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
  // Spaces stay with the word before them, so that columns keep their positions.
  for (const word of line.match(/ *\S+ */gu) ?? []) {
    if (current !== "" && CliOutput.displayWidth(current + word.trimEnd()) > width) {
      lines.push(current.trimEnd())
      current = indent + word.trimStart()
    } else current += word
  }
  return [...lines, current.trimEnd()].join("\n")
}

/** Wraps lines longer than `width` between words. Lines may contain styles. */
export const wrap = (text: string, width: number): string =>
  width === Infinity ? text : text.split("\n").map((line) => wrapLine(line, width)).join("\n")
