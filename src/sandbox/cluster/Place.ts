/**
 * Recognizes tables that were copied into another database, such as a restored backup. The copied tables list the
 * original cluster's nodes, so the copy's nodes would forward calls to the wrong exchange.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import type * as SqlError from "effect/sql/SqlError"

/** The query that checks whether the database user may read the server's identifier. */
const isOpen = "SELECT has_function_privilege(to_regprocedure('pg_control_system()'), 'EXECUTE') AS open"

/**
 * The location of the tables: the identifiers of the server, the database and the table `txc_place`. A standby that
 * takes over has the same location. The server's identifier is empty if the database user is not allowed to read it.
 */
const placeOf = Effect.fnUntraced(function*(sql: PgClient.PgClient) {
  const [rights] = yield* sql.unsafe<{ open: boolean | null }>(isOpen)
  const [server] = rights?.open === true
    ? yield* sql.unsafe<{ id: string }>("SELECT system_identifier::text AS id FROM pg_control_system()")
    : []
  const [tables] = yield* sql.unsafe<{ database: string; table: string }>(
    `SELECT oid::text AS database, 'txc_place'::regclass::oid::text AS "table"
    FROM pg_database WHERE datname = current_database()`
  )
  return [server?.id, tables?.database, tables?.table].join("/")
})

/** The query for the tables that list nodes, of any engine version, and from which this user may delete rows. */
const lists = `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables
  WHERE (tablename = 'txc_node' OR tablename ~ '^cluster_[0-9]+_(runners|locks)$')
    AND schemaname = (SELECT relnamespace::regnamespace::name FROM pg_class WHERE oid = 'txc_place'::regclass)
    AND has_table_privilege(quote_ident(schemaname) || '.' || quote_ident(tablename), 'DELETE')`

/**
 * If the tables are a copy, removes the original cluster's nodes, and logs a warning. A node does this before it joins
 * the cluster.
 */
export const check: Effect.Effect<void, SqlError.SqlError, PgClient.PgClient> = Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  const here = yield* placeOf(sql)
  const isCopy = yield* sql.withTransaction(Effect.gen(function*() {
    // If two nodes start at the same time, the second finds the location that the first has written.
    yield* sql.unsafe("SELECT pg_advisory_xact_lock('txc_place'::regclass::bigint)")
    const [known] = yield* sql.unsafe<{ place: string }>("SELECT place FROM txc_place")
    if (known?.place === here) return false
    yield* sql.unsafe("DELETE FROM txc_place")
    yield* sql.unsafe("INSERT INTO txc_place (place) VALUES ($1)", [here])
    if (known === undefined) return false
    for (const { name } of yield* sql.unsafe<{ name: string }>(lists)) yield* sql.unsafe(`DELETE FROM ${name}`)
    return true
  }))
  if (!isCopy) return
  yield* Effect.logWarning(
    "The tables of this cluster were copied from another database, so the nodes that they listed were removed. " +
      "If those nodes are still running, there are two exchanges with the same venues and keys: stop the nodes of one"
  )
})
