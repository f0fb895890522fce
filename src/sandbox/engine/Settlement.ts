/**
 * Settles trades: makes the payments, charges the fees, records the fills, and updates both sides' orders and
 * positions.
 */
import type { Market } from "../../domain/Market.ts"
import * as Book from "./Book.ts"
import * as Candles from "./Candles.ts"
import * as Claims from "./Claims.ts"
import * as Ledger from "./Ledger.ts"
import * as Locks from "./Locks.ts"
import { isQuoteAmount, type Order } from "./Order.ts"
import * as OrderEnd from "./OrderEnd.ts"
import * as PendingStopOrders from "./PendingStopOrders.ts"
import type { Cause } from "./Position.ts"
import * as Positions from "./Positions.ts"
import * as Quotes from "./Quotes.ts"
import * as ReferencePrices from "./ReferencePrices.ts"
import type { State, Trading } from "./State.ts"
import * as Terms from "./Terms.ts"
import type { Fill, Trade } from "./Trade.ts"
import * as Units from "./Units.ts"
import type { Work } from "./Work.ts"

/** The maximum number of trades stored for each market; the oldest are dropped first. */
const keptTrades = 1000

/** A trade before it gets its identifier and time. */
export interface Deal extends Omit<Trade, "id" | "at" | "rpi"> {
  /** The amount that the taker pays or receives before the fee, in units of the quote currency. */
  readonly total: Units.Units
}

/** An order's role in a trade. A trade's side is the taker's side. */
const roleOf = (order: Order, { side }: Pick<Trade, "side">): Fill["role"] => order.side === side ? "taker" : "maker"

/**
 * The reason why an order that affects a position was placed. The client order id reveals the reason: only the
 * exchange's own orders have ids that end in an exclamation mark.
 */
const causeOf = ({ clientOrderId }: Order): Cause => {
  if (clientOrderId === undefined || !clientOrderId.endsWith("!")) return "order"
  return clientOrderId.startsWith("adl") ? "adl" : "liquidation"
}

/** Settles a margin or futures order's part in a trade. Returns the fee. */
const fillPosition = (work: Work, market: Market, order: Order, deal: Deal): Units.Units => {
  const { state } = work
  const { amount, price, total } = deal
  const role = roleOf(order, deal)
  // The funds locked for this part are released, because the position's margin replaces them.
  Locks.release(work, order, Locks.releasedBy(order, amount, role))
  order.closing = order.closing > amount ? order.closing - amount : 0n
  fillOrder(work, order, amount, total)
  Locks.claim(state, order)
  const fee = Units.times(total, feeRate(market, role))
  Positions.fill(work, order, market, { quantity: amount, price, fee, cause: causeOf(order), order: order.id })
  order.dealFee += fee
  return fee
}

/**
 * Whether the two orders of a spot trade pay each other directly. Otherwise, each order trades with the lender, which
 * passes on all payments. The lender can be skipped if its purses for both assets are empty, because the trade would
 * leave them empty again. If one of these purses is not empty, a trade through the lender could empty it briefly, and
 * so change its place in the sequence of saved balances; the lender is then not skipped.
 */
const isDirect = ({ state }: Work, { money, stock }: Market, maker?: Order, taker?: Order): boolean => {
  if (maker?.kind !== "spot" || taker?.kind !== "spot") return false
  const { lender } = state.ledger.others
  // If the lender has no balances at all, as before the first position, its purses don't have to be looked up.
  if (lender.owner.size === 0) return true
  return Ledger.purseOf(lender, stock).units === 0n && Ledger.purseOf(lender, money).units === 0n
}

/** Settles a spot order's part in a trade. Returns the fee. */
const fillSpot = (work: Work, market: Market, order: Order, deal: Deal, isDirect: boolean): Units.Units => {
  const { ledger } = work.state
  const { house, lender } = ledger.others
  const { amount, total } = deal
  fillOrder(work, order, amount, total)
  const isBuy = order.side === "buy"
  const paid = isBuy ? total : amount
  const paidAsset = isBuy ? market.money : market.stock
  const payer = Ledger.pair(ledger, order.account, "trade", paidAsset)
  Ledger.take(ledger, order.locked === undefined ? payer.free : payer.locked, paid)
  if (!isDirect) Ledger.give(ledger, Ledger.purseOf(lender, paidAsset), paid)
  if (order.locked !== undefined) {
    // A sell order has locked exactly its remaining amount. The lock itself is not read, because for an old order that
    // would be a cache miss.
    const held = isBuy ? Units.minus(order.locked.units, paid) : order.left
    // A buy order that trades below its limit price needs less than the amount that it has locked.
    const needed = isBuy && order.price !== undefined ? costOf(order) : held
    if (needed !== held) Ledger.move(ledger, payer.locked, payer.free, held - needed)
    order.locked = Locks.holding("trade", paidAsset, needed)
  }
  const received = isBuy ? amount : total
  const receivedAsset = isBuy ? market.stock : market.money
  const fee = Units.times(received, feeRate(market, roleOf(order, deal)))
  const receiver = Ledger.pair(ledger, order.account, "trade", receivedAsset).free
  if (!isDirect) Ledger.take(ledger, Ledger.purseOf(lender, receivedAsset), received - fee)
  Ledger.give(ledger, receiver, received - fee)
  if (!isDirect) Ledger.take(ledger, Ledger.purseOf(lender, receivedAsset), fee)
  Ledger.give(ledger, Ledger.purseOf(house, receivedAsset), fee)
  order.dealFee = Units.plus(order.dealFee, fee)
  return fee
}

/** The cost of an order's remaining amount at its limit price, in units of the quote currency. */
const costOf = ({ left, price }: Order): Units.Units =>
  left === 0n || price === undefined ? 0n : Units.times(left, Units.from(price) ?? 0n)

const feeRate = (market: Market, role: Fill["role"]): Units.Units => {
  const { makerFee, takerFee } = Terms.of(market)
  return role === "maker" ? makerFee : takerFee
}

const fillOrder = ({ at }: Work, order: Order, amount: Units.Units, quoteAmount: Units.Units): void => {
  order.dealStock = Units.plus(order.dealStock, amount)
  order.dealMoney = Units.plus(order.dealMoney, quoteAmount)
  order.left = Units.minus(order.left, isQuoteAmount(order) ? quoteAmount : amount)
  order.changedAt = at
}

const fill = (work: Work, market: Market, order: Order, deal: Deal, isDirect: boolean): Units.Units =>
  order.kind === "spot" ? fillSpot(work, market, order, deal, isDirect) : fillPosition(work, market, order, deal)

/** Adds a fill to its account's list. */
const keep = (
  { fills }: State,
  market: Market,
  order: Order,
  trade: Trade,
  fee: Units.Units,
  counterparty: Order | undefined
): void => {
  const { amount, at, id, price, rpi } = trade
  const feeAsset = order.kind === "spot" && order.side === "buy" ? market.stock : market.money
  const role = roleOf(order, trade)
  const fill: Fill = { trade: id, at, price, amount, order, counterparty: counterparty?.id, role, fee, feeAsset, rpi }
  const own = fills.get(order.account)
  if (own === undefined) fills.set(order.account, [fill])
  else own.push(fill)
}

/** The orders of a trade. */
interface Parties {
  /** The resting order; absent if the taker trades with the outside market. */
  readonly maker?: Order
  /** The order that takes liquidity; absent if the maker trades with the outside market. */
  readonly taker?: Order
  /**
   * Whether the maker is not in the book. The trade is then not published, and does not move the price. Defaults to
   * `false`.
   */
  readonly isOffBook?: boolean
}

/** Gives a trade its identifier and time and, unless the trade is off-book, publishes the trade on its market. */
const publish = (work: Work, market: Market, trading: Trading, deal: Deal, { isOffBook, maker }: Parties): Trade => {
  const { amount, price, side, total } = deal
  const done: Trade = { id: ++work.state.lastId, at: work.at, price, amount, side, rpi: maker?.rpi === true }
  if (isOffBook === true) return done
  // The taker might move the price further in the same command, but this price still triggers stop orders.
  if (price !== trading.lastPrice) {
    PendingStopOrders.markTriggered(trading.waiting, price)
    trading.lastPrice = price
    ReferencePrices.lastMoved(work.state, market)
  }
  if (maker !== undefined) Book.traded(trading.book, maker, amount)
  Candles.add(trading.candles, work.at, price, amount, total)
  trading.trades.push(done)
  if (trading.trades.length > keptTrades) trading.trades.shift()
  return done
}

/** Executes a trade between a maker and a taker, or between one order and the outside market. */
export const trade = (work: Work, market: Market, trading: Trading, deal: Deal, parties: Parties): void => {
  const { maker, taker } = parties
  const { state } = work
  const isPaidDirectly = isDirect(work, market, maker, taker)
  // A margin order is settled before the spot order that it trades with. If both belong to the same account, a loss on
  // the position is then settled before the spot order's proceeds arrive.
  const isMakerFirst = !isPaidDirectly && taker?.kind === "spot" && maker !== undefined && maker.kind !== "spot"
  const early = isMakerFirst ? fill(work, market, maker, deal, false) : undefined
  const taken = taker && fill(work, market, taker, deal, isPaidDirectly)
  const made = early ?? (maker && fill(work, market, maker, deal, isPaidDirectly))
  const { amount, price, side } = deal
  const done = publish(work, market, trading, deal, parties)
  if (taker !== undefined && taken !== undefined) keep(state, market, taker, done, taken, maker)
  if (maker !== undefined && made !== undefined) keep(state, market, maker, done, made, taker)
  if (maker?.account === Quotes.account) state.counterparty.hit.add(market.name)
  work.events.push({ _tag: "Traded", market: market.name, price, amount, side, maker: maker?.id, taker: taker?.id })
  if (maker !== undefined) afterTrade(work, market, maker)
}

/** Closes the maker if it is filled. If the maker is only partly filled, cancels the other leg of its OCO order. */
const afterTrade = (work: Work, market: Market, order: Order): void => {
  if (order.left === 0n) OrderEnd.end(work, order, "FILLED")
  else {
    order.status = "PARTIAL_FILLED"
    OrderEnd.endOtherLeg(work, order)
  }
  if (order.kind !== "spot") afterPosition(work, order.account, market)
}

/** Whether an order is reduce-only and has no position to reduce. */
export const isUselessReduceOnly = ({ state }: Work, order: Order): boolean =>
  order.reduceOnly && Positions.reducible(state, order) === 0n

/**
 * Updates the orders of an account whose position was reduced, closed or flipped. Reduce-only orders that have nothing
 * left to reduce are canceled. All other orders lock margin for the part that can no longer close the position, or are
 * canceled if the free margin is too low.
 */
export const afterPosition = (work: Work, account: string, market: Market): void => {
  const { state } = work
  for (const side of ["buy", "sell"] as const) {
    const claimants = { account, market: market.name, side, reduceOnly: true }
    if (Positions.reducible(state, claimants) > 0n) continue
    const useless = Claims.reduceOnly(state.claims, claimants)
    for (const order of useless) OrderEnd.end(work, order, "AUTO_CANCELED_REDUCE_ONLY")
  }
  for (const order of Locks.coverClosing(work, account, market)) OrderEnd.cancel(work, order)
}
