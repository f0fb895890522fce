/** A host in another process, over real sockets: to be killed. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { spawn } from "node:child_process"
import { compiled, moduleUrl } from "./files.ts"

/** The program of a host, of which three venues are awake at once. */
const program = (folder: string): string => `
  import * as Effect from "effect/Effect"
  import * as Host from "${moduleUrl("sandbox/host/Host.ts")}"
  import * as HostServer from "${moduleUrl("sandbox/host/HostServer.ts")}"
  const served = Effect.gen(function*() {
    const { token } = yield* Host.Host
    const { baseUrl } = yield* HostServer.serve()
    process.stdout.write(baseUrl + " " + token + "\\n")
    yield* Effect.never
  })
  process.on("unhandledRejection", (error) => { console.error("unhandled", error); process.exit(1) })
  const options = { folder: ${JSON.stringify(folder)}, maxAwake: 3 }
  Effect.runFork(Effect.scoped(Effect.provide(served, Host.layer(options))))
`

/** Serves a host with the venues of a folder until it is killed or the scope is closed. */
export const hostedElsewhere = Effect.fnUntraced(function*(folder: string) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, ["--input-type=module", "--eval", program(folder)], {
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, ...compiled }
      })
    ),
    // Its files are locked until it is gone.
    (child) =>
      Effect.callback<void>((resume) => {
        if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGKILL")
      })
  )
  const ended = yield* Deferred.make<number | string | null>()
  child.on("close", (code, signal) => Deferred.doneUnsafe(ended, Exit.succeed(signal ?? code)))
  const said = yield* Effect.callback<string>((resume) => {
    child.stdout.once("data", (chunk: Buffer) => resume(Effect.succeed(chunk.toString().trim())))
    child.once("close", (code) => resume(Effect.die(`the host has ended with ${code}`)))
  })
  const [baseUrl = "", token = ""] = said.split(" ")
  return {
    baseUrl,
    token,
    /** Ends it as a power switch does, and waits until it is gone. */
    kill: Effect.andThen(Effect.sync(() => child.kill("SIGKILL")), Deferred.await(ended))
  }
})
