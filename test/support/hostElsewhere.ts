/** A host in another process, over real sockets, for tests that kill it. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { compiled, programOf } from "./files.ts"
import { killed } from "./killed.ts"

/** Serves a host with the venues in a folder, until it is killed or the scope is closed. */
export const hostedElsewhere = Effect.fnUntraced(function*(folder: string) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [programOf("hosted"), folder], {
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, ...compiled }
      })
    ),
    killed
  )
  const said = yield* Effect.callback<string>((resume) => {
    child.stdout.once("data", (chunk: Buffer) => resume(Effect.succeed(chunk.toString().trim())))
    child.once("close", (code) => resume(Effect.die(`the host ended with ${code}`)))
  })
  const [baseUrl = "", token = ""] = said.split(" ")
  return {
    baseUrl,
    token,
    /** Kills the host without warning, and waits until its process has ended. */
    kill: killed(child)
  }
})
