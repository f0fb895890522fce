/** Market values that several responses contain: statistics of the last 24 hours, and the best prices. */
import * as Decimal from "../../domain/Decimal.ts"
import type { MarketName } from "../../domain/Identifiers.ts"
import type { Market } from "../../domain/Market.ts"
import * as Time from "../../domain/Time.ts"
import type * as OrderBooks from "../../endpoints/OrderBooks.ts"
import * as Book from "../engine/Book.ts"
import * as Candles from "../engine/Candles.ts"
import * as Units from "../engine/Units.ts"
import type { Context } from "./Handler.ts"

/** A price, and the remaining amount of the orders at this price. */
export type Level = Pick<Book.Level, "price" | "left">

/** A level of an order book, in the form used by responses. */
export const levelOf = ({ left, price }: Level): OrderBooks.Level => ({
  price: Units.toDecimal(price),
  amount: Units.toDecimal(left)
})

/** Converts Unix microseconds to whole Unix seconds. */
export const seconds = (at: number): Time.UnixSeconds => Time.UnixSeconds.make(Math.floor(at / 1e6))

/** A computed price, rounded down to the number of decimal places of the market's prices. */
export const priceOf = (market: Market | undefined, price: Units.Units): Decimal.Decimal => {
  const step = Units.stepOf(market?.moneyPrecision ?? Units.scale)
  return Units.toDecimal(price / step * step)
}

/** A part as a percentage of a whole, rounded towards zero to two decimal places; zero if the whole is zero. */
export const percentOf = (part: Units.Units, whole: Units.Units): Decimal.Decimal =>
  whole === 0n ? Decimal.zero : Units.toDecimal(part * 10_000n / whole * Units.stepOf(2))

/**
 * A market's statistics for the last 24 hours, with a precision of one second, and its best bid and ask, each zero if
 * that side is empty. Without trades or price moves in 24 hours, the open, high and low equal the last price.
 */
export const of = ({ at, state }: Pick<Context, "at" | "state">, market: MarketName) => {
  const trading = state.trading.get(market)
  const last = trading?.lastPrice ?? 0n
  const day = trading && Candles.lastDay(trading.candles, at)
  const { high, low, open, total, volume } = day ?? { open: last, high: last, low: last, volume: 0n, total: 0n }
  const best = (side: "buy" | "sell") => (trading && Book.best(trading.book, side)) ?? 0n
  return {
    open: Units.toDecimal(open),
    high: Units.toDecimal(high),
    low: Units.toDecimal(low),
    last: Units.toDecimal(last),
    volume: Units.toDecimal(volume),
    total: Units.toDecimal(total),
    change: percentOf(last - open, open),
    bid: Units.toDecimal(best("buy")),
    ask: Units.toDecimal(best("sell"))
  }
}
