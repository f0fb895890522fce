/**
 * The PostgreSQL tables of a cluster, and their migrations.
 *
 * The tables hold the same data as the journal files of a single machine, including the secrets of the venues' API
 * keys. These keys are valid only in the sandbox.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { ClusterNode, ClusterTables } from "effect-txc/cluster"
 *
 * // Creates the tables if there are none.
 * const migrated = ClusterTables.migrate.pipe(
 *   Effect.provide(ClusterNode.database("postgres://effect_txc@db.internal/effect_txc"))
 * )
 * ```
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type * as SqlError from "effect/sql/SqlError"
import * as Engine from "../engine/Engine.ts"
import { JournalError } from "../store/JournalError.ts"
import * as Database from "./Database.ts"
import * as Membership from "./Membership.ts"

/**
 * The version of the tables. A node refuses to start on tables of another version. Increment this number when the
 * tables change, or when nodes of the previous release can't exchange requests with nodes of this release.
 *
 * @category form
 */
export const version = 4

/** For each version, the statements that migrate the tables from the previous version. */
const steps: ReadonlyArray<ReadonlyArray<string>> = [[
  `CREATE TABLE txc_venue (
    venue text PRIMARY KEY, rules text NOT NULL, epoch bigint NOT NULL, sequence bigint NOT NULL, link bytea NOT NULL,
    node text
  )`,
  `CREATE TABLE txc_journal (
    venue text NOT NULL REFERENCES txc_venue ON DELETE CASCADE, sequence bigint NOT NULL, epoch bigint NOT NULL,
    command text NOT NULL, hash bytea NOT NULL, recalled bigint, PRIMARY KEY (venue, sequence)
  )`,
  "CREATE INDEX txc_journal_recalled ON txc_journal (venue, sequence) WHERE recalled IS NOT NULL",
  // A state is split into parts, because PostgreSQL limits the size of a message, and a state can be larger than that.
  `CREATE TABLE txc_snapshot (
    venue text NOT NULL REFERENCES txc_venue ON DELETE CASCADE, sequence bigint NOT NULL, part integer NOT NULL,
    origin bigint NOT NULL, hash bytea NOT NULL, state bytea NOT NULL, PRIMARY KEY (venue, sequence, part)
  )`,
  `CREATE TABLE txc_delivery (
    venue text NOT NULL REFERENCES txc_venue ON DELETE CASCADE, id text NOT NULL, answer text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (venue, id)
  )`,
  "CREATE INDEX txc_delivery_at ON txc_delivery (at)",
  `CREATE TABLE txc_hosted (
    venue text PRIMARY KEY, owner text NOT NULL, place bigserial, record text NOT NULL, ends_at bigint
  )`,
  "CREATE INDEX txc_hosted_place ON txc_hosted (place)",
  "CREATE INDEX txc_hosted_ends_at ON txc_hosted (ends_at) WHERE ends_at IS NOT NULL",
  "CREATE TABLE txc_memory (venue text PRIMARY KEY, bytes bytea NOT NULL)",
  "CREATE TABLE txc_host (token text NOT NULL)"
], [
  "ALTER TABLE txc_hosted ADD COLUMN begun boolean NOT NULL DEFAULT false",
  "UPDATE txc_hosted SET begun = true FROM txc_venue WHERE txc_venue.venue = txc_hosted.venue AND sequence > 0",
  "ALTER TABLE txc_venue ADD COLUMN since timestamptz NOT NULL DEFAULT now()",
  `CREATE TABLE txc_node (
    node text PRIMARY KEY, since timestamptz NOT NULL DEFAULT now(), seen timestamptz NOT NULL DEFAULT now(),
    shards integer NOT NULL, awake integer NOT NULL, troubles text[] NOT NULL, stages jsonb NOT NULL,
    draining boolean NOT NULL DEFAULT false
  )`
], [
  "DELETE FROM txc_node",
  "ALTER TABLE txc_node ADD COLUMN engine integer NOT NULL",
  // A venue without a journal gets this release's engine version.
  `UPDATE txc_hosted SET record = jsonb_set(record::jsonb, '{engine}', to_jsonb(engine))::text FROM (
    SELECT h.venue, coalesce(substring(v.rules FROM ', engine ([0-9]+)')::integer, ${Engine.version}) AS engine
    FROM txc_hosted h LEFT JOIN txc_venue v USING (venue)
  ) AS written WHERE written.venue = txc_hosted.venue`,
  // From this schema version on, each engine version has its own set of the cluster library's tables.
  "DROP TABLE IF EXISTS cluster_runners, cluster_locks, cluster_runner_migrations"
], [
  "CREATE TABLE txc_place (place text NOT NULL)"
]]

const versionOf = Effect.fnUntraced(function*(sql: PgClient.PgClient) {
  const schema = yield* Effect.provideService(Database.schema, SqlClient.SqlClient, sql)
  if (schema === undefined) return 0
  if (schema.includes(".")) {
    const reason = `its schema ${schema} has a dot in its name, which is not supported. Rename the schema`
    return yield* new JournalError({ why: "failed", file: "of the cluster", reason })
  }
  const [row] = yield* sql.unsafe<{ version: number }>("SELECT version FROM txc_version")
  return row?.version ?? 0
})

/** The error for tables of another version. */
const otherVersion = (found: number) => {
  const reason = found === 0
    ? "its database has no tables of effect-txc; create them with `effect-txc host --cluster URL --migrate`"
    : `its database has tables of version ${found}, and this program needs version ${version}; ` +
      (found < version
        ? "stop the older nodes, then run `effect-txc host --cluster URL --migrate`"
        : "use a newer release")
  return new JournalError({ why: found < version ? "older" : "newer", file: "of the cluster", reason })
}

/**
 * Creates the tables, or migrates them to this version. Nodes of an older version must be stopped first. Returns the
 * version that the tables had. Fails if that version is newer than this one.
 *
 * @category migrations
 */
export const migrate: Effect.Effect<number, JournalError | SqlError.SqlError, PgClient.PgClient> = Effect.gen(
  function*() {
    const sql = yield* PgClient.PgClient
    const before = yield* sql.withTransaction(Effect.gen(function*() {
      // If two processes migrate at the same time, the second waits and then has nothing to do.
      yield* sql.unsafe("SELECT pg_advisory_xact_lock(hashtext('effect-txc tables'))")
      const before = yield* versionOf(sql)
      if (before > version) return yield* otherVersion(before)
      if (before === 0) {
        yield* sql.unsafe("CREATE TABLE IF NOT EXISTS txc_version (version integer NOT NULL)")
        yield* sql.unsafe("INSERT INTO txc_version VALUES (0)")
      }
      for (const step of steps.slice(before)) for (const statement of step) yield* sql.unsafe(statement)
      if (before < version) yield* sql.unsafe("UPDATE txc_version SET version = $1", [version])
      return before
    }))
    yield* Effect.provideService(Membership.migrate, SqlClient.SqlClient, sql)
    return before
  }
)

/**
 * Fails unless the database has the tables of this version.
 *
 * @category migrations
 */
export const check: Effect.Effect<void, JournalError | SqlError.SqlError, PgClient.PgClient> = Effect.gen(function*() {
  const found = yield* versionOf(yield* PgClient.PgClient)
  if (found !== version) return yield* otherVersion(found)
})
