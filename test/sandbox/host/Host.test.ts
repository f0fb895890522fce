import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { existsSync, readdirSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Host from "../../../src/sandbox/host/Host.ts"
import * as Registry from "../../../src/sandbox/host/Registry.ts"
import { passing, turn, until } from "../../support/clock.ts"
import { scratchFile } from "../../support/files.ts"
import { fullDisk } from "../../support/fullDisk.ts"
import * as Calls from "../../support/host.ts"

const { balance, call, keyOf, own, parse, ping, placeLimit, send } = Calls

const folder = Effect.map(scratchFile, dirname)

const isAwake = (id: string) => Host.Host.use((host) => Effect.map(host.find(id), ({ awake }) => awake))

/** Advances the test clock in steps of one second. */
const wait = (seconds: number) =>
  Effect.forEach(
    Array.from({ length: seconds }),
    () => Effect.andThen(TestClock.adjust("1 second"), turn),
    { discard: true }
  )

/** Follows a venue's feed until the scope is closed. */
const following = (venue: Host.Made, entries: Array<string>) =>
  Effect.gen(function*() {
    const response = yield* HttpClient.execute(
      HttpClientRequest.get(`${venue.controlUrl}Events`, { headers: { authorization: `Bearer ${venue.controlToken}` } })
    )
    return yield* Effect.forkScoped(
      Stream.runForEach(Stream.decodeText(response.stream), (text) => Effect.sync(() => void entries.push(text)))
    )
  })

describe("the venues of a host", () => {
  it.effect("a venue sleeps until its first call, falls asleep when idle, and wakes up again", () =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      const venue = yield* host.make({ owner: "me" })
      assert.isFalse(venue.awake)
      assert.deepInclude(yield* call(venue.url, balance, keyOf(venue, "alice"), { ticker: "BTC" }), { status: 200 })
      assert.isTrue(yield* isAwake(venue.id))
      yield* wait(59)
      assert.isTrue(yield* isAwake(venue.id))
      yield* wait(3)
      yield* until(Effect.map(isAwake(venue.id), (awake) => !awake))
      assert.deepStrictEqual(
        yield* call(venue.url, balance, keyOf(venue, "alice"), { ticker: "BTC" }),
        { status: 200, text: `{"BTC":{"main_balance":"0.5"},"USDT":{"main_balance":"1037.5"}}` }
      )
    }).pipe(Effect.provide(Host.layer())))

  it.effect("a venue is reopened automatically once its full disk has room again, even if callers and feeds keep it in use", () =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      const venue = yield* host.make()
      const alice = keyOf(venue, "alice")
      const order = { market: "BTC_USDT", side: "buy", amount: "0.001", price: "9000" }
      const place = Effect.map(
        Effect.exit(Effect.suspend(() => call(venue.url, placeLimit, alice, order))),
        (exit) => exit._tag === "Success" ? exit.value.status : "broken"
      )
      assert.strictEqual(yield* place, 200)
      yield* own(venue, "POST", "Limit", { limit: { calls: 1000, perSeconds: 10 } })
      yield* following(venue, [])
      yield* Effect.scoped(Effect.gen(function*() {
        yield* fullDisk
        assert.strictEqual(yield* place, "broken")
        // The host reopens the venue again and again while the disk is full.
        for (let second = 0; second < 15; second++) {
          assert.include(["broken", 503], yield* place)
          yield* wait(1)
        }
      }))
      // The disk has room again, but callers never pause long enough for the venue to fall asleep.
      let status: number | string = 503
      for (let second = 0; second < 15 && status !== 200; second++) {
        yield* wait(1)
        status = yield* place
      }
      assert.strictEqual(status, 200)
      assert.strictEqual(
        (yield* own(venue, "GET", "OpenOrders?account=alice")).text.match(/"price":"9000"/gu)?.length,
        2
      )
    }).pipe(Effect.scoped, Effect.provide([Host.layer(), Logger.layer([])])))

  it.effect("a venue preserves its faults, limits, call log, candles and feed while it sleeps", () =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      const venue = yield* host.make({ clock: 1_700_000_000_000_000 })
      const alice = keyOf(venue, "alice")
      yield* own(venue, "POST", "Faults", {
        path: balance,
        skip: 1,
        times: 2,
        symptom: { _tag: "Refuse", kind: "rateLimited" }
      })
      yield* own(venue, "POST", "Limit", { path: placeLimit, limit: { calls: 2, perSeconds: 1 } })
      const order = { market: "BTC_USDT", side: "buy", amount: "0.1", price: "39000" }
      assert.strictEqual((yield* call(venue.url, balance, alice)).status, 200)
      assert.strictEqual((yield* call(venue.url, placeLimit, alice, order)).status, 200)
      yield* own(venue, "POST", "MovePrice", { market: "BTC_USDT", price: "41000" })
      const views = ["Requests", "Faults", "Candles?market=BTC_USDT&seconds=60", "Status", "Clock"]
      const look = Effect.forEach(views, (view) => own(venue, "GET", view))
      const before = yield* look
      assert.isTrue(yield* host.sleep(venue.id))
      assert.deepStrictEqual(yield* look, before)
      // The first of the two faults fires now, the limit has one call left, and used nonces stay used.
      assert.strictEqual((yield* call(venue.url, balance, alice)).status, 429)
      assert.strictEqual((yield* call(venue.url, placeLimit, alice, order)).status, 200)
      assert.isTrue(yield* host.sleep(venue.id))
      assert.strictEqual((yield* call(venue.url, placeLimit, alice, order)).status, 429)
      assert.strictEqual((yield* call(venue.url, balance, alice)).status, 429)
      assert.strictEqual((yield* call(venue.url, balance, alice)).status, 200)
    }).pipe(Effect.provide(Host.layer())))

  it.effect("a feed continues from a position before the venue slept, and keeps the venue awake while a reader follows it", () =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      const venue = yield* host.make({})
      const { sequence } = parse(yield* own(venue, "GET", "Status"))
      yield* own(venue, "POST", "MovePrice", { market: "BTC_USDT", price: "41000" })
      assert.isTrue(yield* host.sleep(venue.id))
      const entries: Array<string> = []
      yield* Effect.gen(function*() {
        const response = yield* HttpClient.execute(
          HttpClientRequest.get(`${venue.controlUrl}Events?after=${String(sequence)}`, {
            headers: { authorization: `Bearer ${venue.controlToken}` }
          })
        )
        yield* Effect.forkScoped(
          Stream.runForEach(Stream.decodeText(response.stream), (text) => Effect.sync(() => void entries.push(text)))
        )
        yield* until(Effect.sync(() => entries.join("").includes("41000")))
        yield* wait(200)
        assert.isFalse(yield* host.sleep(venue.id))
        assert.isTrue(yield* isAwake(venue.id))
      }).pipe(Effect.scoped)
      yield* until(host.sleep(venue.id))
    }).pipe(Effect.provide(Host.layer())))

  it.effect("calls that arrive while a venue is waking up or falling asleep are handled in order", () =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      const venue = yield* host.make({})
      const alice = keyOf(venue, "alice")
      const fund = (amount: number) =>
        own(venue, "POST", "Fund", { account: "bob", wallet: "trade", ticker: "ETH", amount: String(amount) })
      const calls = Array.from({ length: 12 }, (_, index) => index + 1)
      const placed: Array<string> = []
      const place = (index: number) =>
        Effect.map(
          call(venue.url, placeLimit, alice, {
            market: "BTC_USDT",
            side: "buy",
            amount: "0.1",
            price: `${39_000 + index}`
          }),
          ({ text }) => placed.push(text)
        )
      // The calls arrive after the venue has begun to fall asleep.
      yield* fund(1)
      const sleeping = yield* Effect.forkChild(host.sleep(venue.id), { startImmediately: true })
      const fibers = yield* Effect.forEach(calls, (index) => Effect.forkChild(place(index), { startImmediately: true }))
      for (const fiber of fibers) yield* Fiber.join(fiber)
      assert.isTrue(yield* Fiber.join(sleeping))
      const prices = placed.map((text) => (JSON.parse(text) as { price: string }).price)
      assert.deepStrictEqual(prices, calls.map((index) => `${39_000 + index}`))
    }).pipe(Effect.provide(Host.layer())))

  it.effect("a venue that wakes up catches up on events that came due, in order and with their own times, as if it had been awake", () =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      const day = 86_400_000
      const schedule = Effect.fnUntraced(function*(venue: Host.Made) {
        yield* own(venue, "POST", "OpenPlan", { planId: "p", ticker: "USDT", dailyPercent: "0.3", days: 2 })
        yield* own(venue, "POST", "Invest", { account: "alice", planId: "p", investmentId: "i", amount: "100" })
        yield* own(venue, "POST", "PlayPrices", {
          market: "BTC_USDT",
          steps: [{ afterMillis: 10_000, price: "38000" }, { afterMillis: day, price: "42000" }]
        })
        yield* call(venue.url, "/api/v4/order/stop_limit", keyOf(venue, "alice"), {
          market: "BTC_USDT",
          side: "sell",
          amount: "0.1",
          price: "37000",
          activation_price: "38500"
        })
      })
      const seen = Effect.fnUntraced(function*(venue: Host.Made) {
        const answers = yield* Effect.forEach(
          ["Candles?market=BTC_USDT&seconds=3600", "Balances?account=alice", "OpenOrders?account=alice", "NextDue"],
          (view) => own(venue, "GET", view)
        )
        const response = yield* HttpClient.execute(
          HttpClientRequest.get(`${venue.controlUrl}Events?after=0`, {
            headers: { authorization: `Bearer ${venue.controlToken}` }
          })
        )
        const texts = yield* Stream.runFold(
          Stream.takeUntil(Stream.decodeText(response.stream), (text) => text.includes(`"price":"42000"`)),
          () => "",
          (all, text) => all + text
        )
        const events = [...texts.matchAll(/^data: (.*)$/gmu)].map(([, data = ""]) =>
          JSON.parse(data) as { at: number; event: { _tag: string } }
        ).filter(({ event }) => event._tag !== "Requested")
        return { answers, events: events.map(({ at, event }) => [Math.floor(at / 1e6), event._tag] as const) }
      })
      // One venue stays awake, because venues fall asleep only after ten idle days. The other sleeps for three days.
      const awake = yield* host.make({})
      const asleep = yield* host.make({})
      yield* schedule(awake)
      yield* schedule(asleep)
      assert.isTrue(yield* host.sleep(asleep.id))
      for (const millis of [10_000, day - 10_000, 10_000, day, day]) {
        yield* own(awake, "GET", "Clock")
        yield* TestClock.adjust(millis)
        yield* turn
        yield* send("GET", awake.url + ping)
      }
      assert.isFalse(yield* isAwake(asleep.id))
      const [one, other] = [yield* seen(awake), yield* seen(asleep)]
      assert.deepStrictEqual(other.answers, one.answers)
      assert.deepStrictEqual(other.events, one.events)
      assert.isTrue(other.events.some(([, tag]) => tag === "InterestPaid"))
      assert.isTrue(other.events.some(([, tag]) => tag === "OrderActivated"))
    }).pipe(Effect.provide(Host.layer({ idleMillis: 10 * 86_400_000 }))))

  it.effect("when a venue's time to live has passed, its files are removed and its id becomes unknown", () =>
    Effect.gen(function*() {
      const at = yield* folder
      yield* Effect.gen(function*() {
        const host = yield* Host.Host
        const venue = yield* host.make({ timeToLiveMillis: 5000 })
        const other = yield* host.make({})
        assert.strictEqual(venue.endsAt, venue.madeAt + 5_000_000)
        assert.strictEqual(other.endsAt, other.madeAt + 3_600_000_000)
        for (const { url } of [venue, other]) assert.strictEqual((yield* send("GET", url + ping)).status, 200)
        assert.strictEqual(readdirSync(join(at, "venues")).length, 2)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual((yield* send("GET", venue.url + ping)).status, 404)
        yield* TestClock.adjust("5 seconds")
        yield* until(Effect.sync(() => !existsSync(join(at, "venues", venue.id))))
        yield* until(Effect.map(host.list(), (venues) => venues.length === 1))
        assert.strictEqual((yield* send("GET", other.url + ping)).status, 200)
      }).pipe(Effect.provide(Host.layer({ folder: at, timeToLiveMillis: 3_600_000 })))
    }).pipe(Effect.scoped))

  it.effect("a venue that is deleted closes its feeds, and serves no more calls", () =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      const venue = yield* host.make({})
      const feed = yield* following(venue, [])
      yield* host.end(venue.id)
      yield* Fiber.await(feed)
      assert.strictEqual((yield* send("GET", venue.url + ping)).status, 404)
      assert.strictEqual((yield* Effect.flip(host.end(venue.id)))._tag, "UnknownVenue")
    }).pipe(Effect.scoped, Effect.provide(Host.layer())))
})

describe("hosts and their venues", () => {
  it.effect("a reopened host has the same venues, tokens, keys and balances", () =>
    Effect.gen(function*() {
      const at = yield* folder
      const open = Host.layer({ folder: at })
      const [token, venue] = yield* Effect.gen(function*() {
        const host = yield* Host.Host
        const venue = yield* host.make({ dialect: "live", reduceOnly: "announced", seed: 7, owner: "team" })
        yield* own(venue, "POST", "Fund", { account: "bob", wallet: "main", ticker: "BTC", amount: "3" })
        yield* own(venue, "POST", "Faults", { symptom: { _tag: "Reset", applied: true } })
        return [host.token, yield* host.find(venue.id)] as const
      }).pipe(Effect.provide(open))
      yield* Effect.gen(function*() {
        const host = yield* Host.Host
        assert.strictEqual(host.token, token)
        assert.deepStrictEqual(yield* host.find(venue.id), { ...venue, awake: false })
        assert.include((yield* own(venue, "GET", "Faults")).text, `"matched":0`)
        assert.include((yield* own(venue, "GET", "Balances?account=bob")).text, `"free":"3"`)
      }).pipe(Effect.provide(open))
    }).pipe(Effect.scoped))

  it.effect("a host removes venues that were being created, copied or removed when it crashed", () =>
    Effect.gen(function*() {
      const at = yield* folder
      const [kept, left] = yield* Effect.gen(function*() {
        const host = yield* Host.Host
        const venues = [yield* host.make({}), yield* host.make({})] as const
        for (const { url } of venues) yield* send("GET", url + ping)
        return venues
      }).pipe(Effect.provide(Host.layer({ folder: at })))
      yield* Effect.gen(function*() {
        const registry = yield* Registry.open(at, "", false)
        const registered = registry.venues.find(({ id }) => id === left.id) ?? assert.fail()
        yield* registry.put({ ...registered, partial: true })
      }).pipe(Effect.scoped)
      assert.sameMembers(readdirSync(join(at, "venues")), [kept.id, left.id])
      const ids = Host.Host.use((host) => Effect.map(host.list(), (venues) => venues.map(({ id }) => id)))
      for (let start = 0; start < 2; start++) {
        assert.deepStrictEqual(yield* Effect.provide(ids, Host.layer({ folder: at })), [kept.id])
        assert.deepStrictEqual(readdirSync(join(at, "venues")), [kept.id])
      }
    }).pipe(Effect.scoped))

  it.effect("the error for a venue that can't be opened names files to the owner, but not to callers", () =>
    Effect.gen(function*() {
      const at = yield* folder
      yield* Effect.gen(function*() {
        const host = yield* Host.Host
        const venue = yield* host.make({})
        yield* send("GET", venue.url + ping)
        assert.isTrue(yield* host.sleep(venue.id))
        rmSync(join(at, "venues", venue.id, "journal.sqlite"))
        const called = yield* send("GET", venue.url + ping)
        assert.strictEqual(called.status, 503)
        assert.notInclude(called.text, at)
        const told = yield* own(venue, "GET", "Status")
        assert.strictEqual(told.status, 503)
        assert.include(told.text, "is gone or empty")
        const other = yield* host.make({})
        assert.strictEqual((yield* send("GET", other.url + ping)).status, 200)
        assert.deepInclude(yield* host.status, { awake: 1 })
      }).pipe(Effect.provide(Host.layer({ folder: at })))
    }).pipe(Effect.scoped))

  it.effect("a host refuses a folder that another host uses, and stores a token that was passed to it", () =>
    Effect.gen(function*() {
      const at = yield* folder
      yield* Effect.gen(function*() {
        const error = yield* Effect.flip(Effect.scoped(Host.open({ folder: at })))
        assert.strictEqual(error.why, "locked")
      }).pipe(Effect.provide(Host.layer({ folder: at })))
      const given = Effect.map(Host.Host, ({ token }) => token)
      assert.strictEqual(yield* Effect.provide(given, Host.layer({ folder: at, token: "mine" })), "mine")
      assert.strictEqual(yield* Effect.provide(given, Host.layer({ folder: at })), "mine")
    }).pipe(Effect.scoped))

  it.effect("a copy of a venue has the same history, but its own token and keys", () =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      const venue = yield* host.make({})
      const alice = keyOf(venue, "alice")
      yield* own(venue, "POST", "AddKey", {
        account: "bob",
        apiKey: "a-key-of-mine",
        apiSecret: "a-secret-of-mine",
        title: "mine",
        type: "1",
        enabled: true
      })
      const mine = { account: "bob", apiKey: "a-key-of-mine", apiSecret: "a-secret-of-mine" }
      const order = { market: "BTC_USDT", side: "buy", amount: "0.1", price: "39000" }
      yield* call(venue.url, placeLimit, alice, order)
      const made = parse(
        yield* call(venue.url, "/api/v4/sub-account/create", alice, {
          alias: "new",
          email: "new@example.com",
          shareKyc: true,
          permissions: { spotEnabled: true, collateralEnabled: true }
        })
      )
      const key = yield* call(venue.url, "/api/v4/sub-account/api-key/create", alice, {
        subAccountId: made["id"],
        title: "made",
        type: 1
      })
      assert.strictEqual(key.status, 200, key.text)
      const { apiKey, apiSecret } = parse(key) as Record<string, string>
      const created = { account: "", apiKey: String(apiKey), apiSecret: String(apiSecret) }
      yield* call(venue.url, "/api/v4/trade-account/balance", created)
      const funds = { ticker: "USDT", amount: "5" }
      const { code } = parse(yield* call(venue.url, "/api/v4/main-account/codes", alice, funds))
      const copy = yield* host.copy(venue.id, { owner: "other" })
      const orders = (made: Host.Made) => call(made.url, "/api/v4/orders", keyOf(made, "alice"), { market: "BTC_USDT" })
      assert.strictEqual((yield* orders(copy)).text, (yield* orders(venue)).text)
      assert.notStrictEqual(copy.controlToken, venue.controlToken)
      for (const known of [alice, mine, created]) {
        assert.strictEqual((yield* call(copy.url, balance, known)).status, 401, known.apiKey)
      }
      const journal = (yield* own(copy, "GET", "Journal")).text
      for (const secret of [code, apiSecret]) assert.notInclude(journal, String(secret).slice(-36, -4))
      const apply = "/api/v4/main-account/codes/apply"
      assert.notStrictEqual((yield* call(copy.url, apply, keyOf(copy, "bob"), { code })).status, 200)
      assert.strictEqual((yield* call(venue.url, apply, keyOf(venue, "bob"), { code })).status, 200)
      for (const name of ["alice", "bob"]) {
        assert.strictEqual((yield* call(venue.url, balance, keyOf(copy, name))).status, 401, name)
        assert.strictEqual((yield* call(copy.url, balance, keyOf(copy, name))).status, 200, name)
      }
      const before = yield* host.copy(venue.id, { sequence: 271 })
      assert.strictEqual((yield* orders(before)).text, "[]")
      assert.strictEqual((yield* Effect.flip(host.copy(venue.id, { sequence: 9999 })))._tag, "NotMade")
    }).pipe(Effect.provide(Host.layer())))

  it.effect("when a host reaches a limit, its error names the limit and explains how to raise it", () =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      yield* host.make({ owner: "a" })
      yield* host.make({ owner: "a" })
      const over = yield* Effect.flip(host.make({ owner: "a" }))
      assert.include(over.message, "--max-per-owner")
      const third = yield* host.make({ owner: "b" })
      assert.include((yield* Effect.flip(host.make({ owner: "c" }))).message, "--max-venues")
      assert.include((yield* Effect.flip(host.copy(third.id, { owner: "c" }))).message, "--max-venues")
      const [status] = [yield* host.status]
      assert.deepInclude(status, { venues: 3, awake: 0, ports: 0 })
      yield* host.end(third.id)
      yield* host.make({ owner: "c" })
    }).pipe(Effect.provide(Host.layer({ maxVenues: 3, maxPerOwner: 2 }))))

  it.effect("to wake a venue, a full host first puts to sleep the venue that has been idle longest", () =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      const [a, b, c] = [yield* host.make({}), yield* host.make({}), yield* host.make({})] as const
      yield* send("GET", a.url + ping)
      yield* TestClock.adjust(10)
      yield* send("GET", b.url + ping)
      yield* TestClock.adjust(10)
      yield* send("GET", c.url + ping)
      const awake = Effect.map(host.list(), (venues) => venues.map(({ awake }) => awake))
      assert.deepStrictEqual(yield* awake, [false, true, true])
      yield* Effect.gen(function*() {
        yield* following(b, [])
        yield* following(c, [])
        assert.strictEqual((yield* passing(own(c, "POST", "Fork"))).status, 400)
        const refused = yield* passing(send("GET", a.url + ping))
        assert.strictEqual(refused.status, 503)
        assert.include(refused.text, "--max-awake")
        assert.strictEqual((yield* send("GET", b.url + ping)).status, 200)
      }).pipe(Effect.scoped)
      yield* until(Effect.map(send("GET", a.url + ping), ({ status }) => status === 200))
    }).pipe(Effect.provide(Host.layer({ maxAwake: 2 }))))

  it.effect("a venue with too many commands refuses calls and owner actions with a reason, but the owner can still read its state", () =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      const venue = yield* host.make({ example: false })
      for (const account of ["a", "b", "c"]) yield* own(venue, "POST", "OpenAccount", { account, b2b: false })
      const refused = yield* own(venue, "POST", "OpenAccount", { account: "d", b2b: false })
      assert.strictEqual(refused.status, 503)
      assert.include(refused.text, "--max-commands")
      assert.strictEqual((yield* send("GET", venue.url + ping)).status, 503)
      assert.strictEqual((yield* own(venue, "GET", "Accounts")).status, 200)
    }).pipe(Effect.provide(Host.layer({ maxCommands: 5 }))))

  it.effect("a host at its memory limit wakes no more venues", () =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      const venue = yield* host.make({})
      const refused = yield* send("GET", venue.url + ping)
      assert.strictEqual(refused.status, 503)
      assert.include(refused.text, "--max-memory")
    }).pipe(Effect.provide(Host.layer({ maxMemory: 1 }))))
})
