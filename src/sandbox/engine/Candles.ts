/**
 * The candles of a market: where its price opened, how far it went, where it closed, and how much was traded, in intervals
 * of some lengths. Trades and moves of the price make them.
 *
 * Only the candle of the current second changes. When its second is over it is added to that of its minute, which is added
 * to that of its hour when it is over, and so on. So a trade costs the same whatever has happened before, and a long time is
 * read in few candles.
 */
import type * as Units from "./Units.ts"

/** A price over an interval. */
export interface Candle {
  /** When the interval begins, in Unix seconds. */
  readonly at: number
  /** The first price, in units of the quote currency. */
  readonly open: Units.Units
  /** The highest price, in units of the quote currency. */
  high: Units.Units
  /** The lowest price, in units of the quote currency. */
  low: Units.Units
  /** The last price, in units of the quote currency. */
  close: Units.Units
  /** How much was traded, in units of the base currency. */
  volume: Units.Units
  /** How much was paid for it, in units of the quote currency. */
  total: Units.Units
}

/**
 * The lengths of the candles that are kept, in seconds: a second, a minute, an hour and a day. Each divides the next.
 */
export const lengths = [1, 60, 3600, 86_400] as const

/** A day, in seconds. */
const day = lengths[3]

/** When there are more candles of a second than this, those that are more than a day older than the last one are forgotten. */
const mostSeconds = 100_000

/**
 * The candles of a market, a list for each of the {@link lengths}, the latest last. The last candle of a list is not yet
 * part of the next list.
 */
export type Candles = ReadonlyArray<Array<Candle>>

/** No candles. */
export const make = (): Candles => lengths.map(() => [])

/** Adds what came later to a candle. */
const extend = (candle: Candle, { close, high, low, total, volume }: Readonly<Candle>): void => {
  if (high > candle.high) candle.high = high
  if (low < candle.low) candle.low = low
  candle.close = close
  candle.volume += volume
  candle.total += total
}

/** Adds a price to a candle, and what was traded at it. */
const grow = (candle: Candle, price: Units.Units, volume: Units.Units, total: Units.Units): void => {
  if (price > candle.high) candle.high = price
  else if (price < candle.low) candle.low = price
  candle.close = price
  if (volume === 0n) return
  candle.volume += volume
  candle.total += total
}

/** Adds a candle that is over to the list of this level. */
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
 * Adds a price to the candles, and what was traded at it. `at` is in Unix microseconds, and no earlier than any before.
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

// -----------------------------------------------------------------------------
// Reading
// -----------------------------------------------------------------------------

/** The index of the first candle that begins at a time or later. */
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
 * All that happened in a time, in candles of one level and those of shorter ones that are not part of it yet; in order.
 * Both times are multiples of the level's length.
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

/** One candle of several, in order, that begins at `at`; `undefined` of none. */
const merged = (candles: Iterable<Candle>, at: number): Candle | undefined => {
  let whole: Candle | undefined
  for (const candle of candles) {
    if (whole === undefined) whole = { ...candle, at }
    else extend(whole, candle)
  }
  return whole
}

/** How time is divided into intervals. */
export interface Intervals {
  /** The greatest of the {@link lengths} of which all intervals are made, by its index. */
  readonly level: number
  /** When the interval begins that holds a time, both in Unix seconds. */
  readonly beginningOf: (at: number) => number
}

/**
 * Intervals of one length, in seconds. One begins at every multiple of the length, counted from `origin` in Unix seconds.
 */
export const every = (length: number, origin = 0): Intervals => ({
  level: lengths.findLastIndex((kept) => length % kept === 0 && origin % kept === 0),
  beginningOf: (at) => Math.floor((at - origin) / length) * length + origin
})

/**
 * The candles of intervals that begin at `from` or later, and before `to` (Unix seconds), the oldest first. An interval
 * in which nothing happened has none.
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

/** The candles of the latest intervals in which something happened, so many at most, the oldest first. */
export const latest = (candles: Candles, intervals: Intervals, count: number): ReadonlyArray<Readonly<Candle>> => {
  const list = candles[intervals.level] ?? []
  let begin = Number.POSITIVE_INFINITY
  let found = 0
  for (let index = list.length - 1; index >= 0 && found <= count; index--) {
    const at = intervals.beginningOf(list[index]?.at ?? 0)
    if (at < begin) found++
    begin = at
  }
  // What is not in the list yet is later than all that is.
  const from = list.length === 0 ? 0 : begin
  return between(candles, intervals, from, Number.POSITIVE_INFINITY).slice(-count)
}

/**
 * What happened from a second on (Unix), as one candle; `undefined` when nothing did. It reads a few hundred candles at
 * most if that second is a day ago.
 */
export const since = (candles: Candles, from: number): Readonly<Candle> | undefined => {
  const all = function*(): Generator<Candle, undefined> {
    let begin = from
    for (const level of lengths.keys()) {
      // Up to where the next longer candles begin.
      const next = lengths[level + 1]
      const end = next === undefined ? Number.POSITIVE_INFINITY : Math.ceil(begin / next) * next
      yield* within(candles, level, begin, end)
      begin = end
    }
  }
  return merged(all(), from)
}

/**
 * What happened in the last 24 hours, to the second, as one candle; `undefined` when nothing did. `at` is in Unix
 * microseconds.
 */
export const lastDay = (candles: Candles, at: number): Readonly<Candle> | undefined =>
  since(candles, Math.floor(at / 1e6) - day + 1)
