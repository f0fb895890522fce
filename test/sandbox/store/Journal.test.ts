import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { CancelAllOrders } from "../../../src/endpoints/CancelAllOrders.ts"
import { Codes } from "../../../src/endpoints/Codes.ts"
import { CollateralOcoOrders } from "../../../src/endpoints/CollateralOcoOrders.ts"
import { DeleteSubAccount } from "../../../src/endpoints/DeleteSubAccount.ts"
import { MainBalance } from "../../../src/endpoints/MainBalance.ts"
import { StopLimitOrders } from "../../../src/endpoints/StopLimitOrders.ts"
import type * as Exchange from "../../../src/Exchange.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import type { Command } from "../../../src/sandbox/engine/Command.ts"
import * as Engine from "../../../src/sandbox/engine/Engine.ts"
import * as Saved from "../../../src/sandbox/engine/Saved.ts"
import * as State from "../../../src/sandbox/engine/State.ts"
import * as InProcess from "../../../src/sandbox/server/InProcess.ts"
import * as Journal from "../../../src/sandbox/store/Journal.ts"
import * as Venue from "../../../src/sandbox/venue/Venue.ts"
import {
  alice,
  clientOf,
  code,
  dialects,
  emptySubAccount,
  eth,
  ethUsdt,
  oco,
  Place,
  setUp,
  stopLimit
} from "../../support/exchange.ts"
import { failsWith } from "../../support/fails.ts"
import { moduleUrl, runElsewhere, scratchFile } from "../../support/files.ts"
import { fullDisk } from "../../support/fullDisk.ts"
import { property } from "../../support/property.ts"
import { handle, signed, signedText } from "../../support/signed.ts"
import { commands } from "../engine/commands.ts"

type World = Venue.Venue | Control.Control | Exchange.Services

/** Runs an effect while a file's venue is open. */
const opened = (file: string, dialect: Dialect.Dialect) => <A, E>(effect: Effect.Effect<A, E, World>) =>
  Effect.provide(
    effect,
    clientOf(alice).pipe(
      Layer.provide(InProcess.layer),
      Layer.provide(Layer.succeed(Place, { baseUrl: InProcess.baseUrl, dialect })),
      Layer.merge(Control.layer),
      Layer.provideMerge(Venue.layer({ dialect, file }))
    )
  )

/** The rules that a venue in the document's dialect stores in its journal. */
const rules = `document, reduce-only accepted, engine ${Engine.version}`

const open = (file: string, by: string = rules) => Effect.scoped(Journal.open(file, { rules: by }))

/** Reads all commands in a journal. */
const commandsOf = Effect.fnUntraced(function*(journal: Journal.Journal) {
  const commands: Array<Command> = []
  yield* journal.read(0, journal.sequence(), (command) => commands.push(command))
  return commands
})

/** Runs SQL on the file, as any SQLite program could. */
const sql = (file: string, ...statements: ReadonlyArray<string>) =>
  Effect.sync(() => {
    const database = new DatabaseSync(file)
    for (const statement of statements) database.exec(statement)
    database.close()
  })

const snapshot = Venue.Venue.use(({ state }) => Effect.sync(() => structuredClone(Saved.save(state))))

/** Makes calls that leave the exchange with at least one of everything that it can store. */
const busy = Effect.gen(function*() {
  yield* setUp
  yield* TestClock.adjust("1 minute")
  yield* Codes.use((codes) => codes.apply({ code }))
  yield* StopLimitOrders.use((orders) => orders.create({ ...stopLimit, clientOrderId: "mine" as never }))
  yield* StopLimitOrders.use((orders) => orders.create({ ...stopLimit, market: ethUsdt }))
  yield* CollateralOcoOrders.use((orders) => orders.create(oco))
  yield* Effect.flip(CollateralOcoOrders.use((orders) => orders.create({ ...oco, reduceOnly: true })))
  yield* CancelAllOrders.use((orders) => orders.cancel({ market: ethUsdt }))
  yield* DeleteSubAccount.use((service) => service.delete({ id: emptySubAccount }))
})

const accounts = (...names: ReadonlyArray<string>) =>
  Control.Control.use((control) =>
    Effect.forEach(names, (account) => control.openAccount({ account, b2b: false }), { discard: true })
  )

describe.each(dialects)("journals in the $name dialect", (dialect) => {
  it.effect("a reopened venue has the same state as before", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      const before = yield* Effect.andThen(busy, snapshot).pipe(opened(file, dialect))
      assert.deepStrictEqual(yield* snapshot.pipe(opened(file, dialect)), before)
      assert.isFalse(before.subAccounts.has(emptySubAccount))
      assert.strictEqual(before.openOrders.size, 3)
      // The new client does not know the first client's nonces, so the clock must advance.
      yield* TestClock.adjust("5 seconds")
      const balance = yield* MainBalance.use((balances) => balances.of(eth)).pipe(opened(file, dialect))
      assert.strictEqual(balance, "2.5")
    }))

  it.effect("used nonces stay used after a restart, even the nonces of refused calls", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      const good = signed(dialect, "/api/v4/main-account/balance")
      const bad = signed(dialect, "/api/v4/sub-account/list", { limit: 0 })
      const statuses = Effect.map(
        Effect.forEach([good, bad], handle),
        (answers) => answers.map(({ status }) => status)
      )
      assert.deepStrictEqual(yield* Effect.andThen(setUp, statuses).pipe(opened(file, dialect)), [200, 400])
      assert.deepStrictEqual(yield* statuses.pipe(opened(file, dialect)), [429, 429])
    }))
})

describe("commands that were written", () => {
  property(
    "a reopened journal has all its commands, which give the same state as before",
    [commands],
    (list) =>
      Effect.gen(function*() {
        const file = yield* scratchFile
        const state = State.make(Dialect.live.policy)
        yield* Effect.gen(function*() {
          const journal = yield* Journal.open(file, { rules: "live" })
          for (const command of list) {
            Engine.apply(state, command)
            journal.append(command)
          }
          yield* journal.committed
        }).pipe(Effect.scoped)
        const again = State.make(Dialect.live.policy)
        yield* Effect.gen(function*() {
          const journal = yield* Journal.open(file, { rules: "live" })
          const read = yield* commandsOf(journal)
          assert.deepStrictEqual(read, list)
          for (const command of read) Engine.apply(again, command)
        }).pipe(Effect.scoped)
        assert.deepStrictEqual(Saved.save(again), Saved.save(state))
      }),
    { runs: 15 }
  )

  it.live("a command is durable even if the process is killed right after the response", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      const { ended, output } = yield* runElsewhere(`
        import * as Effect from "effect/Effect"
        import * as Dialect from "${moduleUrl("protocol/Dialect.ts")}"
        import * as Venue from "${moduleUrl("sandbox/venue/Venue.ts")}"
        const program = Effect.gen(function*() {
          const venue = yield* Venue.make({ dialect: Dialect.document, file: ${JSON.stringify(file)} })
          yield* venue.perform({ _tag: "OpenAccount", account: "survivor", b2b: true })
          process.stdout.write("answered", () => process.kill(process.pid, "SIGKILL"))
          yield* Effect.never
        })
        Effect.runPromise(Effect.scoped(program))
      `)
      assert.deepStrictEqual([output, ended], ["answered", "SIGKILL"])
      const state = yield* snapshot.pipe(opened(file, Dialect.document))
      assert.deepStrictEqual(
        state.accounts,
        new Map([[
          "survivor",
          { id: "survivor", b2b: true, rpi: false, retail: false, leverage: 10, hedgeMode: false }
        ]])
      )
    }))

  it.effect("command times never decrease", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      const place = StopLimitOrders.use((orders) => orders.create(stopLimit))
      const { first, second } = yield* Effect.gen(function*() {
        yield* setUp
        yield* TestClock.setTime(3_600_000)
        const first = yield* place
        yield* TestClock.setTime(3_599_000)
        return { first, second: yield* place }
      }).pipe(opened(file, Dialect.document))
      assert.strictEqual(second.timestamp, first.timestamp)
    }))

  it.effect("an in-memory venue loses its state when it closes, and shares nothing with another venue", () =>
    Effect.gen(function*() {
      const accounts = Venue.Venue.use(({ state }) => Effect.sync(() => [...state.accounts.keys()]))
      const venue = () => Layer.provideMerge(Control.layer, Venue.layer({ dialect: Dialect.document }))
      assert.isNotEmpty(yield* Effect.andThen(setUp, accounts).pipe(Effect.provide(venue())))
      assert.deepStrictEqual(yield* accounts.pipe(Effect.provide(venue())), [])
    }))
})

describe("files that can't be used", () => {
  it.effect("a journal that is already open in the same process is refused", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      yield* Effect.gen(function*() {
        yield* Journal.open(file, { rules })
        const error = yield* failsWith("JournalError")(open(file))
        assert.deepStrictEqual([error.why, error.file], ["locked", file])
      }).pipe(Effect.scoped)
      assert.strictEqual((yield* open(file)).sequence(), 0)
    }))

  it.live("a journal that is already open in another process is refused", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      const elsewhere = runElsewhere(`
        import * as Effect from "effect/Effect"
        import * as Journal from "${moduleUrl("sandbox/store/Journal.ts")}"
        const opened = Effect.scoped(Journal.open(${JSON.stringify(file)}, { rules: "${rules}" }))
        Effect.runPromise(Effect.match(opened, {
          onSuccess: () => "opened",
          onFailure: ({ message, why }) => why + ": " + message
        })).then((said) => process.stdout.write(said))
      `)
      const { output } = yield* Effect.scoped(Effect.andThen(Journal.open(file, { rules }), elsewhere))
      assert.match(output, /^locked: The journal .*another process has it open/u)
      yield* open(file)
    }))

  it.effect("a file that is not a database is refused", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      const text = "This is a letter, not a database.\n".repeat(100)
      writeFileSync(file, text)
      const error = yield* failsWith("JournalError")(open(file))
      assert.strictEqual(error.why, "foreign")
      assert.strictEqual(readFileSync(file, "utf8"), text)
    }))

  for (
    const [name, statement] of [["tables", "SELECT 1"], ["an application id", "PRAGMA application_id = 77"]] as const
  ) {
    it.effect(`another program's database with ${name} is refused and left unchanged`, () =>
      Effect.gen(function*() {
        const file = yield* scratchFile
        yield* sql(file, "CREATE TABLE letters (text TEXT)", "INSERT INTO letters VALUES ('dear')", statement)
        const before = readFileSync(file)
        const error = yield* failsWith("JournalError")(open(file))
        assert.strictEqual(error.why, "foreign")
        assert.isTrue(readFileSync(file).equals(before), "the file is unchanged")
      }))
  }

  it.effect("a journal written by a venue with other rules is refused", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      yield* open(file, "live")
      const error = yield* failsWith("JournalError")(open(file, "document"))
      assert.strictEqual(error.why, "other-rules")
      assert.include(error.message, "live")
      yield* open(file, "live")
    }))

  it.effect("a journal with a later version is refused", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      yield* open(file)
      yield* sql(file, `PRAGMA user_version = ${Journal.version + 1}`)
      const error = yield* failsWith("JournalError")(open(file))
      assert.strictEqual(error.why, "newer")
    }))

  const damage: ReadonlyArray<readonly [string, string, string]> = [
    [
      "an entry that is not JSON",
      "UPDATE journal SET command = '{' WHERE sequence = 2",
      "entry 2 was changed after it was written"
    ],
    [
      "an entry with one changed letter",
      "UPDATE journal SET command = replace(command, 'two', 'too') WHERE sequence = 2",
      "entry 2 was changed after it was written"
    ],
    ["an entry with another hash", "UPDATE journal SET hash = x'00' WHERE sequence = 3", "the first 2 commands"],
    ["a missing entry", "DELETE FROM journal WHERE sequence = 2", "entry 2 is missing"]
  ]
  for (const [name, statement, words] of damage) {
    it.effect(`a journal with ${name} is refused`, () =>
      Effect.gen(function*() {
        const file = yield* scratchFile
        yield* accounts("one", "two", "three").pipe(opened(file, Dialect.document))
        yield* sql(file, statement)
        const error = yield* failsWith("JournalError")(snapshot.pipe(opened(file, Dialect.document)))
        assert.strictEqual(error.why, "damaged")
        assert.include(error.reason, words)
      }))
  }

  it.effect("a journal with an earlier version is refused", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      yield* open(file)
      yield* sql(file, "PRAGMA user_version = 1")
      const before = readFileSync(file)
      const error = yield* failsWith("JournalError")(open(file))
      assert.strictEqual(error.why, "older")
      assert.isTrue(readFileSync(file).equals(before), "the file is unchanged")
    }))

  it.effect("a journal with a damaged page is refused, and the error states how many commands are intact", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      const many = Array.from({ length: 150 }, (_, n) => `${n} ${"x".repeat(200)}`)
      yield* accounts(...many).pipe(opened(file, Dialect.document))
      const whole = readFileSync(file)
      const said: Array<string> = []
      for (let at = 4096; at < whole.length; at += 4096) {
        const copy = `${file}-${at}`
        writeFileSync(copy, Buffer.from(whole).fill(0xa5, at, at + 4096))
        const outcome = yield* Effect.result(snapshot.pipe(opened(copy, Dialect.document)))
        if (outcome._tag === "Success") {
          // Damage to derived or unused pages does no harm.
          assert.strictEqual(outcome.success.accounts.size, many.length, `page at ${at}`)
          continue
        }
        const { intact, why } = outcome.failure as Journal.JournalError
        assert.isTrue(why === "damaged" && intact !== undefined, `${why} ${intact}: page at ${at}`)
        const { error, lines } = yield* Journal.salvage(copy)
        assert.strictEqual(lines.length, intact)
        // If the damage is only outside the journal's own pages, every command is intact.
        assert.strictEqual(error === undefined, lines.length === many.length)
        said.push(why)
      }
      assert.isAtLeast(said.length, 5)
    }))

  it.effect("a journal and its log are readable only by their owner", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      yield* Journal.open(file, { rules })
      for (const part of [file, `${file}-wal`]) assert.strictEqual(statSync(part).mode & 0o777, 0o600, part)
    }).pipe(Effect.scoped))

  it.effect("a journal in a missing or read-only directory, or whose path is a directory, is refused", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      for (const path of [`${file}/none/venue.sqlite`, file.replace(/\/[^/]*$/u, ""), "/proc/venue.sqlite"]) {
        const error = yield* failsWith("JournalError")(open(path))
        assert.strictEqual(error.why, "failed")
      }
    }))
})

describe("disks that fail", () => {
  const fund = Control.Control.use((control) =>
    control.fund({ account: "alice", wallet: "main", ticker: eth, amount: "7" as never })
  )

  const balance = signed(Dialect.document, "/api/v4/main-account/balance")

  it.effect("a failed commit sends no responses or events, and adds nothing to the journal", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      const before = yield* Effect.gen(function*() {
        yield* setUp
        const before = yield* snapshot
        const venue = yield* Venue.Venue
        const reset = { _tag: "Reset" } as const
        const cancelAll = signed(Dialect.document, "/api/v4/order/cancel/all")
        yield* Effect.gen(function*() {
          yield* fullDisk
          assert.deepStrictEqual(yield* venue.handle(cancelAll), reset)
          const { clock, snapshot, status } = yield* Control.Control
          for (const told of [clock, snapshot, status])
            yield* failsWith("JournalError")(Effect.asVoid<unknown, Journal.JournalError, never>(told))
          const error = yield* failsWith("JournalError")(fund)
          assert.deepStrictEqual([error.why, error.reason], [
            "full",
            "the disk is full; make room and reopen the venue"
          ])
        }).pipe(Effect.scoped)
        // The disk works again, but the venue has halted, even for reads, refusals and public calls.
        const unsigned = { ...signedText("/api/v4/main-account/fee", "{}"), headers: {} }
        const ping = { method: "GET", path: "/api/v4/public/ping", headers: {}, body: new Uint8Array(), from: "test" }
        for (const request of [balance, cancelAll, unsigned, ping, { ...ping, path: "/nowhere" }]) {
          const answer = yield* venue.handle(request)
          assert.strictEqual(answer._tag === "Answer" && answer.status, 503)
        }
        yield* failsWith("JournalError")(fund)
        return before
      }).pipe(opened(file, Dialect.document))
      yield* Effect.gen(function*() {
        assert.deepStrictEqual(yield* snapshot, before)
        assert.strictEqual((yield* handle(balance)).status, 200)
      }).pipe(opened(file, Dialect.document))
    }))

  it.effect("a failed commit fails its whole group, so no call in the same turn succeeds", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      yield* Effect.gen(function*() {
        yield* setUp
        const venue = yield* Venue.Venue
        yield* fullDisk
        const answers = yield* Effect.forEach(
          Array.from({ length: 10 }, () => signed(Dialect.document, "/api/v4/main-account/balance")),
          (request) => venue.handle(request),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(new Set(answers.map(({ _tag }) => _tag)), new Set(["Reset"]))
      }).pipe(Effect.scoped, opened(file, Dialect.document))
    }))

  it.live("when a file can't grow, no further call succeeds, and only commands without a response are lost", () =>
    Effect.gen(function*() {
      for (const blocks of [200, 333, 2000]) {
        const file = yield* scratchFile
        const { ended, output } = yield* runElsewhere(
          `
          import * as Effect from "effect/Effect"
          import { writeSync } from "node:fs"
          import * as Dialect from "${moduleUrl("protocol/Dialect.ts")}"
          import * as Venue from "${moduleUrl("sandbox/venue/Venue.ts")}"
          // Without this handler, the signal would kill the process before the process sees an error.
          process.on("SIGXFSZ", () => {})
          const say = (text) => writeSync(1, text + "\\n")
          const ping = { method: "GET", path: "/api/v4/public/ping", headers: {}, body: new Uint8Array(), from: "test" }
          const program = Effect.gen(function*() {
            const venue = yield* Venue.make({ dialect: Dialect.document, file: ${JSON.stringify(file)} })
            let error
            for (let n = 0; error === undefined && n < 10_000; n++) {
              const group = Array.from({ length: 1 + n % 3 }, (_, i) => n + "-" + i + "-" + "x".repeat(n * 7 % 3000))
              const done = Effect.forEach(group, (account) =>
                Effect.andThen(
                  venue.perform({ _tag: "OpenAccount", account, b2b: false }),
                  Effect.sync(() => say(account))
                ), { concurrency: "unbounded" })
              error = yield* Effect.match(done, { onSuccess: () => undefined, onFailure: (error) => error })
            }
            const answer = yield* venue.handle(ping)
            say("ended " + error?.why + " " + answer.status)
          })
          Effect.runPromise(Effect.scoped(program))
        `,
          { blocks }
        )
        const said = output.trim().split("\n")
        const last = said.pop() ?? ""
        assert.strictEqual(ended, 0)
        assert.match(last, /^ended (?:full|failed) 503$/u)
        assert.isAbove(said.length, 10)
        const state = yield* snapshot.pipe(opened(file, Dialect.document))
        assert.deepStrictEqual([...state.accounts.keys()], said)
      }
    }).pipe(Effect.scoped))
})
