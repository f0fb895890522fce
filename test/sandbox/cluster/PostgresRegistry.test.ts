import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as PostgresJournal from "../../../src/sandbox/cluster/PostgresJournal.ts"
import * as PostgresRegistry from "../../../src/sandbox/cluster/PostgresRegistry.ts"
import * as Tables from "../../../src/sandbox/cluster/Tables.ts"
import * as HostBounds from "../../../src/sandbox/host/HostBounds.ts"
import type { Registered } from "../../../src/sandbox/host/Registry.ts"
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

itWithPostgres("a node without a venue can't save the venue's memory", () =>
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
        // It is returned once.
        assert.isUndefined(yield* registry.recall(venue.id))
        yield* registry.remember(venue.id, before.run, bytes("too late"))
        assert.isUndefined(yield* registry.recall(venue.id))
        yield* registry.remember(venue.id, after.run, bytes("second"))
        yield* registry.remember(venue.id, after.run, bytes("third"))
        assert.deepStrictEqual(yield* registry.recall(venue.id), bytes("third"))
        // The memory of an ended venue can't be saved either.
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
