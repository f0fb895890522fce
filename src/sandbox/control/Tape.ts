/**
 * The candles of every market: where its price opened, how far it went and where it closed, in intervals of some lengths.
 * They grow with every trade and every move of the price, so that reading them costs the same whatever has happened.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Decimal } from "../../domain/Decimal.ts"
import type { MarketName } from "../../domain/Identifiers.ts"
import type { Event } from "../engine/Event.ts"
import * as Units from "../engine/Units.ts"

/**
 * The lengths of a candle's interval, in seconds.
 *
 * @category models
 * @since 0.1.0
 */
export const intervals = [1, 60, 900, 3600, 86_400] as const

/**
 * A price over an interval.
 *
 * @category models
 * @since 0.1.0
 */
export interface Candle {
  /** When the interval begins, in Unix seconds on the venue's clock. */
  readonly at: number
  /** The first price, in quote currency. */
  readonly open: Decimal
  /** The highest price, in quote currency. */
  readonly high: Decimal
  /** The lowest price, in quote currency. */
  readonly low: Decimal
  /** The last price, in quote currency. */
  readonly close: Decimal
  /** How much was traded, in base currency. */
  readonly volume: Decimal
}

/**
 * The schema of {@link Candle}.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Candle: Schema.Codec<Candle, unknown> = Schema.Struct({
  at: Schema.Int,
  open: Decimal,
  high: Decimal,
  low: Decimal,
  close: Decimal,
  volume: Decimal
})

/**
 * The candles of all markets.
 *
 * @category models
 * @since 0.1.0
 */
export interface Tape {
  /** Adds the events of a command, at its time in Unix microseconds. */
  readonly happened: (at: number, events: ReadonlyArray<Event>) => void
  /** The candles of a market that begin no later than a time in Unix microseconds, the oldest first. */
  readonly candles: (market: MarketName, seconds: (typeof intervals)[number], until: number) => ReadonlyArray<Candle>
  /** All candles, as plain data. */
  readonly saved: () => Saved
}

/** How many candles of a length are kept. */
const kept = 500

interface Growing {
  /** When the interval begins, in Unix seconds on the venue's clock. */
  readonly at: number
  /** The first price. */
  readonly open: Units.Units
  /** The highest price. */
  high: Units.Units
  /** The lowest price. */
  low: Units.Units
  /** The last price. */
  close: Units.Units
  /** How much was traded. */
  volume: Units.Units
}

/**
 * The candles of all markets as plain data: by market, and by the length of the interval in seconds.
 *
 * @category models
 * @since 0.1.0
 */
export type Saved = ReadonlyMap<MarketName, ReadonlyMap<number, Array<Growing>>>

const grow = (candles: Array<Growing>, at: number, price: Units.Units, volume: Units.Units): void => {
  // After a restore the clock may stand earlier: what came later did not happen.
  while ((candles.at(-1)?.at ?? at) > at) candles.pop()
  const last = candles.at(-1)
  if (last?.at !== at) {
    candles.push({ at, open: price, high: price, low: price, close: price, volume })
    if (candles.length > 2 * kept) candles.splice(0, kept)
    return
  }
  if (price > last.high) last.high = price
  if (price < last.low) last.low = price
  last.close = price
  last.volume += volume
}

const toCandle = ({ at, close, high, low, open, volume }: Growing): Candle => ({
  at,
  open: Units.toDecimal(open),
  high: Units.toDecimal(high),
  low: Units.toDecimal(low),
  close: Units.toDecimal(close),
  volume: Units.toDecimal(volume)
})

/**
 * A tape with these candles; without any by default.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (saved?: Saved): Tape => {
  const markets = new Map<MarketName, ReadonlyMap<number, Array<Growing>>>(saved)
  const of = (market: MarketName) => {
    const found = markets.get(market) ?? new Map(intervals.map((seconds) => [seconds, []]))
    markets.set(market, found)
    return found
  }
  return {
    happened: (at, events) => {
      for (const event of events) {
        if (event._tag !== "Traded" && event._tag !== "PriceMoved") continue
        const volume = event._tag === "Traded" ? event.amount : 0n
        for (const [seconds, candles] of of(event.market)) {
          grow(candles, Math.floor(at / 1e6 / seconds) * seconds, event.price, volume)
        }
      }
    },
    saved: () => markets,
    candles: (market, seconds, until) =>
      (markets.get(market)?.get(seconds) ?? []).filter(({ at }) => at * 1e6 <= until).slice(-kept).map(toCandle)
  }
}
