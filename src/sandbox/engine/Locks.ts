/** Locks and releases the funds of open orders. */
import * as Decimal from "../../domain/Decimal.ts"
import type { Price } from "../../domain/Decimal.ts"
import type { Ticker } from "../../domain/Identifiers.ts"
import * as MarginUnits from "../../domain/MarginUnits.ts"
import type { Market } from "../../domain/Market.ts"
import type { Role } from "../../domain/Order.ts"
import * as Claims from "./Claims.ts"
import * as Ledger from "./Ledger.ts"
import * as Leverage from "./Leverage.ts"
import * as Margins from "./Margins.ts"
import { isQuoteAmount, type Lock, type OcoOrder, type Order } from "./Order.ts"
import * as Pending from "./Pending.ts"
import * as Positions from "./Positions.ts"
import * as Quotes from "./Quotes.ts"
import type { State } from "./State.ts"
import * as Terms from "./Terms.ts"
import * as Units from "./Units.ts"
import type { Work } from "./Work.ts"

/** The OCO order of which this order is a leg, if both legs are still open. */
const pairOf = ({ ocoOrders }: State, { oco }: Order): OcoOrder | undefined =>
  oco === undefined ? undefined : ocoOrders.get(oco)

/**
 * Whether an order is the second leg of an OCO order, or of a take-profit and stop-loss pair, while both legs are open.
 */
const isSecondLeg = (state: State, order: Order): boolean => {
  if (order.oco === undefined) return false
  const exit = state.exits.get(order.oco)
  if (exit !== undefined) return exit.stopLoss === order && exit.takeProfit !== undefined
  return pairOf(state, order)?.stopLoss === order
}

/**
 * The part of `amount` that would close a position and that no other order claims. This part needs no margin.
 * `released` is the claim of an order that is about to be closed.
 */
export const closingPart = (
  state: State,
  order: Positions.Trader,
  amount: Units.Units,
  released = 0n
): Units.Units => {
  const closing = Positions.reducible(state, order) -
    Claims.total(state.claims, order) + released
  return closing <= 0n ? 0n : closing < amount ? closing : amount
}

/** The limit price of an order, or the higher limit price of its OCO pair, in units of the quote currency. */
const limitOf = (state: State, order: Order): Units.Units => {
  const pair = pairOf(state, order)
  const orders = pair === undefined ? [order] : [pair.stopLoss, pair.takeProfit]
  // A stop-market order has no limit price, so its activation price is used. A market order has neither, but it never
  // rests, so the zero used for it has no effect.
  const prices = orders.map(({ price, stop }) => Units.from(price ?? stop?.price ?? Decimal.zero) ?? 0n)
  return prices.reduce((most, price) => price > most ? price : most)
}

/**
 * The price, in units of the quote currency, at which an order would need the most margin: the price at which it rests.
 * For an order that does not rest, or that is one of two open OCO legs, the price from {@link limitOf}.
 */
const dearest = (state: State, order: Order): Units.Units =>
  order.queued !== undefined && pairOf(state, order) === undefined ? order.queued : limitOf(state, order)

/**
 * The value of the part of an order that would open a position, in units of the quote currency; zero for the second leg
 * of a pair.
 */
const pendingOf = (state: State, order: Order): Units.Units =>
  isSecondLeg(state, order) ? 0n : Units.times(order.left - order.closing, limitOf(state, order))

/** Updates an order's claim on its position, and the value that the order could add to the position. */
export const claim = (state: State, order: Order): void => {
  if (order.kind === "spot") return
  const isOpen = state.openOrders.has(order.id)
  if (isOpen) Claims.update(state.claims, order, isSecondLeg(state, order))
  else Claims.drop(state.claims, order)
  // The brackets do not apply to the counterparty.
  if (order.kind !== "futures" || order.reduceOnly || order.account === Quotes.account) return
  Pending.set(state.pending, order, isOpen ? pendingOf(state, order) : 0n)
}

/**
 * The margin and fee for a trade with this total. If the order increases a position, the bracket is determined by the
 * position and the order together.
 */
const marginOf = (state: State, market: Market, order: Positions.Trader, total: Units.Units): Units.Units => {
  const position = Positions.of(state, order)
  const isLarger = position !== undefined && (position.amount > 0n) === (order.side === "buy")
  const fraction = Leverage.fractionOf(state, order.account, market, total + (isLarger ? position.cost : 0n))
  return MarginUnits.ceilOver(total * fraction.numerator, fraction.denominator) +
    Units.times(total, Terms.of(market).takerFee)
}

/**
 * The funds that an order with this total must lock: the cost of a spot order, or the margin and fee as if the entire
 * order opened a position. `total` is in units of the quote currency.
 */
export const requirementOf = (
  state: State,
  market: Market,
  order: Pick<Order, "kind" | "left"> & Positions.Trader,
  total: Units.Units
): Lock => {
  if (order.kind !== "spot") {
    return { wallet: "collateral", ticker: market.money, units: marginOf(state, market, order, total) }
  }
  return order.side === "buy"
    ? { wallet: "trade", ticker: market.money, units: total }
    : { wallet: "trade", ticker: market.stock, units: order.left }
}

/** The empty locks that orders share: one for each wallet and asset. */
const spent: { readonly [W in Lock["wallet"]]: Map<Ticker, Lock> } = { trade: new Map(), collateral: new Map() }

/**
 * A lock on an amount. Most closed orders have an empty lock, so empty locks of the same asset and wallet share one
 * object.
 */
export const holding = (wallet: Lock["wallet"], ticker: Ticker, units: Units.Units): Lock => {
  const known = units === 0n ? spent[wallet].get(ticker) : undefined
  if (known !== undefined) return known
  const left: Lock = { wallet, ticker, units }
  if (units === 0n) spent[wallet].set(ticker, left)
  return left
}

/** Whether an account has this much free margin. An order that needs no margin is always covered. */
const canCover = (state: State, account: string, units: Units.Units): boolean =>
  units === 0n || Margins.freeMargin(state, account) >= units

/** Adds `more` to the total margin that an account's open orders have reserved; `more` may be negative. */
const reserve = ({ reserved }: State, account: string, more: Units.Units): void => {
  const units = (reserved.get(account) ?? 0n) + more
  if (units === 0n) reserved.delete(account)
  else reserved.set(account, units)
}

/**
 * Adds an amount to an order's lock. Returns `false` if the account can't pay the amount. For margin and futures
 * orders, the amount is only reserved in the collateral wallet, because other assets and unrealized profits can cover
 * it.
 */
const put = ({ state }: Work, order: Order, more: Lock): boolean => {
  const { ticker, units, wallet } = more
  if (wallet === "collateral") {
    if (!canCover(state, order.account, units)) return false
    reserve(state, order.account, units)
  } else {
    const { free, locked } = Ledger.pair(state.ledger, order.account, wallet, ticker)
    if (!Ledger.move(state.ledger, free, locked, units)) return false
  }
  order.locked = order.locked === undefined ? more : { wallet, ticker, units: order.locked.units + units }
  return true
}

/** Adds an order's reserved margin to the account's total, when a saved state is restored. */
export const restore = (state: State, { account, locked }: Order): void => {
  if (locked?.wallet === "collateral") reserve(state, account, locked.units)
}

/**
 * Locks the funds that an order needs. Returns `false` if the wallet's balance or the free margin is too low. `amount`
 * is the amount that the order would trade, in units of the base currency. Nothing is locked for the part that only
 * closes a position.
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

/** Whether the wallet can fund an order after the replaced order, `ended`, has closed. */
export const canReplace = (
  { state }: Work,
  order: Order,
  ended: Order,
  { ticker, units, wallet }: Lock
): boolean => {
  const { account, quantity } = order
  const released = ended.locked?.units ?? 0n
  if (wallet === "trade") {
    const held = Ledger.balance(state.ledger, Ledger.free(account, wallet), ticker) + released
    return held >= units && Ledger.debt(state.ledger, account, ticker) === 0n
  }
  const closing = closingPart(state, order, quantity, ended.reduceOnly ? ended.left : ended.closing)
  const needed = units * (quantity - closing) / quantity
  // If the free margin is negative, even an order that needs no more margin than the replaced order is not covered.
  return needed === 0n || Margins.freeMargin(state, account) >= needed - released
}

/**
 * Locks margin for the part of an order that would have closed a position but no longer can. Returns `false` if the
 * free margin is too low.
 */
const cover = (work: Work, market: Market, order: Order, part: Units.Units): boolean => {
  const units = marginOf(work.state, market, order, Units.times(part, dearest(work.state, order)))
  if (!put(work, order, { wallet: "collateral", ticker: market.money, units })) return false
  const pair = pairOf(work.state, order)
  for (const leg of pair === undefined ? [order] : [pair.stopLoss, pair.takeProfit]) {
    leg.closing -= part
    claim(work.state, leg)
  }
  return true
}

/**
 * Locks margin for an account's orders if together they would now close more than the position's size. Reduce-only
 * orders are not counted, and the oldest orders keep their claims. Returns the orders that the free margin does not
 * cover.
 */
export const coverClosing = (work: Work, account: string, market: Market): ReadonlyArray<Order> => {
  const uncovered: Array<Order> = []
  for (const side of ["buy", "sell"] as const) {
    const claimants = { account, market: market.name, side }
    const closable = Positions.reducible(work.state, { ...claimants, reduceOnly: false })
    for (const [order, part] of Claims.excess(work.state.claims, claimants, closable)) {
      if (!cover(work, market, order, part)) uncovered.push(order)
    }
  }
  return uncovered
}

/**
 * The locked funds that a margin or futures order gets back when it trades an amount. The part that closes a position,
 * which has locked nothing, trades first. A taker gets back all its locked funds; `adjust` then locks funds again for
 * the part that rests in the book.
 */
export const releasedBy = (order: Order, amount: Units.Units, role: Role): Units.Units => {
  const locked = order.locked?.units ?? 0n
  const covered = order.left - order.closing
  if (role === "taker" || covered <= 0n) return locked
  const traded = amount > order.closing ? amount - order.closing : 0n
  return locked - locked * (covered - traded) / covered
}

/**
 * Adjusts the lock of a margin or futures order to the price at which it now rests. Returns `false` if the free margin
 * is too low.
 */
export const adjust = (work: Work, market: Market, order: Order, price: Units.Units): boolean => {
  if (order.locked === undefined || order.locked.wallet !== "collateral" || pairOf(work.state, order) !== undefined) {
    return true
  }
  const missing = marginOf(work.state, market, order, Units.times(order.left - order.closing, price)) -
    order.locked.units
  if (missing > 0n) return put(work, order, { wallet: "collateral", ticker: market.money, units: missing })
  release(work, order, -missing)
  return true
}

/**
 * Replaces an order's limit price, and adjusts its lock to that price. Returns `false`, and leaves the order as it is,
 * if its account can't pay at that price.
 */
export const reprice = (work: Work, market: Market, order: Order, price: Price): boolean => {
  const { left, locked, side } = order
  const units = Units.from(price) ?? 0n
  if (locked?.wallet === "trade") {
    const missing = side === "sell" ? 0n : Units.times(left, units) - locked.units
    if (missing > 0n && !put(work, order, { ...locked, units: missing })) return false
    if (missing < 0n) release(work, order, -missing)
  } else if (!adjust(work, market, order, units)) return false
  order.price = price
  claim(work.state, order)
  return true
}

/** Releases part of the funds that an order has locked. */
export const release = ({ state }: Work, order: Order, units: Units.Units): void => {
  if (order.locked === undefined || units === 0n) return
  const { ticker, wallet } = order.locked
  if (wallet === "collateral") reserve(state, order.account, -units)
  else {
    const { free, locked } = Ledger.pair(state.ledger, order.account, wallet, ticker)
    Ledger.move(state.ledger, locked, free, units)
  }
  order.locked = holding(wallet, ticker, Units.minus(order.locked.units, units))
}
