/**
 * No gap is silent. Whatever happens between an exchange and its subscribers, each subscriber's events and states match
 * the exchange's history, except where interruptions are reported.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { DepthChannel } from "../../../src/channels/DepthChannel.ts"
import { LastPriceChannel } from "../../../src/channels/LastPriceChannel.ts"
import { PendingOrdersChannel } from "../../../src/channels/PendingOrdersChannel.ts"
import { SpotBalanceChannel } from "../../../src/channels/SpotBalanceChannel.ts"
import { TradesChannel } from "../../../src/channels/TradesChannel.ts"
import type * as Item from "../../../src/client/session/Item.ts"
import * as Session from "../../../src/client/session/Session.ts"
import { marketName, ticker } from "../../../src/domain/Identifiers.ts"
import { property } from "../../support/property.ts"
import { Exchange } from "./exchange.ts"
import { layer, market, settled } from "./streams.ts"

type AnyItem<E, S> = Item.Item<E, S>

/** The version of the state after the items so far, or `undefined` if items may be missing. */
type At = number | undefined

/** Checks that items form a continuous history, and returns the last version. */
const replay = <E, S>(
  items: ReadonlyArray<AnyItem<E, S>>,
  rules: {
    /** Returns a state's version. */
    readonly state: (state: S) => number
    /** Returns the version after an event. */
    readonly event: (event: E, at: number) => number
  }
): At => {
  let at: At
  for (const item of items) {
    if (item._tag === "Interrupted") at = undefined
    else if (item._tag === "Snapshot") {
      const version = rules.state(item.state)
      assert.isTrue(at === undefined || at === version, "a state replaces another without an interruption")
      at = version
    } else {
      assert.isDefined(at, "an event follows an interruption")
      at = rules.event(item.event, at)
    }
  }
  return at
}

/** A subscriber that reads only when the test lets it read. */
interface Reader {
  readonly read: (count: number) => void
  readonly stop: () => void
  readonly leave: Effect.Effect<void>
  /** Checks the items so far. If `done`, they must end at the exchange's current state. */
  readonly check: (done: boolean) => void
}

const reading = Effect.fnUntraced(function*<E, S, F>(
  stream: Stream.Stream<AnyItem<E, S>, F>,
  verdict: (items: ReadonlyArray<AnyItem<E, S>>) => { readonly at: At; readonly now: number }
) {
  const items: Array<AnyItem<E, S>> = []
  const mayRead = Latch.makeUnsafe(false)
  const mustLeave = Latch.makeUnsafe(false)
  let permits = 0
  let hasLeft = false
  const takeOne = (item: AnyItem<E, S>) =>
    Effect.suspend(() => {
      items.push(item)
      if (--permits <= 0) mayRead.closeUnsafe()
      return mayRead.await
    })
  yield* Effect.forkScoped(Effect.raceFirst(Effect.orDie(Stream.runForEach(stream, takeOne)), mustLeave.await))
  const reader: Reader = {
    read: (count) => {
      permits += count
      mayRead.openUnsafe()
    },
    stop: () => {
      permits = 0
      mayRead.closeUnsafe()
    },
    leave: Effect.sync(() => {
      hasLeft = true
      mustLeave.openUnsafe()
    }),
    check: (done) => {
      const { at, now } = verdict(items)
      if (done && !hasLeft) assert.strictEqual(at, now, `ended with ${JSON.stringify(items.slice(-3))}`)
    }
  }
  return reader
})

type Joining = Effect.Effect<
  Reader,
  never,
  LastPriceChannel | DepthChannel | TradesChannel | SpotBalanceChannel | PendingOrdersChannel | Scope.Scope
>

const kinds = ["price", "depth", "trades", "balance", "orders"] as const

/** Creates a subscriber to each channel, with a check of the items that it receives. */
const joining = (exchange: Exchange): { readonly [K in (typeof kinds)[number]]: Joining } => ({
  price: Effect.flatMap(LastPriceChannel, ({ stream }) =>
    reading(stream({ market }), (items) => {
      const known = items.flatMap((item) =>
        item._tag === "Interrupted" ? [] : [Number((item._tag === "Event" ? item.event : item.state).price)]
      )
      assert.deepStrictEqual(known, known.toSorted((one, other) => one - other))
      return { at: known.at(-1), now: exchange.price }
    })),
  depth: Effect.flatMap(
    DepthChannel,
    ({ stream }) =>
      reading(stream({ market, limit: 100, priceStep: "0" }), (items) => {
        const version = (updateId: number, amount: string | undefined) => {
          const at = exchange.versions.get(updateId) ?? -1
          assert.strictEqual(amount, `${at}`)
          return at
        }
        const at = replay(items, {
          state: ({ bids = [], updateId }) => version(updateId, bids[0]?.amount),
          event: ({ bids = [], updateId }, at) => {
            const next = version(updateId, bids[0]?.amount)
            assert.strictEqual(next, at + 1)
            return next
          }
        })
        return { at, now: exchange.version }
      })
  ),
  trades: Effect.flatMap(TradesChannel, ({ stream }) =>
    reading(stream({ market }), (items) => {
      const at = replay(items, {
        state: (trades) => {
          const ids = trades.map(({ tradeId }) => Number(tradeId))
          assert.isTrue(ids.every((id, at) => at === 0 || id === (ids[at - 1] ?? 0) + 1))
          return ids.at(-1) ?? 0
        },
        event: ({ tradeId }, at) => {
          assert.strictEqual(Number(tradeId), at + 1)
          return at + 1
        }
      })
      return { at, now: exchange.trades }
    })),
  balance: Effect.flatMap(SpotBalanceChannel, ({ stream }) =>
    reading(stream({}), (items) => {
      let pushed: At
      const versionOf = (balances: ReadonlyMap<unknown, { readonly available: string }>) =>
        Number(balances.get(ticker("USDT"))?.available)
      const at = replay(items, {
        state: (balances) => {
          pushed = undefined
          return versionOf(balances)
        },
        event: (balances, at) => {
          const version = versionOf(balances)
          // The first events may be older than the state. No later event may be missing.
          if (pushed === undefined) assert.isAtMost(version, at + 1)
          else assert.strictEqual(version, pushed + 1)
          pushed = version
          return version
        }
      })
      return { at, now: exchange.balance }
    })),
  orders: Effect.flatMap(PendingOrdersChannel, ({ stream }) =>
    reading(stream({ market }), (items) => {
      const open = new Map<string, number>()
      let upTo = 0
      let pushed = 0
      const at = replay(items, {
        state: (orders) => {
          open.clear()
          for (const { modifiedAt, orderId } of orders) open.set(orderId, Number(modifiedAt))
          const versions = exchange.orderEvents.map((_, at) => at + 1).concat(0).filter((at) =>
            JSON.stringify(exchange.openAfter(at).map(({ id, version }) => [`${id}`, version]))
              === JSON.stringify([...open])
          )
          assert.notStrictEqual(versions.length, 0, "the orders were never open together")
          upTo = Math.max(...versions)
          pushed = 0
          return -1
        },
        event: ({ event, order: { modifiedAt, orderId } }) => {
          const version = Number(modifiedAt)
          // No event after the state may be missing. Events that the state already includes may be repeated.
          assert.isTrue(pushed >= upTo ? version === pushed + 1 : version > pushed && version <= upTo + 1)
          pushed = version
          if (event === "finished") open.delete(orderId)
          else open.set(orderId, version)
          return -1
        }
      })
      const now = exchange.openAfter(exchange.orderEvents.length)
      const isPresent = now.length === open.size && now.every(({ id, version }) => open.get(`${id}`) === version)
      return { at: at === undefined || !isPresent ? undefined : 0, now: 0 }
    }))
})

const count = fc.integer({ min: 1, max: 5 })
const place = fc.nat(7)

/** A step in a history. */
const action = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ do: fc.constant("happens"), what: fc.constantFrom(...kinds), choice: fc.nat(99), count })
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("handle"), place, count }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("deliver"), place, count }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("join"), kind: fc.constantFrom(...kinds), isSlow: fc.boolean() })
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("read"), place, count }) },
  { weight: 10, arbitrary: fc.record({ do: fc.constant("flow"), answers: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait"), millis: fc.constantFrom(100, 2000, 35_000) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("cut"), place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("leave"), place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("repeat") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("lose") }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("answer"), place, count }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("stop"), place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("ask for an unknown market"), isPrivate: fc.boolean() }) }
)

type Action = typeof action extends fc.Arbitrary<infer A> ? A : never

const at = <A>(all: Iterable<A>, place: number): A | undefined => {
  const list = [...all]
  return list[place % Math.max(1, list.length)]
}

const acting = (exchange: Exchange, readers: Array<Reader>) => {
  const joins = joining(exchange)
  const flow = (answers: boolean) => {
    for (const link of exchange.links) {
      link.handle(100)
      if (answers) link.reply(100)
      link.deliver(1000)
    }
  }
  const apply = (action: Action) => {
    if (action.do === "happens") {
      return Effect.sync(() => {
        for (let time = 0; time < action.count; time++) exchange.happens[action.what](action.choice + time)
      })
    }
    if (action.do === "answer") return Effect.sync(() => at(exchange.links, action.place)?.reply(action.count))
    if (action.do === "stop") return Effect.sync(() => at(readers, action.place)?.stop())
    if (action.do === "handle") return Effect.sync(() => at(exchange.links, action.place)?.handle(action.count))
    if (action.do === "deliver") return Effect.sync(() => at(exchange.links, action.place)?.deliver(action.count))
    if (action.do === "read") return Effect.sync(() => at(readers, action.place)?.read(action.count))
    if (action.do === "flow") return Effect.sync(() => flow(action.answers))
    if (action.do === "wait") return TestClock.adjust(action.millis)
    if (action.do === "cut") return Effect.sync(() => at(exchange.links, action.place)?.cut())
    if (action.do === "leave") return at(readers, action.place)?.leave ?? Effect.void
    if (action.do === "repeat") return Effect.sync(() => exchange.happens.repeat())
    if (action.do === "lose") return Effect.sync(() => exchange.happensUnseen())
    if (action.do === "restart") return Effect.sync(() => exchange.restart())
    if (action.do === "join") {
      return Effect.map(joins[action.kind], (reader) => {
        readers.push(reader)
        if (!action.isSlow) reader.read(Number.MAX_SAFE_INTEGER)
      })
    }
    const topic = { market: marketName("NO_SUCH") }
    return action.isPrivate
      ? Effect.forkScoped(Effect.flip(PendingOrdersChannel.use(({ stream }) => Stream.runDrain(stream(topic)))))
      : Effect.forkScoped(Effect.flip(TradesChannel.use(({ stream }) => Stream.runDrain(stream(topic)))))
  }
  /** Ends all faults, and lets every subscriber read. */
  const heal = Effect.gen(function*() {
    exchange.isReachable = true
    exchange.isPrompt = true
    for (let round = 0; round < 8; round++) {
      flow(true)
      for (const reader of readers) reader.read(Number.MAX_SAFE_INTEGER)
      yield* TestClock.adjust("40 seconds")
      yield* quick
    }
    // Only the next message reveals that the message before it was lost. The other channels need no further event.
    exchange.happens.repeat()
    exchange.happens.trades()
    yield* settled
    yield* settled
  })
  return { apply, heal }
}

const quick = Effect.repeat(Effect.yieldNow, { times: 12 })

const histories = fc.array(action, { maxLength: 80, size: "max" })

property("no stream misses messages without an interruption", [histories, fc.integer()], (actions, seed) => {
  const exchange = new Exchange()
  return Effect.gen(function*() {
    const readers: Array<Reader> = []
    const { apply, heal } = acting(exchange, readers)
    const joined = kinds.map((kind) => ({ do: "join", kind, isSlow: false }) as const)
    for (const action of [...joined, ...actions]) {
      yield* apply(action)
      yield* quick
    }
    yield* heal
    assert.deepStrictEqual(exchange.faults, [])
    for (const reader of readers) reader.check(true)
  }).pipe(Effect.provide(layer(exchange)), Effect.provideService(Session.MaxWaiting, 4), Random.withSeed(seed))
}, { runs: 10_000, short: 100, timeout: 600_000 })
