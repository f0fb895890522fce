/** Handles signals: ends the command, and chooses its exit code. */
import * as Effect from "effect/Effect"
import { isatty } from "node:tty"
import * as NpmParent from "./NpmParent.ts"

let isTerminated = false

let isClosed = false

/** Whether this process has outlived the terminal from which it was started. */
let hasOutlived = false

/** Whether this process serves others, who expect it to outlive the terminal. */
let isServer = false

let chosen: number | undefined

/** Ends the command as SIGTERM does, so that it cleans up. */
const close = (): void => {
  if (isClosed) return
  isClosed = true
  process.kill(process.pid, "SIGTERM")
}

/** Ends this process as SIGTERM does if its terminal closes, or if a reader such as `head` closes its output. */
export const listen = (): void => {
  process.once("SIGTERM", () => isTerminated = true)
  const hasTerminal = [0, 1, 2].some(isatty)
  process.on("SIGHUP", () => {
    // A server without a terminal keeps running. Node does not keep SIGHUP ignored, as nohup has set it.
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
 * Ends this process as SIGTERM does if npm, which runs it, has ended. If npm has ended because its terminal was closed,
 * and this process survived that, this process keeps running.
 */
export const followNpm = Effect.andThen(
  NpmParent.gone,
  Effect.sync(() => {
    if (!hasOutlived) close()
  })
)

/** Keeps this process running when its terminal closes, if none of its standard streams is a terminal. */
export const serve = Effect.sync(() => {
  isServer = true
})

/** Sets the exit code of this process in case it is interrupted. */
export const endWith = (code: number): Effect.Effect<void> =>
  Effect.sync(() => {
    chosen = code
  })

/**
 * Returns the exit code after an interruption: the code that the command has chosen, if any; otherwise 0 after SIGTERM,
 * and `undefined` after Ctrl-C.
 */
export const exitCode = (): number | undefined => chosen ?? (isTerminated ? 0 : undefined)
