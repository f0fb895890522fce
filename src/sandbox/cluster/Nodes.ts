/**
 * The nodes of a cluster, in a table that all nodes share. Each node writes a report of its venues and problems every
 * second, so an operator can get all reports from any node, or from the database.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as SqlError from "effect/sql/SqlError"
import * as Engine from "../engine/Engine.ts"
import type { NodeStatus } from "../host/HostModels.ts"
import type { StageName } from "../host/Resident.ts"

/** A venue in any stage other than awake or asleep. */
export interface StagedVenue {
  /** The venue's id. */
  readonly id: string
  /** The venue's stage. */
  readonly stage: StageName
  /** The time at which the stage began, in Unix milliseconds. */
  readonly since: number
}

/** A node's report. */
export interface Report {
  /** The number of shards, out of 60, that the node holds. */
  readonly shards: number
  /** The number of awake venues and forks on the node. */
  readonly awake: number
  /** The reasons why the node is not ready, as text. */
  readonly troubles: ReadonlyArray<string>
  /** The node's venues in a stage other than awake or asleep. */
  readonly stages: ReadonlyArray<StagedVenue>
}

/** A node in the table. */
export interface Node extends NodeStatus {
  /** The node's venues in a stage other than awake or asleep. */
  readonly stages: ReadonlyArray<StagedVenue>
}

/** The SQL condition for a lost node: it has not reported for five seconds, according to the database's clock. */
const lost = "seen < now() - interval '5 seconds'"

/** Deletes the reports of an earlier process with this address, and of nodes that were lost long ago. */
export const enter = (sql: PgClient.PgClient, node: string): Effect.Effect<unknown, SqlError.SqlError> =>
  sql.unsafe("DELETE FROM txc_node WHERE node = $1 OR seen < now() - interval '1 day'", [node])

/** Removes a stopping node from the table. */
export const leave = (sql: PgClient.PgClient, node: string): Effect.Effect<unknown, SqlError.SqlError> =>
  sql.unsafe("DELETE FROM txc_node WHERE node = $1", [node])

/** Writes a node's report. Returns whether an operator has asked the node to drain. */
export const report = (
  sql: PgClient.PgClient,
  node: string,
  { awake, shards, stages, troubles }: Report
): Effect.Effect<boolean, SqlError.SqlError> =>
  Effect.map(
    sql.unsafe<{ draining: boolean }>(
      `INSERT INTO txc_node (node, engine, shards, awake, troubles, stages) VALUES ($1, $2, $3, $4, $5, $6::jsonb)
      ON CONFLICT (node) DO UPDATE SET seen = now(), shards = excluded.shards, awake = excluded.awake,
        troubles = excluded.troubles, stages = excluded.stages
      RETURNING draining`,
      [
        node,
        PgTypes.int4(Engine.version),
        PgTypes.int4(shards),
        PgTypes.int4(awake),
        Result.getOrThrow(PgTypes.array(troubles, PgTypes.OID.text)),
        PgTypes.text(JSON.stringify(stages))
      ]
    ),
    ([row]) => row?.draining === true
  )

/** Asks a node to drain; `false` if there is no such node. The node notices within a second. */
export const drain = (sql: PgClient.PgClient, node: string): Effect.Effect<boolean, SqlError.SqlError> =>
  Effect.map(
    sql.unsafe("UPDATE txc_node SET draining = true WHERE node = $1 RETURNING 1", [node]),
    (rows) => rows.length > 0
  )

interface Row {
  readonly node: string
  readonly since: bigint
  readonly lost: boolean
  readonly engine: number
  readonly shards: number
  readonly awake: number
  readonly troubles: ReadonlyArray<string>
  readonly stages: ReadonlyArray<StagedVenue>
  readonly draining: boolean
}

const stateOf = ({ draining, lost, troubles }: Row): NodeStatus["state"] =>
  lost ? "lost" : draining ? "draining" : troubles.length > 0 ? "not ready" : "ready"

/** All nodes, sorted by address. */
export const list = (sql: PgClient.PgClient): Effect.Effect<ReadonlyArray<Node>, SqlError.SqlError> =>
  Effect.map(
    sql.unsafe<Row>(
      `SELECT node, (extract(epoch FROM since) * 1000000)::bigint AS since, ${lost} AS lost, engine, shards, awake,
        troubles, stages, draining
      FROM txc_node ORDER BY node`
    ),
    (rows) =>
      rows.map((row) => {
        const { awake, engine, node, shards, since, stages, troubles } = row
        return { node, state: stateOf(row), since: Number(since), engine, shards, awake, troubles, stages }
      })
  )
