/**
 * A sandbox host whose venues are spread over several machines. Needs a PostgreSQL database and the optional peer
 * dependencies `@effect/sql-pg`, `@effect/platform-node` and `undici`.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { ClusterNode } from "effect-txc/cluster"
 * import { HostServer } from "effect-txc/sandbox"
 *
 * // A node that serves on port 8080 until the program is interrupted.
 * export const node = Effect.andThen(HostServer.serve({ port: 8080 }), Effect.never).pipe(
 *   Effect.scoped,
 *   Effect.provide(ClusterNode.layer({
 *     url: "postgres://effect_txc@db.internal/effect_txc",
 *     nodeHost: "10.0.0.7",
 *     nodePort: 7300,
 *     clusterPort: 7301
 *   }))
 * )
 * ```
 */

// A node
export * as ClusterNode from "./sandbox/cluster/Node.ts"

// The tables that the nodes share
export * as ClusterTables from "./sandbox/cluster/Tables.ts"

// A watchdog that ends a suspended node
export * as Watchdog from "./sandbox/cluster/Watchdog.ts"
