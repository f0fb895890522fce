import { assert, describe, it } from "@effect/vitest"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as CandlesChannel from "../../src/channels/CandlesChannel.ts"
import * as contract from "../../src/channels/contract.ts"
import * as DealsChannel from "../../src/channels/DealsChannel.ts"
import * as ExecutedOrdersChannel from "../../src/channels/ExecutedOrdersChannel.ts"
import * as PositionEventsChannel from "../../src/channels/PositionEventsChannel.ts"
import * as Dialer from "../../src/client/session/Dialer.ts"
import type * as Item from "../../src/client/session/Item.ts"
import * as Session from "../../src/client/session/Session.ts"
import type * as StreamErrors from "../../src/client/session/StreamErrors.ts"
import * as Frame from "../../src/protocol/Frame.ts"
import * as Json from "../../src/protocol/Json.ts"
import * as Streams from "../../src/Streams.ts"
import { Exchange, type Link } from "../client/session/exchange.ts"
import { listen, market, settled } from "../client/session/streams.ts"
import { entries, type Entry, fixtures } from "./fixtures/all.ts"

/** A fake exchange. The test sets its responses to queries, and pushes its messages. */
class Scripted extends Exchange {
  override isPrompt = true
  override markets = ["BTC_USDT", "ETH_USDT", "BTC_PERP", "ETH_PERP"]
  readonly results = new Map<string, (link: Link, params: ReadonlyArray<unknown>) => unknown>()

  override answer(link: Link, request: Parameters<Exchange["answer"]>[1]): void {
    const { id, method, params } = request
    const result = this.results.get(method)
    if (result === undefined) return super.answer(link, request)
    deliver(link, { _tag: "Answer", id, result: result(link, params) })
  }

  push(method: string, params: unknown): void {
    for (const link of this.links) deliver(link, { _tag: "Push", method, params })
  }
}

/** Delivers a frame, which may contain integers of any length. */
const deliver = (link: Link, frame: Frame.Received) => {
  link.frames.push(Frame.writeReceived(frame))
  link.deliver(1)
}

const channels = (exchange: Exchange) =>
  Streams.layerServices.pipe(
    Layer.provide(Layer.succeed(Dialer.Dialer, exchange.dialer)),
    Layer.provide(
      Layer.succeed(Session.StreamToken, { create: Effect.sync(() => Redacted.make(`token-${++exchange.tokens}`)) })
    )
  )

type AnyStream = Stream.Stream<Item.Item<unknown, unknown>, StreamErrors.PrivateFailure>

interface AnyService {
  readonly stream: AnyStream | ((topic: unknown) => AnyStream)
  readonly [query: string]: unknown
}

const services = contract as unknown as Readonly<
  Record<string, Readonly<Record<string, Context.Service<Streams.Services, AnyService>>>>
>

const serviceOf = ({ name }: Entry) => {
  const service = services[name]?.[name]
  assert.isDefined(service)
  return service
}

/** Returns a topic, and a message that concerns the topic. */
const heard = ({ about, channel, messages }: Entry) => {
  for (const topic of [channel.example, ...about.map(({ topic }) => topic)]) {
    const example = messages.find(({ value }) => channel.about(topic, value) !== undefined)
    if (example !== undefined) return { topic, ...example }
  }
  return assert.fail(`no message of the fixture of ${channel.name} concerns a topic`)
}

/** Splits a value into the parts that streams may emit one by one. */
const parts = (value: unknown): ReadonlyArray<unknown> =>
  Array.isArray(value) ? value : Json.isObject(value) && Array.isArray(value["trades"]) ? value["trades"] : [value]

const values = (items: ReadonlyArray<Item.Item<unknown, unknown>>): ReadonlyArray<unknown> =>
  items.flatMap((item) => item._tag === "Event" ? parts(item.event) : item._tag === "Snapshot" ? parts(item.state) : [])

const tags = (items: ReadonlyArray<{ readonly _tag: string }>) => items.map(({ _tag }) => _tag)

const reconnected = TestClock.adjust("1 second").pipe(Effect.andThen(settled))

describe.each(entries)("the service of $name", (entry) => {
  const { channel, continuity, name, queries } = { ...entry, ...entry.documented }

  it.effect(`${name} emits what the exchange pushes, and reports when it may have missed messages`, () => {
    const exchange = new Scripted()
    for (const { method, result: { wire } } of Object.values(queries)) {
      const isPage = Json.isObject(wire) && "records" in wire
      exchange.results.set(method, () => isPage ? { limit: 100, offset: 0, total: 0, records: [] } : wire)
    }
    // The acknowledgement contains no book, so the fixture's book is the first that the stream receives.
    exchange.results.set("depth_subscribe", () => Frame.success)
    return Effect.gen(function*() {
      const { stream } = yield* serviceOf(entry)
      const { topic, value, wire } = heard(entry)
      const { items } = yield* listen(typeof stream === "function" ? stream(topic) : stream)
      exchange.push(channel.pushed, wire)
      yield* settled
      assert.notInclude(tags(items), "Interrupted")
      assert.includeDeepMembers([...values(items)], [...parts(channel.about(topic, value))])
      const count = items.length
      for (const link of exchange.links) link.cut()
      yield* settled
      yield* reconnected
      exchange.push(channel.pushed, wire)
      yield* settled
      // The trades at the start of a subscription prove that no trade was missed.
      assert.strictEqual(tags(items.slice(count)).includes("Interrupted"), name !== "TradesChannel")
      assert.isFalse(tags(items.slice(count)).includes("Snapshot") && continuity === "signal")
      assert.deepStrictEqual(exchange.faults, [])
    }).pipe(Effect.provide(channels(exchange)), Effect.scoped)
  })

  it.effect(`${name} decodes the responses to its queries`, () => {
    const exchange = new Scripted()
    for (const { method, result } of Object.values(queries)) exchange.results.set(method, () => result.wire)
    return Effect.gen(function*() {
      const service = yield* serviceOf(entry)
      for (const [query, { params, result }] of Object.entries(queries)) {
        const read = service[query] as (params: unknown) => Effect.Effect<unknown, unknown>
        const answer = yield* read(params.value)
        assert.deepStrictEqual(answer, result.value)
      }
    }).pipe(Effect.provide(channels(exchange)), Effect.scoped)
  })
})

describe("candle streams", () => {
  const row = (time: number, volume: string) => [time, "1", "1", "1", "1", volume, "1", "BTC_USDT"]

  it.effect("a candle pushed during a read is not emitted if the read returns a newer version of the candle", () => {
    const exchange = new Scripted()
    exchange.results.set("candles_request", (link) => {
      link.push("candles_update", [row(60, "1")])
      link.push("candles_update", [row(120, "0.5")])
      return [row(0, "7"), row(60, "2")]
    })
    return Effect.gen(function*() {
      yield* TestClock.setTime(120_000)
      const { stream } = yield* CandlesChannel.CandlesChannel
      const { items } = yield* listen(stream({ market, interval: "1m" }))
      exchange.push("candles_update", [row(120, "1")])
      yield* settled
      assert.deepStrictEqual(tags(items), ["Snapshot", "Event", "Event"])
      assert.deepStrictEqual(
        values(items).map((candle) => Json.isObject(candle) && [candle["time"], candle["volume"]]),
        [[0, "7"], [60, "2"], [120, "0.5"], [120, "1"]]
      )
    }).pipe(Effect.provide(channels(exchange)), Effect.scoped)
  })

  it.effect("a candle stream begins with the latest 100 candles, however far the current interval has progressed", () => {
    const exchange = new Scripted()
    const ranges: Array<ReadonlyArray<number>> = []
    exchange.results.set("candles_request", (_link, [, start, end, seconds]) => {
      ranges.push([start, end, seconds].map(Number))
      return []
    })
    return Effect.gen(function*() {
      const { stream } = yield* CandlesChannel.CandlesChannel
      for (const seconds of [120_000, 120_001, 120_059]) {
        yield* TestClock.setTime(seconds * 1000)
        yield* Effect.scoped(listen(stream({ market, interval: "1m" })))
      }
      // The range includes both of its ends.
      const counts = ranges.map(([start = 0, end = 0, seconds = 1]) =>
        Math.floor(end / seconds) - Math.ceil(start / seconds) + 1
      )
      assert.deepStrictEqual(counts, [100, 100, 100])
    }).pipe(Effect.provide(channels(exchange)), Effect.scoped)
  })

  it.effect("each candle interval has its own connection", () => {
    const exchange = new Scripted()
    exchange.results.set("candles_request", () => [])
    return Effect.gen(function*() {
      const { stream } = yield* CandlesChannel.CandlesChannel
      yield* listen(stream({ market, interval: "1m" }))
      yield* listen(stream({ market, interval: "1h" }))
      yield* listen(stream({ market, interval: "1m" }))
      assert.deepStrictEqual([...exchange.links].map(({ sets }) => sets.get("candles")), [
        ["BTC_USDT", 60],
        ["BTC_USDT", 3600]
      ])
    }).pipe(Effect.provide(channels(exchange)), Effect.scoped)
  })
})

describe("deal streams", () => {
  const pushed = (id: number, role: number) => [id, id, "BTC_USDT", id, "1", "1", "0", "", 2, role, "USDT"]
  const read = (id: number, role: number) => ({
    id,
    role,
    time: id,
    side: 2,
    price: "1",
    amount: "1",
    deal: "1",
    fee: "0",
    order_id: id,
    deal_order_id: 1,
    market: "BTC_USDT",
    client_order_id: ""
  })
  const page = (...records: ReadonlyArray<object>) => () => ({ limit: 100, offset: 0, records })
  const found = (items: ReadonlyArray<Item.Item<DealsChannel.Deal, ReadonlyArray<DealsChannel.Deal>>>) =>
    values(items).map((deal) => Json.isObject(deal) && `${String(deal["tradeId"])} ${String(deal["role"])}`)

  it.effect("missed deals are read, and emitted once and in order", () => {
    const exchange = new Scripted()
    exchange.results.set("deals_request", page(read(1, 1)))
    return Effect.gen(function*() {
      const { stream } = yield* DealsChannel.DealsChannel
      const { items } = yield* listen(stream({ market }))
      // Both orders of this trade belong to the account.
      exchange.push("deals_update", pushed(2, 1))
      exchange.push("deals_update", pushed(2, 2))
      yield* settled
      for (const link of exchange.links) link.cut()
      yield* settled
      exchange.results.set("deals_request", page(read(4, 1), read(3, 2), read(2, 2), read(2, 1), read(1, 1)))
      yield* reconnected
      exchange.push("deals_update", pushed(4, 1))
      exchange.push("deals_update", pushed(5, 1))
      yield* settled
      assert.deepStrictEqual(tags(items), ["Snapshot", "Event", "Event", "Event", "Event", "Event"])
      assert.deepStrictEqual(found(items), ["1 maker", "2 maker", "2 taker", "3 taker", "4 maker", "5 maker"])
    }).pipe(Effect.provide(channels(exchange)), Effect.scoped)
  })

  it.effect("a deal stream is interrupted if it has missed more deals than fit on a page", () => {
    const exchange = new Scripted()
    exchange.results.set("deals_request", page(read(1, 1)))
    return Effect.gen(function*() {
      const { stream } = yield* DealsChannel.DealsChannel
      const { items } = yield* listen(stream({ market }))
      for (const link of exchange.links) link.cut()
      yield* settled
      exchange.results.set("deals_request", page(...Array.from({ length: 100 }, (_, at) => read(200 - at, 1))))
      yield* reconnected
      assert.deepStrictEqual(tags(items), ["Snapshot", "Interrupted", "Snapshot"])
    }).pipe(Effect.provide(channels(exchange)), Effect.scoped)
  })
})

describe("streams of executed orders", () => {
  const [{ wire }] = fixtures.ExecutedOrdersChannel.messages

  it.effect("executed orders from a read are not emitted a second time", () => {
    const exchange = new Scripted()
    exchange.results.set("ordersExecuted_request", (link) => {
      link.push("ordersExecuted_update", wire)
      return { limit: 100, offset: 0, records: wire }
    })
    return Effect.gen(function*() {
      const { stream } = yield* ExecutedOrdersChannel.ExecutedOrdersChannel
      const { items } = yield* listen(stream({ market, kind: "limit" }))
      assert.deepStrictEqual(tags(items), ["Snapshot"])
      assert.lengthOf(values(items), 1)
    }).pipe(Effect.provide(channels(exchange)), Effect.scoped)
  })

  it.effect("executed orders of a kind that was not requested are neither read nor emitted", () => {
    const exchange = new Scripted()
    exchange.results.set("ordersExecuted_request", () => ({ limit: 100, offset: 0, records: wire }))
    return Effect.gen(function*() {
      const { stream } = yield* ExecutedOrdersChannel.ExecutedOrdersChannel
      const { items } = yield* listen(stream({ market, kind: "market" }))
      exchange.push("ordersExecuted_update", wire)
      yield* settled
      assert.deepStrictEqual(items, [{ _tag: "Snapshot", state: [] }])
    }).pipe(Effect.provide(channels(exchange)), Effect.scoped)
  })
})

describe("position events", () => {
  const interrupted = Effect.fnUntraced(function*(exchange: Scripted) {
    const { stream } = yield* PositionEventsChannel.PositionEventsChannel
    const { items } = yield* listen(stream)
    for (const link of exchange.links) link.cut()
    yield* settled
    yield* reconnected
    return items
  })
  const [{ value: event, wire }] = fixtures.PositionEventsChannel.messages
  const [{ value: positions, wire: whole }] = fixtures.PositionsChannel.messages

  it.effect("after an interruption, position events wait for positions read after the new subscription", () => {
    const exchange = new Scripted()
    return Effect.gen(function*() {
      const items = yield* interrupted(exchange)
      exchange.push("positionsMargin_update", { total: 0, records: [] })
      exchange.push("positionsAccountMargin_update", wire)
      yield* settled
      assert.deepStrictEqual(tags(items), ["Interrupted"])
      exchange.push("positionsMargin_update", whole)
      yield* settled
      assert.deepStrictEqual(items.slice(1), [{ _tag: "Snapshot", state: positions }, { _tag: "Event", event }])
      exchange.push("positionsMargin_update", whole)
      yield* settled
      assert.lengthOf(items, 3)
    }).pipe(Effect.provide(channels(exchange)), Effect.scoped)
  })

  it.effect("position events continue after an interruption even if no positions are pushed", () => {
    const exchange = new Scripted()
    return Effect.gen(function*() {
      const items = yield* interrupted(exchange)
      exchange.push("positionsAccountMargin_update", wire)
      yield* TestClock.adjust("10 seconds").pipe(Effect.andThen(settled))
      assert.deepStrictEqual(tags(items), ["Interrupted", "Event"])
    }).pipe(Effect.provide(channels(exchange)), Effect.scoped)
  })
})
