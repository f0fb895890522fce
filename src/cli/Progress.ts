/**
 * Shows the progress of a command in one line on standard error, if it is a terminal, and erases the line at the end.
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import { cut, toStderr } from "./Screen.ts"

/** Terminal codes that move to the beginning of the line and erase it. */
const erase = "\r\u001B[K"

/** A line that shows progress. */
export interface Progress {
  /** Shows this text in place of the previous one. */
  readonly show: (text: string) => Effect.Effect<void>
  /** Erases the line. Call it before printing anything else. */
  readonly clear: Effect.Effect<void>
}

/** A progress line that shows nothing. */
export const hidden: Progress = { show: () => Effect.void, clear: Effect.void }

/** The progress line of this process. Shows nothing if standard error is not a terminal. */
export const current: Effect.Effect<Progress, never, Stdio.Stdio> = Effect.gen(function*() {
  const stdio = yield* Stdio.Stdio
  // A terminal with `TERM=dumb` cannot erase a line.
  const kind = yield* Effect.orDie(Config.withDefault(Config.String("TERM"), ""))
  if (kind === "dumb" || !(yield* stdio.stderrIsTerminal)) return hidden
  const write = (text: string) => Effect.provideService(toStderr(text), Stdio.Stdio, stdio)
  return {
    show: (text) => Effect.suspend(() => write(erase + cut(text, (process.stderr.columns || 80) - 1))),
    clear: write(erase)
  }
})

/** Shows text while the effect runs. */
export const during = <A, E, R>(text: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Stdio.Stdio> =>
  Effect.flatMap(current, ({ clear, show }) => Effect.ensuring(Effect.andThen(show(text), effect), clear))
