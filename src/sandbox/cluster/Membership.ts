/**
 * Which node of a cluster should have a venue. This is the one module that uses `effect/cluster`: it spreads venues over the
 * nodes, watches the nodes, and moves venues when nodes come and go.
 *
 * It says who *should* have a venue. Two nodes may be of different minds for a moment; who *does* have it is decided by the
 * venue's journal.
 *
 * Its sockets speak without encryption or passwords: the network between nodes must be private.
 */
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Entity from "effect/cluster/Entity"
import * as EntityId from "effect/cluster/EntityId"
import * as MessageStorage from "effect/cluster/MessageStorage"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as Sharding from "effect/cluster/Sharding"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SqlRunnerStorage from "effect/cluster/SqlRunnerStorage"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Rpc from "effect/rpc/Rpc"
import * as Schema from "effect/Schema"
import type * as SocketServer from "effect/socket/SocketServer"
import type * as SqlClient from "effect/sql/SqlClient"
import { ListenFailed } from "../server/Listening.ts"
import * as Database from "./Database.ts"

/** How a node takes part. */
export interface Options {
  /** The host under which other nodes reach this one. */
  readonly host: string
  /** The port for the nodes' talk about who has what. */
  readonly port: number
  /** Where other nodes send this one the requests to its venues, such as `10.0.0.7:7300`. */
  readonly address: string
}

/**
 * How long a node that says nothing keeps its venues, in milliseconds. Other nodes have them this much later. A node that was
 * stopped for longer has lost its venues.
 */
export const leaseMillis = 5000

/** Which node should have a venue. */
export class Membership extends Context.Service<Membership, {
  /** The address of the node that should have a venue. Waits until one is there: limit it in time. */
  readonly locate: (venue: string) => Effect.Effect<string>
  /** Whether this node should have a venue, as far as it knows. */
  readonly isOurs: (venue: string) => boolean
  /** Whether this node should have a venue, as the database knows. Ask before the venue's journal is taken over. */
  readonly confirm: (venue: string) => Effect.Effect<boolean>
}>()("effect-txc/sandbox/cluster/Membership") {}

/** What a node is asked: where it takes requests. */
const Locate = Rpc.make("Locate", { success: Schema.String })

const Owner = Entity.make("Owner", [Locate])

const group = "default"

const settings = ({ host, port }: Options) =>
  ({
    runnerAddress: Option.some(RunnerAddress.make(host, port)),
    simulateRemoteSerialization: false,
    shardLockExpiration: leaseMillis,
    // Each is locked and released by itself, so few are quick to move. There are more than nodes will ever be.
    shardsPerGroup: 60,
    shardLockRefreshInterval: "1500 millis",
    refreshAssignmentsInterval: "500 millis",
    runnerHealthCheckInterval: "1 second",
    entityTerminationTimeout: "1 second",
    // It gathers nodes that start together, so that venues move once.
    runnerJoinDebounce: "1 second"
  }) as const

const make = (options: Options) =>
  Effect.gen(function*() {
    const sharding = yield* Sharding.Sharding
    const storage = yield* RunnerStorage.RunnerStorage
    const client = yield* Owner.client
    const shardOf = (venue: string) => sharding.getShardId(EntityId.make(venue), group)
    const self = RunnerAddress.make(options.host, options.port)
    return Membership.of({
      locate: (venue) => Effect.orDie(client(venue).Locate()),
      isOurs: (venue) => sharding.hasShardId(shardOf(venue)),
      confirm: (venue) =>
        storage.refresh(self, [shardOf(venue)]).pipe(
          Effect.map((held) => held.length > 0),
          Database.within(leaseMillis),
          // A database that does not answer confirms nothing.
          Effect.catchCause((cause) => Effect.as(Effect.logWarning("Who has a venue can't be asked", cause), false))
        )
    })
  })

/** Makes the tables in which nodes find each other, where there are none. */
export const migrate: Effect.Effect<void, never, SqlClient.SqlClient> = Effect.scoped(
  Effect.asVoid(Layer.build(SqlRunnerStorage.layerMigrations({})))
)

const listenFailed = ({ host, port }: Options, { reason: { cause } }: SocketServer.SocketServerError) =>
  new ListenFailed({ host, port, reason: cause instanceof Error ? cause.message : String(cause) })

/** The membership of this node, as long as the layer lives. Fails when its port is taken. */
export const layer = (
  options: Options
): Layer.Layer<Membership, ListenFailed, PgClient.PgClient | SqlClient.SqlClient> => {
  const config = settings(options)
  const owner = Owner.toLayer({ Locate: () => Effect.succeed(options.address) }, {
    concurrency: "unbounded",
    maxIdleTime: "5 seconds"
  })
  const storage = Layer.mergeAll(MessageStorage.layerNoop, SqlRunnerStorage.layerStorage({})).pipe(
    Layer.provideMerge(ShardingConfig.layer(config))
  )
  return Layer.effect(Membership, make(options)).pipe(
    Layer.provideMerge(owner),
    Layer.provide(NodeClusterSocket.layer({ storage: "byo", shardingConfig: config })),
    Layer.provide(storage),
    // It says on which port it listens, which the node's own panel does.
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "Warn")),
    // The tables of the database have been looked at by now. What else fails can't be told from a defect.
    Layer.catch((error) =>
      Layer.effectContext(
        error._tag === "SocketServerError" ? Effect.fail(listenFailed(options, error)) : Effect.die(error)
      )
    )
  )
}
