/** A cluster for a test: nodes in separate processes that share the test's PostgreSQL server. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { type ChildProcess, spawn } from "node:child_process"
import * as Nonce from "../../src/client/Nonce.ts"
import type * as Transport from "../../src/client/transport/Transport.ts"
import * as UndiciTransport from "../../src/client/transport/UndiciTransport.ts"
import * as Exchange from "../../src/Exchange.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Tables from "../../src/sandbox/cluster/Tables.ts"
import type { Made } from "../../src/sandbox/host/HostModels.ts"
import { compiled, programOf } from "./files.ts"
import { type Link, link } from "./link.ts"
import { type Access, postgresWith, type Server } from "./postgres.ts"
import { closedPort } from "./server.ts"

export const token = "the token of these hosts"

/** A node in the cluster. It keeps its ports across restarts. */
export interface Node {
  /** The links that a test can cut: to the database, to the other nodes, and from the other nodes. */
  readonly links: { readonly database: Links; readonly to: Links; readonly from: Links }
  readonly baseUrl: string
  /** The base URL of the node's health checks and metrics. */
  readonly vitals: string
  /** Starts the node, and waits until it accepts calls. */
  readonly start: Effect.Effect<void>
  /** Sends a signal to the node's process. */
  readonly signal: (name: NodeJS.Signals) => Effect.Effect<void>
  /** Waits until the process has ended. Returns its exit code, or the signal that ended it. */
  readonly ended: Effect.Effect<number | string | null>
}

type Links = ReadonlyArray<Link>

/** A node's ports: `own` for callers, and `node` and `cluster` for other nodes. */
interface Ports {
  readonly own: number
  readonly node: number
  readonly cluster: number
}

const freePorts = Effect.gen(function*() {
  const [own, node, cluster] = [yield* closedPort, yield* closedPort, yield* closedPort]
  return { own, node, cluster } satisfies Ports
})

/** Creates a node. `detours` maps each port to the link port through which the node reaches it. */
const makeNode = Effect.fnUntraced(function*(
  url: string,
  { cluster, node, own }: Ports,
  idleMillis: number,
  links: Node["links"],
  detours: Readonly<Record<number, number>>,
  program: string = programOf("node")
): Effect.fn.Return<Node, never, Scope.Scope> {
  let child: ChildProcess | undefined
  const start = Effect.callback<void>((resume) => {
    const started = spawn(process.execPath, [
      program,
      url,
      token,
      ...[own, node, cluster, idleMillis].map(String)
    ], {
      stdio: ["ignore", "pipe", process.env["TXC_TEST_LOGS"] === undefined ? "ignore" : "inherit"],
      env: { ...process.env, ...compiled, TXC_TEST_DETOURS: JSON.stringify(detours) }
    })
    child = started
    started.stdout.on("data", (said: Buffer) => said.includes("ready") && resume(Effect.void))
    started.once("close", (code, signal) => resume(Effect.die(`the node has ended with ${signal ?? code}`)))
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => child?.kill("SIGKILL")))
  return {
    links,
    baseUrl: `http://127.0.0.1:${own}`,
    vitals: `http://127.0.0.1:${node}`,
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

/** Opens links to these ports. Also returns the detours through these links. */
const linksTo = Effect.fnUntraced(function*(ports: ReadonlyArray<number>) {
  const links = yield* Effect.forEach(ports, link)
  return { links, detours: Object.fromEntries(ports.map((port, at) => [port, links[at]?.port ?? port])) }
})

/** Options for a cluster. */
export interface Options {
  /**
   * Whether the connections between nodes, and from each node to the database, use links that a test can cut. False by
   * default.
   */
  readonly isWired?: boolean
  /** The time after which an idle venue falls asleep, in milliseconds. One minute by default. */
  readonly idleMillis?: number
  /** Options for the PostgreSQL server with the cluster's database. */
  readonly access?: Access
}

/** Starts a cluster of `count` nodes. */
export const cluster = Effect.fnUntraced(function*(
  count: number,
  { access = {}, idleMillis = 60_000, isWired = false }: Options = {}
) {
  const database: Server = yield* postgresWith(access)
  yield* Effect.provide(Tables.migrate, database.layer)
  const all = yield* Effect.forEach(Array.from({ length: count }), () => freePorts)
  /** Each node's links to the database and to the other nodes. */
  const wired = yield* Effect.forEach(all, (self) =>
    Effect.all({
      database: linksTo(isWired ? [Number(new URL(database.url).port)] : []),
      nodes: Effect.forEach(all, (other) => linksTo(isWired && other !== self ? [other.node, other.cluster] : []))
    }))
  const nodes = yield* Effect.forEach(all, (ports, at) => {
    const own = wired[at]
    const links = {
      database: own?.database.links ?? [],
      to: own?.nodes.flatMap(({ links }) => links) ?? [],
      from: wired.flatMap(({ nodes }) => nodes[at]?.links ?? [])
    }
    return makeNode(database.url, ports, idleMillis, links, {
      ...own?.database.detours,
      ...Object.assign({}, ...own?.nodes.map(({ detours }) => detours) ?? [])
    })
  })
  yield* Effect.forEach(nodes, ({ start }) => start, { concurrency: "unbounded" })
  return { database, nodes }
})

/** Adds a node to a cluster, without starting it. The node runs the given program. */
export const nodeOf = Effect.fnUntraced(function*({ url }: Pick<Server, "url">, program: string) {
  return yield* makeNode(url, yield* freePorts, 60_000, { database: [], to: [], from: [] }, {}, program)
})

/** Sends a request to a node's control plane. */
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

/** Creates a venue in the live dialect. */
export const makeVenue = (node: Node): Effect.Effect<Made> =>
  Effect.map(ask(node, "POST", "/Venues", { dialect: "live" }), (made) => made as Made)

/** Counts the requests that a node has handled for its own venues. */
export const takenBy = ({ vitals }: Node): Effect.Effect<number> =>
  Effect.promise(async () => {
    const shown = await (await fetch(`${vitals}/metrics`)).text()
    return Number(/requests_taken\S* (\d+)/u.exec(shown)?.[1] ?? 0)
  })

/** Creates `count` venues, and then more until every node has a venue. */
export const makeVenues = Effect.fnUntraced(function*(nodes: ReadonlyArray<Node>, count: number) {
  const [first = assert.fail()] = nodes
  const made: Array<Made> = []
  const ping = ({ id }: Made) =>
    Effect.promise(async () => (await fetch(`${first.baseUrl}/v/${id}/api/v4/public/ping`)).text())
  do {
    // Nodes that start together need a second or two to agree on their venues.
    yield* Effect.sleep(made.length === 0 ? "2 seconds" : "200 millis")
    while (made.length < count) made.push(yield* makeVenue(first))
    yield* Effect.forEach(made, ping)
    count++
  } while ((yield* Effect.forEach(nodes, takenBy)).includes(0))
  return made
})

/** Gives alice enough funds for any number of orders. */
export const fund = ({ controlToken, id }: Made, { baseUrl }: Node): Effect.Effect<void> =>
  Effect.promise(async () => {
    const sent = await fetch(`${baseUrl}/v/${id}/control/v1/Fund`, {
      method: "POST",
      headers: { authorization: `Bearer ${controlToken}`, "content-type": "application/json" },
      body: JSON.stringify({ account: "alice", wallet: "trade", ticker: "USDT", amount: "1000000000" })
    })
    if (!sent.ok) throw new Error(await sent.text())
  })

/** The parts of a client that a test can replace. */
export interface ClientOptions {
  readonly transport?: Layer.Layer<Transport.Transport>
  readonly nonce?: Layer.Layer<Nonce.Nonce>
}

/** Builds a client for alice's account on a venue. The client's calls go through the given node. */
export const clientOf = Effect.fnUntraced(function*(
  { id, keys }: Made,
  { baseUrl }: Node,
  { nonce = Nonce.layerWindow, transport = UndiciTransport.layer }: ClientOptions = {}
) {
  const { apiKey = "", apiSecret = "" } = keys["alice"] ?? {}
  return yield* Layer.build(Exchange.layer({
    baseUrl: `${baseUrl}/v/${id}`,
    dialect: Dialect.live,
    credentials: { apiKey: Redacted.make(apiKey), apiSecret: Redacted.make(apiSecret) },
    nonce,
    transport
  }))
})
