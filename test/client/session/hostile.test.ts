/** Tests a session with an exchange that breaks its own protocol. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { DepthChannel } from "../../../src/channels/DepthChannel.ts"
import { LastPriceChannel } from "../../../src/channels/LastPriceChannel.ts"
import { PendingOrdersChannel } from "../../../src/channels/PendingOrdersChannel.ts"
import { SpotBalanceChannel } from "../../../src/channels/SpotBalanceChannel.ts"
import * as LiveBook from "../../../src/LiveBook.ts"
import { maxLength } from "../../../src/protocol/Frame.ts"
import { Exchange, type Link } from "./exchange.ts"
import { layer, listen, market, settled } from "./streams.ts"

const depth = { market, limit: 100, priceStep: "0" } as const

const prompt = () => {
  const exchange = new Exchange()
  exchange.isPrompt = true
  return exchange
}

const last = (exchange: Exchange): Link => exchange.opened.at(-1) ?? assert.fail("no connection")

const tags = (items: ReadonlyArray<{ readonly _tag: string }>) => items.map(({ _tag }) => _tag)

const count = (link: Link, method: string) => link.methods.filter((asked) => asked === method).length

/** Builds a book update with these sequence numbers. */
const change = (link: Link, updateId: number, pastUpdateId: number, more: object = {}) =>
  link.push("depth_update", [
    false,
    { timestamp: 1, bids: [["1", "7"]], update_id: updateId, past_update_id: pastUpdateId, ...more },
    market
  ])

describe("a session with a hostile exchange", () => {
  it.effect("an update whose sequence number is smaller than the book's is treated as a gap", () => {
    const exchange = prompt()
    exchange.updateId = 5
    return Effect.gen(function*() {
      const view = yield* LiveBook.make(depth)
      yield* settled
      assert.strictEqual((yield* view.whole).updateId, 5)
      change(last(exchange), 3, 5)
      yield* settled
      // The exchange sends the book again, and the session accepts it.
      const { bids, updateId } = yield* view.whole
      assert.deepStrictEqual([updateId, bids[0]?.amount], [5, "1"] as unknown)
      assert.strictEqual(count(last(exchange), "depth_subscribe"), 2)
    }).pipe(Effect.provide(layer(exchange)), Effect.scoped)
  })

  it.effect("an exchange whose book updates never match is not flooded with subscriptions", () => {
    const exchange = prompt()
    return Effect.gen(function*() {
      const { stream } = yield* DepthChannel
      const { items } = yield* listen(stream(depth))
      for (let round = 0; round < 100; round++) {
        change(last(exchange), 90, 80)
        yield* TestClock.adjust("100 millis")
        yield* settled
      }
      // The first subscription is followed by five immediate ones, and then by one per second.
      assert.isAtMost(count(last(exchange), "depth_subscribe"), 1 + 5 + 11)
      assert.isAtLeast(count(last(exchange), "depth_subscribe"), 5)
      yield* TestClock.adjust("2 seconds")
      yield* settled
      assert.strictEqual(items.at(-1)?._tag, "Snapshot")
    }).pipe(Effect.provide(layer(exchange)), Effect.scoped)
  })

  it.effect("an acknowledgement that reports failure is treated as a refusal", () => {
    const exchange = new Exchange()
    return Effect.gen(function*() {
      const { stream } = yield* LastPriceChannel
      const { fiber } = yield* listen(stream({ market }))
      const [{ id } = assert.fail()] = last(exchange).requests
      last(exchange).send({ error: null, result: { status: "failed" }, id })
      last(exchange).deliver(1)
      yield* settled
      const exit = fiber.pollUnsafe()
      assert.include(String(exit), "the status is failed")
    }).pipe(Effect.provide(layer(exchange)), Effect.scoped)
  })

  it.effect("a connection whose authorization reports failure sends no private requests", () => {
    const exchange = new Exchange()
    return Effect.gen(function*() {
      const { stream } = yield* PendingOrdersChannel
      const { fiber } = yield* listen(stream({ market }))
      const [{ id, method } = assert.fail()] = last(exchange).requests
      assert.strictEqual(method, "authorize")
      last(exchange).send({ error: null, result: { status: "error" }, id })
      last(exchange).deliver(1)
      yield* settled
      assert.include(String(fiber.pollUnsafe()), "AuthorizationRefused")
      assert.deepStrictEqual(exchange.opened.flatMap(({ methods }) => methods), ["authorize"])
    }).pipe(Effect.provide(layer(exchange)), Effect.scoped)
  })

  it.effect("unexpected responses, repeated acknowledgements, unknown pushes and unknown fields have no effect", () => {
    const exchange = prompt()
    return Effect.gen(function*() {
      const { stream } = yield* DepthChannel
      const { items } = yield* listen(stream(depth))
      const link = last(exchange)
      for (const id of [1, 1, 999, 0, Number.MAX_SAFE_INTEGER]) {
        link.send({ error: null, result: { status: "success" }, id })
        link.send({ error: { code: 1, message: "invalid argument" }, result: null, id })
      }
      link.push("otoOrdersPending_update", [1, {}])
      link.push("__proto__", [])
      change(link, 2, 1, { checksum: 7, constructor: {} })
      yield* settled
      assert.deepStrictEqual(tags(items), ["Snapshot", "Event"])
      assert.lengthOf(exchange.opened, 1)
      assert.strictEqual(count(link, "depth_subscribe"), 1)
    }).pipe(Effect.provide(layer(exchange)), Effect.scoped)
  })

  it.effect("a message with an invalid number is unreadable, and the stream continues with a new state", () => {
    const exchange = prompt()
    return Effect.gen(function*() {
      const { stream } = yield* DepthChannel
      const { items } = yield* listen(stream(depth))
      const link = last(exchange)
      const bad: ReadonlyArray<object> = [
        { update_id: 2 ** 53 },
        { update_id: 1.5 },
        { timestamp: -1 },
        { bids: [["1", "1e5"]] },
        { bids: [["NaN", "1"]] },
        { bids: [["1".repeat(65), "1"]] },
        { bids: [["1"]] }
      ]
      for (const more of bad) {
        change(link, 2, 1, more)
        yield* TestClock.adjust("2 seconds")
        yield* settled
      }
      assert.deepStrictEqual(tags(items), ["Snapshot", ...bad.flatMap(() => ["Interrupted", "Snapshot"])])
      assert.isTrue(items.every((item) => item._tag !== "Interrupted" || item.reason === "unreadable"))
    }).pipe(Effect.provide(layer(exchange)), Effect.scoped)
  })

  it.effect("a message that is too long closes the connection, and the stream continues on the next connection", () => {
    const exchange = prompt()
    return Effect.gen(function*() {
      const { stream } = yield* LastPriceChannel
      const { items } = yield* listen(stream({ market }))
      last(exchange).push("lastprice_update", [market, "1", "x".repeat(maxLength)])
      yield* settled
      yield* TestClock.adjust("2 seconds")
      yield* settled
      assert.deepStrictEqual(tags(items), ["Snapshot", "Interrupted", "Snapshot"])
      assert.lengthOf(exchange.opened, 2)
    }).pipe(Effect.provide(layer(exchange)), Effect.scoped)
  })

  it.effect("no balance is lost silently when an asset is named like a built-in property", () => {
    const exchange = prompt()
    return Effect.gen(function*() {
      const { stream } = yield* SpotBalanceChannel
      const { items } = yield* listen(stream({}))
      for (const name of ["__proto__", "constructor"]) {
        last(exchange).push("balanceSpot_update", [JSON.parse(`{"${name}": {"available": "9", "freeze": "0"}}`)])
        yield* settled
      }
      assert.deepStrictEqual(
        items.map((item) =>
          item._tag === "Event" ? [...item.event].map(([name, of]) => [name, of.available]) : item._tag
        ),
        ["Snapshot", "Interrupted", "Snapshot", [["constructor", "9"]]] as unknown
      )
    }).pipe(Effect.provide(layer(exchange)), Effect.scoped)
  })

  it.effect("a subscription interrupted by the end of its connection is repeated over the next connection", () => {
    const exchange = new Exchange()
    return Effect.gen(function*() {
      const { stream } = yield* DepthChannel
      const { items } = yield* listen(stream(depth))
      const first = last(exchange)
      first.handle(1)
      // The acknowledgement arrives, but the book does not.
      first.deliver(1)
      yield* settled
      first.cut()
      exchange.isPrompt = true
      yield* TestClock.adjust("2 seconds")
      yield* settled
      assert.deepStrictEqual(tags(items), ["Interrupted", "Snapshot"])
      assert.deepStrictEqual(exchange.faults, [])
    }).pipe(Effect.provide(layer(exchange)), Effect.scoped)
  })
})
