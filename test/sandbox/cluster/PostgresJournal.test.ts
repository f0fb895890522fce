import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as PostgresJournal from "../../../src/sandbox/cluster/PostgresJournal.ts"
import * as Tables from "../../../src/sandbox/cluster/Tables.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import type { Command } from "../../../src/sandbox/engine/Command.ts"
import * as Engine from "../../../src/sandbox/engine/Engine.ts"
import * as Saved from "../../../src/sandbox/engine/Saved.ts"
import * as Journal from "../../../src/sandbox/store/Journal.ts"
import * as Venue from "../../../src/sandbox/venue/Venue.ts"
import { canonical } from "../../support/engine.ts"
import { setUp } from "../../support/exchange.ts"
import { itWithPostgres, postgresServer } from "../../support/postgres.ts"
import { read, signed } from "../../support/signed.ts"

/** Commands with short and long strings that fill more than one page, and some restores. */
const commands: ReadonlyArray<Command> = Array.from({ length: 2500 }, (_, at): Command =>
  at % 100 === 99
    ? { at, action: { _tag: "Restore", sequence: at - 50 } }
    : { at, action: { _tag: "OpenAccount", account: `é${"x".repeat(at % 700 === 0 ? 1024 * 1024 : at)}`, b2b: false } })

/** Appends the commands to a journal of any kind. Returns its digests and the commands read back from it. */
const written = Effect.fnUntraced(function*(journal: Journal.Journal) {
  const digests: Array<string> = []
  for (const [index, command] of commands.entries()) {
    journal.append(command)
    if (index % 333 !== 0) continue
    yield* journal.committed
    digests.push(journal.digest())
  }
  yield* journal.committed
  yield* journal.verify
  const commandsRead: Array<readonly [number, Command]> = []
  yield* journal.read(0, 1234, (command, sequence) => commandsRead.push([sequence, command]))
  return {
    digests,
    digest: journal.digest(),
    sequence: journal.sequence(),
    lines: yield* Stream.runCollect(yield* journal.lines),
    commandsRead,
    recalled: yield* journal.recalledAfter(1000)
  }
})

/** Defines a test with the cluster's tables in a separate database. */
const itHasTables = (
  name: string,
  test: () => Effect.Effect<unknown, unknown, PgClient.PgClient | Scope.Scope>
): void =>
  itWithPostgres(name, () =>
    Effect.gen(function*() {
      const { layer } = yield* postgresServer
      yield* Effect.provide(Effect.andThen(Tables.migrate, test()), layer)
    }))

const rules = { rules: "test" }

/** Opens a venue whose journal is in the database. */
const venueOf = Effect.fnUntraced(function*(name: string) {
  const sql = yield* PgClient.PgClient
  return yield* Venue.make({
    dialect: Dialect.document,
    journal: (options) => Effect.provideService(PostgresJournal.open(name, options), PgClient.PgClient, sql)
  })
})

const order = { market: "BTC_USDT", side: "buy", amount: "0.1", price: "900" }
const placing = (fields: object = {}) => signed(Dialect.document, "/api/v4/order/new", { ...order, ...fields })

describe("a journal in PostgreSQL", () => {
  itHasTables("a journal in PostgreSQL equals the same journal in memory", () =>
    Effect.gen(function*() {
      const inMemory = yield* written(yield* Journal.open(Journal.inMemory, rules))
      assert.deepStrictEqual(yield* written(yield* PostgresJournal.open("one", rules)), inMemory)
      // Another venue in the same tables stays empty.
      assert.strictEqual((yield* PostgresJournal.open("two", rules)).sequence(), 0)
    }))

  itHasTables(
    "a journal in PostgreSQL restores a venue from its snapshot or from the first command",
    () =>
      Effect.gen(function*() {
        const first = yield* Scope.make()
        const venue = yield* Scope.provide(venueOf("one"), first)
        yield* Effect.provideService(setUp, Control.Control, Control.make(venue))
        assert.deepInclude(read(yield* venue.handle(placing())), { status: 200 })
        const before = canonical(Saved.save(venue.state))
        yield* Scope.close(first, Exit.void)

        const second = yield* Scope.make()
        const again = yield* Scope.provide(venueOf("one"), second)
        assert.strictEqual(canonical(Saved.save(again.state)), before)
        assert.deepInclude(read(yield* again.handle(placing())), { status: 200 })
        yield* again.snapshot
        const later = canonical(Saved.save(again.state))
        yield* Scope.close(second, Exit.void)
        assert.strictEqual(canonical(Saved.save((yield* venueOf("one")).state)), later)
      })
  )

  itHasTables(
    "only the latest node of a venue writes the venue's journal, and the previous node serves nothing, not even reads",
    () =>
      Effect.gen(function*() {
        const before = yield* venueOf("one")
        yield* Effect.provideService(setUp, Control.Control, Control.make(before))
        const after = yield* venueOf("one")
        const balance = signed(Dialect.document, "/api/v4/trade-account/balance")
        const ping = { ...balance, method: "GET", path: "/api/v4/public/ping" }
        for (const request of [ping, placing(), balance]) {
          assert.deepInclude(read(yield* before.handle(request)), { status: 503 })
        }
        // Refused calls were not carried out, so their nonces can still be used.
        const sequence = after.sequence()
        assert.deepInclude(read(yield* after.handle(placing())), { status: 200 })
        assert.strictEqual(after.sequence(), sequence + 1)
        yield* after.journal.verify
      })
  )

  itHasTables(
    "a request that is delivered twice gets the same response, even from the venue's next node",
    () =>
      Effect.gen(function*() {
        const first = yield* venueOf("one")
        yield* Effect.provideService(setUp, Control.Control, Control.make(first))
        const request = { ...placing(), delivery: "a" }
        // The request is repeated while it is in flight, and again later at another node.
        const [answer, ...others] = yield* Effect.all([first.handle(request), first.handle(request)], {
          concurrency: "unbounded"
        })
        assert.deepInclude(read(answer), { status: 200 })
        assert.deepStrictEqual(others, [answer])
        const sequence = first.sequence()
        const second = yield* venueOf("one")
        assert.deepStrictEqual(yield* second.handle(request), answer)
        assert.strictEqual(second.sequence(), sequence)
        // The same request with a different delivery id is a new request.
        assert.deepInclude(read(yield* second.handle({ ...request, delivery: "b" })), { status: 429 })
      })
  )

  itHasTables(
    "a journal that had commands and is now missing is refused, not started over",
    () =>
      Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        yield* sql`INSERT INTO txc_hosted (venue, owner, record) VALUES ('one', 'ci', '{}')`
        const journal = yield* PostgresJournal.open("one", rules)
        // A journal that never had any commands may be created again.
        yield* PostgresJournal.open("one", rules)
        const again = yield* PostgresJournal.open("one", rules)
        again.append(commands[0] ?? assert.fail())
        yield* again.committed
        assert.strictEqual((yield* PostgresJournal.open("one", rules)).sequence(), 1)
        yield* sql`DELETE FROM txc_venue`
        const { message, why } = yield* Effect.flip(PostgresJournal.open("one", rules))
        assert.deepStrictEqual([why, journal.sequence()], ["damaged", 0])
        assert.include(message, "it had commands, but is gone")
      })
  )

  itHasTables("a journal with other rules or changed entries is refused", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      const journal = yield* PostgresJournal.open("one", rules)
      for (const command of commands.slice(0, 5)) journal.append(command)
      yield* journal.committed
      assert.deepInclude(yield* Effect.flip(PostgresJournal.open("one", { rules: "others" })), { why: "other-rules" })
      // The refused attempt to open the journal with other rules has not taken over the journal.
      yield* journal.committed
      yield* sql`UPDATE txc_journal SET command = replace(command, 'é', 'e') WHERE sequence = 3`
      const damaged = yield* Effect.flip(journal.verify)
      assert.deepInclude(damaged, { why: "damaged", intact: 2 })
      yield* sql`DELETE FROM txc_journal WHERE sequence = 5`
      assert.deepInclude(yield* Effect.flip(PostgresJournal.open("one", rules)), { why: "damaged" })
    }))
})

itWithPostgres(
  "a stopped database halts the venue, and acknowledged commands survive a restart",
  () =>
    Effect.gen(function*() {
      const server = yield* postgresServer
      yield* Effect.provide(
        Effect.gen(function*() {
          yield* Tables.migrate
          const venue = yield* venueOf("one")
          yield* Effect.provideService(setUp, Control.Control, Control.make(venue))
          assert.deepInclude(read(yield* venue.handle(placing())), { status: 200 })
          const { sequence } = venue
          const acknowledged = sequence()
          yield* server.stop
          assert.strictEqual(read(yield* venue.handle(placing())), "reset")
          yield* server.start
          // The outcome of the last group of commands is unknown, so the venue stays halted.
          assert.deepInclude(read(yield* venue.handle(placing())), { status: 503 })
          const again = yield* venueOf("one")
          assert.include([acknowledged, acknowledged + 1], again.sequence())
        }),
        server.layer
      )
    })
)

describe("the tables of a cluster", () => {
  itWithPostgres(
    "a cluster creates its tables once, and refuses tables of another version",
    () =>
      Effect.gen(function*() {
        const { layer } = yield* postgresServer
        yield* Effect.provide(
          Effect.gen(function*() {
            const sql = yield* PgClient.PgClient
            assert.deepInclude(yield* Effect.flip(Tables.check), { why: "older" })
            const before = yield* Effect.all([Tables.migrate, Tables.migrate], { concurrency: 2 })
            assert.sameMembers(before, [0, Tables.version])
            yield* Tables.check
            // A migration from version 1 sets `begun` for venues that have commands, and records the engine version
            // that their rules name.
            yield* sql`ALTER TABLE txc_hosted DROP COLUMN begun`
            yield* sql`ALTER TABLE txc_venue DROP COLUMN since`
            yield* sql`DROP TABLE txc_node, txc_place`
            yield* sql`UPDATE txc_version SET version = 1`
            yield* sql`INSERT INTO txc_hosted (venue, owner, record) VALUES ('old', '', '{}'), ('new', '', '{}')`
            yield* sql`INSERT INTO txc_venue (venue, rules, epoch, sequence, link)
            VALUES ('old', 'document, engine 3', 1, 1, '')`
            assert.strictEqual(yield* Tables.migrate, 1)
            assert.deepStrictEqual(yield* sql`SELECT venue FROM txc_hosted WHERE begun`, [{ venue: "old" }])
            assert.deepStrictEqual(yield* sql`SELECT record FROM txc_hosted ORDER BY venue`, [
              { record: `{"engine": ${Engine.version}}` },
              { record: `{"engine": 3}` }
            ])
            yield* sql`UPDATE txc_version SET version = ${Tables.version + 1}`
            assert.deepInclude(yield* Effect.flip(Tables.check), { why: "newer" })
          }),
          layer
        )
      })
  )
})
