import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { setImmediate as nextTurn } from "node:timers/promises"
import { vi } from "vitest"
import { Price } from "../../../src/domain/Decimal.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { Control } from "../../../src/sandbox/control/Control.ts"
import * as ControlApi from "../../../src/sandbox/control/ControlApi.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import * as Feed from "../../../src/sandbox/venue/Feed.ts"
import { Venue } from "../../../src/sandbox/venue/Venue.ts"
import { turn } from "../../support/clock.ts"
import { Base, inProcess, overHttp, token } from "../../support/control.ts"
import { btcUsdt, setUp } from "../../support/exchange.ts"
import { failsWith } from "../../support/fails.ts"
import { scratchFile } from "../../support/files.ts"
import { property } from "../../support/property.ts"
import { signed } from "../../support/signed.ts"

/** A price that marks the last entry to read. No other command sets this price. */
const end = Price.make("77777.77")

const isEnd = ({ event }: Feed.Entry): boolean => event._tag === "PriceMoved" && event.price === "77777.77"

const finish = Control.use((control) => control.movePrice({ market: btcUsdt, price: end }))

/** Reads the entries after a position in the feed, up to the marked entry. */
const read = (after: string) =>
  Effect.flatMap(
    Venue,
    ({ feed }) => Effect.flatMap(feed.after(after), (entries) => Stream.runCollect(Stream.takeUntil(entries, isEnd)))
  )

type Step = "order" | "cancel" | "price" | "refused" | "unknown" | "read" | "fund"

const step = Effect.fnUntraced(function*(step: Step, index: number) {
  const { dialect, handle } = yield* Venue
  const control = yield* Control
  const order = { market: "BTC_USDT", amount: "0.1", price: String(1000 + index), activation_price: "990.5" }
  switch (step) {
    case "order":
      return yield* handle(signed(dialect, "/api/v4/order/stop_limit", { ...order, side: "buy" }))
    case "cancel":
      return yield* handle(signed(dialect, "/api/v4/order/cancel/all"))
    case "refused":
      return yield* handle(signed(dialect, "/api/v4/order/stop_limit", { ...order, side: "up" }))
    case "read":
      return yield* handle(signed(dialect, "/api/v4/main-account/balance"))
    case "unknown":
      return yield* handle({ method: "GET", path: "/", headers: {}, body: new Uint8Array(), from: "test" })
    case "price":
      return yield* control.movePrice({ market: btcUsdt, price: Price.make(String(980 + index)) })
    case "fund":
      // The account already exists, so this command has no event.
      return yield* Effect.ignore(control.openAccount({ account: "alice", b2b: true }))
  }
})

const steps = fc.array(fc.constantFrom<Step>("order", "cancel", "price", "refused", "unknown", "read", "fund"), {
  maxLength: 15
})

const ids = (entries: ReadonlyArray<Feed.Entry>) => entries.map(({ id }) => id)

const withoutRequests = (entries: ReadonlyArray<Feed.Entry>) =>
  entries.filter(({ event }) => event._tag !== "Requested")

describe("continuing a feed", () => {
  property(
    "reading after any position in the feed gives exactly the remaining entries, even if the venue was closed in between",
    [steps, steps, fc.constantFrom(Dialect.document, Dialect.live)],
    (before, after, dialect) =>
      Effect.gen(function*() {
        const file = yield* scratchFile
        const venue = <A, E>(effect: Effect.Effect<A, E, Venue | Control>) =>
          Effect.provide(effect, Layer.fresh(Sandbox.layer({ dialect, file })))
        const first = yield* venue(Effect.gen(function*() {
          yield* setUp
          yield* Effect.forEach(before, step)
          yield* finish
          const all = yield* read("0")
          assert.strictEqual(new Set(ids(all)).size, all.length)
          for (const [index, { id }] of all.entries()) {
            if (id !== all.at(-1)?.id) assert.deepStrictEqual(yield* read(id), all.slice(index + 1), id)
          }
          return all
        }))
        yield* venue(Effect.gen(function*() {
          const again = yield* read("0")
          assert.deepStrictEqual(again, withoutRequests(first))
          yield* Effect.forEach(after, step)
          const control = yield* Control
          yield* control.movePrice({ market: btcUsdt, price: Price.make("1") })
          yield* finish
          const { sequence } = yield* control.status
          const second = yield* read(first.at(-1)?.id ?? "")
          assert.strictEqual(second.at(-1)?.id.split(".")[0], String(sequence))
          for (const [index, { id }] of first.entries()) {
            if (index === first.length - 1) continue
            assert.deepStrictEqual(yield* read(id), withoutRequests(first.slice(index + 1)), id)
          }
          for (const [index, { id }] of second.entries()) {
            if (index < second.length - 1) assert.deepStrictEqual(yield* read(id), second.slice(index + 1), id)
          }
        }))
      }),
    { runs: 25 }
  )

  it.effect("the feed refuses invalid positions and positions in the future", () =>
    Effect.gen(function*() {
      const sequence = yield* Control.use(({ snapshot }) => snapshot)
      yield* Control.use(({ status }) => status)
      const gone = (after: string) =>
        Effect.map(
          failsWith("FeedGone")(Stream.runHead(Stream.unwrap(Venue.use(({ feed }) => feed.after(after))))),
          ({ why }) => why
        )
      for (
        const place of [
          "",
          "x",
          "-1",
          "1.",
          ".1",
          "1.2.3.4",
          "1 ",
          "1e3",
          "٣",
          "0x1",
          `${sequence + 1}`,
          `${sequence + 1}.1`
        ]
      ) {
        assert.strictEqual(yield* gone(place), "unknown", place)
      }
    }).pipe(Effect.provide(inProcess())))
})

describe("entries that the feed has dropped", () => {
  it.effect("a reader that is too far behind gets an error instead of a gap", () =>
    Effect.gen(function*() {
      const feed = Feed.make(1, 0)
      const first = yield* feed.after("0")
      const moved = (n: number) => feed.happened(n, n, [{ _tag: "PriceMoved", market: btcUsdt, price: BigInt(n) }])
      const count = 60_000
      for (let n = 1; n <= count; n++) moved(n)
      assert.strictEqual((yield* failsWith("FeedGone")(feed.after("1"))).why, "forgotten")
      const error = yield* failsWith("FeedGone")(Stream.runDrain(first))
      assert.strictEqual(error.why, "forgotten")
      assert.match(error.message, /no longer stored/u)
      const left = yield* feed.after(String(count - 40_000))
      const entries = yield* Stream.runCollect(Stream.take(left, 40_000))
      assert.strictEqual(entries[0]?.id, `${count - 40_000 + 1}.1`)
      assert.strictEqual(entries.at(-1)?.id, `${count}.1`)
    }))

  it.effect("a reader can continue from just before the oldest stored entry, but from no earlier position", () =>
    Effect.gen(function*() {
      const feed = Feed.make(1, 0)
      for (let n = 1; n <= 56_000; n++) feed.happened(n, n, [{ _tag: "PriceMoved", market: btcUsdt, price: 1n }])
      const reaches = (place: number) =>
        Effect.match(feed.after(`${place}.1`), { onFailure: () => false, onSuccess: () => true })
      let low = 0
      let high = 56_000
      while (low < high) {
        const middle = (low + high) >>> 1
        if (yield* reaches(middle)) high = middle
        else low = middle + 1
      }
      const rest = yield* Stream.runCollect(Stream.take(yield* feed.after(`${low}.1`), 56_000 - low))
      assert.deepStrictEqual([rest[0]?.id, rest.at(-1)?.id], [`${low + 1}.1`, "56000.1"])
      assert.isAbove(rest.length, 49_999)
    }))
})

describe("reading without waiting", () => {
  it.effect("a reader gets the existing entries, page by page, and continues where it stopped", () =>
    Effect.gen(function*() {
      const feed = Feed.make(1, 0)
      const move = (from: number, to: number) => {
        for (let n = from; n <= to; n++)
          feed.happened(n, n, [{ _tag: "PriceMoved", market: btcUsdt, price: BigInt(n) }])
      }
      move(1, 250)
      const now = yield* feed.read()
      assert.deepStrictEqual(now, { entries: [], after: "250.1", hasMore: false })
      const all = yield* Stream.runCollect(Stream.take(yield* feed.after("0"), 250))
      const first = yield* feed.read("0")
      const second = yield* feed.read(first.after)
      const third = yield* feed.read(second.after)
      assert.deepStrictEqual([first, second, third].flatMap(({ entries }) => entries), all)
      assert.deepStrictEqual([first, second, third].map(({ hasMore }) => hasMore), [true, true, false])
      assert.deepStrictEqual(yield* feed.read(third.after), { ...third, entries: [] })
      // This command has no events.
      feed.happened(251, 251, [])
      const fourth = yield* feed.read(third.after)
      assert.deepStrictEqual([fourth.entries, fourth.hasMore], [[], false])
      move(252, 253)
      assert.deepStrictEqual(ids((yield* feed.read(fourth.after)).entries), ["252.1", "253.1"])
      assert.deepStrictEqual(ids((yield* feed.read(now.after)).entries), ["252.1", "253.1"])
    }))

  it.live("a reader that has read everything waits without polling, even after a command without events", () =>
    Effect.gen(function*() {
      const feed = Feed.make(1, 0)
      feed.happened(1, 1, [])
      const turns = yield* Effect.acquireRelease(
        Effect.sync(() => vi.spyOn(globalThis, "setImmediate")),
        (spy) => Effect.sync(() => spy.mockRestore())
      )
      const reader = yield* Effect.forkChild(Stream.runHead(yield* feed.after("0")), { startImmediately: true })
      for (let n = 0; n < 100; n++) yield* Effect.promise(() => nextTurn())
      assert.isBelow(turns.mock.calls.length, 20)
      feed.happened(2, 2, [{ _tag: "PriceMoved", market: btcUsdt, price: 1n }])
      assert.strictEqual(Option.getOrUndefined(yield* Fiber.join(reader))?.id, "2.1")
    }).pipe(Effect.scoped))

  it.effect("a reader is notified that its position is unknown, or that the entries after it are no longer stored", () =>
    Effect.gen(function*() {
      const feed = Feed.make(1, 0)
      for (let n = 1; n <= 60_000; n++) feed.happened(n, n, [{ _tag: "PriceMoved", market: btcUsdt, price: 1n }])
      assert.strictEqual((yield* failsWith("FeedGone")(feed.read("1"))).why, "forgotten")
      assert.strictEqual((yield* failsWith("FeedGone")(feed.read("60001"))).why, "unknown")
    }))
})

describe("reading while events happen", () => {
  it.effect("several readers see the same entries in order, each from its own starting point", () =>
    Effect.gen(function*() {
      const venue = yield* Venue
      const early = yield* Effect.forkChild(read("0"))
      const live = yield* Effect.forkChild(
        Effect.flatMap(venue.feed.after(), (entries) => Stream.runCollect(Stream.takeUntil(entries, isEnd)))
      )
      yield* turn
      const { sequence } = venue
      const begun = sequence()
      const caller = (caller: number) =>
        Effect.forEach(
          ["order", "read", "price", "refused", "cancel", "unknown"] as const,
          (kind) => step(kind, caller),
          { discard: true }
        )
      yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7, 8], caller, { concurrency: "unbounded" })
      yield* finish
      const all = yield* Fiber.join(early)
      const rest = yield* Fiber.join(live)
      assert.deepStrictEqual(rest, all.slice(-rest.length))
      assert.isTrue(all.slice(0, -rest.length).every(({ id }) => Number(id.split(".")[0]) <= begun))
      const places = all.map(({ id }) => {
        const [command = 0, second = 0, third] = id.split(".").map(Number)
        return command * 1e9 + (third === undefined ? second : 1e6 * second + third)
      })
      assert.deepStrictEqual(places, places.toSorted((a, b) => a - b))
      assert.strictEqual(all.filter(({ event }) => event._tag === "Requested").length, 40)
      const late = yield* read(all[10]?.id ?? "")
      assert.deepStrictEqual(late, all.slice(11))
    }).pipe(Effect.provide(inProcess())))

  it.effect("under a test clock, scheduled events appear in the feed when they are due", () =>
    Effect.gen(function*() {
      const venue = yield* Venue
      const control = yield* Control
      const steps = [{ afterMillis: 60_000, price: Price.make("5") }, { afterMillis: 60_000, price: end }]
      yield* control.playPrices({ market: btcUsdt, steps })
      const told: Array<string> = []
      const fiber = yield* Effect.forkChild(
        Stream.runForEach(
          Stream.takeUntil(control.events(), isEnd),
          ({ at, event }) => Effect.sync(() => told.push(`${event._tag} ${at}`))
        )
      )
      yield* turn
      yield* TestClock.adjust(59_999)
      yield* turn
      assert.deepStrictEqual(told, [])
      yield* TestClock.adjust(1)
      yield* turn
      assert.deepStrictEqual(told, ["PriceMoved 60000000"])
      yield* TestClock.adjust(60_000)
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(told, ["PriceMoved 60000000", "PriceMoved 120000000"])
      assert.strictEqual(venue.state.at, 120_000_000)
    }).pipe(Effect.provide(inProcess())))

  it.effect("the feed reports each changed balance with its amounts after the command", () =>
    Effect.gen(function*() {
      const { feed } = yield* Venue
      const entries = yield* feed.after()
      yield* step("order", 0)
      yield* step("cancel", 0)
      yield* finish
      const told = yield* Stream.runCollect(Stream.takeUntil(entries, isEnd))
      assert.deepStrictEqual(
        told.map(({ event }) =>
          event._tag === "BalanceChanged" ? `${event.wallet} ${event.ticker} ${event.free} ${event.locked}` : event._tag
        ),
        [
          "OrderPlaced",
          "trade USDT 99900 100",
          "Requested",
          "OrderEnded",
          "trade USDT 100000 0",
          "Requested",
          "PriceMoved"
        ]
      )
    }).pipe(Effect.provide(inProcess())))
})

describe("the feed as server-sent events", () => {
  /** Reads the server-sent events after a position in the feed, up to the marked event, as lines on the wire. */
  const wire = Effect.fnUntraced(function*(headers: Readonly<Record<string, string>>, query = "") {
    const response = yield* HttpClient.execute(
      HttpClientRequest.get(`${yield* Base}${ControlApi.prefix}Events${query}`).pipe(
        HttpClientRequest.setHeaders({ authorization: `Bearer ${token}`, ...headers })
      )
    )
    assert.match(response.headers["content-type"] ?? "", /^text\/event-stream/u)
    return yield* response.stream.pipe(
      Stream.decodeText,
      Stream.splitLines,
      Stream.takeUntil((line) => line.includes("77777.77")),
      Stream.runCollect
    )
  })

  const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.toCodecJson(Feed.Entry)))

  for (const [name, world] of [["in process", inProcess()], ["over HTTP", overHttp()]] as const) {
    it.live(`server-sent events contain position, kind and data, and a browser that reconnects gets the events that it missed (${name})`, () =>
      Effect.gen(function*() {
        yield* Effect.forEach(["order", "read", "price"] as const, step)
        yield* finish
        const all = yield* read("0")
        const lines = yield* wire({}, "?after=0")
        const told = (field: string) =>
          lines.filter((line) => line.startsWith(`${field}: `)).map((line) => line.slice(field.length + 2))
        assert.deepStrictEqual(told("id"), ids(all))
        assert.deepStrictEqual(told("event"), all.map(({ event }) => event._tag))
        assert.deepStrictEqual(told("data").map((text) => decode(text)), all)
        const id = all[5]?.id ?? assert.fail()
        // Browsers add the header when they reconnect, so its position is newer than the query's.
        const rest = yield* wire({ "last-event-id": id }, "?after=0")
        assert.deepStrictEqual(
          rest.filter((line) => line.startsWith("id: ")),
          ids(all.slice(6)).map((id) => `id: ${id}`)
        )
      }).pipe(Effect.provide(world)))
  }
})
