import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { copyFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import type { Command } from "../../../src/sandbox/engine/Command.ts"
import * as Journal from "../../../src/sandbox/store/Journal.ts"
import * as Venue from "../../../src/sandbox/venue/Venue.ts"
import { call, fund, hash, limit, movePrice } from "../../support/engine.ts"
import { failsWith } from "../../support/fails.ts"
import { scratchFile } from "../../support/files.ts"

const dialect = Dialect.document

/** The number of commands: enough for a snapshot, and some more after the snapshot. */
const count = 10_400

const opening = [
  { _tag: "OpenAccount", account: "ann", b2b: false },
  {
    _tag: "AddKey",
    account: "ann",
    apiKey: "ann",
    apiSecret: "secret",
    title: "key",
    type: "1",
    enabled: true
  },
  { _tag: "SetCurrency", ticker: "BTC", canDeposit: false, withdraw: { fixed: "0.5" } },
  fund("ann", "trade", "USDT", "1000000")
] as unknown as ReadonlyArray<Command["action"]>

const commands: ReadonlyArray<Command> = Array.from({ length: count }, (_, n) => ({
  at: 1_700_000_000_000_000 + n * 1000,
  action: opening[n] ?? (n % 3 === 0
    ? movePrice("BTC_USDT", String(900 + n % 50))
    : n % 3 === 1
    ? call("ann", limit("BTC_USDT", "buy", "0.1", String(850 + n % 60)))
    : n % 50 === 2
    ? call("ann", { _tag: "CancelAll" })
    : fund("ann", "main", "BTC", "0.5"))
}))

const sql = (file: string, statement: string) =>
  Effect.sync(() => {
    const database = new DatabaseSync(file)
    database.exec(statement)
    database.close()
  })

const copyJournal = (file: string, copy: string) => {
  for (const part of ["", "-anchor"]) copyFileSync(file + part, copy + part)
}

/** Returns the state of a file's venue, and whether that state was computed from the first command. */
const opened = (file: string) =>
  Effect.scoped(Effect.gen(function*() {
    const venue = yield* Venue.make({ dialect, file })
    const fromTheFirst = yield* Effect.match(venue.feed.after("0"), { onSuccess: () => true, onFailure: () => false })
    return { hash: hash(venue.state), sequence: venue.sequence(), origin: venue.origin(), fromTheFirst }
  }))

describe("venues with a snapshot", () => {
  it.live(
    "a venue has the same state from its snapshot as from its first command, and a damaged snapshot is skipped",
    () =>
      Effect.gen(function*() {
        const file = yield* scratchFile
        const expected = yield* Effect.scoped(Effect.gen(function*() {
          const venue = yield* Venue.make({ dialect, file })
          for (let n = 0; n < count; n += 100) yield* venue.replay(commands.slice(n, n + 100))
          yield* venue.perform({ _tag: "Begin" })
          assert.isAbove(venue.state.openOrders.size, 0)
          return { hash: hash(venue.state), sequence: count + 1, origin: count + 1 }
        }))
        assert.deepStrictEqual(yield* opened(file), { ...expected, fromTheFirst: false })
        const copy = `${file}-copy`
        const changed = (statement: string) =>
          Effect.suspend(() => {
            copyJournal(file, copy)
            return sql(copy, statement)
          })

        // Starting does not read the commands before the snapshot. A full check reads them, and fails.
        yield* changed("UPDATE journal SET command = replace(command, '0.5', '0.6') WHERE sequence = 600")
        assert.deepStrictEqual(yield* opened(copy), { ...expected, fromTheFirst: false })
        const { error, lines } = yield* Journal.salvage(copy)
        assert.deepStrictEqual([error?.why, error?.intact], ["damaged", lines.length])
        assert.isBelow(lines.length, 600)
        const refused = yield* failsWith("JournalError")(Effect.scoped(Effect.gen(function*() {
          const venue = yield* Venue.make({ dialect, file: copy })
          return yield* venue.restore(700)
        })))
        assert.strictEqual(refused.why, "damaged")

        // If any part of the snapshot differs, the state is computed from the commands instead, with the same result.
        for (
          const set of [
            "state = substr(state, 1, length(state) / 2) || x'00' || substr(state, length(state) / 2 + 2)",
            "state = x''",
            "sequence = sequence + 1",
            "sequence = 1",
            "sequence = 1000000",
            "origin = 7",
            "hash = x'00'"
          ]
        ) {
          yield* changed(`UPDATE snapshot SET ${set}`)
          assert.deepStrictEqual(yield* opened(copy), { ...expected, fromTheFirst: true }, set)
        }
        yield* changed("DELETE FROM snapshot")
        assert.deepStrictEqual(yield* opened(copy), { ...expected, fromTheFirst: true })

        // Restoring the snapshot itself needs no earlier commands.
        copyJournal(file, copy)
        const there = yield* Effect.scoped(Effect.gen(function*() {
          const venue = yield* Venue.make({ dialect, file: copy })
          assert.isTrue(yield* venue.restore((yield* venue.journal.snapshot)?.sequence ?? assert.fail("no snapshot")))
          return { hash: hash(venue.state), sequence: count + 2, origin: count + 1 }
        }))
        assert.notStrictEqual(there.hash, expected.hash)
        assert.deepStrictEqual(yield* opened(copy), { ...there, fromTheFirst: false })

        // Damage after the snapshot is detected on startup.
        yield* changed(`UPDATE journal SET command = replace(command, '0.5', '0.6') WHERE sequence > ${count - 9}`)
        assert.strictEqual((yield* failsWith("JournalError")(opened(copy))).why, "damaged")
      }).pipe(Effect.scoped),
    600_000
  )

  it.live(
    "a venue restored to a command before the snapshot has the same state after it is reopened",
    () =>
      Effect.gen(function*() {
        const file = yield* scratchFile
        const [early, late] = yield* Effect.scoped(Effect.gen(function*() {
          const venue = yield* Venue.make({ dialect, file })
          yield* venue.replay(commands.slice(0, 50))
          const early = hash(venue.state)
          yield* venue.replay(commands.slice(50))
          assert.isTrue(yield* venue.restore(50))
          assert.strictEqual(hash(venue.state), early)
          yield* venue.perform({ _tag: "OpenAccount", account: "late", b2b: false })
          assert.isFalse(yield* venue.restore(1_000_000))
          return [early, hash(venue.state)] as const
        }))
        const again = yield* opened(file)
        assert.deepStrictEqual(again, { hash: late, sequence: count + 2, origin: 0, fromTheFirst: true })
        yield* Effect.scoped(Effect.gen(function*() {
          const venue = yield* Venue.make({ dialect, file })
          assert.isTrue(yield* venue.restore(50))
          assert.strictEqual(hash(venue.state), early)
        }))
      }).pipe(Effect.scoped),
    600_000
  )
})
