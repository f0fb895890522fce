/** Matches orders by price-time priority. */
import type { Market } from "../../domain/Market.ts"
import type { OrderSide, Role } from "../../domain/Order.ts"
import * as Book from "./Book.ts"
import * as Coverage from "./Coverage.ts"
import * as FifoQueue from "./FifoQueue.ts"
import * as Locks from "./Locks.ts"
import { isMakerOnly, isQuoteAmount, type Lock, type Order } from "./Order.ts"
import * as OrderEnd from "./OrderEnd.ts"
import * as Positions from "./Positions.ts"
import * as Quotes from "./Quotes.ts"
import * as Settlement from "./Settlement.ts"
import type { Trading } from "./State.ts"
import * as Terms from "./Terms.ts"
import * as Units from "./Units.ts"
import type { Work } from "./Work.ts"

/** The width of the taker band, in percent: how far from the best price a market order may trade. */
export const takerBandPercent = 10n

/** The side of the book against which an order of the given side trades. */
export const opposite = { buy: "sell", sell: "buy" } as const

/** Whether an order with this side and limit price may trade at a price. */
export const crosses = (side: OrderSide, price: Units.Units, limit: Units.Units): boolean =>
  side === "buy" ? price <= limit : price >= limit

/** The worst price at which an order without a limit price may still trade: the end of the taker band. */
const bandLimit = (side: OrderSide, best: Units.Units): Units.Units => {
  const width = best * takerBandPercent / 100n
  return side === "buy" ? best + width : best - width
}

const min = (a: Units.Units, b: Units.Units): Units.Units => a < b ? a : b

/** An amount rounded down to the market's amount step. */
const wholeSteps = (market: Market, amount: Units.Units): Units.Units => amount - amount % Terms.of(market).step

/**
 * The amount of an order that can trade at a price, in units of the base currency: at most the remaining amount; for a
 * reduce-only order, also at most the position's size.
 */
export const tradable = ({ state }: Work, market: Market, order: Order, price: Units.Units): Units.Units => {
  const left = isQuoteAmount(order) ? wholeSteps(market, Units.over(order.left, price)) : order.left
  return order.reduceOnly ? min(left, Positions.reducible(state, order)) : left
}

/**
 * The part of an amount that an order can pay for at a price. A trade may open a position only if the collateral then
 * covers the margin of all positions. Otherwise, only the part of the trade that closes a position takes place. A spot
 * market order may spend only the funds that it has locked.
 */
export const payable = (
  { state }: Work,
  market: Market,
  order: Order,
  price: Units.Units,
  amount: Units.Units,
  role: Role
): Units.Units => {
  const { kind, locked, side } = order
  if (kind === "spot") {
    // A limit order has locked its cost at its limit price, and never trades at a worse price.
    if (locked === undefined || side === "sell" || order.price !== undefined) return amount
    if (Units.times(amount, price) <= locked.units) return amount
    return wholeSteps(market, Units.over(locked.units, price))
  }
  const closing = Positions.reducible(state, order)
  if (amount <= closing) return amount
  const fee = Units.times(Units.times(amount, price), Terms.of(market).takerFee)
  const released = Locks.releasedBy(order, amount, role)
  return Coverage.isCovered(state, order, market, { quantity: amount, price, fee, released }) ? amount : closing
}

/**
 * The reason why a taker stops trading:
 *
 * - `filled`: the remaining amount is zero or below the smallest step, or the order is already closed
 * - `limit`: the best price is beyond the taker's limit price or the taker band
 * - `empty`: the other side of the book is empty
 * - `self-trade`: the best order is from the same account
 * - `reduced`: there is no position left to reduce
 * - `unpaid`: the taker's account can't pay for more
 */
type Finish = "filled" | "limit" | "empty" | "self-trade" | "reduced" | "unpaid"

/**
 * Closes a resting order that should trade next but can't, because it has no position to reduce or its account can't
 * pay.
 */
export const endUntradable = (work: Work, maker: Order): void => {
  // If the order is a quote of the counterparty, the quote is placed again once the counterparty can pay.
  if (maker.account === Quotes.account) work.state.counterparty.hit.add(maker.market)
  if (Settlement.isUselessReduceOnly(work, maker)) OrderEnd.end(work, maker, "AUTO_CANCELED_REDUCE_ONLY")
  else OrderEnd.cancel(work, maker)
}

/** Trades an order against the book until the order is filled or must stop. */
const take = (
  work: Work,
  market: Market,
  trading: Trading,
  order: Order,
  price: Units.Units | undefined
): Finish => {
  const side = opposite[order.side]
  const best = Book.first(trading.book, side, order.retail)?.queued
  if (best === undefined) return "empty"
  const limit = price ?? bandLimit(order.side, best)
  for (;;) {
    const maker = Book.first(trading.book, side, order.retail)
    if (maker?.queued === undefined) return "empty"
    const offered = maker.queued
    if (!crosses(order.side, offered, limit)) return "limit"
    if (maker.account === order.account && order.stp !== "no") {
      if (order.stp !== "cancel_new") OrderEnd.cancel(work, maker)
      if (order.stp === "cancel_old") continue
      return "self-trade"
    }
    const own = tradable(work, market, order, offered)
    if (own === 0n) return Settlement.isUselessReduceOnly(work, order) ? "reduced" : "filled"
    const theirs = tradable(work, market, maker, offered)
    const paid = payable(work, market, order, offered, min(own, theirs), "taker")
    if (theirs > 0n && paid === 0n) return "unpaid"
    const amount = payable(work, market, maker, offered, paid, "maker")
    if (amount === 0n) {
      endUntradable(work, maker)
      continue
    }
    const deal = { price: offered, amount, total: Units.times(amount, offered), side: order.side }
    Settlement.trade(work, market, trading, deal, { maker, taker: order })
    if (order.left === 0n) return "filled"
    order.status = "PARTIAL_FILLED"
    if (!work.state.openOrders.has(order.id)) return "filled"
  }
}

/**
 * Fills an order against the outside market at the given price. If the collateral does not cover the entire amount,
 * only the part of a margin or futures order that closes a position is filled.
 */
const takeFromWorld = (
  work: Work,
  market: Market,
  trading: Trading,
  order: Order,
  price: Units.Units
): Finish => {
  for (;;) {
    const own = tradable(work, market, order, price)
    if (own === 0n) return Settlement.isUselessReduceOnly(work, order) ? "reduced" : "filled"
    const amount = payable(work, market, order, price, own, "taker")
    if (amount === 0n) return "unpaid"
    const deal = { price, amount, total: Units.times(amount, price), side: order.side }
    Settlement.trade(work, market, trading, deal, { taker: order })
    if (order.left === 0n) return "filled"
    order.status = "PARTIAL_FILLED"
  }
}

/**
 * Fills a liquidation order. Without an outside price, the order trades against the book within the taker band. With
 * an outside price, it trades against the book, but not beyond that price; the rest then trades with the outside
 * market. Any remainder stays open.
 */
export const takeAll = (
  work: Work,
  market: Market,
  trading: Trading,
  order: Order,
  outside: Units.Units | undefined
): void => {
  const finish = take(work, market, trading, order, outside)
  if (outside !== undefined && (finish === "limit" || finish === "empty")) {
    takeFromWorld(work, market, trading, order, outside)
  }
}

const endOrRest = (
  work: Work,
  market: Market,
  trading: Trading,
  order: Order,
  limit: Units.Units | undefined,
  finish: Finish
): void => {
  const hasTraded = order.dealStock > 0n
  if (order.left === 0n || (finish === "filled" && hasTraded)) OrderEnd.end(work, order, "FILLED")
  else if (finish === "reduced") OrderEnd.end(work, order, "AUTO_CANCELED_REDUCE_ONLY")
  else if (finish === "self-trade" || finish === "unpaid") OrderEnd.cancel(work, order)
  else if (limit === undefined) {
    if (finish === "limit" && hasTraded) OrderEnd.end(work, order, "CANCELED_TAKER_BAND")
    else OrderEnd.cancel(work, order)
  } else if (order.ioc || !Locks.adjust(work, market, order, limit)) OrderEnd.cancel(work, order)
  else Book.add(trading.book, order, limit)
}

/**
 * Executes an order: trades it against the book, then either leaves the rest in the book or cancels the rest. An order
 * without a limit price trades within the taker band. If the owner has just moved the price to `moved`, the order first
 * trades against the book, but not beyond that price, and then with the outside market at that price. `moved` must not
 * be worse than the order's limit price.
 */
export const execute = (
  work: Work,
  market: Market,
  order: Order,
  limit: Units.Units | undefined,
  moved?: Units.Units
): void => {
  const trading = work.state.trading.get(market.name)
  if (trading === undefined) return
  let finish = isMakerOnly(order) ? "limit" : take(work, market, trading, order, moved ?? limit)
  if (moved !== undefined && (finish === "limit" || finish === "empty")) {
    finish = takeFromWorld(work, market, trading, order, moved)
  }
  if (order.dealStock > 0n) OrderEnd.endOtherLeg(work, order)
  if (!work.state.openOrders.has(order.id)) return
  endOrRest(work, market, trading, order, limit, finish)
  if (order.kind !== "spot") Settlement.afterPosition(work, order.account, market)
}

/** An estimate of the part of an order that would immediately fill against the current book. */
interface Estimate {
  /** The amount, in units of the base currency. */
  readonly amount: Units.Units
  /** The cost or proceeds, in units of the quote currency. */
  readonly total: Units.Units
  /**
   * The worst price at which this part would fill; if nothing would fill, the last price, or zero if the market has
   * none.
   */
  readonly worst: Units.Units
}

/**
 * Estimates how much of an order would fill immediately. An order without a limit price trades within the taker band.
 */
const estimate = ({ state }: Work, trading: Trading, order: Order, given?: Units.Units): Estimate => {
  let [amount, total, worst] = [0n, 0n, trading.lastPrice ?? 0n]
  // For each account with orders on the other side, the amount by which these orders can still reduce the account's
  // position, in base currency.
  const reducible = new Map<string, Units.Units>()
  const levels = Book.levels(trading.book, opposite[order.side])
  const limit = given ?? (levels.first === undefined ? 0n : bandLimit(order.side, levels.first.price))
  for (const { orders, price } of levels) {
    if (!crosses(order.side, price, limit)) break
    for (const maker of FifoQueue.members(orders)) {
      const left = isQuoteAmount(order) ? Units.over(order.left - total, price) : order.left - amount
      if (left <= 0n) return { amount, total, worst }
      if (maker.account === order.account && order.stp !== "no") {
        if (order.stp === "cancel_old") continue
        return { amount, total, worst }
      }
      const { account, kind, reduceOnly } = maker
      const most = reducible.get(account) ?? Positions.reducible(state, maker)
      const traded = min(left, reduceOnly ? min(maker.left, most) : maker.left)
      if (kind !== "spot") reducible.set(account, most - min(traded, most))
      total += Units.times(traded, price)
      amount += traded
      if (traded > 0n) worst = price
    }
  }
  return { amount, total, worst }
}

/**
 * Estimates the cost of a market order from the current book, and locks that amount. An order larger than the book
 * needs funds for its entire amount: the part that the book cannot fill is valued at the worst price of the part that
 * it can fill. Returns `false` if the wallet's balance or the free margin is too low.
 */
export const lockForMarket = (work: Work, market: Market, order: Order): boolean => {
  const trading = work.state.trading.get(market.name)
  if (trading === undefined) return false
  const { amount, total, worst } = estimate(work, trading, order)
  if (isQuoteAmount(order))
    return Locks.lock(work, order, Locks.requirementOf(work.state, market, order, order.left), amount)
  return Locks.lock(
    work,
    order,
    Locks.requirementOf(work.state, market, order, total + Units.times(order.left - amount, worst))
  )
}

/**
 * The funds that a limit order must lock. `least` is the order's value at its limit price: amount × limit price. A sell
 * order that fills immediately can trade above its limit price, and the position that it opens then needs more margin.
 */
export const requirementForLimit = (
  work: Work,
  market: Market,
  order: Order,
  price: Units.Units,
  least: Units.Units
): Lock => {
  if (order.kind === "spot" || order.side === "buy" || isMakerOnly(order))
    return Locks.requirementOf(work.state, market, order, least)
  const trading = work.state.trading.get(market.name)
  if (trading === undefined) return Locks.requirementOf(work.state, market, order, least)
  const { amount, total } = estimate(work, trading, order, price)
  return Locks.requirementOf(work.state, market, order, total + Units.times(order.quantity - amount, price))
}

/**
 * Locks a limit order's funds. `least` is the order's value at its limit price: amount × limit price. Returns `false`
 * if the wallet's balance or the free margin is too low.
 */
export const lockForLimit = (
  work: Work,
  market: Market,
  order: Order,
  price: Units.Units,
  least: Units.Units
): boolean => Locks.lock(work, order, requirementForLimit(work, market, order, price, least))

/** Whether a limit order would trade immediately. */
export const wouldTake = ({ state }: Work, order: Order, limit: Units.Units): boolean => {
  const book = state.trading.get(order.market)?.book
  const best = book === undefined ? undefined : Book.best(book, opposite[order.side])
  return best !== undefined && crosses(order.side, best, limit)
}
