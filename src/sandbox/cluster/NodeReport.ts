/** A node's reports: to the other nodes, and to a load balancer that checks whether the node is ready. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Capacity } from "../host/Capacity.ts"
import type { Bounds } from "../host/HostBounds.ts"
import type { HostStatus } from "../host/HostModels.ts"
import type { Entry } from "../host/LocalPlacement.ts"
import * as NewVenue from "../host/NewVenue.ts"
import type { JournalError } from "../store/JournalError.ts"
import * as Database from "./Database.ts"
import type { Membership } from "./Membership.ts"
import * as Nodes from "./Nodes.ts"
import * as PostgresJournal from "./PostgresJournal.ts"
import type { PostgresRegistry } from "./PostgresRegistry.ts"
import * as Readiness from "./Readiness.ts"

/** The time within which the database must respond for the node to be reported as ready. */
const readyWithin = "2 seconds"

/** The parts of a node from which its reports are made. */
export interface Parts {
  readonly sql: PgClient.PgClient
  readonly membership: Membership["Service"]
  readonly capacity: Capacity
  readonly clock: Clock.Clock
  readonly entries: ReadonlyMap<string, Entry>
  readonly registry: Pick<PostgresRegistry, "count">
  readonly bounds: Bounds
  readonly options: { readonly address: string }
  readonly isServed: boolean
  readonly isStopping: boolean
  /** Completes when an operator asks this node to drain. */
  readonly drained: Deferred.Deferred<void>
}

/** Limits how long the database may take to read or write the list of nodes. */
export const inNodes = PostgresJournal.inTime("the list of nodes")

/** Venues in any stage other than awake or asleep, as the node reports them. */
const unusual = ({ entries }: Parts): ReadonlyArray<Nodes.StagedVenue> =>
  [...entries].flatMap(([id, { resident }]) => {
    const { since, stage } = resident.look()
    return stage === "awake" || stage === "asleep" ? [] : [{ id, stage, since }]
  })

/** This node's report. */
const reportOf = (parts: Parts): Nodes.Report => {
  const { capacity, clock, isServed, isStopping, membership } = parts
  const shards = membership.shards()
  const stages = unusual(parts)
  const now = clock.currentTimeMillisUnsafe()
  const troubles = Readiness.troublesOf({ isServed, isStopping, shards, stages, now })
  return { shards, awake: capacity.taken(), troubles, stages }
}

/** Reports to the other nodes, and learns whether an operator has asked this node to drain. */
export const report = Effect.fnUntraced(function*(parts: Parts) {
  const { drained, options: { address }, sql } = parts
  const isDraining = yield* inNodes(
    Effect.suspend(() => Nodes.report(sql, address, reportOf(parts)))
  )
  if (isDraining) yield* Deferred.succeed(drained, undefined)
})

/**
 * The reasons why the node is not ready. The database gets less time here than for a call, so that the check returns
 * quickly.
 */
export const troublesOf = (parts: Parts): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(
    Effect.result(Database.within(readyWithin)(Database.isReadOnly(parts.sql))),
    Result.match({
      onSuccess: (isReadOnly) => [
        ...reportOf(parts).troubles,
        ...(isReadOnly ? ["The database is read-only: it is a standby, or its settings make it so"] : [])
      ],
      onFailure: (error) => [
        ...reportOf(parts).troubles,
        error._tag === "SqlError"
          ? `The database failed: ${Database.said(error)}`
          : `The database has not responded for ${readyWithin}`
      ]
    })
  )

/** The resources that the cluster and this node currently use. */
export const statusOf = ({ bounds, capacity, registry, sql }: Parts): Effect.Effect<HostStatus, JournalError> =>
  Effect.map(Effect.all([registry.count, inNodes(Nodes.list(sql))]), ([venues, nodes]) => ({
    venues,
    nodes: nodes.map(({ stages: _stages, ...node }) => node),
    awake: capacity.taken(),
    ports: 0,
    memory: NewVenue.memoryNow(),
    bounds: { ...bounds }
  }))
