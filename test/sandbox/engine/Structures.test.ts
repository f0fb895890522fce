/** Compares each of the engine's data structures with a naive implementation. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { Amount, Price } from "../../../src/domain/Decimal.ts"
import { ClientOrderId, MarketName, OrderId } from "../../../src/domain/Identifiers.ts"
import * as Market from "../../../src/domain/Market.ts"
import * as FifoQueue from "../../../src/sandbox/engine/FifoQueue.ts"
import * as Listings from "../../../src/sandbox/engine/Listings.ts"
import { OrderIndex } from "../../../src/sandbox/engine/OrderIndex.ts"
import { PagedArray } from "../../../src/sandbox/engine/PagedArray.ts"
import { SkipList } from "../../../src/sandbox/engine/SkipList.ts"
import * as Terms from "../../../src/sandbox/engine/Terms.ts"
import * as TimerQueue from "../../../src/sandbox/engine/TimerQueue.ts"
import * as Units from "../../../src/sandbox/engine/Units.ts"
import * as Records from "../../../src/sandbox/handlers/Records.ts"
import { property } from "../../support/property.ts"

const sync = (work: () => void) => Effect.sync(work)

/** Keys from a small set. Some of them are beyond the exact range of a `number`. */
const key = fc.oneof(fc.integer({ min: -20, max: 20 }), fc.bigInt({ min: 2n ** 60n, max: 2n ** 60n + 9n }))

describe("SkipList", () => {
  property(
    "a skip list behaves like a sorted array",
    [fc.array(fc.tuple(fc.boolean(), key), { maxLength: 300 })],
    (steps) =>
      sync(() => {
        const sorted = new SkipList<string>()
        const naive = new Map<number | bigint, string>()
        for (const [isAdded, key] of steps) {
          if (!isAdded) {
            sorted.delete(key)
            naive.delete(key)
          } else if (!naive.has(key)) {
            sorted.add(key, `at ${key}`)
            naive.set(key, `at ${key}`)
          }
          const expected = [...naive].toSorted(([one], [other]) => one < other ? -1 : 1)
          assert.deepStrictEqual([...sorted], expected.map(([, value]) => value))
          assert.deepStrictEqual([sorted.firstKey, sorted.first, sorted.size], [
            ...expected[0] ?? [undefined, undefined],
            expected.length
          ])
          assert.strictEqual(sorted.get(key), naive.get(key))
        }
      }),
    { runs: 60 }
  )
})

describe("TimerQueue", () => {
  property(
    "a timer queue returns the item that is due next, by time and then in the order of addition, whichever items are removed",
    [fc.array(fc.record({ verb: fc.constantFrom("add", "add", "remove", "pop"), at: fc.nat(9), pick: fc.nat(99) }))],
    (steps) =>
      sync(() => {
        const queue = TimerQueue.make<{ readonly at: number }>()
        let naive: Array<{ readonly at: number }> = []
        for (const { at, pick, verb } of steps) {
          const first = naive.toSorted((one, other) => one.at - other.at)[0]
          const gone = verb === "pop" ? first : naive[pick % naive.length]
          if (verb === "add") {
            const value = { at }
            TimerQueue.add(queue, at, value)
            naive.push(value)
          } else {
            if (verb === "pop") TimerQueue.pop(queue)
            else TimerQueue.remove(queue, gone ?? { at })
            naive = naive.filter((value) => value !== gone)
          }
          assert.strictEqual(TimerQueue.next(queue), naive.toSorted((one, other) => one.at - other.at)[0])
          assert.strictEqual(queue.items.size, naive.length)
          assert.strictEqual(queue.queues.size, new Set(naive.map(({ at }) => at)).size)
        }
      }),
    { runs: 60 }
  )
})

describe("PagedArray", () => {
  property(
    "a paged array behaves like a map with increasing keys",
    [fc.array(fc.record({ isAdded: fc.boolean(), number: fc.nat(300) }), { maxLength: 200 })],
    (steps) =>
      sync(() => {
        const numbered = new PagedArray<string>()
        const naive = new Map<number, string>()
        let last = 0
        for (const { isAdded, number } of steps) {
          if (isAdded) {
            last += number + 1
            numbered.add(last, `${last}`)
            naive.set(last, `${last}`)
          } else {
            const removed = [...naive.keys()][number % (naive.size + 1)]
            numbered.delete(removed ?? last + number)
            naive.delete(removed ?? last + number)
          }
          assert.deepStrictEqual([...numbered], [...naive.values()])
          assert.strictEqual(numbered.size, naive.size)
          for (const at of [last, last - number, number, number + 0.5, Number.NaN]) {
            assert.strictEqual(numbered.get(at), naive.get(at))
          }
        }
      }),
    { runs: 40 }
  )
})

describe("FifoQueue", () => {
  property(
    "a FIFO queue behaves like an array from which items are removed",
    [fc.array(fc.option(fc.nat(50)), { maxLength: 300 })],
    (steps) =>
      sync(() => {
        const gone = new Set<number>()
        const line = FifoQueue.make<number>((member) => !gone.has(member))
        const naive: Array<number> = []
        for (const [index, leaves] of steps.entries()) {
          if (leaves === null) {
            FifoQueue.join(line, index)
            naive.push(index)
          } else {
            const [left] = naive.splice(leaves % (naive.length + 1), 1)
            if (left === undefined) continue
            gone.add(left)
            FifoQueue.left(line)
          }
          assert.deepStrictEqual([[...FifoQueue.members(line)], FifoQueue.first(line), line.size], [
            naive,
            naive[0],
            naive.length
          ])
          assert.deepStrictEqual([...FifoQueue.latest(line)], naive.toReversed())
          assert.isAtMost(line.places.length, 2 * naive.length + 17)
        }
      }),
    { runs: 60 }
  )
})

describe("OrderIndex", () => {
  interface Item {
    readonly id: OrderId
    readonly account: string
    readonly market: MarketName
    readonly clientOrderId: ClientOrderId | undefined
  }
  const markets = ["BTC_USDT", "ETH_USDT"].map((name) => MarketName.make(name))
  const names = ["mine", "other"].map((name) => ClientOrderId.make(name))
  const drawn = fc.record({
    account: fc.constantFrom("ann", "ben"),
    market: fc.constantFrom(...markets),
    clientOrderId: fc.constantFrom(undefined, ...names)
  })

  property(
    "the order index finds the same items as a scan",
    [fc.array(fc.oneof(drawn, fc.nat(30)), { maxLength: 60 })],
    (steps) =>
      sync(() => {
        const owned = new OrderIndex<Item>((item) => item)
        let naive: ReadonlyArray<Item> = []
        for (const [index, step] of steps.entries()) {
          if (typeof step === "number") {
            const id = OrderId.make(`${step}`)
            assert.strictEqual(owned.delete(id), naive.some((item) => item.id === id))
            naive = naive.filter((item) => item.id !== id)
          } else {
            const item = { id: OrderId.make(`${index}`), ...step }
            owned.add(item)
            naive = [...naive, item]
          }
          assert.deepStrictEqual([...owned.values()], naive)
          assert.strictEqual(owned.size, naive.length)
          for (const account of ["ann", "ben"]) {
            const own = naive.filter((item) => item.account === account)
            assert.deepStrictEqual([...owned.latest(account)], own.toReversed())
            for (const market of markets) {
              const there = own.filter((item) => item.market === market)
              assert.deepStrictEqual([...owned.latest(account, market)], there.toReversed())
              for (const name of names) {
                const named = there.filter(({ clientOrderId }) => clientOrderId === name)
                assert.deepStrictEqual([...owned.named(account, market, name)], named)
              }
            }
          }
        }
      }),
    { runs: 60 }
  )
})

describe("Records", () => {
  property(
    "lookups by key or time give the same results as a scan, however much the list has grown since the last lookup",
    [fc.array(fc.record({ later: fc.nat(3), key: fc.nat(3) }), { maxLength: 60 }), fc.nat(60), fc.nat(60)],
    (drawn, startDate, endDate) =>
      sync(() => {
        const byKey = Records.indexBy(({ key }: { readonly key: number }) => key)
        const list: Array<{ readonly at: number; readonly key: number }> = []
        for (const { key, later } of drawn) {
          list.push({ at: (list.at(-1)?.at ?? 0) + later * 500_000, key })
          assert.deepStrictEqual(byKey(list, key), list.filter((record) => record.key === key))
        }
        const within = list.filter(({ at }) => at >= startDate * 1e6 && at < (endDate + 1) * 1e6)
        const found = Records.latest(list, ({ at }) => at, { startDate, endDate })
        assert.deepStrictEqual([...found], within.toReversed())
        assert.deepStrictEqual([...Records.latest(list, ({ at }) => at)], list.toReversed())
      }),
    { runs: 100 }
  )
})

describe("the quick check of orders", () => {
  const text = (whole: fc.Arbitrary<number>, digits: fc.Arbitrary<number>) =>
    fc.tuple(whole, digits).map(([value, digits]) => (value / 10 ** digits).toFixed(digits))
      .filter((text) => Number(text) > 0)
  const number = text(fc.nat(2_000_000), fc.integer({ min: 0, max: 12 }))

  property(
    "the quick check rejects every order that violates a limit of its market",
    [fc.constantFrom(...Listings.markets), number, number, number, fc.boolean()],
    (market, amount, price, activationPrice, collateral) =>
      sync(() => {
        const size = Amount.make(amount)
        const [limit, trigger] = [Price.make(price), Price.make(activationPrice)]
        const quantity = Units.from(size) ?? 0n
        const total = Units.times(quantity, Units.from(limit) ?? 0n)
        const bounded = { amount: size, price: limit }
        const name = market.name
        if (Terms.fit(market, { ...bounded, collateral }, quantity, total)) {
          const order = Market.limit({ market: name, amount: size, price: limit, collateral })
          assert.deepStrictEqual(Market.violations(market, order), [])
        }
        if (Terms.fit(market, { ...bounded, collateral: false, activationPrice: trigger }, quantity, total)) {
          const order = Market.stopLimit({ market: name, amount: size, price: limit, activationPrice: trigger })
          assert.deepStrictEqual(Market.violations(market, order), [])
        }
      }),
    { runs: 2000 }
  )
})
