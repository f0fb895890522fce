import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { ControlRefused } from "../../../src/sandbox/control/Control.ts"
import { ControlClient } from "../../../src/sandbox/control/ControlClient.ts"
import * as Bounds from "../../../src/sandbox/streams/Bounds.ts"
import { Venue } from "../../../src/sandbox/venue/Venue.ts"
import { until } from "../../support/clock.ts"
import { alice } from "../../support/exchange.ts"
import { limit, token } from "./client.ts"
import { open, ways } from "./raw.ts"

const connections = ControlClient.use((control) => control.connections())

const sentMessages = (id: number) => ControlClient.use((control) => control.sentMessages({ params: { id } }))

const cut = (id: number, close?: boolean) =>
  ControlClient.use((control) => control.cutConnection({ payload: { id, ...(close === undefined ? {} : { close }) } }))

describe.each(ways)("the list of open connections, $way", ({ world }) => {
  it.live("the owner sees the connected clients, each connection's subscriptions, and its latest messages", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* connections, [])
      const [client, other] = [yield* open, yield* open]
      yield* client.ask("authorize", yield* token(), "public")
      yield* client.ask("ordersPending_subscribe", "BTC_USDT", "ETH_USDT")
      yield* client.ask("depth_subscribe", "BTC_USDT", 5, "0", true)
      yield* client.ask("ping")
      yield* other.ask("ping")
      const [shown, anonymous, ...more] = yield* connections
      assert.deepStrictEqual(more, [])
      const { from, since, ...rest } = shown ?? assert.fail("no connection")
      assert.isAtMost(since, (yield* sentMessages(1))[0]?.at ?? 0)
      assert.match(from, /^(?:in-process|127\.0\.0\.1)$/u)
      assert.deepStrictEqual(rest, {
        id: 1,
        account: "alice",
        apiKey: alice.apiKey,
        subscriptions: [
          { channel: "ordersPending", topics: [["BTC_USDT"], ["ETH_USDT"]] },
          { channel: "depth", topics: [["BTC_USDT", 5, "0", true]] }
        ],
        sent: client.texts.length,
        waiting: 0
      })
      assert.deepInclude(anonymous, { id: 2, subscriptions: [], sent: 1 })
      assert.notProperty(anonymous, "account")
      assert.deepStrictEqual((yield* sentMessages(1)).map(({ text }) => text), client.texts)
    }).pipe(Effect.scoped, Effect.provide(world)))

  it.live("the owner can cut a single connection, abruptly or with a close frame", () =>
    Effect.gen(function*() {
      const [abrupt, closed, spared] = [yield* open, yield* open, yield* open]
      for (const client of [abrupt, closed, spared]) yield* client.ask("ping")
      yield* cut(1)
      yield* cut(2, true)
      assert.deepStrictEqual([yield* abrupt.ended, yield* closed.ended], [1006, 1001])
      assert.strictEqual((yield* spared.ask("ping")).result, "pong")
      assert.deepStrictEqual((yield* connections).map(({ id }) => id), [3])
      assert.instanceOf(yield* Effect.flip(cut(1)), ControlRefused)
      assert.instanceOf(yield* Effect.flip(sentMessages(2)), ControlRefused)
    }).pipe(Effect.scoped, Effect.provide(world)))

  it.live("a client that disconnects is removed from the list of open connections", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const client = yield* Scope.provide(open, scope)
      yield* client.ask("ping")
      assert.lengthOf(yield* connections, 1)
      yield* Scope.close(scope, Exit.void)
      yield* until(Effect.map(connections, ({ length }) => length === 0))
    }).pipe(Effect.scoped, Effect.provide(world)))
})

const [{ world }] = ways as [(typeof ways)[number]]

describe("a connection's latest messages", () => {
  it.live("the number and the total length of a connection's latest messages are bounded", () =>
    Effect.gen(function*() {
      const client = yield* open
      for (let n = 0; n < Bounds.recent.messages + 9; n++) yield* client.ask("ping")
      assert.deepStrictEqual(
        (yield* sentMessages(1)).map(({ text }) => text),
        client.texts.slice(-Bounds.recent.messages)
      )
      for (let price = 1; price <= 100; price++) yield* limit("sell", "0.1", String(1000 + price))
      for (let n = 0; n < 20; n++) yield* client.ask("depth_request", "BTC_USDT", 100, "0")
      const { connections } = yield* Venue
      const texts = (connections.find(1)?.latest() ?? []).map(({ text }) => text)
      assert.isAtMost(texts.join("").length, Bounds.recent.length)
      assert.deepStrictEqual(texts, client.texts.slice(-texts.length))
    }).pipe(Effect.scoped, Effect.provide(world)))
})
