/**
 * A program that runs a host over real sockets, with at most three venues awake. Its argument is the host's folder. It
 * first prints a line with its address and token.
 */
import * as Effect from "effect/Effect"
import * as Host from "../../src/sandbox/host/Host.ts"
import * as HostServer from "../../src/sandbox/host/HostServer.ts"

const [folder = ""] = process.argv.slice(2)

const served = Effect.gen(function*() {
  const { token } = yield* Host.Host
  const { baseUrl } = yield* HostServer.serve()
  yield* Effect.sync(() => process.stdout.write(`${baseUrl} ${token}\n`))
  return yield* Effect.never
})

process.on("unhandledRejection", (error) => {
  process.stderr.write(`unhandled ${String(error)}\n`)
  process.exit(1)
})

Effect.runFork(Effect.scoped(Effect.provide(served, Host.layer({ folder, maxAwake: 3 }))))
