import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as SqlError from "effect/sql/SqlError"
import * as TestClock from "effect/testing/TestClock"
import { writeFileSync } from "node:fs"
import * as Database from "../../../src/sandbox/cluster/Database.ts"
import type { JournalError } from "../../../src/sandbox/store/JournalError.ts"
import { certificate } from "../../support/certificate.ts"
import { passing, until } from "../../support/clock.ts"
import { scratchFile } from "../../support/files.ts"
import { link } from "../../support/link.ts"
import { itWithPostgres, postgresServer, postgresWith } from "../../support/postgres.ts"
import { closedPort } from "../../support/server.ts"

/** Connects to the database. Returns `on` if its transactions are read-only, and `off` otherwise. */
const usable = (url: string) =>
  Effect.provide(
    Effect.flatMap(
      PgClient.PgClient,
      (sql) => sql<{ value: string }>`SELECT current_setting('transaction_read_only') AS value`
    ),
    Database.layer(url)
  )

/** Checks whether connections to this URL use TLS. */
const encrypted = (url: string): Effect.Effect<boolean, JournalError> =>
  Effect.flatMap(
    PgClient.PgClient,
    (sql) => sql<{ ssl: boolean }>`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`
  ).pipe(
    Effect.map(([row]) => row?.ssl ?? assert.fail()),
    Effect.provide(Database.layer(url)),
    Effect.catchTag("SqlError", (error) => Effect.fail(Database.unreachable(error)))
  )

/** Checks that each URL is refused with its expected message, and that no message contains the password. */
const refused: (urls: ReadonlyArray<readonly [url: string, said: RegExp]>) => Effect.Effect<void> = Effect.fnUntraced(
  function*(urls) {
    for (const [url, said] of urls) {
      const { message } = yield* Effect.orDie(Effect.flip(encrypted(url)))
      assert.match(message, said, url)
      assert.notInclude(message, "secret")
    }
  }
)

/** Creates a temporary file with this text. The file is removed when the scope closes. */
const fileWith = (text: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.tap(scratchFile, (file) => Effect.sync(() => writeFileSync(file, text)))

it.effect("database work that exceeds its time limit fails immediately, even if interrupting it takes an hour", () =>
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
  "a node connects to a database that requires TLS as its URL specifies, or fails with an error that states what to do",
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
          /127\.0\.0\.2.*Use the host name in its certificate/u
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
  "a database that is unreachable or refuses the node causes an error that states what to do",
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

const writable = (url: string) => Effect.map(usable(url), ([row]) => row?.value === "off")

itWithPostgres(
  "a URL may name a Unix socket, or several servers, only one of which accepts writes",
  () =>
    Effect.gen(function*() {
      const { folder, layer, url } = yield* postgresServer
      const { port } = new URL(url)
      for (
        const used of [
          `postgres:///postgres?host=${folder}&port=${port}&user=txc`,
          `postgres://txc@/postgres?host=${folder}&port=${port}`,
          `postgres://txc@${encodeURIComponent(folder)}:${port}/postgres`
        ]
      ) assert.isTrue(yield* writable(used), used)

      // The first server is down, and the second is a standby.
      const standby = yield* postgresServer
      yield* Effect.provide(
        Effect.flatMap(PgClient.PgClient, (sql) => sql`ALTER ROLE txc SET default_transaction_read_only = on`),
        standby.layer
      )
      const hosts = `127.0.0.1:${yield* closedPort},127.0.0.1:${new URL(standby.url).port},127.0.0.1:${port}`
      assert.isTrue(yield* writable(`postgres://txc@${hosts}/postgres`))

      // The first server fails while a node is using it.
      const wire = yield* link(Number(port))
      const settings = Effect.flatMap(PgClient.PgClient, (sql) => sql`SELECT 1 AS one`)
      yield* Effect.provide(
        Effect.gen(function*() {
          yield* settings
          yield* wire.cut("reset")
          yield* until(Effect.isSuccess(settings))
        }),
        Database.layer(`postgres://txc@127.0.0.1:${wire.port},127.0.0.1:${port}/postgres`)
      )
      yield* Effect.provide(settings, layer)
    })
)

it.effect("an unknown parameter in the database's URL is refused, and the error lists the known parameters", () =>
  refused([
    [
      "postgres://a:secret@b/c?target_session_attrs=any",
      /target_session_attrs, which is not supported.*connect_timeout/u
    ],
    ["postgres://a:secret@b:1,c:x/d", /must be like postgres:/u]
  ]))

it.effect("a node waits up to a minute for a database that it can't reach, but does not wait after any other error", () =>
  Effect.gen(function*() {
    const said: Array<string> = []
    const say = (text: string) => Effect.sync(() => void said.push(text))
    const failing = (code: string) => {
      const cause = Object.assign(new Error("it said no"), { code })
      return Effect.fail(new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause, message: "" }) }))
    }
    let attempts = 0
    const third = Effect.suspend(() => ++attempts < 3 ? failing("ECONNREFUSED") : Effect.succeed("works"))
    assert.strictEqual(yield* passing(Database.whenReachable(third, say)), "works")
    assert.deepStrictEqual(said, ["Waiting for the database, for up to a minute: it said no"])
    yield* Effect.flip(Database.whenReachable(failing("28P01"), say))
    assert.strictEqual(said.length, 1)
    const before = yield* Clock.currentTimeMillis
    yield* passing(Effect.flip(Database.whenReachable(failing("57P03"), say)), 1000)
    assert.approximately((yield* Clock.currentTimeMillis) - before, 60_000, 2000)
  }))
