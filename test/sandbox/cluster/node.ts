/** Runs a node in a separate process. The node reports when it accepts calls, and stops on a signal. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { Socket } from "node:net"
import * as Node from "../../../src/sandbox/cluster/Node.ts"
import * as Watchdog from "../../../src/sandbox/cluster/Watchdog.ts"
import * as HostServer from "../../../src/sandbox/host/HostServer.ts"

/** Connects to a port through the test's proxy, if there is one. */
const detours = JSON.parse(process.env["TXC_TEST_DETOURS"] ?? "{}") as Readonly<Record<number, number>>
const connect = Reflect.get(Socket.prototype, "connect") as (...given: ReadonlyArray<unknown>) => Socket
Socket.prototype.connect = function(this: Socket, ...given: ReadonlyArray<unknown>) {
  // Node's own `connect` passes a list whose first element contains the options.
  const options = [given[0]].flat()[0] as { port?: number }
  const port = detours[options.port ?? 0]
  if (port !== undefined) options.port = port
  return Reflect.apply(connect, this, given)
}

const [url = "", token = "", port, nodePort, clusterPort, idleMillis] = process.argv.slice(2)

const node = Effect.gen(function*() {
  yield* HostServer.serve({ port: Number(port), drainTimeout: 5000 })
  yield* Effect.sync(() => process.stdout.write("ready\n"))
  return yield* Effect.never
})

const paused = Effect.tapError(Watchdog.watch, ({ message }) =>
  Effect.sync(() => {
    process.stderr.write(`${message}\n`)
    process.exit(75)
  }))

const options = {
  url,
  token,
  nodePort: Number(nodePort),
  clusterPort: Number(clusterPort),
  idleMillis: Number(idleMillis)
}

process.once("SIGTERM", () => setTimeout(() => process.exit(1), 10_000).unref())

NodeRuntime.runMain(
  Effect.raceFirst(Effect.scoped(node).pipe(Effect.provide(Node.layer(options))), paused).pipe(
    Effect.provide(Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]))
  )
)
