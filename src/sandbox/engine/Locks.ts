/** The funds that open orders have locked. */
import type { Ticker } from "../../domain/Identifiers.ts"
import type { Market } from "../../domain/Market.ts"
import type { Role } from "../../domain/Order.ts"
import * as Claims from "./Claims.ts"
import * as Ledger from "./Ledger.ts"
import { isQuoteAmount, type Lock, type OcoOrder, type Order } from "./Order.ts"
import * as Positions from "./Positions.ts"
import type { State } from "./State.ts"
import * as Terms from "./Terms.ts"
import * as Units from "./Units.ts"
import type { Work } from "./Work.ts"

/** The OCO order that this order is a leg of, while both legs are open. */
const pairOf = ({ ocoOrders }: State, { oco }: Order): OcoOrder | undefined =>
  oco === undefined ? undefined : ocoOrders.get(oco)

/** Whether an order is the second leg of a pair, OCO or exit, of which both are open. */
const isSecondLeg = (state: State, order: Order): boolean => {
  if (order.oco === undefined) return false
  const exit = state.exits.get(order.oco)
  if (exit !== undefined) return exit.stopLoss === order && exit.takeProfit !== undefined
  return pairOf(state, order)?.stopLoss === order
}

/**
 * How much of an amount would only close a position, and is not claimed by another order. It needs no margin. `released` is
 * claimed by an order that is about to end.
 */
const closingPart = (state: State, order: Order, amount: Units.Units, released = 0n): Units.Units => {
  const closing = Positions.reducible(state, order.account, order.market, order.side) -
    Claims.total(state.claims, order) + released
  return closing <= 0n ? 0n : closing < amount ? closing : amount
}

/** Brings what an order has claimed of its position to what it is now. */
export const claim = (state: State, order: Order): void => {
  if (order.kind === "spot") return
  if (state.openOrders.has(order.id)) Claims.update(state.claims, order, isSecondLeg(state, order))
  else Claims.drop(state.claims, order)
}

/** The margin and the fee of a trade of this total. */
const marginOf = (market: Market, total: Units.Units): Units.Units =>
  total / Positions.leverage + Units.times(total, Terms.of(market).takerFee)

/**
 * What an order of this total has to lock: what a spot order would spend, or the margin and the fee if the whole order opened
 * a position. `total` is in quote currency.
 */
export const requirementOf = (
  market: Market,
  order: Pick<Order, "kind" | "side" | "left">,
  total: Units.Units
): Lock => {
  if (order.kind !== "spot") {
    return { wallet: "collateral", ticker: market.money, units: marginOf(market, total) }
  }
  return order.side === "buy"
    ? { wallet: "trade", ticker: market.money, units: total }
    : { wallet: "trade", ticker: market.stock, units: order.left }
}

/** The locks that hold nothing any more, by what they have held. */
const spent: { readonly [W in Lock["wallet"]]: Map<Ticker, Lock> } = { trade: new Map(), collateral: new Map() }

/**
 * A lock that holds an amount. Of an asset in a wallet, there is one that holds nothing: most orders that have ended have
 * it.
 */
export const holding = (wallet: Lock["wallet"], ticker: Ticker, units: Units.Units): Lock => {
  const known = units === 0n ? spent[wallet].get(ticker) : undefined
  if (known !== undefined) return known
  const left: Lock = { wallet, ticker, units }
  if (units === 0n) spent[wallet].set(ticker, left)
  return left
}

/** Adds to the lock of an order; `false` when the wallet does not have it beside the margin. */
const put = ({ state }: Work, order: Order, more: Lock): boolean => {
  const { ticker, units, wallet } = more
  const { free, locked } = Ledger.pair(state.ledger, order.account, wallet, ticker)
  if (wallet === "collateral" && free.units - Positions.margin(state, order.account, ticker) < units) return false
  if (!Ledger.move(state.ledger, free, locked, units)) return false
  order.locked = order.locked === undefined ? more : { wallet, ticker, units: order.locked.units + units }
  return true
}

/**
 * Locks what an order needs; `false` when the wallet does not have it. `amount` is what the order would trade, in base
 * currency: the part of it that only closes a position locks nothing.
 */
export const lock = (
  work: Work,
  order: Order,
  required: Lock,
  amount: Units.Units = order.quantity
): boolean => {
  const { ticker, units, wallet } = required
  if (wallet === "trade" || amount === 0n) return put(work, order, required)
  const closing = closingPart(work.state, order, amount)
  if (!put(work, order, { wallet, ticker, units: units * (amount - closing) / amount })) return false
  if (!isQuoteAmount(order)) order.closing = closing
  return true
}

/** Whether the wallet has what an order needs once another one has ended, in whose place it comes. */
export const canReplace = (
  { state }: Work,
  order: Order,
  ended: Order,
  { ticker, units, wallet }: Lock
): boolean => {
  const { account, quantity } = order
  const held = Ledger.balance(state.ledger, Ledger.free(account, wallet), ticker) + (ended.locked?.units ?? 0n)
  if (wallet === "trade") return held >= units
  const closing = closingPart(state, order, quantity, ended.reduceOnly ? ended.left : ended.closing)
  return held - Positions.margin(state, account, ticker) >= units * (quantity - closing) / quantity
}

/** The price at which an order would need the most margin. */
const dearest = (state: State, order: Order): Units.Units => {
  // A stop-market order has no limit. It has locked what it needs at its activation price.
  const price = order.price ?? order.stop?.price
  const prices = [order.queued ?? (price === undefined ? 0n : Units.from(price) ?? 0n)]
  const pair = pairOf(state, order)
  if (pair !== undefined) {
    for (const { price } of [pair.stopLoss, pair.takeProfit]) prices.push(Units.from(price) ?? 0n)
  }
  return prices.reduce((most, price) => price > most ? price : most)
}

/** Locks the margin of a part of an order that has only closed a position until now; `false` when there is none. */
const cover = (work: Work, market: Market, order: Order, part: Units.Units): boolean => {
  const units = marginOf(market, Units.times(part, dearest(work.state, order)))
  if (!put(work, order, { wallet: "collateral", ticker: market.money, units })) return false
  const pair = pairOf(work.state, order)
  for (const leg of pair === undefined ? [order] : [pair.stopLoss, pair.takeProfit]) {
    leg.closing -= part
    claim(work.state, leg)
  }
  return true
}

/**
 * Makes plain orders safe after a position has become smaller: those that would close more than there is need margin
 * now. The oldest keep what is left to close. Gives the orders for which the wallet has no margin.
 */
export const coverClosing = (work: Work, account: string, market: Market): ReadonlyArray<Order> => {
  const uncovered: Array<Order> = []
  for (const side of ["buy", "sell"] as const) {
    const claimants = { account, market: market.name, side }
    const closable = Positions.reducible(work.state, account, market.name, side)
    for (const [order, part] of Claims.excess(work.state.claims, claimants, closable)) {
      if (!cover(work, market, order, part)) uncovered.push(order)
    }
  }
  return uncovered
}

/**
 * What an order that trades a position gets back of its lock when it trades an amount. The part that only closes, and
 * has locked nothing, trades first. A taker gets everything: what it leaves in the book is locked anew by `adjust`.
 */
export const releasedBy = (order: Order, amount: Units.Units, role: Role): Units.Units => {
  const locked = order.locked?.units ?? 0n
  const covered = order.left - order.closing
  if (role === "taker" || covered <= 0n) return locked
  const traded = amount > order.closing ? amount - order.closing : 0n
  return locked - locked * (covered - traded) / covered
}

/**
 * Brings the lock of an order that trades a position to what it needs at the price at which it rests from now on;
 * `false` when the wallet does not have it.
 */
export const adjust = (work: Work, market: Market, order: Order, price: Units.Units): boolean => {
  if (order.locked === undefined || order.locked.wallet !== "collateral" || pairOf(work.state, order) !== undefined) {
    return true
  }
  const missing = marginOf(market, Units.times(order.left - order.closing, price)) - order.locked.units
  if (missing > 0n) return put(work, order, { wallet: "collateral", ticker: market.money, units: missing })
  release(work, order, -missing)
  return true
}

/** Frees a part of what an order has locked. */
export const release = ({ state }: Work, order: Order, units: Units.Units): void => {
  if (order.locked === undefined || units === 0n) return
  const { ticker, wallet } = order.locked
  const { free, locked } = Ledger.pair(state.ledger, order.account, wallet, ticker)
  Ledger.move(state.ledger, locked, free, units)
  order.locked = holding(wallet, ticker, Units.minus(order.locked.units, units))
}
