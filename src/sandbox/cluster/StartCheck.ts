/** Checks that a node can work with its database, before it joins the cluster. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import type * as SqlError from "effect/sql/SqlError"
import * as Engine from "../engine/Engine.ts"
import { JournalError } from "../store/JournalError.ts"
import * as Database from "./Database.ts"
import * as Membership from "./Membership.ts"
import * as Place from "./Place.ts"
import * as Tables from "./Tables.ts"

const unusable = (reason: string) => new JournalError({ why: "failed", file: "of the cluster", reason })

/**
 * The database rights that the user lacks, among those needed to read and write the tables and to use their sequences.
 */
const lacking = `
  SELECT 'GRANT ' || p || ' ON ' || t AS missing
  FROM unnest(ARRAY['txc_venue', 'txc_journal', 'txc_snapshot', 'txc_delivery', 'txc_hosted', 'txc_memory', 'txc_host',
    'txc_node', 'txc_place', ${
  Membership.tables.map((table) => `'${table}'`).join()
}]) AS t, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS p
  WHERE NOT has_table_privilege(t, p)
  UNION ALL
  SELECT 'GRANT USAGE ON SEQUENCE ' || s
  FROM unnest(ARRAY['txc_hosted_place_seq', '${Membership.sequence}']) AS s
  WHERE NOT has_sequence_privilege(s, 'USAGE')`

/**
 * Fails unless the database has the tables of this version, accepts writes from this user, and is configured never to
 * lose acknowledged commands. If the tables were copied from another database, removes that database's nodes from them.
 */
export const check: Effect.Effect<void, JournalError | SqlError.SqlError, PgClient.PgClient> = Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  yield* Tables.check
  const own = yield* sql.unsafe(
    "SELECT FROM pg_tables WHERE tablename = $1 AND schemaname = ANY(current_schemas(false))",
    [Membership.tables[0]]
  )
  if (own.length === 0) {
    return yield* unusable(
      `its database has no tables for nodes of engine version ${Engine.version}; create them with ` +
        "`effect-txc host --cluster URL --migrate`. Running nodes are not affected"
    )
  }
  if (yield* Database.isReadOnly(sql)) {
    return yield* unusable(
      "its database is read-only. Name the primary server in its URL, and set default_transaction_read_only to off"
    )
  }
  const [durability] = yield* sql.unsafe<{ value: string }>("SELECT current_setting('synchronous_commit') AS value")
  if (durability?.value === "off") {
    return yield* unusable(
      "its database has synchronous_commit off, so it could lose acknowledged commands. Turn it on for the " +
        "database and the user of its URL"
    )
  }
  const rights = yield* sql.unsafe<{ missing: string }>(lacking)
  if (rights.length > 0) {
    const [first = { missing: "" }] = rights
    const others = rights.length === 1 ? "" : `, and ${rights.length - 1} more`
    return yield* unusable(
      `the user of its URL lacks rights: ${first.missing}${others}. Grant them as the tables' owner`
    )
  }
  yield* Place.check
})
