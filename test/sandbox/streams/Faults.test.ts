import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { ControlClient } from "../../../src/sandbox/control/ControlClient.ts"
import type { Fault, StreamSymptom } from "../../../src/sandbox/gateway/Faults.ts"
import { until } from "../../support/clock.ts"
import { Base } from "../../support/control.ts"
import { alice, bob } from "../../support/exchange.ts"
import { property } from "../../support/property.ts"
import { handle, signed } from "../../support/signed.ts"
import { limit, token } from "./client.ts"
import { open, ways } from "./raw.ts"

const add = (payload: Fault) => ControlClient.use((control) => control.addFault({ payload }))

/** Returns how often each fault has matched a message and how often it has fired. */
const counts = Effect.map(
  ControlClient.use((control) => control.faults()),
  (faults) => faults.map(({ fired, matched }) => [matched, fired])
)

/** Places orders at better and better prices, so that every order changes the book's best price. */
const improve = (times: number, from = 90) =>
  Effect.forEach(Array.from({ length: times }, (_, n) => from - n), (price) => limit("sell", "0.1", String(price)), {
    discard: true
  })

/** A push that is not JSON. */
const garbled = "garbled"

/** Extracts the best price from a push. */
const priceOf = (text: string): string => {
  const read = Result.getOrUndefined(Result.try(() => JSON.parse(text) as { readonly params: ReadonlyArray<unknown> }))
  return read === undefined ? garbled : String((read.params[0] as ReadonlyArray<unknown>)[6])
}

/** The messages that arrive for each symptom that leaves the connection open. */
const surviving: Readonly<
  Record<string, (prices: ReadonlyArray<string>, isHit: (index: number) => boolean) => ReadonlyArray<string>>
> = {
  Lose: (prices, isHit) => prices.filter((_, index) => !isHit(index)),
  Duplicate: (prices, isHit) => prices.flatMap((price, index) => isHit(index) ? [price, price] : [price]),
  Garble: (prices, isHit) => prices.map((price, index) => isHit(index) ? garbled : price),
  HoldBack: (prices, isHit) => {
    const late: Array<string> = []
    return prices.flatMap((price, index) => {
      if (!isHit(index) || late.length > 0) return [price, ...late.splice(0)]
      late.push(price)
      return []
    })
  }
}

describe.each(ways)("stream faults, $way", ({ world }) => {
  property(
    "a message fault hits exactly the messages that it selects, of one account or all accounts, and changes nothing else",
    [
      fc.constantFrom(...Object.keys(surviving)),
      fc.record({ skip: fc.integer({ min: 0, max: 4 }), times: fc.integer({ min: 0, max: 3 }) }),
      fc.record({
        channel: fc.constantFrom("bookTicker" as const, "depth" as const),
        account: fc.constantFrom("alice", "bob")
      }, { requiredKeys: [] })
    ],
    (tag, counted, selected) =>
      Effect.gen(function*() {
        // The first connection is authorized, but the second belongs to no account.
        const clients = [yield* open, yield* open]
        yield* clients[0]?.ask("authorize", yield* token(), "public") ?? Effect.void
        for (const client of clients) yield* client.ask("bookTicker_subscribe", "BTC_USDT")
        const before = clients.map(({ texts }) => texts.length)
        yield* add({ ...counted, ...selected, symptom: { _tag: tag } as StreamSymptom })
        yield* improve(5)
        for (const client of clients) yield* client.ask("ping")

        const isOfChannel = selected.channel !== "depth"
        const selectedClients = clients.filter((_, which) =>
          isOfChannel && (selected.account === undefined || (selected.account === "alice" && which === 0))
        )
        const isCounted = (match: number) => match >= counted.skip && match < counted.skip + counted.times
        for (const [which, client] of clients.entries()) {
          const place = selectedClients.indexOf(client)
          // Each change is pushed to every connection before the next change.
          const isHit = (index: number) => place !== -1 && isCounted(index * selectedClients.length + place)
          assert.deepStrictEqual(
            client.texts.slice(before[which], -1).map(priceOf),
            surviving[tag]?.(["90", "89", "88", "87", "86"], isHit)
          )
        }
        const matched = 5 * selectedClients.length
        const fired = Array.from({ length: matched }, (_, match) => match).filter(isCounted).length
        assert.deepStrictEqual(yield* counts, [[matched, fired]])
      }).pipe(Effect.scoped, Effect.provide(world)),
    { runs: 100, short: 15 }
  )

  it.live("a fault can close a connection instead of sending a message, with or without a close frame", () =>
    Effect.gen(function*() {
      for (const [close, code, price] of [[true, 1001, 90], [false, 1006, 80]] as const) {
        const client = yield* open
        yield* client.ask("bookTicker_subscribe", "BTC_USDT")
        yield* add({ channel: "bookTicker", skip: 1, symptom: { _tag: "Cut", close } })
        yield* improve(3, price)
        assert.strictEqual(yield* client.ended, code)
        // The client gets the acknowledgement, the first best price, and the best price that the fault skips.
        assert.lengthOf(client.texts, 3)
        const next = yield* open
        assert.strictEqual((yield* next.ask("ping")).result, "pong")
      }
    }).pipe(Effect.scoped, Effect.provide(world)))

  it.live("after a stall, nothing arrives on the connection, while other connections are still served", () =>
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

  it.live("a stalled connection does not use up a fault of the next connection", () =>
    Effect.gen(function*() {
      yield* add({ channel: "bookTicker", times: 2, symptom: { _tag: "Stall" } })
      for (const price of [90, 80]) {
        const client = yield* open
        yield* client.ask("bookTicker_subscribe", "BTC_USDT")
        yield* improve(3, price)
      }
      assert.deepStrictEqual(yield* counts, [[2, 2]])
    }).pipe(Effect.scoped, Effect.provide(world)))

  it.live("a slow message delays the messages behind it without changing their order", () =>
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

  it.live("a stale fault sends an old snapshot instead of the current book or the response to a query", () =>
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

  it.live("pings, tokens and connections fail exactly as often as the fault specifies", () =>
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

describe("the selection of stream faults", () => {
  it.effect("a stream fault that could never match is refused with an explanation", () =>
    Effect.gen(function*() {
      const refused: ReadonlyArray<readonly [string, Fault]> = [
        ["\"channel\" does not apply to Reset", {
          channel: "depth",
          symptom: { _tag: "Reset", applied: true }
        }],
        ["\"path\" does not apply to Lose", { path: "/a", symptom: { _tag: "Lose" } }],
        ["\"channel\" does not apply to IgnorePing", { channel: "depth", symptom: { _tag: "IgnorePing" } }],
        ["\"account\" does not apply to RefuseConnection", {
          account: "alice",
          symptom: { _tag: "RefuseConnection", kind: "unavailable" }
        }]
      ]
      for (const [message, fault] of refused) assert.include((yield* Effect.flip(add(fault))).message, message)
    }).pipe(Effect.provide(world)))

  it.effect("a request that can't become a WebSocket does not use up a connection fault", () =>
    Effect.gen(function*() {
      yield* add({ symptom: { _tag: "RefuseConnection", kind: "unavailable" } })
      const { status } = yield* HttpClient.get(`${yield* Base}/ws`, { headers: { upgrade: "websocket" } })
      assert.strictEqual(status, 426)
      assert.deepStrictEqual(yield* counts, [[0, 0]])
    }).pipe(Effect.provide(world)))

  it.effect("call faults never hit streams, and stream faults never hit calls", () =>
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
