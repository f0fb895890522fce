/** Closes orders: filled and canceled orders, and OCO legs whose other leg has traded or was triggered. */
import type { OrderStatus } from "../../domain/Order.ts"
import * as Book from "./Book.ts"
import * as Event from "./Event.ts"
import * as Locks from "./Locks.ts"
import type { Exit, Order, StopOrder } from "./Order.ts"
import * as PendingStopOrders from "./PendingStopOrders.ts"
import * as Quotes from "./Quotes.ts"
import * as TakeProfitStopLoss from "./TakeProfitStopLoss.ts"
import type { Work } from "./Work.ts"

const isStopOrder = (order: Order): order is StopOrder => order.stop !== undefined

/**
 * Closes an order: removes it from the book, releases its locked funds, and closes the other leg of its OCO order. A
 * filled order places its take-profit and stop-loss.
 */
export const end = (work: Work, order: Order, status: OrderStatus): void => {
  const { at, events, state } = work
  const trading = state.trading.get(order.market)
  if (!state.openOrders.delete(order.id)) return
  const { queued } = order
  order.queued = undefined
  if (queued !== undefined && trading !== undefined) Book.removed(trading.book, order, queued)
  if (isStopOrder(order) && trading !== undefined && PendingStopOrders.remove(trading.waiting, order)) {
    order.stop.activated = false
  }
  Locks.claim(state, order)
  Locks.release(work, order, order.locked?.units ?? 0n)
  order.status = status
  order.changedAt = at
  events.push(Event.ended(order))
  // The counterparty cancels its untouched quotes at every price move. Such quotes are not stored in the history.
  if (order.account !== Quotes.account || order.dealStock > 0n) keep(work, order)
  endOtherLeg(work, order)
  if (order.oto === undefined) return
  state.otoOrders.delete(order.oto.id)
  if (status === "FILLED") TakeProfitStopLoss.arm(work, order)
}

/** Adds an order to the history of closed orders. */
const keep = ({ state }: Work, order: Order): void => {
  const ended = state.endedOrders.get(order.account)
  if (ended === undefined) state.endedOrders.set(order.account, [order])
  else ended.push(order)
}

/** Cancels an order's unfilled part. */
export const cancel = (work: Work, order: Order): void =>
  end(work, order, order.dealStock === 0n ? "CANCELED" : "PARTIAL_CANCELED")

/**
 * Closes the other leg of an OCO order after the leg `order` has traded, been triggered or closed. If `order` was
 * canceled because its position was closed or liquidated, the other leg gets the same status. Does nothing if `order`
 * is not a leg, or is no longer a leg.
 */
export const endOtherLeg = (work: Work, order: Order): void => {
  if (order.oco === undefined) return
  const exit = work.state.exits.get(order.oco)
  if (exit !== undefined) return endExit(work, exit, order)
  const pair = work.state.ocoOrders.get(order.oco)
  if (pair === undefined) return
  work.state.ocoOrders.delete(order.oco)
  const other = pair.stopLoss.id === order.id ? pair.takeProfit : pair.stopLoss
  // Both legs share one lock. The lock moves to the leg that stays open.
  if (other.locked !== undefined && order.locked === undefined && work.state.openOrders.has(order.id)) {
    order.locked = other.locked
    other.locked = undefined
  }
  Locks.claim(work.state, order)
  if (order.status === "AUTO_CANCELED_REDUCE_ONLY" || order.status === "AUTO_CANCELED_LIQUIDATION") {
    end(work, other, order.status)
  } else cancel(work, other)
}

/**
 * Updates a take-profit and stop-loss pair after one of its legs was closed or triggered. If the leg was triggered, the
 * other leg is canceled; otherwise, the other leg stays open.
 */
const endExit = (work: Work, exit: Exit, leg: Order): void => {
  const other = exit.takeProfit === leg ? exit.stopLoss : exit.takeProfit
  if (!work.state.openOrders.has(leg.id)) return TakeProfitStopLoss.leave(work.state, exit, leg)
  if (other === undefined || other === leg) return
  TakeProfitStopLoss.leave(work.state, exit, other)
  cancel(work, other)
}
