import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { DepthChannel, type DepthMessage, type Level } from "../src/channels/DepthChannel.ts"
import * as Item from "../src/client/session/Item.ts"
import * as Decimal from "../src/domain/Decimal.ts"
import * as Time from "../src/domain/Time.ts"
import * as LiveBook from "../src/LiveBook.ts"
import { market, settled } from "./client/session/streams.ts"
import { property } from "./support/property.ts"
import { pushed } from "./support/pushed.ts"

type Levels = ReadonlyArray<readonly [price: string, amount: string]>

const levels = (all: Levels): ReadonlyArray<Level> =>
  all.map(([price, amount]) => ({ price: Decimal.Decimal.make(price), amount: Decimal.Decimal.make(amount) }))

const message = (isSnapshot: boolean, asks: Levels, bids: Levels, updateId: number): DepthMessage => ({
  market,
  isSnapshot,
  timestamp: Time.fromMicros(updateId),
  updateId,
  asks: levels(asks),
  bids: levels(bids)
})

/** Creates a view of an order book. The test pushes the view's messages. */
const opened = Effect.gen(function*() {
  const { push, stream, subscriptions } = pushed<DepthMessage, DepthMessage>()
  let updateId = 0
  const view = yield* Effect.provideService(
    LiveBook.make({ market, limit: 100, priceStep: "0" }),
    DepthChannel,
    DepthChannel.of({ stream: () => stream, get: () => Effect.never })
  )
  yield* settled
  return {
    view,
    begin: (asks: Levels, bids: Levels) => push(Item.snapshot(message(true, asks, bids, ++updateId))),
    change: (asks: Levels, bids: Levels) => push(Item.event(message(false, asks, bids, ++updateId))),
    subscriptions
  }
})

/** Prices that are easily confused: some differ only in trailing zeros, others only beyond a `number`'s precision. */
const price = (whole: number) =>
  fc.constantFrom("5", "50", "500", "25", "125", "00000000000000000001", "00000000000000000002").map((digits) =>
    `${whole}.${digits}`
  )

const side = (whole: number) =>
  fc.array(fc.tuple(price(whole), fc.constantFrom("0", "0.00", "1", "1.0", "2.5")), { maxLength: 8 })

const changes = fc.record({ asks: side(2), bids: side(1) })

/** Computes the levels after all changes. Equal prices written differently are treated as one price. */
const expected = (all: ReadonlyArray<Levels>, compare: typeof Decimal.Order): ReadonlyArray<Level> => {
  const known = new Map<string, Level>()
  for (const level of levels(all.flat())) known.set(Decimal.normalize(level.price), level)
  return [...known.values()].filter(({ amount }) => !Decimal.isZero(amount)).toSorted((one, other) =>
    compare(one.price, other.price)
  )
}

describe("a live book", () => {
  property(
    "a live book contains the levels that result from all its changes, best price first",
    [fc.array(changes)],
    (all) =>
      Effect.gen(function*() {
        const { begin, change, view } = yield* opened
        for (const [at, { asks, bids }] of [{ asks: [], bids: [] }, ...all].entries()) {
          yield* at === 0 ? begin(asks, bids) : change(asks, bids)
        }
        const book = yield* view.whole
        assert.deepStrictEqual(book.asks, expected(all.map(({ asks }) => asks), Decimal.Order))
        assert.deepStrictEqual(
          book.bids,
          expected(all.map(({ bids }) => bids), (one, other) => Decimal.Order(other, one))
        )
        for (const name of ["asks", "bids"] as const) {
          for (const { amount, price } of book[name]) assert.strictEqual(LiveBook.amountAt(book, name, price), amount)
          assert.strictEqual(LiveBook.amountAt(book, name, Decimal.price("1.75")), "0")
        }
      })
  )

  it.effect("a book returns its best levels, and finds a level by its price, however the price is written", () =>
    Effect.gen(function*() {
      const { begin, change, view } = yield* opened
      yield* begin([["10.50", "1"], ["11", "2"]], [["9", "3"]])
      const first = yield* view.whole
      yield* change([["10.5", "0"]], [])
      const book = yield* view.whole
      assert.deepStrictEqual(LiveBook.best(first).ask as unknown, { price: "10.50", amount: "1" })
      assert.deepStrictEqual(LiveBook.best(book).ask as unknown, { price: "11", amount: "2" })
      assert.isUndefined(LiveBook.best({ ...book, bids: [] }).bid)
      assert.deepStrictEqual(LiveBook.top(first, 1).asks, first.asks.slice(0, 1))
      assert.strictEqual(LiveBook.amountAt(first, "asks", Decimal.price("10.500")), "1")
      assert.strictEqual(LiveBook.amountAt(book, "asks", Decimal.price("10.5")), "0")
      assert.deepInclude(book, { market, updateId: 2 })
    }).pipe(Effect.scoped))

  it.effect("a crossed book is marked incomplete, and is requested again after one second", () =>
    Effect.gen(function*() {
      const { begin, change, subscriptions, view } = yield* opened
      yield* begin([["10", "1"]], [["9", "1"]])
      yield* change([], [["10", "1"]])
      assert.strictEqual((yield* view.get)._tag, "Whole", "equal prices do not cross")
      yield* change([], [["10.00000000000000000001", "1"]])
      const state = yield* view.get
      assert.deepStrictEqual([state._tag === "Incomplete" && state.why, "value" in state], ["crossed", false])
      // The book stays incomplete, because an update can't repair a crossed book.
      yield* change([], [["10.00000000000000000001", "0"]])
      assert.strictEqual((yield* view.get)._tag, "Incomplete")
      assert.strictEqual(subscriptions(), 1)
      yield* TestClock.adjust("1 second")
      yield* settled
      assert.strictEqual(subscriptions(), 2)
      yield* begin([["11", "1"]], [["9", "1"]])
      assert.deepStrictEqual(LiveBook.best(yield* view.whole).ask as unknown, { price: "11", amount: "1" })
    }).pipe(Effect.scoped))
})
