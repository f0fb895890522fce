/** Handles signals: ends the command, and chooses its exit code. */
import * as Effect from "effect/Effect"

let isTerminated = false

let isClosed = false

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
  // A command without a terminal, as under nohup, keeps running.
  if (process.stdout.isTTY || process.stderr.isTTY) process.once("SIGHUP", close)
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", ({ code }: NodeJS.ErrnoException) => {
      if (code !== "EPIPE") process.exitCode = chosen ??= 1
      close()
    })
  }
}

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
