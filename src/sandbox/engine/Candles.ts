/**
 * A market's candles: open, high, low, close and volume for each interval. Trades and price moves update them.
 *
 * A price changes only the candle of the current second. The first price of a later second merges that candle into the
 * minute candle. In the same way, a finished minute candle is later merged into the hour candle, and so on. So the time
 * to record a trade does not depend on the length of the history, and a long period can be read from a few candles.
 */
import type * as Units from "./Units.ts"

/** The prices and volume of an interval. */
export interface Candle {
  /** The beginning of the interval, in Unix seconds. */
  readonly at: number
  /** The first price, in units of the quote currency. */
  readonly open: Units.Units
  /** The highest price, in units of the quote currency. */
  high: Units.Units
  /** The lowest price, in units of the quote currency. */
  low: Units.Units
  /** The last price, in units of the quote currency. */
  close: Units.Units
  /** The volume, in units of the base currency. */
  volume: Units.Units
  /** The turnover, in units of the quote currency. */
  total: Units.Units
}

/**
 * The lengths of the stored candles, in seconds: a second, a minute, an hour and a day. Each length divides the next
 * one.
 */
export const lengths = [1, 60, 3600, 86_400] as const

/** A day, in seconds. */
const day = lengths[3]

/** Above this number of one-second candles, those more than a day older than the latest one are dropped. */
const mostSeconds = 100_000

/**
 * A market's candles: a list for each of the {@link lengths}, oldest first. The last candle of a list has not been
 * merged into the next list yet.
 */
export type Candles = ReadonlyArray<Array<Candle>>

/** The candles of a market that has had no trades or price moves yet. */
export const make = (): Candles => lengths.map(() => [])

/** Merges a later candle into an earlier one. */
const extend = (candle: Candle, { close, high, low, total, volume }: Readonly<Candle>): void => {
  if (high > candle.high) candle.high = high
  if (low < candle.low) candle.low = low
  candle.close = close
  candle.volume += volume
  candle.total += total
}

/** Merges a price into a candle, together with the trade at that price, if any. */
const grow = (candle: Candle, price: Units.Units, volume: Units.Units, total: Units.Units): void => {
  if (price > candle.high) candle.high = price
  else if (price < candle.low) candle.low = price
  candle.close = price
  if (volume === 0n) return
  candle.volume += volume
  candle.total += total
}

/** Merges a finished candle into the list with the next longer interval. */
const roll = (candles: Candles, level: number, over: Candle): void => {
  const list = candles[level]
  const length = lengths[level]
  if (list === undefined || length === undefined) return
  const at = over.at - over.at % length
  const last = list.at(-1)
  if (last?.at === at) return extend(last, over)
  if (last !== undefined) roll(candles, level + 1, last)
  list.push({ ...over, at })
}

const forgetSeconds = (seconds: Array<Candle>, now: number): void => {
  if (seconds.length > mostSeconds) seconds.splice(0, firstFrom(seconds, now - day))
}

/**
 * Adds a price to the candles, together with the trade at that price, if any. `at` is in Unix microseconds and never
 * decreases between calls.
 */
export const add = (
  candles: Candles,
  at: number,
  price: Units.Units,
  volume: Units.Units,
  total: Units.Units
): void => {
  const seconds = candles[0]
  if (seconds === undefined) return
  const second = Math.floor(at / 1e6)
  const last = seconds.at(-1)
  if (last?.at === second) return grow(last, price, volume, total)
  if (last !== undefined) roll(candles, 1, last)
  seconds.push({ at: second, open: price, high: price, low: price, close: price, volume, total })
  forgetSeconds(seconds, second)
}

/** The index of the first candle that begins at or after `from`. */
const firstFrom = (list: ReadonlyArray<Candle>, from: number): number => {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((list[middle]?.at ?? 0) < from) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * All candles in a period, from `from` (inclusive) to `to` (exclusive): the candles of one of the {@link lengths},
 * followed by the current shorter candles that have not been merged into them yet. `level` is the index of the length,
 * and both times are multiples of that length.
 */
const within = function*(candles: Candles, level: number, from: number, to: number): Generator<Candle, undefined> {
  const list = candles[level] ?? []
  for (let index = firstFrom(list, from); index < list.length; index++) {
    const candle = list[index]
    if (candle === undefined || candle.at >= to) break
    yield candle
  }
  for (let shorter = level - 1; shorter >= 0; shorter--) {
    const last = candles[shorter]?.at(-1)
    if (last !== undefined && last.at >= from && last.at < to) yield last
  }
}

/** Merges candles, in order, into one candle that begins at `at`; `undefined` if there are no candles. */
const merged = (candles: Iterable<Candle>, at: number): Candle | undefined => {
  let whole: Candle | undefined
  for (const candle of candles) {
    if (whole === undefined) whole = { ...candle, at }
    else extend(whole, candle)
  }
  return whole
}

/** A way to divide time into candle intervals. */
export interface Intervals {
  /** The index of the longest of the {@link lengths} into which every interval can be divided evenly. */
  readonly level: number
  /** The beginning of the interval that contains a time. Both are in Unix seconds. */
  readonly beginningOf: (at: number) => number
}

/** Intervals of `length` seconds each. One of the intervals begins at `origin`, in Unix seconds. */
export const every = (length: number, origin = 0): Intervals => ({
  level: lengths.findLastIndex((kept) => length % kept === 0 && origin % kept === 0),
  beginningOf: (at) => Math.floor((at - origin) / length) * length + origin
})

/**
 * The candles of the intervals that begin at or after `from` and before `to` (Unix seconds), oldest first. An interval
 * without trades or price moves has no candle.
 */
export const between = (
  candles: Candles,
  { beginningOf, level }: Intervals,
  from: number,
  to: number
): ReadonlyArray<Readonly<Candle>> => {
  const found: Array<Candle> = []
  const begin = beginningOf(from)
  for (const candle of within(candles, level, begin, Number.POSITIVE_INFINITY)) {
    const at = beginningOf(candle.at)
    if (at >= to) break
    if (at < from) continue
    const last = found.at(-1)
    if (last?.at === at) extend(last, candle)
    else found.push({ ...candle, at })
  }
  return found
}

/** The candles of the latest `count` intervals that have trades or price moves, oldest first. */
export const latest = (candles: Candles, intervals: Intervals, count: number): ReadonlyArray<Readonly<Candle>> => {
  const list = candles[intervals.level] ?? []
  let begin = Number.POSITIVE_INFINITY
  let found = 0
  for (let index = list.length - 1; index >= 0 && found <= count; index--) {
    const at = intervals.beginningOf(list[index]?.at ?? 0)
    if (at < begin) found++
    begin = at
  }
  // Candles that have not been merged into the list yet are later than all candles in the list.
  const from = list.length === 0 ? 0 : begin
  return between(candles, intervals, from, Number.POSITIVE_INFINITY).slice(-count)
}

/**
 * Merges all trades and price moves from a Unix second onwards into one candle; `undefined` if there were no trades or
 * price moves. For a full day, reads at most a few hundred candles.
 */
export const since = (candles: Candles, from: number): Readonly<Candle> | undefined => {
  const all = function*(): Generator<Candle, undefined> {
    let begin = from
    for (const level of lengths.keys()) {
      // Candles of this length are read only up to the point where a longer candle begins.
      const next = lengths[level + 1]
      const end = next === undefined ? Number.POSITIVE_INFINITY : Math.ceil(begin / next) * next
      yield* within(candles, level, begin, end)
      begin = end
    }
  }
  return merged(all(), from)
}

/**
 * Merges the last 24 hours into one candle, with a precision of one second; `undefined` if there were no trades or
 * price moves. `at` is in Unix microseconds.
 */
export const lastDay = (candles: Candles, at: number): Readonly<Candle> | undefined =>
  since(candles, Math.floor(at / 1e6) - day + 1)
