/**
 * A node of a cluster: a host, the transport to the other nodes, and the database that all nodes share.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { ClusterNode } from "effect-txc/cluster"
 * import { Host, HostServer } from "effect-txc/sandbox"
 *
 * // Serves on port 8080, and creates a venue that any node of the cluster serves.
 * const node = Effect.gen(function*() {
 *   yield* HostServer.serve({ port: 8080, drainTimeout: 5000 })
 *   const host = yield* Host.Host
 *   const { url } = yield* host.make({ owner: "ci" })
 *   yield* Effect.log(url)
 *   return yield* Effect.never
 * }).pipe(
 *   Effect.scoped,
 *   Effect.provide(ClusterNode.layer({ url: "postgres://effect_txc@db.internal/effect_txc", clusterPort: 7301 }))
 * )
 * ```
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import type * as Scope from "effect/Scope"
import type * as SqlClient from "effect/sql/SqlClient"
import * as Host from "../host/Host.ts"
import { ListenFailed } from "../server/Listening.ts"
import * as RepeatedLog from "../server/RepeatedLog.ts"
import type { JournalError } from "../store/JournalError.ts"
import * as ClusterHost from "./ClusterHost.ts"
import * as Database from "./Database.ts"
import * as Membership from "./Membership.ts"
import * as NodeTransport from "./NodeTransport.ts"
import * as StartCheck from "./StartCheck.ts"

/**
 * Options for opening a node.
 *
 * @category models
 */
export interface Options extends ClusterHost.NodeOptions {
  /** The database's URL, such as `postgres://user:password@db.internal/effect_txc`; the same for all nodes. */
  readonly url: string
  /** The host name or address at which the other nodes reach this one; `127.0.0.1` by default. */
  readonly nodeHost?: string
  /** The port for requests from other nodes; any free port by default. */
  readonly nodePort?: number
  /** The port for membership messages between nodes. */
  readonly clusterPort: number
  /**
   * Called once if the node has to wait for its database; by default, a warning is logged. The node waits for up to a
   * minute.
   */
  readonly onWaiting?: (text: string) => Effect.Effect<void>
}

/** Addresses that a server can listen on, but at which no node can be reached. */
const everywhere: ReadonlySet<string> = new Set(["0.0.0.0", "::", "[::]", "*", ""])

/**
 * Provides the cluster's database until the layer is closed. `sslmode` in the URL is `disable` (the default),
 * `require`, `verify-ca` or `verify-full`, and `sslrootcert` names a file; both mean the same as in `psql`.
 *
 * @category layers
 */
export const database: (url: string) => Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, JournalError> =
  Database.layer

const open = Effect.fnUntraced(function*(
  { clusterPort, nodeHost = "127.0.0.1", nodePort = 0, onWaiting = Effect.logWarning, url: _url, ...options }: Options
): Effect.fn.Return<
  Host.Host["Service"],
  JournalError | ListenFailed,
  PgClient.PgClient | SqlClient.SqlClient | Scope.Scope
> {
  if (everywhere.has(nodeHost)) {
    const reason = "other nodes cannot reach this address"
    return yield* new ListenFailed({ host: nodeHost, port: nodePort, reason })
  }
  yield* Database.whenReachable(StartCheck.check, onWaiting).pipe(
    Effect.catchTag("SqlError", (error) => Effect.fail(Database.unreachable(error)))
  )
  const context = yield* Effect.context()
  // The node has no venues until it has joined the cluster.
  let receive: NodeTransport.Receive = () => Effect.succeed({ _tag: "NotTheirs" })
  let troubles: Effect.Effect<ReadonlyArray<string>> = Effect.succeed(["This node is joining the cluster"])
  let notes: Effect.Effect<ReadonlyArray<string>> = Effect.succeed([])
  const port = yield* NodeTransport.serve(nodeHost, nodePort, (venue, request) => receive(venue, request), {
    troubles: Effect.suspend(() => troubles),
    notes: Effect.suspend(() => notes),
    metrics: Effect.provideContext(PrometheusMetrics.format({ prefix: "effect_txc" }), context)
  })
  const address = `${nodeHost}:${port}`
  const sender = yield* NodeTransport.sender()
  const membership = yield* Layer.build(Membership.layer({ host: nodeHost, port: clusterPort, address }))
  const opened = yield* Effect.provideContext(ClusterHost.open({ ...options, address }, sender), membership)
  receive = opened.receive
  troubles = opened.troubles
  notes = opened.notes
  return opened.host
})

/**
 * Provides this node's host.
 *
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<Host.Host, JournalError | ListenFailed> =>
  Layer.effect(Host.Host, open(options)).pipe(
    Layer.provide(database(options.url)),
    // Logs a repeated message only once. Otherwise a node whose database is down would log the same problem every
    // second.
    Layer.provide(Layer.effect(Logger.CurrentLoggers, Effect.map(Logger.CurrentLoggers, RepeatedLog.once)))
  )
