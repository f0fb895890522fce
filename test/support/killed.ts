/** Ends a process as a power switch does, and waits until it is gone: what it had open is free then. */
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
