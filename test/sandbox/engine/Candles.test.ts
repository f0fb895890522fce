import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Candles from "../../../src/sandbox/engine/Candles.ts"
import * as Engine from "../../../src/sandbox/engine/Engine.ts"
import * as Saved from "../../../src/sandbox/engine/Saved.ts"
import * as State from "../../../src/sandbox/engine/State.ts"
import * as Units from "../../../src/sandbox/engine/Units.ts"
import * as Packed from "../../../src/sandbox/store/Packed.ts"
import { property } from "../../support/property.ts"
import { history } from "./histories.ts"

/** A price, its time in Unix microseconds, and the amount traded at this price. */
interface Seen {
  readonly at: number
  readonly price: bigint
  readonly volume: bigint
}

const madeOf = (all: ReadonlyArray<Seen>): Candles.Candles => {
  const candles = Candles.make()
  for (const { at, price, volume } of all) Candles.add(candles, at, price, volume, price * volume)
  return candles
}

/** Computes one candle by scanning all prices. */
const scanned = (all: ReadonlyArray<Seen>, at: number): Candles.Candle | undefined => {
  const prices = all.map(({ price }) => price)
  const [open] = prices
  const close = prices.at(-1)
  return open === undefined || close === undefined ? undefined : {
    at,
    open,
    high: prices.reduce((one, other) => one > other ? one : other),
    low: prices.reduce((one, other) => one < other ? one : other),
    close,
    volume: all.reduce((sum, { volume }) => sum + volume, 0n),
    total: all.reduce((sum, { price, volume }) => sum + price * volume, 0n)
  }
}

const secondOf = ({ at }: Seen): number => Math.floor(at / 1e6)

/** Computes the candles of all intervals by scanning all prices. */
const scan = (all: ReadonlyArray<Seen>, { beginningOf }: Candles.Intervals): ReadonlyArray<Candles.Candle> =>
  [...Map.groupBy(all, (seen) => beginningOf(secondOf(seen)))].flatMap(([at, members]) => scanned(members, at) ?? [])

/**
 * Interval lengths, including months of thirty days and weeks that start on Monday, because candles support intervals
 * of any length and start.
 */
const intervals = [
  ...[1, 10, 30, 60, 180, 300, 900, 1800, 3600, 7200, 14_400, 21_600, 28_800, 43_200, 86_400, 259_200, 2_592_000].map(
    (length) => Candles.every(length)
  ),
  Candles.every(604_800, 345_600)
]

const start = 1_700_000_000

/** Prices with amounts, and the wait before each price. Many waits are less than a second, and some are days long. */
const steps = fc.array(
  fc.record({
    wait: fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: 0, max: 900_000 }) },
      { weight: 3, arbitrary: fc.integer({ min: 0, max: 90 }).map((seconds) => seconds * 1e6) },
      { weight: 2, arbitrary: fc.integer({ min: 0, max: 300 }).map((minutes) => minutes * 60e6) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 900 }).map((hours) => hours * 3600e6) }
    ),
    price: fc.bigInt({ min: 1n, max: 20n }),
    volume: fc.bigInt({ min: 0n, max: 5n })
  }),
  { maxLength: 60 }
)

const seenIn = (drawn: ReadonlyArray<{ readonly wait: number; readonly price: bigint; readonly volume: bigint }>) => {
  let at = start * 1e6
  return drawn.map(({ price, volume, wait }): Seen => ({ at: at += wait, price, volume }))
}

describe("candles", () => {
  property(
    "candles equal those computed by scanning all prices, in intervals of every length",
    [steps],
    (drawn) =>
      Effect.sync(() => {
        const all = seenIn(drawn)
        const candles = madeOf(all)
        for (const every of intervals) {
          const expected = scan(all, every)
          assert.deepStrictEqual(Candles.between(candles, every, 0, Number.POSITIVE_INFINITY), expected)
          for (const count of [1, 3]) {
            assert.deepStrictEqual(Candles.latest(candles, every, count), expected.slice(-count))
          }
        }
      }),
    { runs: 60 }
  )

  property(
    "`Candles.between` returns the candles that begin between two times, and `Candles.since` merges all candles from a given second",
    [steps, fc.nat(100 * 3600), fc.nat(100 * 3600)],
    (drawn, one, other) =>
      Effect.sync(() => {
        const all = seenIn(drawn)
        const candles = madeOf(all)
        const [from, to] = [start + Math.min(one, other), start + Math.max(one, other)]
        for (const every of intervals) {
          assert.deepStrictEqual(
            Candles.between(candles, every, from, to),
            scan(all, every).filter(({ at }) => at >= from && at < to)
          )
        }
        const later = all.filter((seen) => secondOf(seen) >= from)
        assert.deepStrictEqual(Candles.since(candles, from), scanned(later, from))
      }),
    { runs: 60 }
  )

  property(
    "candles are the same if they are saved and loaded between two prices",
    [steps, fc.nat(60)],
    (drawn, after) =>
      Effect.sync(() => {
        const all = seenIn(drawn)
        const copy = Packed.unpack(Packed.pack(madeOf(all.slice(0, after)))) as Candles.Candles
        for (const { at, price, volume } of all.slice(after)) Candles.add(copy, at, price, volume, price * volume)
        assert.deepStrictEqual(copy, madeOf(all))
      }),
    { runs: 30 }
  )

  it("one-second candles older than a day are dropped once there are too many, but candles of longer intervals are not", () => {
    const candles = Candles.make()
    // Adds a price every two seconds for more than two days.
    const times = 100_002
    for (let n = 0; n < times; n++) Candles.add(candles, (start + 2 * n) * 1e6, BigInt(n + 1), 1n, BigInt(n + 1))
    const last = start + 2 * (times - 1)
    const seconds = Candles.between(candles, Candles.every(1), 0, Number.POSITIVE_INFINITY)
    assert.isBelow(seconds.length, 50_000)
    assert.isAtMost(seconds[0]?.at ?? Number.POSITIVE_INFINITY, last - 86_398)
    const minutes = Candles.between(candles, Candles.every(60), 0, Number.POSITIVE_INFINITY)
    assert.strictEqual(minutes.reduce((sum, { volume }) => sum + volume, 0n), BigInt(times))
    assert.strictEqual(Candles.lastDay(candles, last * 1e6)?.volume, 43_200n)
  })

  it("reading the last day takes a few hundred steps, however long the history is", () => {
    const candles = Candles.make()
    for (let n = 0; n < 40_000; n++) Candles.add(candles, (start + 7 * n) * 1e6, 1n, 1n, 1n)
    let read = 0
    const counting = candles.map((list) =>
      new Proxy(list, {
        get: (target, key, receiver) => {
          if (typeof key === "string" && /^[0-9]+$/u.test(key)) read++
          return Reflect.get(target, key, receiver)
        }
      })
    )
    const at = (start + 7 * 39_999 + 5) * 1e6
    assert.strictEqual(Candles.lastDay(counting, at)?.volume, BigInt(Math.floor((86_400 - 1 - 5) / 7) + 1))
    assert.isBelow(read, 500)
  })
})

describe("candles computed from a history", () => {
  for (const { name, policy } of [Dialect.document, Dialect.live]) {
    it(`the candles of a history include every trade once per interval length, under the policy of the ${name} dialect`, () => {
      const state = State.make(policy)
      const next = history(3)
      for (let count = 0; count < 300; count++) Engine.apply(state, next(state))
      let traded = 0
      for (const { candles, lastPrice, trades } of state.trading.values()) {
        assert.isBelow(trades.length, 1000, "all trades are still there")
        traded += trades.length
        for (const every of intervals) {
          const found = Candles.between(candles, every, 0, Number.POSITIVE_INFINITY)
          assert.strictEqual(found.at(-1)?.close, lastPrice)
          const inOrder = found.every(({ at }, index) => index === 0 || at > (found[index - 1]?.at ?? 0))
          assert.isTrue(inOrder)
          const byInterval = Map.groupBy(trades, ({ at }) => every.beginningOf(Math.floor(at / 1e6)))
          for (const { at, high, low, total, volume } of found) {
            const members = byInterval.get(at) ?? []
            assert.strictEqual(volume, members.reduce((sum, { amount }) => sum + amount, 0n))
            assert.strictEqual(total, members.reduce((sum, { amount, price }) => sum + Units.times(amount, price), 0n))
            assert.isTrue(members.every(({ price }) => price >= low && price <= high))
            byInterval.delete(at)
          }
          assert.strictEqual(byInterval.size, 0, "no trade is without a candle")
        }
      }
      assert.isAbove(traded, 20)
      const copy = Saved.load(Packed.unpack(Packed.pack(Saved.save(state))) as Saved.Saved, policy)
      for (const [market, { candles }] of state.trading) {
        assert.deepStrictEqual(copy.trading.get(market)?.candles, candles)
      }
    })
  }
})
