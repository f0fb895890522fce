/** Kills a process without warning, and waits until it has ended and released its files and ports. */
import * as Effect from "effect/Effect"
import type { ChildProcess } from "node:child_process"

export const killed = (child: ChildProcess): Effect.Effect<number | string | null> =>
  Effect.callback((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      return resume(Effect.succeed(child.signalCode ?? child.exitCode))
    }
    child.once("exit", (code, signal) => resume(Effect.succeed(signal ?? code)))
    child.kill("SIGKILL")
  })
