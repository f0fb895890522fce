/** Moves a market's last price, and triggers stop orders. */
import { Price } from "../../domain/Decimal.ts"
import type { Market } from "../../domain/Market.ts"
import * as Book from "./Book.ts"
import * as Candles from "./Candles.ts"
import * as Event from "./Event.ts"
import * as Locks from "./Locks.ts"
import { crosses, endUntradable, execute, opposite, payable, tradable } from "./Matching.ts"
import type { StopOrder } from "./Order.ts"
import * as OrderEnd from "./OrderEnd.ts"
import * as PendingStopOrders from "./PendingStopOrders.ts"
import * as ReferencePrices from "./ReferencePrices.ts"
import * as Settlement from "./Settlement.ts"
import type { Trading } from "./State.ts"
import * as Units from "./Units.ts"
import type { Work } from "./Work.ts"

/** Adds a stop order to the orders that wait for their activation price. */
export const addStopOrder = ({ state }: Work, order: StopOrder): void => {
  const trading = state.trading.get(order.market)
  if (trading !== undefined) PendingStopOrders.add(trading.waiting, order)
}

/**
 * Executes every stop order triggered by a market's last price, oldest first. A triggered order can trade, which can
 * move the price and trigger more orders. Each order is triggered at most once, so the loop terminates. If the venue's
 * owner has just moved the price, `moved` is the new price, at which the outside market trades any amount.
 */
export const triggerStopOrders = (work: Work, market: Market, moved?: Units.Units): void => {
  const trading = work.state.trading.get(market.name)
  for (;;) {
    const last = trading?.lastPrice
    if (trading === undefined || last === undefined) return
    const order = PendingStopOrders.takeTriggered(trading.waiting, last)
    if (order === undefined) return
    order.changedAt = work.at
    work.events.push(Event.of("OrderActivated", order))
    OrderEnd.endOtherLeg(work, order)
    executeTriggered(work, market, trading, order, moved)
  }
}

/**
 * Executes a triggered order: without a limit price, as a market order; otherwise as a limit order at its own price or,
 * with `bboRole`, at the best price on the side of the book that the role selects.
 */
const executeTriggered = (
  work: Work,
  market: Market,
  trading: Trading,
  order: StopOrder,
  moved: Units.Units | undefined
): void => {
  const { bboRole } = order.stop
  if (order.price === undefined) return execute(work, market, order, undefined, moved)
  const price = Units.from(order.price) ?? 0n
  if (bboRole === undefined) {
    const isAllowed = moved !== undefined && crosses(order.side, moved, price)
    return execute(work, market, order, price, isAllowed ? moved : undefined)
  }
  // The best bid and the best ask are those of the book, which contains no orders of the outside market.
  const best = Book.best(trading.book, bboRole === "queue" ? order.side : opposite[order.side])
  // Without a best price, there is no order to join or to trade with.
  if (best === undefined) return OrderEnd.cancel(work, order)
  if (work.state.policy.bboStopPrice === "best") {
    const isCovered = Locks.reprice(work, market, order, Price.make(Units.toDecimal(best)))
    return isCovered ? execute(work, market, order, best) : OrderEnd.cancel(work, order)
  }
  // The locked funds cover only the order's own limit price, so the order must not trade at a worse price.
  execute(work, market, order, crosses(order.side, best, price) ? best : price)
}

/** Fills buy orders above a price and sell orders below it against the outside market, at their own limit prices. */
const tradeBeyond = (work: Work, market: Market, trading: Trading, price: Units.Units): void => {
  for (const side of ["buy", "sell"] as const) {
    for (;;) {
      const maker = Book.first(trading.book, side, true)
      const own = maker?.queued
      if (maker === undefined || own === undefined || !crosses(side, price, own) || own === price) break
      const most = tradable(work, market, maker, own)
      const amount = payable(work, market, maker, own, most, "maker")
      if (amount === 0n) endUntradable(work, maker)
      else {
        const deal = { price: own, amount, total: Units.times(amount, own), side: opposite[side] }
        Settlement.trade(work, market, trading, deal, { maker })
      }
    }
  }
}

/**
 * Sets a market's price. Buy orders above the price and sell orders below it trade with the outside market, at their
 * own limit prices. Stop orders triggered by the price are not executed until {@link triggerStopOrders} is called.
 */
export const setPrice = (work: Work, market: Market, price: Units.Units): void => {
  const trading = work.state.trading.get(market.name)
  if (trading === undefined) return
  tradeBeyond(work, market, trading, price)
  trading.lastPrice = price
  ReferencePrices.lastMovedByOwner(work.state, market)
  Candles.add(trading.candles, work.at, price, 0n, 0n)
  work.events.push({ _tag: "PriceMoved", market: market.name, price })
}

/**
 * Moves the price of a market that the counterparty does not quote. Stop orders triggered by the price can trade with
 * the outside market at the new price.
 */
export const movePrice = (work: Work, market: Market, price: Units.Units): void => {
  setPrice(work, market, price)
  triggerStopOrders(work, market, price)
}
