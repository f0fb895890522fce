import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Host from "../../../src/sandbox/host/Host.ts"
import { scratchFile } from "../../support/files.ts"
import { balance, call, keyOf, own, ping, send } from "../../support/host.ts"

const inFolder = (folder: string) => Layer.fresh(Host.layer({ folder }))

/** Creates two sleeping venues with different funds. Returns the venues and their folders. */
const twoVenues = Effect.fnUntraced(function*(folder: string) {
  const host = yield* Host.Host
  const venues = [yield* host.make(), yield* host.make()] as const
  for (const [index, venue] of venues.entries()) {
    const fund = { account: "alice", wallet: "main", ticker: "BTC", amount: String(index + 1) }
    assert.strictEqual((yield* own(venue, "POST", "Fund", fund)).status, 200)
    assert.isTrue(yield* host.sleep(venue.id))
  }
  return venues.map((venue) => ({ venue, path: join(folder, "venues", venue.id) }))
})

/** Checks that calls to the exchange are refused without details, and that the owner gets a message with the remedy. */
const refused = Effect.fnUntraced(function*(venue: Host.Made, reason: RegExp) {
  for (let again = 0; again < 2; again++) {
    assert.strictEqual((yield* call(venue.url, balance, keyOf(venue, "alice"))).status, 503)
    assert.strictEqual((yield* send("GET", venue.url + ping)).status, 503)
    const { status, text } = yield* own(venue, "GET", "Status")
    assert.deepStrictEqual([status, reason.test(text)], [503, true], text)
    assert.include(text, "Put the venue's own files")
  }
})

const held = (venue: Host.Made) =>
  Effect.map(call(venue.url, "/api/v4/main-account/balance", keyOf(venue, "alice")), ({ text }) => text)

describe("a venue's files", () => {
  it.effect("a venue whose files are gone is refused instead of being created again, and can be deleted", () =>
    Effect.gen(function*() {
      const folder = dirname(yield* scratchFile)
      const made = yield* Effect.gen(function*() {
        const host = yield* Host.Host
        const [first, second] = yield* twoVenues(folder)
        if (first === undefined || second === undefined) return assert.fail()
        rmSync(first.path, { recursive: true })
        yield* refused(first.venue, /is gone or empty/u)
        assert.isFalse(existsSync(first.path))
        // Without its anchor, only the registry knows that the journal had commands.
        for (const name of readdirSync(second.path)) rmSync(join(second.path, name))
        cpSync("/dev/null", join(second.path, "journal.sqlite"))
        yield* refused(second.venue, /is gone or empty/u)
        assert.strictEqual((yield* Effect.flip(host.copy(first.venue.id)))._tag, "JournalError")
        return first.venue
      }).pipe(Effect.provide(inFolder(folder)))
      // The next process also refuses the venue.
      yield* Effect.gen(function*() {
        yield* refused(made, /is gone or empty/u)
        const host = yield* Host.Host
        yield* host.end(made.id)
        assert.strictEqual((yield* send("GET", made.url + ping)).status, 404)
      }).pipe(Effect.provide(inFolder(folder)))
    }))

  it.effect("a venue neither uses nor changes the files of another venue", () =>
    Effect.gen(function*() {
      const folder = dirname(yield* scratchFile)
      yield* Effect.gen(function*() {
        const [first, second] = yield* twoVenues(folder)
        if (first === undefined || second === undefined) return assert.fail()
        const before = readFileSync(join(second.path, "journal.sqlite-anchor"))
        renameSync(first.path, `${first.path}-own`)
        cpSync(second.path, first.path, { recursive: true })
        yield* refused(first.venue, new RegExp(`belongs to a venue with the rules .*id ${second.venue.id}`, "u"))
        assert.deepStrictEqual(readFileSync(join(first.path, "journal.sqlite-anchor")), before)
        rmSync(first.path, { recursive: true })
        renameSync(`${first.path}-own`, first.path)
        assert.include(yield* held(first.venue), `"BTC":{"main_balance":"1.5"}`)
        assert.include(yield* held(second.venue), `"BTC":{"main_balance":"2.5"}`)
      }).pipe(Effect.provide(inFolder(folder)))
    }))

  it.effect("a venue is refused if its folder, its journal or a file that it is about to write is a link", () =>
    Effect.gen(function*() {
      const folder = dirname(yield* scratchFile)
      yield* Effect.gen(function*() {
        const host = yield* Host.Host
        const [first, second] = yield* twoVenues(folder)
        if (first === undefined || second === undefined) return assert.fail()
        const kept = `${first.path}-own`
        const outside = join(folder, "outside")
        renameSync(first.path, kept)
        symlinkSync(kept, first.path)
        yield* refused(first.venue, /is a link/u)
        rmSync(first.path)
        for (
          const name of ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-anchor-new", "memory", "memory-new"]
        ) {
          cpSync(kept, first.path, { recursive: true })
          rmSync(join(first.path, name), { force: true })
          symlinkSync(existsSync(join(kept, name)) ? join(kept, name) : outside, join(first.path, name))
          yield* refused(first.venue, new RegExp(`${name} is a link`, "u"))
          rmSync(first.path, { recursive: true })
        }
        assert.isFalse(existsSync(outside))
        // Deleting a venue removes a link, but not the folder to which the link points.
        symlinkSync(kept, first.path)
        yield* host.end(first.venue.id)
        assert.isFalse(existsSync(first.path))
        assert.isTrue(existsSync(join(kept, "journal.sqlite")))
        const fresh = yield* host.make()
        mkdirSync(join(folder, "elsewhere"))
        symlinkSync(join(folder, "elsewhere"), join(folder, "venues", fresh.id))
        yield* refused(fresh, /is a link/u)
        assert.deepStrictEqual(readdirSync(join(folder, "elsewhere")), [])
      }).pipe(Effect.provide(inFolder(folder)))
    }))
})
