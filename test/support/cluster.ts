/** A cluster of a test: nodes in processes of their own, over a PostgreSQL of the test. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { type ChildProcess, spawn } from "node:child_process"
import * as UndiciTransport from "../../src/client/transport/UndiciTransport.ts"
import * as Exchange from "../../src/Exchange.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Tables from "../../src/sandbox/cluster/Tables.ts"
import type { Made } from "../../src/sandbox/host/HostModels.ts"
import { compiled } from "./files.ts"
import { postgresServer, type Server } from "./postgres.ts"
import { closedPort } from "./server.ts"

export const token = "the token of these hosts"

/** A node of the cluster. It has the same ports whenever it is started. */
export interface Node {
  readonly baseUrl: string
  /** Where it shows how it is. */
  readonly vitals: string
  /** Starts it, and waits until it takes calls. */
  readonly start: Effect.Effect<void>
  /** Sends it a signal. */
  readonly signal: (name: NodeJS.Signals) => Effect.Effect<void>
  /** Waits until it has ended; gives its exit code, or the signal that ended it. */
  readonly ended: Effect.Effect<number | string | null>
}

const program = new URL("../sandbox/cluster/node.ts", import.meta.url).pathname

const makeNode = Effect.fnUntraced(function*(url: string): Effect.fn.Return<Node, never, Scope.Scope> {
  const ports = [yield* closedPort, yield* closedPort, yield* closedPort]
  let child: ChildProcess | undefined
  const start = Effect.callback<void>((resume) => {
    const started = spawn(process.execPath, [program, url, token, ...ports.map(String)], {
      stdio: ["ignore", "pipe", process.env["TXC_TEST_LOGS"] === undefined ? "ignore" : "inherit"],
      env: { ...process.env, ...compiled }
    })
    child = started
    started.stdout.on("data", (said: Buffer) => said.includes("ready") && resume(Effect.void))
    started.once("close", (code, signal) => resume(Effect.die(`the node has ended with ${signal ?? code}`)))
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => child?.kill("SIGKILL")))
  return {
    baseUrl: `http://127.0.0.1:${ports[0]}`,
    vitals: `http://127.0.0.1:${ports[1]}`,
    start,
    signal: (name) => Effect.sync(() => void child?.kill(name)),
    ended: Effect.callback((resume) => {
      const { exitCode = null, signalCode = null } = child ?? {}
      if (child === undefined || exitCode !== null || signalCode !== null) {
        return resume(Effect.succeed(signalCode ?? exitCode))
      }
      child.once("close", (code, signal) => resume(Effect.succeed(signal ?? code)))
    })
  }
})

/** A cluster of so many nodes, which are started. */
export const cluster = Effect.fnUntraced(function*(count: number) {
  const database: Server = yield* postgresServer
  yield* Effect.provide(Tables.migrate, database.layer)
  const nodes = yield* Effect.forEach(Array.from({ length: count }), () => makeNode(database.url))
  yield* Effect.forEach(nodes, ({ start }) => start, { concurrency: "unbounded" })
  return { database, nodes }
})

/** Asks a node's control plane. */
export const ask = (node: Node, method: string, path: string, body?: object): Effect.Effect<unknown> =>
  Effect.promise(async () => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const sent = await fetch(`${node.baseUrl}/control/v1${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return await sent.json()
  })

/** Makes a venue that speaks the live dialect. */
export const makeVenue = (node: Node): Effect.Effect<Made> =>
  Effect.map(ask(node, "POST", "/Venues", { dialect: "live" }), (made) => made as Made)

/** The client of a venue's example account, over this node. */
export const clientOf = Effect.fnUntraced(function*({ id, keys }: Made, { baseUrl }: Node) {
  const { apiKey = "", apiSecret = "" } = keys["alice"] ?? {}
  return yield* Layer.build(Exchange.layer({
    baseUrl: `${baseUrl}/v/${id}`,
    dialect: Dialect.live,
    credentials: { apiKey: Redacted.make(apiKey), apiSecret: Redacted.make(apiSecret) },
    transport: UndiciTransport.layer
  }))
})
