import * as PgClient from "@effect/sql-pg/PgClient"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Place from "../../../src/sandbox/cluster/Place.ts"
import * as Tables from "../../../src/sandbox/cluster/Tables.ts"
import { itWithPostgres, postgresServer } from "../../support/postgres.ts"

itWithPostgres(
  "tables copied to another place forget the nodes of every engine version, and tables that were not copied keep them",
  () =>
    Effect.gen(function*() {
      const { layer } = yield* postgresServer
      yield* Effect.provide(
        Effect.gen(function*() {
          const sql = yield* PgClient.PgClient
          yield* Tables.migrate
          yield* sql`CREATE TABLE cluster_1_runners (address text)`
          yield* sql`INSERT INTO cluster_1_runners VALUES ('10.0.0.7:7301')`
          yield* sql`INSERT INTO txc_node (node, engine, shards, awake, troubles, stages)
          VALUES ('10.0.0.7:7300', 1, 60, 0, '{}', '[]')`
          const nodes = Effect.map(
            sql<{ n: number }>`SELECT (SELECT count(*) FROM txc_node)::int + count(*)::int AS n FROM cluster_1_runners`,
            ([row]) => row?.n
          )
          yield* Effect.all([Place.check, Place.check], { concurrency: 2 })
          yield* Place.check
          assert.strictEqual(yield* nodes, 2)
          assert.strictEqual((yield* sql`SELECT place FROM txc_place`).length, 1)
          yield* sql`UPDATE txc_place SET place = 'elsewhere'`
          yield* Place.check
          assert.strictEqual(yield* nodes, 0)
          assert.match(
            String((yield* sql<{ place: string }>`SELECT place FROM txc_place`)[0]?.place),
            /^\d+\/\d+\/\d+$/u
          )

          // Now the server does not disclose its identifier.
          yield* sql`CREATE ROLE plain`
          yield* sql`GRANT ALL ON txc_place, txc_node TO plain`
          yield* sql`REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC`
          yield* sql.withTransaction(Effect.gen(function*() {
            yield* sql`SET LOCAL ROLE plain`
            yield* Place.check
          }))
          assert.match(String((yield* sql<{ place: string }>`SELECT place FROM txc_place`)[0]?.place), /^\/\d+\/\d+$/u)
        }),
        layer
      )
    })
)
