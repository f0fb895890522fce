/** A market's candles as the sandbox's owner sees them: the open, high, low and close price in each interval. */
import * as Schema from "effect/Schema"
import { Decimal } from "../../domain/Decimal.ts"
import type { MarketName } from "../../domain/Identifiers.ts"
import * as Candles from "../engine/Candles.ts"
import type * as State from "../engine/State.ts"
import * as Units from "../engine/Units.ts"

/** The interval lengths of candles, in seconds. */
export const intervals = [1, 60, 900, 3600, 86_400] as const

/** A candle: how a market's price moved in one interval, and how much was traded. */
export interface Candle {
  /** The start of the interval, in Unix seconds on the venue's clock. */
  readonly at: number
  /** The first price, in quote currency. */
  readonly open: Decimal
  /** The highest price, in quote currency. */
  readonly high: Decimal
  /** The lowest price, in quote currency. */
  readonly low: Decimal
  /** The last price, in quote currency. */
  readonly close: Decimal
  /** The amount traded, in base currency. */
  readonly volume: Decimal
}

/** The schema of {@link Candle}. */
export const Candle: Schema.Codec<Candle, unknown> = Schema.Struct({
  at: Schema.Int,
  open: Decimal,
  high: Decimal,
  low: Decimal,
  close: Decimal,
  volume: Decimal
})

/** The maximum number of candles in a response. */
const shown = 500

const toCandle = ({ at, close, high, low, open, volume }: Candles.Candle): Candle => ({
  at,
  open: Units.toDecimal(open),
  high: Units.toDecimal(high),
  low: Units.toDecimal(low),
  close: Units.toDecimal(close),
  volume: Units.toDecimal(volume)
})

/** A market's latest candles, oldest first; at most 500. An interval without a trade or price move has no candle. */
export const candles = (
  { trading }: State.State,
  market: MarketName,
  seconds: (typeof intervals)[number]
): ReadonlyArray<Candle> => {
  const found = trading.get(market)
  return found === undefined ? [] : Candles.latest(found.candles, Candles.every(seconds), shown).map(toCandle)
}
