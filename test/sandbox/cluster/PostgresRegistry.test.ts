import * as PgClient from "@effect/sql-pg/PgClient"
import { assert } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as PostgresJournal from "../../../src/sandbox/cluster/PostgresJournal.ts"
import * as PostgresRegistry from "../../../src/sandbox/cluster/PostgresRegistry.ts"
import * as Tables from "../../../src/sandbox/cluster/Tables.ts"
import * as HostBounds from "../../../src/sandbox/host/HostBounds.ts"
import type { Registered } from "../../../src/sandbox/host/Registry.ts"
import { until } from "../../support/clock.ts"
import { itWithPostgres, postgresServer } from "../../support/postgres.ts"

const venue: Registered = {
  id: "one",
  owner: "ci",
  controlToken: "a token",
  dialect: "live",
  reduceOnly: "accepted",
  seed: 0,
  example: false,
  identity: "a",
  keys: {},
  madeAt: 0,
  partial: false
}

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text))

itWithPostgres("a node that no longer has a venue can't save the venue's memory", () =>
  Effect.gen(function*() {
    const { layer } = yield* postgresServer
    yield* Effect.provide(
      Effect.gen(function*() {
        yield* Tables.migrate
        const registry = yield* PostgresRegistry.open("a token", false)
        yield* registry.add(venue, HostBounds.of({}))
        const before = yield* PostgresJournal.open(venue.id, { rules: "test" })
        yield* registry.remember(venue.id, before.run, bytes("first"))
        const after = yield* PostgresJournal.open(venue.id, { rules: "test" })
        yield* registry.remember(venue.id, before.run, bytes("too late"))
        assert.deepStrictEqual(yield* registry.recall(venue.id), bytes("first"))
        // Reading a venue's saved memory does not delete it.
        assert.deepStrictEqual(yield* registry.recall(venue.id), bytes("first"))
        yield* registry.forget(venue.id)
        assert.isUndefined(yield* registry.recall(venue.id))
        yield* registry.remember(venue.id, before.run, bytes("too late"))
        assert.isUndefined(yield* registry.recall(venue.id))
        yield* registry.remember(venue.id, after.run, bytes("second"))
        yield* registry.remember(venue.id, after.run, bytes("third"))
        assert.deepStrictEqual(yield* registry.recall(venue.id), bytes("third"))
        // The memory of a deleted venue can't be saved either.
        yield* registry.remove(venue.id)
        yield* registry.remember(venue.id, after.run, bytes("too late"))
        assert.isUndefined(yield* registry.recall(venue.id))
      }),
      layer
    )
  }))

itWithPostgres(
  "a cluster keeps the token of its first node until a migration replaces it",
  () =>
    Effect.gen(function*() {
      const { layer } = yield* postgresServer
      yield* Effect.provide(
        Effect.gen(function*() {
          yield* Tables.migrate
          const tokenOf = (token: string, isGiven: boolean) =>
            Effect.map(PostgresRegistry.open(token, isGiven), ({ token }) => token)
          assert.strictEqual(yield* tokenOf("drawn", false), "drawn")
          assert.strictEqual(yield* tokenOf("drawn by another", false), "drawn")
          assert.strictEqual(yield* tokenOf("drawn", true), "drawn")
          assert.include((yield* Effect.flip(tokenOf("given", true))).message, "TXC_HOST_TOKEN")
          yield* PostgresRegistry.setToken("given")
          assert.strictEqual(yield* tokenOf("given", true), "given")
          assert.strictEqual(yield* tokenOf("drawn", false), "given")
        }),
        layer
      )
    })
)

itWithPostgres(
  "a venue's time to live follows the database's clock, whatever the node's clock says",
  () =>
    Effect.gen(function*() {
      const { layer } = yield* postgresServer
      yield* Effect.provide(
        Effect.gen(function*() {
          yield* Tables.migrate
          const registry = yield* PostgresRegistry.open("a token", false)
          // The nodes' clocks show 1970 and 2200, because only the database's clock matters.
          for (const madeAt of [0, 7_258_118_400_000]) {
            const short = { ...venue, id: `short-${madeAt}`, madeAt, endsAt: madeAt + 1 }
            const long = { ...venue, id: `long-${madeAt}`, madeAt, endsAt: madeAt + 60_000 }
            for (const made of [short, long]) yield* registry.add(made, HostBounds.of({}))
            yield* until(Effect.map(registry.find(short.id), (found) => found === undefined))
            assert.include(yield* registry.removeEnded, short.id)
            const { endsAt = 0 } = (yield* registry.find(long.id)) ?? {}
            assert.approximately(endsAt, (yield* Clock.currentTimeMillis) + 60_000, 30_000)
          }
          assert.strictEqual((yield* registry.list()).length, 2)
        }),
        layer
      )
    })
)

itWithPostgres("an incomplete copy of a venue is hidden, and expires", () =>
  Effect.gen(function*() {
    const { layer } = yield* postgresServer
    yield* Effect.provide(
      Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        yield* Tables.migrate
        const registry = yield* PostgresRegistry.open("a token", false)
        yield* registry.add({ ...venue, partial: true }, HostBounds.of({}))
        yield* registry.add({ ...venue, id: "two", partial: true }, HostBounds.of({}))
        assert.isUndefined(yield* registry.find(venue.id))
        assert.deepStrictEqual(yield* registry.list(), [])
        yield* registry.complete(venue)
        assert.deepStrictEqual((yield* registry.find(venue.id))?.partial, false)
        yield* sql`UPDATE txc_hosted SET ends_at = ends_at - 3600001`
        assert.deepStrictEqual(yield* registry.removeEnded, ["two"])
        assert.include((yield* Effect.flip(registry.complete({ ...venue, id: "two" }))).message, "deleted while")
      }),
      layer
    )
  }))
