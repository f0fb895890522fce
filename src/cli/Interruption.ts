/** Handles signals: ends the command, and chooses its exit code. */
import * as Effect from "effect/Effect"
import { isatty } from "node:tty"
import * as NpmParent from "./NpmParent.ts"

let isTerminated = false

let isClosed = false

/** Whether this process has outlived the terminal that it was started from. */
let hasOutlived = false

/** Whether this process is a server, which should keep running when its terminal closes. */
let isServer = false

let chosen: number | undefined

/** Sends SIGTERM to this process, so that the command cleans up and ends. */
const close = (): void => {
  if (isClosed) return
  isClosed = true
  process.kill(process.pid, "SIGTERM")
}

/**
 * Ends this process, as SIGTERM would, if its terminal closes, or if the program that reads its output, such as `head`,
 * exits first.
 */
export const listen = (): void => {
  process.once("SIGTERM", () => isTerminated = true)
  const hasTerminal = [0, 1, 2].some(isatty)
  process.on("SIGHUP", () => {
    // A server without a terminal keeps running. nohup makes a process ignore SIGHUP, but Node undoes this.
    if (isServer && !hasTerminal) hasOutlived = true
    else close()
  })
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", ({ code }: NodeJS.ErrnoException) => {
      if (code !== "EPIPE") process.exitCode = chosen ??= 1
      close()
    })
  }
}

/**
 * Ends this process, as SIGTERM would, when the npm process that runs it has ended. A server that has outlived its
 * terminal keeps running, because it was the closing of the terminal that ended npm.
 */
export const followNpm = Effect.andThen(
  NpmParent.gone,
  Effect.sync(() => {
    if (!hasOutlived) close()
  })
)

/**
 * Marks this process as a server. It keeps running when its terminal closes, if none of its standard streams is a
 * terminal.
 */
export const serve = Effect.sync(() => {
  isServer = true
})

/** Sets the exit code for an interruption of this process. */
export const endWith = (code: number): Effect.Effect<void> =>
  Effect.sync(() => {
    chosen = code
  })

/**
 * Returns the exit code after an interruption: the code that the command has chosen, if any; otherwise 0 after SIGTERM,
 * and `undefined` after Ctrl-C.
 */
export const exitCode = (): number | undefined => chosen ?? (isTerminated ? 0 : undefined)
