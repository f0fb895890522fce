/** A node in a process of its own: it prints where it is, and stops when it is told to. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Node from "../../../src/sandbox/cluster/Node.ts"
import * as HostServer from "../../../src/sandbox/host/HostServer.ts"

const [url = "", clusterPort = "", token = ""] = process.argv.slice(2)

const node = Effect.gen(function*() {
  const { baseUrl } = yield* HostServer.serve({})
  yield* Effect.sync(() => process.stdout.write(`serves ${baseUrl}\n`))
  return yield* Effect.never
})

NodeRuntime.runMain(
  Effect.scoped(node).pipe(Effect.provide(Node.layer({ url, clusterPort: Number(clusterPort), token })))
)
