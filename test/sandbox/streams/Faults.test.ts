import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { ControlClient } from "../../../src/sandbox/control/ControlClient.ts"
import type { Fault, StreamSymptom } from "../../../src/sandbox/gateway/Faults.ts"
import { until } from "../../support/clock.ts"
import { alice, bob } from "../../support/exchange.ts"
import { property } from "../../support/property.ts"
import { handle, signed } from "../../support/signed.ts"
import { limit, token } from "./client.ts"
import { open, ways } from "./raw.ts"

const add = (payload: Fault) => ControlClient.use((control) => control.addFault({ payload }))

/** How often each fault has matched and fired. */
const counts = Effect.map(
  ControlClient.use((control) => control.faults()),
  (faults) => faults.map(({ fired, matched }) => [matched, fired])
)

/** Places orders at ever better prices, and so changes the best price of the book with each. */
const improve = (times: number, from = 90) =>
  Effect.forEach(Array.from({ length: times }, (_, n) => from - n), (price) => limit("sell", "0.1", String(price)), {
    discard: true
  })

const cutOff = (text: string) => text.slice(0, Math.floor(text.length / 2))

/** The messages that arrive for each symptom that leaves the connection open. */
const surviving: Readonly<
  Record<string, (texts: ReadonlyArray<string>, isHit: (index: number) => boolean) => ReadonlyArray<string>>
> = {
  Lose: (texts, isHit) => texts.filter((_, index) => !isHit(index)),
  Duplicate: (texts, isHit) => texts.flatMap((text, index) => isHit(index) ? [text, text] : [text]),
  Garble: (texts, isHit) => texts.map((text, index) => isHit(index) ? cutOff(text) : text),
  HoldBack: (texts, isHit) => {
    const late: Array<string> = []
    return texts.flatMap((text, index) => {
      if (!isHit(index) || late.length > 0) return [text, ...late.splice(0)]
      late.push(text)
      return []
    })
  }
}

/** A message without its time, which is not the same on two connections. */
const withoutTime = (text: string) => text.replace(/\[[\d.]+,[\d.]+,/u, "[")

describe.each(ways)("faults of streams, $way", ({ world }) => {
  property(
    "a fault of messages hits exactly the messages that it selects, and changes nothing else",
    [
      fc.constantFrom(...Object.keys(surviving)),
      fc.record({ skip: fc.integer({ min: 0, max: 4 }), times: fc.integer({ min: 0, max: 3 }) }),
      fc.constantFrom({}, { channel: "bookTicker" }, { channel: "depth" }, { account: "alice" })
    ],
    (tag, counted, selected) =>
      Effect.gen(function*() {
        const [hit, spared] = [yield* open, yield* open]
        // The first connection is authorised, so a fault of the account hits only it.
        yield* hit.ask("authorize", yield* token(), "public")
        for (const client of [hit, spared]) yield* client.ask("bookTicker_subscribe", "BTC_USDT")
        yield* add({ ...counted, ...selected, account: "alice", symptom: { _tag: tag } as StreamSymptom })
        const [before] = [hit.texts.length]
        yield* improve(5)
        for (const client of [hit, spared]) yield* client.ask("ping")
        const pushed = (texts: ReadonlyArray<string>) => texts.filter((text) => text.includes("bookTicker_update"))
        const all = spared.texts.slice(2, -1)
        assert.lengthOf(pushed(all), 5)
        const isSelected = !("channel" in selected) || selected.channel === "bookTicker"
        const isHit = (index: number) => isSelected && index >= counted.skip && index < counted.skip + counted.times
        assert.deepStrictEqual(
          hit.texts.slice(before, -1).map(withoutTime),
          surviving[tag]?.(all, isHit).map((text) => withoutTime(text))
        )
        const fired = [0, 1, 2, 3, 4].filter(isHit).length
        assert.deepStrictEqual(yield* counts, [[isSelected ? 5 : 0, fired]])
      }).pipe(Effect.scoped, Effect.provide(world)),
    { runs: 100, short: 12 }
  )

  it.live("a connection is cut in place of a message, with a close frame or without", () =>
    Effect.gen(function*() {
      for (const [close, code, price] of [[true, 1001, 90], [false, 1006, 80]] as const) {
        const client = yield* open
        yield* client.ask("bookTicker_subscribe", "BTC_USDT")
        yield* add({ channel: "bookTicker", skip: 1, symptom: { _tag: "Cut", close } })
        yield* improve(3, price)
        assert.strictEqual(yield* client.ended, code)
        // The client gets the acknowledgement, the first best price, and the one that the fault skips.
        assert.lengthOf(client.texts, 3)
        const next = yield* open
        assert.strictEqual((yield* next.ask("ping")).result, "pong")
      }
    }).pipe(Effect.scoped, Effect.provide(world)))

  it.live("after a stall nothing arrives on the connection, and other connections are served", () =>
    Effect.gen(function*() {
      const [stalled, other] = [yield* open, yield* open]
      yield* stalled.ask("bookTicker_subscribe", "BTC_USDT")
      yield* add({ channel: "bookTicker", skip: 1, symptom: { _tag: "Stall" } })
      yield* improve(3)
      yield* stalled.tell("ping")
      yield* other.ask("bookTicker_subscribe", "BTC_USDT")
      assert.strictEqual((yield* other.ask("ping")).result, "pong")
      assert.lengthOf(stalled.texts, 3)
    }).pipe(Effect.scoped, Effect.provide(world)))

  it.live("a connection that is stalled uses up no fault of the next one", () =>
    Effect.gen(function*() {
      yield* add({ channel: "bookTicker", times: 2, symptom: { _tag: "Stall" } })
      for (const price of [90, 80]) {
        const client = yield* open
        yield* client.ask("bookTicker_subscribe", "BTC_USDT")
        yield* improve(3, price)
      }
      assert.deepStrictEqual(yield* counts, [[2, 2]])
    }).pipe(Effect.scoped, Effect.provide(world)))

  it.live("a slow message delays the messages behind it, and keeps their order", () =>
    Effect.gen(function*() {
      const client = yield* open
      yield* client.ask("bookTicker_subscribe", "BTC_USDT")
      yield* add({ channel: "bookTicker", symptom: { _tag: "Throttle", bytesPerSecond: 1000 } })
      const [before] = [client.texts.length]
      const [time] = yield* Effect.timed(Effect.gen(function*() {
        yield* improve(3)
        yield* client.ask("ping")
      }))
      const [slow = "", ...more] = client.texts.slice(before)
      assert.isAtLeast(Duration.toMillis(time), slow.length - 2)
      assert.deepStrictEqual(
        [slow, ...more].map((text) => /"(90|89|88|pong)"/u.exec(text)?.[1]),
        ["90", "89", "88", "pong"]
      )
    }).pipe(Effect.scoped, Effect.provide(world)))

  it.live("an old snapshot replaces a new one: a book, or an answer to a query", () =>
    Effect.gen(function*() {
      const snapshots = Effect.fnUntraced(function*(account: typeof alice) {
        const client = yield* open
        yield* client.ask("authorize", yield* token(account), "public")
        yield* client.ask("depth_subscribe", "BTC_USDT", 5, "0", true)
        yield* until(Effect.sync(() => client.texts.some((text) => text.includes("depth_update"))))
        const { result } = yield* client.ask("ordersPending_request", "BTC_USDT", 0, 100)
        const book = client.texts.find((text) => text.includes("depth_update"))
        return [/"update_id":(\d+)/u.exec(book ?? "")?.[1], JSON.stringify(result)]
      })
      yield* add({ channel: "depth", skip: 1, symptom: { _tag: "Stale" } })
      yield* add({ account: "alice", channel: "ordersPending", symptom: { _tag: "Stale" } })
      const first = yield* snapshots(alice)
      yield* limit("sell", "0.1", "80")
      const [skipped, old] = yield* snapshots(alice)
      assert.notStrictEqual(skipped, first[0])
      assert.strictEqual(old, first[1])
      yield* limit("sell", "0.1", "79")
      const [number, fresh] = yield* snapshots(alice)
      assert.notStrictEqual(number, skipped)
      assert.notStrictEqual(fresh, old)
      assert.deepStrictEqual(yield* counts, [[2, 1], [1, 1]])
    }).pipe(Effect.scoped, Effect.provide(world)))

  it.live("pings, tokens and connections fail as often as the fault says", () =>
    Effect.gen(function*() {
      const client = yield* open
      yield* add({ symptom: { _tag: "IgnorePing" } })
      yield* client.tell("ping")
      assert.strictEqual((yield* client.ask("ping")).result, "pong")
      assert.lengthOf(client.texts, 1)

      yield* add({ account: "alice", symptom: { _tag: "RefuseToken", kind: "unauthorized" } })
      yield* add({ account: "alice", symptom: { _tag: "RefuseToken", kind: "unavailable" } })
      const other = yield* open
      assert.isNull((yield* other.ask("authorize", yield* token(bob), "public")).error)
      const codes = []
      for (let n = 0; n < 3; n++) codes.push((yield* client.ask("authorize", yield* token())).error?.code)
      assert.deepStrictEqual(codes, [11, 3, undefined])

      yield* add({ times: 2, symptom: { _tag: "RefuseConnection", kind: "unavailable" } })
      for (let n = 0; n < 2; n++) assert.strictEqual((yield* Effect.flip(Effect.scoped(open)))._tag, "SocketError")
      yield* open
      assert.deepStrictEqual(yield* counts, [[2, 1], [3, 1], [2, 1], [3, 2]])
    }).pipe(Effect.scoped, Effect.provide(world)))
})

const [{ world }] = ways as [(typeof ways)[number]]

describe("the selection of streams", () => {
  it.effect("a fault that could never match is refused with an explanation", () =>
    Effect.gen(function*() {
      const refused: ReadonlyArray<readonly [string, Fault]> = [
        ["\"channel\" does not select what Reset hits", {
          channel: "depth",
          symptom: { _tag: "Reset", applied: true }
        }],
        ["\"path\" does not select what Lose hits", { path: "/a", symptom: { _tag: "Lose" } }],
        ["\"channel\" does not select what IgnorePing hits", { channel: "depth", symptom: { _tag: "IgnorePing" } }],
        ["\"account\" does not select what RefuseConnection hits", {
          account: "alice",
          symptom: { _tag: "RefuseConnection", kind: "unavailable" }
        }]
      ]
      for (const [message, fault] of refused) assert.include((yield* Effect.flip(add(fault))).message, message)
    }).pipe(Effect.provide(world)))

  it.effect("faults of calls never hit streams, and faults of streams never hit calls", () =>
    Effect.gen(function*() {
      yield* add({ symptom: { _tag: "Lose" } })
      assert.strictEqual((yield* handle(signed(Dialect.live, "/api/v4/main-account/balance", {}))).status, 200)
      yield* add({ symptom: { _tag: "Reset", applied: false } })
      const client = yield* open
      yield* client.tell("bookTicker_subscribe", "BTC_USDT")
      yield* client.ask("ping")
      assert.deepStrictEqual(yield* counts, [[1, 1], [0, 0]])
      yield* TestClock.adjust(0)
    }).pipe(Effect.scoped, Effect.provide(world)))
})
