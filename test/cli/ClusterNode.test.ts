import * as PgClient from "@effect/sql-pg/PgClient"
import { assert } from "@effect/vitest"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as ClusterNode from "../../src/cli/ClusterNode.ts"
import * as Tables from "../../src/sandbox/cluster/Tables.ts"
import { itWithPostgres, postgresServer } from "../support/postgres.ts"
import { closedPort, serving } from "../support/server.ts"

/** A console that discards the command's output. */
const silent: Console.Console = { ...globalThis.console, log: () => undefined }

itWithPostgres(
  "a node that cannot join or migrate its cluster explains what to do",
  () =>
    Effect.gen(function*() {
      const { layer, url } = yield* postgresServer
      const taken = yield* serving(() => undefined)
      const ports = { nodePort: yield* closedPort, clusterPort: yield* closedPort }
      const refused = Effect.fnUntraced(function*(
        options: Partial<Parameters<typeof ClusterNode.open>[0]>,
        wrong: RegExp,
        remedy: RegExp
      ) {
        const error = yield* Effect.flip(Effect.scoped(ClusterNode.open({ url, ...ports, ...options })))
        assert.match(error.wrong, wrong)
        assert.match(error.remedy, remedy)
      })
      const tablesOf = (version: number) =>
        Effect.provide(
          Effect.flatMap(PgClient.PgClient, (sql) => sql`UPDATE txc_version SET version = ${version}`),
          layer
        )

      yield* refused({ url: "a text" }, /cannot be used/u, /^The URL of its database must be like/u)
      yield* refused({}, /cannot be used/u, /no tables.*--migrate/u)
      yield* ClusterNode.migrate(url, undefined)
      yield* tablesOf(9)
      yield* refused({}, /cannot be used/u, /version 9.*use a newer release/u)
      assert.match((yield* Effect.flip(ClusterNode.migrate(url, undefined))).remedy, /use a newer release/u)
      yield* tablesOf(Tables.version)

      // The tables exist, but a node can't use them.
      const set = (setting: string) => ({ url: `${url}?options=${encodeURIComponent(`-c ${setting}`)}` })
      yield* refused(set("default_transaction_read_only=on"), /cannot be used/u, /read-only.*primary/u)
      yield* refused(set("synchronous_commit=off"), /cannot be used/u, /synchronous_commit off/u)
      const admin = (statement: string) =>
        Effect.provide(Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(statement)), layer)
      yield* admin("CREATE USER reader")
      yield* admin("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
      yield* refused(
        { url: url.replace("txc@", "reader@") },
        /cannot be used/u,
        /lacks rights: GRANT INSERT ON txc_venue.*34 more/u
      )
      yield* refused({ nodeHost: "0.0.0.0" }, /Can't listen on 0\.0\.0\.0/u, /--node-host/u)

      yield* refused({ nodePort: taken.port }, /EADDRINUSE/u, /--node-port/u)
      yield* refused({ clusterPort: taken.port }, /EADDRINUSE/u, /--cluster-port/u)
      // No machine has this address, which is reserved for documentation.
      yield* refused({ nodeHost: "192.0.2.1" }, /EADDRNOTAVAIL/u, /--node-host/u)

      yield* ClusterNode.migrate(url, "theirs")
      yield* refused({ token: "another" }, /cannot be used/u, /TXC_HOST_TOKEN.*--migrate/u)
      yield* ClusterNode.migrate(url, "another")
      yield* refused({ token: "theirs" }, /cannot be used/u, /TXC_HOST_TOKEN/u)
    }).pipe(Effect.provideService(Console.Console, silent))
)
