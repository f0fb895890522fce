import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { writeFileSync } from "node:fs"
import * as Database from "../../../src/sandbox/cluster/Database.ts"
import type { JournalError } from "../../../src/sandbox/store/JournalError.ts"
import { certificate } from "../../support/certificate.ts"
import { passing } from "../../support/clock.ts"
import { scratchFile } from "../../support/files.ts"
import { itWithPostgres, postgresServer, postgresWith } from "../../support/postgres.ts"
import { closedPort } from "../../support/server.ts"

/** Whether the database is reachable with TLS. */
const encrypted = (url: string): Effect.Effect<boolean, JournalError> =>
  Effect.flatMap(
    PgClient.PgClient,
    (sql) => sql<{ ssl: boolean }>`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`
  ).pipe(
    Effect.map(([row]) => row?.ssl ?? assert.fail()),
    Effect.provide(Database.layer(url)),
    Effect.catchTag("SqlError", (error) => Effect.fail(Database.unreachable(error)))
  )

/** Checks that each URL is refused with its message, and that no message shows the password. */
const refused: (urls: ReadonlyArray<readonly [url: string, said: RegExp]>) => Effect.Effect<void> = Effect.fnUntraced(
  function*(urls) {
    for (const [url, said] of urls) {
      const { message } = yield* Effect.orDie(Effect.flip(encrypted(url)))
      assert.match(message, said, url)
      assert.notInclude(message, "secret")
    }
  }
)

/** A file with this text, until the scope is closed. */
const fileWith = (text: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.tap(scratchFile, (file) => Effect.sync(() => writeFileSync(file, text)))

it.effect("work in the database that takes too long is given up at once, however long its interruption takes", () =>
  Effect.gen(function*() {
    const calledBack: Array<string> = []
    const work = Effect.onInterrupt(
      Effect.never,
      () => Effect.andThen(Effect.sleep("1 hour"), Effect.sync(() => calledBack.push("it")))
    )
    const error = yield* passing(Effect.flip(Database.within("10 seconds")(work)))
    assert.strictEqual(error._tag, "TimeoutError")
    assert.isAtMost(yield* Clock.currentTimeMillis, 10_200)
    yield* TestClock.adjust("1 hour")
    assert.deepStrictEqual(calledBack, ["it"])
    assert.strictEqual(yield* Database.within("10 seconds")(Effect.succeed(1)), 1)
  }))

itWithPostgres(
  "a database that requires TLS is reached as its URL says, or the error has a remedy",
  () =>
    Effect.gen(function*() {
      const { url } = yield* postgresWith({ certificate, rules: ["local all all trust", "hostssl all all all trust"] })
      const root = yield* fileWith(certificate.cert)
      const elsewhere = url.replace("127.0.0.1", "127.0.0.2")
      for (
        const used of [
          `${url}?sslmode=require`,
          `${url}?sslmode=require&sslrootcert=${root}`,
          `${elsewhere}?sslmode=verify-ca&sslrootcert=${root}`,
          `${url}?sslmode=verify-full&sslrootcert=${root}`
        ]
      ) assert.isTrue(yield* encrypted(used), used)
      yield* refused([
        [url, /no encryption.*sslmode=/u],
        [`${url}?sslmode=disable`, /no encryption.*sslmode=/u],
        [`${url}?sslmode=verify-full`, /self-signed.*sslrootcert=FILE/u],
        [`${url}?sslmode=verify-ca&sslrootcert=system`, /self-signed.*sslrootcert=FILE/u],
        [
          `${elsewhere}?sslmode=verify-full&sslrootcert=${root}`,
          /127\.0\.0\.2.*Name the host as its certificate does/u
        ],
        [`${url}?sslmode=verify-full&sslrootcert=${root}-none`, /sslrootcert.*no such file/u],
        [`${url}?sslrootcert=${root}`, /sslrootcert but no TLS/u],
        [`${url}?sslmode=prefer`, /sslmode=prefer; it can be disable, require/u],
        [`${url}?sslmode=require&sslcert=${root}`, /sslcert, which is not supported/u],
        [url.replace(/\/postgres$/u, "/none?sslmode=require"), /"none" does not exist.*createdb/u]
      ])
    })
)

itWithPostgres(
  "a database that is unreachable, or refuses the node, gives an error with a remedy",
  () =>
    Effect.gen(function*() {
      const { url } = yield* postgresServer
      assert.isFalse(yield* encrypted(url))
      yield* refused([
        [`${url}?sslmode=require`, /does not support TLS.*ssl = on/u],
        [url.replace("txc@", "nobody:secret@"), /role "nobody" does not exist.*user/u],
        [url.replace(/:\d+\//u, `:${yield* closedPort}/`), /ECONNREFUSED.*Check the address/u],
        [url.replace("postgres://", "mysql://"), /must be like postgres:/u],
        ["a secret, and no URL", /must be like postgres:/u]
      ])
    })
)
