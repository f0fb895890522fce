/** A sandbox in another process, over real sockets, for tests that kill or measure it. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { compiled, programOf } from "./files.ts"
import { killed } from "./killed.ts"

export const controlToken = "the token of this test"

/**
 * Serves a venue with the test accounts from another process, until the process is killed or the scope is closed. The
 * journal is in a file or in memory.
 */
export const servedElsewhere = Effect.fnUntraced(function*(file?: string) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [programOf("served"), controlToken, ...(file === undefined ? [] : [file])], {
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, ...compiled }
      })
    ),
    killed
  )
  const baseUrl = yield* Effect.callback<string>((resume) => {
    child.stdout.once("data", (chunk: Buffer) => resume(Effect.succeed(chunk.toString().trim())))
    child.once("close", (code) => resume(Effect.die(`the sandbox ended with ${code}`)))
  })
  return {
    baseUrl,
    /** Kills the sandbox without warning, and waits until its process has ended. */
    kill: killed(child),
    /** The sandbox's peak memory use so far, in bytes. */
    peak: Effect.sync(() => {
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8")
      return Number(/VmHWM:\s+(\d+) kB/u.exec(status)?.[1]) * 1024
    })
  }
})

/**
 * Runs a program and waits until its output matches. Returns the match's first group. The program and its child
 * processes are killed when the scope closes.
 */
export const runningElsewhere = Effect.fnUntraced(function*(
  program: string,
  args: ReadonlyArray<string>,
  until: RegExp,
  environment: Readonly<Record<string, string>> = {}
) {
  // The program gets its own process group, so that processes started by npm are killed too.
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(program, args, {
        detached: true,
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, ...compiled, ...environment }
      })
    ),
    (child) => Effect.sync(() => child.exitCode ?? child.signalCode ?? process.kill(-(child.pid ?? 0), "SIGKILL"))
  )
  const ended = yield* Deferred.make<void>()
  child.on("close", () => Deferred.doneUnsafe(ended, Exit.void))
  const found = yield* Effect.callback<string>((resume) => {
    let output = ""
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString()
      const match = until.exec(output)?.[1]
      if (match !== undefined) resume(Effect.succeed(match))
    })
    child.once("close", (code) => resume(Effect.die(`the program ended with ${code}: ${output}`)))
  })
  return {
    found,
    /** Kills the entire process group without warning, and waits until it has ended. */
    kill: Effect.andThen(Effect.sync(() => process.kill(-(child.pid ?? 0), "SIGKILL")), Deferred.await(ended))
  }
})
