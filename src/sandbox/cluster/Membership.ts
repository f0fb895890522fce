/**
 * Assigns venues to the nodes of a cluster. This is the only module that uses `effect/cluster`, which spreads venues
 * over the nodes, monitors the nodes, and moves venues when nodes join or leave.
 *
 * This module decides which node *should* have a venue. Two nodes can briefly disagree about that. Which node *does*
 * have the venue is decided by the venue's journal.
 *
 * The library's sockets use neither encryption nor passwords, so the network between nodes must be private.
 */
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Entity from "effect/cluster/Entity"
import * as EntityId from "effect/cluster/EntityId"
import * as MessageStorage from "effect/cluster/MessageStorage"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as ShardId from "effect/cluster/ShardId"
import * as Sharding from "effect/cluster/Sharding"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SqlRunnerStorage from "effect/cluster/SqlRunnerStorage"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Rpc from "effect/rpc/Rpc"
import * as Schema from "effect/Schema"
import type * as SocketServer from "effect/socket/SocketServer"
import type * as SqlClient from "effect/sql/SqlClient"
import * as Engine from "../engine/Engine.ts"
import { ListenFailed } from "../server/Listening.ts"
import * as RepeatedLog from "../server/RepeatedLog.ts"
import * as Database from "./Database.ts"
import * as ShardCheck from "./ShardCheck.ts"

/** The options for a node's membership. */
export interface Options {
  /** The host name or address at which other nodes reach this one. */
  readonly host: string
  /** The port for membership messages between nodes. */
  readonly port: number
  /** The address for requests that other nodes forward to this one, such as `10.0.0.7:7300`. */
  readonly address: string
}

/**
 * How long a silent node keeps its venues, in milliseconds. After this time, other nodes take the venues over, so a
 * node that was suspended for longer has lost its venues.
 */
export const leaseMillis = 5000

/** The assignment of venues to nodes. */
export class Membership extends Context.Service<Membership, {
  /**
   * The address of the node that should have a venue. Waits indefinitely until there is such a node, so set a timeout.
   */
  readonly locate: (venue: string) => Effect.Effect<string>
  /** Whether this node should have a venue, to the best of its knowledge. */
  readonly isOurs: (venue: string) => boolean
  /** The number of shards that this node holds, to the best of its knowledge. A venue belongs to one of 60 shards. */
  readonly shards: () => number
  /**
   * Whether this node should have a venue, according to the database. Check this before taking over the venue's
   * journal.
   */
  readonly confirm: (venue: string) => Effect.Effect<boolean>
}>()("effect-txc/sandbox/cluster/Membership") {}

/** Asks a node for the address at which it accepts requests. */
const Locate = Rpc.make("Locate", { success: Schema.String })

const Owner = Entity.make("Owner", [Locate])

const group = "default"

const shardsPerGroup = 60

const settings = ({ host, port }: Options) =>
  ({
    runnerAddress: Option.some(RunnerAddress.make(host, port)),
    simulateRemoteSerialization: false,
    shardLockExpiration: leaseMillis,
    // Each shard is locked and released separately, so a smaller number of shards moves faster. But a node without a
    // shard has no venues, so there are more shards than a cluster has nodes.
    shardsPerGroup,
    shardLockRefreshInterval: "1500 millis",
    refreshAssignmentsInterval: "500 millis",
    runnerHealthCheckInterval: "1 second",
    entityTerminationTimeout: "1 second",
    // Waits for other nodes that start at the same time, so that venues move only once.
    runnerJoinDebounce: "1 second"
  }) as const

const make = (options: Options) =>
  Effect.gen(function*() {
    const sharding = yield* Sharding.Sharding
    const storage = yield* RunnerStorage.RunnerStorage
    const client = yield* Owner.client
    const shardOf = (venue: string) => sharding.getShardId(EntityId.make(venue), group)
    const all = Array.from({ length: shardsPerGroup }, (_, at) => ShardId.make(group, at + 1))
    const self = RunnerAddress.make(options.host, options.port)
    const holds = ShardCheck.make(
      (shards: ReadonlyArray<string>) =>
        Effect.map(storage.refresh(self, shards.map(ShardId.fromString)), (held) => held.map(ShardId.toString)),
      yield* Effect.scope
    )
    return Membership.of({
      locate: (venue) => Effect.orDie(client(venue).Locate()),
      shards: () => all.filter((shard) => sharding.hasShardId(shard)).length,
      isOurs: (venue) => sharding.hasShardId(shardOf(venue)),
      confirm: (venue) =>
        holds(ShardId.toString(shardOf(venue))).pipe(
          Effect.timeout(leaseMillis),
          // If the database does not respond, the assignment is treated as not confirmed.
          Effect.catchCause((cause) =>
            Effect.as(Effect.logWarning(`The assignment of the venue ${venue} can't be checked`, cause), false)
          )
        )
    })
  })

/**
 * The prefix of the cluster library's tables. Each engine version has its own tables, because venues are divided only
 * among nodes of the same version.
 */
const ownTables = `cluster_${Engine.version}`

/** The tables through which the nodes of this engine version find each other. */
export const tables = [`${ownTables}_runners`, `${ownTables}_locks`] as const

/** The database sequence that belongs to these tables. */
export const sequence = `${ownTables}_runners_machine_id_seq`

/**
 * The prefix for the cluster library's tables and locks. Locks apply to an entire database, so the prefix contains the
 * schema's name, which keeps clusters in different schemas from sharing locks.
 */
const prefix: Effect.Effect<{ readonly prefix: string }, never, SqlClient.SqlClient> = Effect.map(
  Effect.orDie(Database.schema),
  (schema = "public") => ({ prefix: `${schema}.${ownTables}` })
)

/** Creates the tables through which nodes find each other, if they are missing. */
export const migrate: Effect.Effect<void, never, SqlClient.SqlClient> = Effect.scoped(
  Effect.asVoid(Effect.flatMap(prefix, (options) => Layer.build(SqlRunnerStorage.layerMigrations(options))))
)

const storageLayer = Layer.unwrap(Effect.map(prefix, SqlRunnerStorage.layerStorage))

const listenFailed = ({ host, port }: Options, { reason: { cause } }: SocketServer.SocketServerError) =>
  new ListenFailed({ host, port, reason: cause instanceof Error ? cause.message : String(cause) })

/** Joins this node to the cluster until the layer is closed. Fails if the membership port is already in use. */
export const layer = (
  options: Options
): Layer.Layer<Membership, ListenFailed, PgClient.PgClient | SqlClient.SqlClient> => {
  const config = settings(options)
  const owner = Owner.toLayer({ Locate: () => Effect.succeed(options.address) }, {
    concurrency: "unbounded",
    maxIdleTime: "5 seconds"
  })
  const storage = Layer.mergeAll(MessageStorage.layerNoop, storageLayer).pipe(
    Layer.provideMerge(ShardingConfig.layer(config))
  )
  return Layer.effect(Membership, make(options)).pipe(
    Layer.provideMerge(owner),
    Layer.provide(NodeClusterSocket.layer({ storage: "byo", shardingConfig: config })),
    Layer.provide(storage),
    Layer.provide(Layer.effect(Logger.CurrentLoggers, Effect.map(Logger.CurrentLoggers, RepeatedLog.once))),
    // Hides the cluster library's message about the port, because the node prints its own message.
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "Warn")),
    // The node has already checked the database, so any other failure here is treated as a defect.
    Layer.catch((error) =>
      Layer.effectContext(
        error._tag === "SocketServerError" ? Effect.fail(listenFailed(options, error)) : Effect.die(error)
      )
    )
  )
}
