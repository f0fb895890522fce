import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as KnownDeliveries from "../../../src/sandbox/cluster/KnownDeliveries.ts"
import * as Tables from "../../../src/sandbox/cluster/Tables.ts"
import { itWithPostgres, postgresServer } from "../../support/postgres.ts"

it.effect("a response is written once, remembered while its request can be resent, and then deleted", () =>
  Effect.gen(function*() {
    const answers = yield* KnownDeliveries.open([{ id: "before", answer: "0" }])
    yield* TestClock.adjust("1 second")
    answers.keep("one", "1")
    assert.deepStrictEqual(answers.take(), [{ id: "one", answer: "1" }])
    assert.deepStrictEqual(answers.take(), [])
    assert.deepStrictEqual(["before", "one", "other"].map(answers.known), ["0", "1", undefined])
    yield* TestClock.adjust((KnownDeliveries.lifetime - 2) * 1000)
    assert.deepStrictEqual(["before", "one"].map(answers.known), ["0", "1"])
    yield* TestClock.adjust(KnownDeliveries.lifetime * 1000)
    assert.deepStrictEqual(["before", "one"].map(answers.known), [undefined, "1"])
    yield* TestClock.adjust(KnownDeliveries.lifetime * 1000)
    assert.deepStrictEqual(["before", "one"].map(answers.known), [undefined, undefined])
  }))

itWithPostgres(
  "an expired response is not read, and a sweep deletes a limited number of expired responses without waiting for other nodes",
  () =>
    Effect.gen(function*() {
      const { layer } = yield* postgresServer
      yield* Effect.provide(
        Effect.gen(function*() {
          const sql = yield* PgClient.PgClient
          yield* Tables.migrate
          yield* sql`INSERT INTO txc_venue (venue, rules, epoch, sequence, link) VALUES ('a', '', 1, 0, '')`
          const add = (ids: string, seconds: number) =>
            sql.unsafe(
              `INSERT INTO txc_delivery SELECT 'a', '${ids}' || n, 'it', now() - interval '${seconds} seconds'
              FROM generate_series(1, ${KnownDeliveries.sweepSize}) AS n`
            )
          const { lifetime } = KnownDeliveries
          yield* sql`INSERT INTO txc_delivery VALUES ('a', 'young', 'it', now() - interval '1 second')`
          yield* add("old", 2 * lifetime + 1)
          yield* add("older", 2 * lifetime + 2)
          assert.deepStrictEqual(yield* KnownDeliveries.read(sql, "a"), [{ id: "young", answer: "it" }])
          const left = Effect.map(
            sql<{ id: string }>`SELECT id FROM txc_delivery ORDER BY id`,
            (rows) => rows.map(({ id }) => id)
          )
          yield* KnownDeliveries.sweep(sql)
          assert.strictEqual((yield* left).length, KnownDeliveries.sweepSize + 1)
          // If another node has locked a row, the row is not deleted.
          yield* sql.withTransaction(Effect.gen(function*() {
            yield* sql`SELECT 1 FROM txc_delivery WHERE id = 'old7' FOR UPDATE`
            yield* Effect.provide(Effect.flatMap(PgClient.PgClient, KnownDeliveries.sweep), Layer.fresh(layer))
          }))
          assert.deepStrictEqual(yield* left, ["old7", "young"])
          yield* KnownDeliveries.sweep(sql)
          assert.deepStrictEqual(yield* left, ["young"])
        }),
        layer
      )
    })
)
