import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { DatabaseSync } from "node:sqlite"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import { prefix } from "../../../src/sandbox/control/ControlApi.ts"
import type { Command } from "../../../src/sandbox/engine/Command.ts"
import * as Server from "../../../src/sandbox/server/Server.ts"
import * as Journal from "../../../src/sandbox/store/Journal.ts"
import * as Snapshot from "../../../src/sandbox/store/Snapshot.ts"
import * as Venue from "../../../src/sandbox/venue/Venue.ts"
import { failsWith } from "../../support/fails.ts"
import { scratchFile } from "../../support/files.ts"
import { property } from "../../support/property.ts"

const dialect = Dialect.document

/** The number of commands. The snapshot is five commands before the last command. */
const count = 40
const ofSnapshot = count - 5

const token = "the token of this test"

const commands: ReadonlyArray<Command> = Array.from({ length: count }, (_, n) => ({
  at: n + 1,
  action: { _tag: "OpenAccount", account: `account ${n}`, b2b: false }
}))

const sql = (file: string, statement: string) => {
  const database = new DatabaseSync(file)
  database.exec(statement)
  database.close()
}

/** Writes a journal that contains all commands and a snapshot. */
const written = (file: string) =>
  Effect.scoped(Effect.gen(function*() {
    const { rules, state } = yield* Effect.scoped(Effect.gen(function*() {
      const venue = yield* Venue.make({ dialect, file })
      yield* venue.replay(commands.slice(0, ofSnapshot))
      const state = Snapshot.encode(venue.state)
      yield* venue.replay(commands.slice(ofSnapshot))
      return { state, rules: "" }
    }))
    const database = new DatabaseSync(file)
    const found = String(database.prepare("SELECT rules FROM venue").get()?.["rules"]) + rules
    database.close()
    const journal = yield* Journal.open(file, { rules: found })
    journal.keep({ sequence: ofSnapshot, origin: 0, state })
    journal.append({ at: count + 1, action: { _tag: "Begin" } })
    yield* journal.committed
  }))

/**
 * Kinds of damage to entries before the snapshot. Each has the number of the first entry that is changed or missing.
 */
const damage: fc.Arbitrary<readonly [statement: string, first: number]> = fc
  .tuple(fc.integer({ min: 1, max: ofSnapshot - 1 }), fc.nat(5))
  .map(([n, kind]) => {
    switch (kind) {
      case 0:
        return [`UPDATE journal SET command = replace(command, 'account', 'acc0unt') WHERE sequence = ${n}`, n] as const
      case 1:
        return [`DELETE FROM journal WHERE sequence = ${n}`, n] as const
      case 2:
        return [`DELETE FROM journal WHERE sequence >= ${n} AND sequence <= ${ofSnapshot - 1}`, n] as const
      case 3:
        return [`UPDATE journal SET hash = zeroblob(32) WHERE sequence = ${n}`, n] as const
      case 4:
        return [
          `UPDATE journal SET command = (SELECT command FROM journal WHERE sequence = ${n + 1}) WHERE sequence = ${n}`,
          n
        ] as const
      default:
        return [`DELETE FROM journal WHERE sequence <= ${n}`, 1] as const
    }
  })

describe("a journal that is damaged before its snapshot", () => {
  property(
    "a venue starts although its journal is damaged before the snapshot, but refuses to export, fork or restore, even over HTTP",
    [damage, fc.nat(count - 1)],
    ([statement, first], sequence) =>
      Effect.gen(function*() {
        const file = yield* scratchFile
        yield* written(file)
        sql(file, statement)
        const venue = yield* Venue.make({ dialect, file })
        assert.strictEqual(venue.state.accounts.size, count)
        const control = Control.make(venue)
        const { baseUrl } = yield* Server.serve({ controlToken: token }).pipe(
          Effect.provideService(Venue.Venue, venue)
        )
        const is = ({ intact, why }: Journal.JournalError) =>
          assert.deepStrictEqual([why, intact], ["damaged", first - 1], statement)
        const lines: Array<string> = []
        is(
          yield* failsWith("JournalError")(
            Stream.runForEach(control.journal, (line) => Effect.sync(() => lines.push(line)))
          )
        )
        assert.deepStrictEqual(lines, [])
        is(yield* failsWith("JournalError")(control.fork(sequence)))
        assert.deepStrictEqual(yield* control.forks, [])
        if (sequence > 0) is(yield* failsWith("JournalError")(control.restore(sequence)))
        const request = HttpClientRequest.get(`${baseUrl}${prefix}Journal`).pipe(HttpClientRequest.bearerToken(token))
        const answer = yield* HttpClient.execute(request)
        const body = yield* answer.json
        assert.strictEqual(answer.status, 503)
        assert.deepInclude(body, { why: "damaged", intact: first - 1 })
      }).pipe(Effect.provide(NodeHttpClient.layerUndici)),
    { runs: 25 }
  )

  it.live("a venue starts without reading the journal entries before the snapshot", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      yield* written(file)
      sql(file, `UPDATE journal SET command = 'unreadable' WHERE sequence < ${ofSnapshot}`)
      const venue = yield* Venue.make({ dialect, file })
      assert.strictEqual(venue.sequence(), count + 1)
    }).pipe(Effect.scoped))

  it.live("damage after the snapshot is detected on startup, even in columns outside the hash chain", () =>
    Effect.gen(function*() {
      for (
        const statement of [
          `UPDATE journal SET command = 'unreadable' WHERE sequence = ${ofSnapshot + 1}`,
          `DELETE FROM journal WHERE sequence = ${ofSnapshot + 2}`,
          `UPDATE journal SET recalled = ${ofSnapshot} WHERE sequence = ${ofSnapshot + 1}`
        ]
      ) {
        const file = yield* scratchFile
        yield* written(file)
        sql(file, statement)
        const error = yield* failsWith("JournalError")(Effect.scoped(Venue.make({ dialect, file })))
        assert.strictEqual(error.why, "damaged", statement)
      }
    }).pipe(Effect.scoped))

  it.live("all commands in an intact journal can be exported, forked and restored", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      yield* written(file)
      const venue = yield* Venue.make({ dialect, file })
      const control = Control.make(venue)
      assert.strictEqual((yield* Stream.runCollect(control.journal)).length, count + 1)
      assert.strictEqual((yield* control.fork(7)).state.accounts.size, 7)
      yield* control.restore(8)
      assert.strictEqual(venue.state.accounts.size, 8)
    }).pipe(Effect.scoped))
})

it.live("reading more commands than the journal contains fails", () =>
  Effect.gen(function*() {
    const journal = yield* Journal.open(Journal.inMemory, { rules: "test" })
    for (const command of commands) journal.append(command)
    yield* journal.committed
    yield* journal.verify
    const error = yield* failsWith("JournalError")(journal.read(0, count + 1, () => undefined))
    assert.deepStrictEqual([error.why, error.intact], ["damaged", count])
  }).pipe(Effect.scoped))

describe("replaying a journal", () => {
  const line = (command: object) => JSON.stringify(command)
  const key = line({
    at: 2,
    action: { _tag: "AddKey", account: "a", apiKey: "key", apiSecret: "s", title: "t", type: "1", enabled: true }
  })
  const account = line({ at: 1, action: { _tag: "OpenAccount", account: "a", b2b: false } })
  const call = line({
    at: 3,
    action: { _tag: "Call", apiKey: "key", nonce: { value: "1", window: false }, operation: { _tag: "Nothing" } }
  })

  it.live("a replay is refused as a whole if the engine would drop one of its commands", () =>
    Effect.gen(function*() {
      const venue = yield* Venue.make({ dialect })
      const control = Control.make(venue)
      const error = yield* failsWith("ControlRefused")(control.replay([account, key, call, call]))
      assert.deepStrictEqual(error.fields, { "line 4": "unused nonce" })
      assert.strictEqual(venue.sequence(), 0)
      yield* control.replay([account, key, call])
      assert.strictEqual(venue.sequence(), 3)
    }).pipe(Effect.scoped))
})

describe("an in-memory journal", () => {
  it.live(
    "when an in-memory journal reaches its limit, its commits fail as they would on a full disk",
    () =>
      Effect.gen(function*() {
        const journal = yield* Journal.open(Journal.inMemory, { rules: "test" })
        const mebibyte = "x".repeat(1024 * 1024)
        const long: Command = { at: 1, action: { _tag: "OpenAccount", account: mebibyte, b2b: false } }
        const append = Effect.suspend(() => {
          journal.append(long)
          return journal.committed
        })
        const room = Journal.maxInMemory / mebibyte.length
        for (let n = 0; n < room - 10; n++) yield* append
        const error = yield* failsWith("JournalError")(Effect.repeat(append, { times: 20 }))
        assert.strictEqual(error.why, "full")
        assert.include(error.reason, "keep a journal of this size in a file")
        assert.isAtMost(journal.sequence(), room)
      }).pipe(Effect.scoped),
    600_000
  )
})
