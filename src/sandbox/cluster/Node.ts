/**
 * A node of a cluster: a host, the transport to the other nodes, and the database that they share.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { ClusterNode } from "effect-txc/cluster"
 * import { Host, HostServer } from "effect-txc/sandbox"
 *
 * // Serves on port 8080, and makes a venue that any node of the cluster serves.
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
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import type * as Scope from "effect/Scope"
import type * as SqlClient from "effect/sql/SqlClient"
import * as Host from "../host/Host.ts"
import type { ListenFailed } from "../server/Listening.ts"
import type { JournalError } from "../store/JournalError.ts"
import * as ClusterHost from "./ClusterHost.ts"
import * as Database from "./Database.ts"
import * as Membership from "./Membership.ts"
import * as NodeTransport from "./NodeTransport.ts"
import * as Tables from "./Tables.ts"

/**
 * Options to open a node.
 *
 * @category models
 */
export interface Options extends ClusterHost.NodeOptions {
  /** The URL of the database, such as `postgres://user:password@db.internal/effect_txc`, the same for all nodes. */
  readonly url: string
  /** The host name or address at which the other nodes reach this one; `127.0.0.1` by default. */
  readonly nodeHost?: string
  /** The port for requests from other nodes; any free one by default. */
  readonly nodePort?: number
  /** The port for membership messages between nodes. */
  readonly clusterPort: number
}

/**
 * The database of a cluster, until the layer is closed. `sslmode` in the URL is `disable` (the default), `require`,
 * `verify-ca` or `verify-full`, and `sslrootcert` names a file; both have the meaning that they have for `psql`.
 *
 * @category layers
 */
export const database: (url: string) => Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, JournalError> =
  Database.layer

const open = Effect.fnUntraced(function*(
  { clusterPort, nodeHost = "127.0.0.1", nodePort = 0, url: _url, ...options }: Options
): Effect.fn.Return<
  Host.Host["Service"],
  JournalError | ListenFailed,
  PgClient.PgClient | SqlClient.SqlClient | Scope.Scope
> {
  yield* Effect.catchTag(Tables.check, "SqlError", (error) => Effect.fail(Database.unreachable(error)))
  const context = yield* Effect.context()
  // It has no venue until it has joined the cluster.
  let receive: NodeTransport.Receive = () => Effect.succeed({ _tag: "NotTheirs" })
  let ready: Effect.Effect<boolean> = Effect.succeed(false)
  const port = yield* NodeTransport.serve(nodeHost, nodePort, (venue, request) => receive(venue, request), {
    ready: Effect.suspend(() => ready),
    metrics: Effect.provideContext(PrometheusMetrics.format({ prefix: "effect_txc" }), context)
  })
  const address = `${nodeHost}:${port}`
  const sender = yield* NodeTransport.sender
  const membership = yield* Layer.build(Membership.layer({ host: nodeHost, port: clusterPort, address }))
  const opened = yield* Effect.provideContext(ClusterHost.open({ ...options, address }, sender), membership)
  receive = opened.receive
  ready = opened.ready
  return opened.host
})

/**
 * The host of this node.
 *
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<Host.Host, JournalError | ListenFailed> =>
  Layer.effect(Host.Host, open(options)).pipe(
    Layer.provide(database(options.url))
  )
