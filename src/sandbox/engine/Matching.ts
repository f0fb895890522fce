/**
 * Matching orders by price and time.
 *
 * @since 0.1.0
 */
import type { Market } from "../../domain/Market.ts"
import type { OrderSide } from "../../domain/Order.ts"
import * as Book from "./Book.ts"
import * as Ending from "./Ending.ts"
import * as Locks from "./Locks.ts"
import { isQuoteAmount, type Order } from "./Order.ts"
import * as Positions from "./Positions.ts"
import * as Settlement from "./Settlement.ts"
import type { Trading } from "./State.ts"
import * as Units from "./Units.ts"
import type { Work } from "./Work.ts"

/**
 * The taker band: how far from the best price a market order may trade, in percent.
 *
 * @category bounds
 * @since 0.1.0
 */
export const takerBandPercent = 10n

/**
 * The other side of the book.
 *
 * @category prices
 * @since 0.1.0
 */
export const opposite = { buy: "sell", sell: "buy" } as const

/**
 * Whether an order of this side and limit may trade at a price.
 *
 * @category prices
 * @since 0.1.0
 */
export const crosses = (side: OrderSide, price: Units.Units, limit: Units.Units): boolean =>
  side === "buy" ? price <= limit : price >= limit

/** The end of the taker band: the worst price at which an order without a limit may trade. */
const bandLimit = (side: OrderSide, best: Units.Units): Units.Units => {
  const width = best * takerBandPercent / 100n
  return side === "buy" ? best + width : best - width
}

const min = (a: Units.Units, b: Units.Units): Units.Units => a < b ? a : b

/**
 * How much of an order can trade at a price, in base currency: what is left of it, and no more than it may reduce.
 *
 * @category trading
 * @since 0.1.0
 */
export const tradable = ({ state }: Work, market: Market, order: Order, price: Units.Units): Units.Units => {
  const step = 10n ** BigInt(Units.scale - market.stockPrecision)
  const left = isQuoteAmount(order) ? Units.over(order.left, price) / step * step : order.left
  return order.reduceOnly ? min(left, Positions.reducible(state, order.account, market.name, order.side)) : left
}

/**
 * Why a taker takes no more.
 *
 * - `filled`: what is left, if anything, can't buy the smallest amount, or the order has ended otherwise
 * - `limit`: the best price is beyond its limit or the taker band
 * - `empty`: the other side of the book is empty
 * - `self-trade`: the best order is of the same account
 * - `reduced`: there is no position left that it could reduce
 */
type Finish = "filled" | "limit" | "empty" | "self-trade" | "reduced"

/** Trades an order against the book until it is filled or can go no further. */
const take = (
  work: Work,
  market: Market,
  trading: Trading,
  order: Order,
  price: Units.Units | undefined
): Finish => {
  const side = Book.levels(trading.book, opposite[order.side])
  const best = side[0]?.price
  if (best === undefined) return "empty"
  const limit = price ?? bandLimit(order.side, best)
  for (;;) {
    const level = side[0]
    const maker = level?.orders[0]
    if (level === undefined || maker === undefined) return "empty"
    if (!crosses(order.side, level.price, limit)) return "limit"
    if (maker.account === order.account && order.stp !== "no") {
      if (order.stp !== "cancel_new") Ending.cancel(work, maker)
      if (order.stp === "cancel_old") continue
      return "self-trade"
    }
    const own = tradable(work, market, order, level.price)
    if (own === 0n) return Settlement.isUselessReduceOnly(work, order) ? "reduced" : "filled"
    const theirs = tradable(work, market, maker, level.price)
    if (theirs === 0n) {
      Ending.end(work, maker, "AUTO_CANCELED_REDUCE_ONLY")
      continue
    }
    const deal = { price: level.price, amount: min(own, theirs), side: order.side }
    Settlement.trade(work, market, trading, deal, { maker, taker: order })
    if (order.left === 0n) return "filled"
    order.status = "PARTIAL_FILLED"
    if (!work.state.openOrders.has(order.id)) return "filled"
  }
}

const endOrRest = (
  work: Work,
  trading: Trading,
  order: Order,
  limit: Units.Units | undefined,
  finish: Finish
): void => {
  const hasTraded = order.dealStock > 0n
  if (order.left === 0n || (finish === "filled" && hasTraded)) Ending.end(work, order, "FILLED")
  else if (finish === "reduced") Ending.end(work, order, "AUTO_CANCELED_REDUCE_ONLY")
  else if (finish === "self-trade") Ending.cancel(work, order)
  else if (limit === undefined) {
    if (finish === "limit" && hasTraded) Ending.end(work, order, "CANCELED_TAKER_BAND")
    else Ending.cancel(work, order)
  } else if (order.ioc) Ending.cancel(work, order)
  else {
    order.queued = limit
    Book.add(trading.book, order, limit)
  }
}

/**
 * Executes an order: it takes what it can, and the rest of it rests in the book or is canceled. `limit` is the order's
 * own unless it is given; an order without a limit trades within the taker band.
 *
 * @category trading
 * @since 0.1.0
 */
export const execute = (
  work: Work,
  market: Market,
  order: Order,
  limit: Units.Units | undefined = order.price === undefined ? undefined : Units.from(order.price)
): void => {
  const trading = work.state.trading.get(market.name)
  if (trading === undefined) return
  const finish = order.postOnly ? "limit" : take(work, market, trading, order, limit)
  if (order.dealStock > 0n) Ending.endOtherLeg(work, order)
  if (!work.state.openOrders.has(order.id)) return
  endOrRest(work, trading, order, limit, finish)
  if (order.kind !== "spot") Settlement.cancelUselessReduceOnly(work, order.account, market)
}

/** What a market order for an amount of base currency would cost or bring, in quote currency, as the book stands. */
const estimateTotal = ({ state }: Work, trading: Trading, order: Order): Units.Units => {
  let left = order.left
  let total = 0n
  // How much each account on the other side could still reduce. Every trade makes it less.
  const reducible = new Map<string, Units.Units>()
  const levels = Book.levels(trading.book, opposite[order.side])
  const limit = levels[0] === undefined ? 0n : bandLimit(order.side, levels[0].price)
  for (const { orders, price } of levels) {
    if (left === 0n || !crosses(order.side, price, limit)) break
    for (const maker of orders) {
      if (maker.account === order.account && order.stp !== "no") {
        if (order.stp === "cancel_old") continue
        return total
      }
      const { account, kind, market, reduceOnly, side } = maker
      const most = reducible.get(account) ?? Positions.reducible(state, account, market, side)
      const amount = min(left, reduceOnly ? min(maker.left, most) : maker.left)
      if (kind !== "spot") reducible.set(account, most - min(amount, most))
      total += Units.times(amount, price)
      left -= amount
    }
  }
  return total
}

/**
 * Locks what a market order would spend, as the book stands; `false` when the wallet does not have it.
 *
 * @category locks
 * @since 0.1.0
 */
export const lockForMarket = (work: Work, market: Market, order: Order): boolean => {
  const trading = work.state.trading.get(market.name)
  if (trading === undefined) return false
  const total = isQuoteAmount(order) ? order.left : estimateTotal(work, trading, order)
  return Locks.lock(work, order, Locks.requirementOf(market, order, total))
}

/**
 * Whether an order would trade at once.
 *
 * @category trading
 * @since 0.1.0
 */
export const wouldTake = ({ state }: Work, order: Order): boolean => {
  const book = state.trading.get(order.market)?.book
  const best = book === undefined ? undefined : Book.best(book, opposite[order.side])
  const limit = order.price === undefined ? undefined : Units.from(order.price)
  return best !== undefined && (limit === undefined || crosses(order.side, best, limit))
}
