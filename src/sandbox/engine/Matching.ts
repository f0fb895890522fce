/**
 * Trading: matching orders by price and time, settling what they trade, and waking the orders that wait for a price.
 *
 * @since 0.1.0
 */
import type { Market } from "../../domain/Market.ts"
import * as Book from "./Book.ts"
import * as Event from "./Event.ts"
import * as Ledger from "./Ledger.ts"
import * as Positions from "./Positions.ts"
import type { Fill, Order, State, StopOrder, Trading } from "./State.ts"
import * as Units from "./Units.ts"
import * as Waiting from "./Waiting.ts"

/** How many trades of a market are kept. */
const keptTrades = 1000

/** How far from the best price a market order may trade, in percent: the taker band. */
export const takerBandPercent = 10n

/**
 * One command at work.
 *
 * @category models
 */
export interface Work {
  readonly state: State
  readonly at: number
  readonly emit: (event: Event.Event) => void
}

const opposite = { buy: "sell", sell: "buy" } as const

const free = (account: string, wallet: Ledger.Wallet): Ledger.Holder => ({ account, wallet, locked: false })
const locked = (account: string, wallet: Ledger.Wallet): Ledger.Holder => ({ account, wallet, locked: true })

const min = (a: Units.Units, b: Units.Units): Units.Units => a < b ? a : b

// -----------------------------------------------------------------------------
// Locks
// -----------------------------------------------------------------------------

/** How much of an order would open a position. What closes one, and no other order already does, needs no margin. */
const opening = (state: State, order: Order): Units.Units => {
  let closing = Positions.reducible(state, order.account, order.market, order.side)
  for (const other of state.openOrders.values()) {
    if (other.account === order.account && other.market === order.market && other.side === order.side) {
      closing -= other.left
    }
  }
  return closing <= 0n ? order.quantity : closing >= order.quantity ? 0n : order.quantity - closing
}

/**
 * Locks what an order needs; `false` when the wallet does not have it.
 *
 * @category locks
 */
export const lock = (
  { state }: Work,
  order: Order,
  wallet: "trade" | "collateral",
  ticker: Market["stock"],
  required: Units.Units
): boolean => {
  const units = wallet === "collateral" && order.quantity > 0n
    ? required * opening(state, order) / order.quantity
    : required
  if (wallet === "collateral") {
    const spendable = Ledger.balance(state.ledger, free(order.account, wallet), ticker) -
      Positions.margin(state, order.account, ticker)
    if (spendable < units) return false
  }
  if (!Ledger.transfer(state.ledger, free(order.account, wallet), locked(order.account, wallet), ticker, units)) {
    return false
  }
  order.locked = { wallet, ticker, units }
  return true
}

const release = ({ state }: Work, order: Order, units: Units.Units): void => {
  if (order.locked === undefined || units === 0n) return
  const { ticker, wallet } = order.locked
  Ledger.transfer(state.ledger, locked(order.account, wallet), free(order.account, wallet), ticker, units)
  order.locked.units -= units
}

// -----------------------------------------------------------------------------
// Ending orders
// -----------------------------------------------------------------------------

/**
 * Ends an order: it leaves the book, what it has locked is free again, and the other leg of its pair goes with it.
 *
 * @category orders
 */
export const end = (work: Work, order: Order, status: Order["status"]): void => {
  const { at, emit, state } = work
  const trading = state.trading.get(order.market)
  if (!state.openOrders.delete(order.id)) return
  if (order.queued !== undefined && trading !== undefined) Book.remove(trading.book, order, order.queued)
  if (order.stop !== undefined && trading !== undefined && Waiting.remove(trading.waiting, order as StopOrder)) {
    order.stop.activated = false
  }
  order.queued = undefined
  release(work, order, order.locked?.units ?? 0n)
  order.status = status
  order.changedAt = at
  const ended = state.endedOrders.get(order.account) ?? []
  ended.push(order)
  state.endedOrders.set(order.account, ended)
  emit({ _tag: "OrderEnded", ...Event.subject(order), status })
  if (order.oco !== undefined) endOther(work, order)
}

/**
 * Cancels an order: wholly, or what is left of it.
 *
 * @category orders
 */
export const cancel = (work: Work, order: Order): void =>
  end(work, order, order.dealStock === 0n ? "CANCELED" : "PARTIAL_CANCELED")

/** One leg of a pair has traded, woken or ended: the other one is canceled, and they are a pair no more. */
const endOther = (work: Work, order: Order): void => {
  if (order.oco === undefined) return
  const pair = work.state.ocoOrders.get(order.oco)
  if (pair === undefined) return
  work.state.ocoOrders.delete(order.oco)
  const other = pair.stopLoss.id === order.id ? pair.takeProfit : pair.stopLoss
  // Both legs share one lock, which belongs to the one that lives on.
  if (other.locked !== undefined && order.locked === undefined && work.state.openOrders.has(order.id)) {
    order.locked = other.locked
    other.locked = undefined
  }
  cancel(work, other)
}

// -----------------------------------------------------------------------------
// Settling
// -----------------------------------------------------------------------------

const rate = (percent: Market["makerFee"]): Units.Units => (Units.from(percent) ?? 0n) / 100n

/** What one side of a trade is charged. */
type Charge = Pick<Fill, "order" | "role" | "fee" | "feeAsset">

/** One side of a trade: pays, receives, and is charged. `price` is the trade's. */
const settle = (
  work: Work,
  market: Market,
  order: Order,
  price: Units.Units,
  amount: Units.Units,
  role: Fill["role"]
): Charge => {
  const { at, state } = work
  const money = Units.times(amount, price)
  const fee = rate(role === "maker" ? market.makerFee : market.takerFee)
  const before = order.left
  order.dealStock += amount
  order.dealMoney += money
  order.left -= isInMoney(order) ? money : amount
  order.changedAt = at
  if (order.kind !== "spot") {
    // What the order had locked for this part is free again; the position's own margin stands in its place.
    if (order.locked !== undefined) release(work, order, order.locked.units - order.locked.units * order.left / before)
    Positions.fill(state, order.account, market, order.side, amount, price, at)
    const charged = Positions.charge(state, order.account, market, Units.times(money, fee))
    order.dealFee += charged
    return { order, role, fee: charged, feeAsset: market.money }
  }
  const wallet = free(order.account, "trade")
  const [paid, ticker, received, other] = order.side === "buy"
    ? [money, market.money, amount, market.stock]
    : [amount, market.stock, money, market.money]
  if (order.locked === undefined) Ledger.transfer(state.ledger, wallet, "lender", ticker, paid)
  else {
    Ledger.transfer(state.ledger, locked(order.account, "trade"), "lender", ticker, paid)
    order.locked.units -= paid
    // A buy below its limit needs less than it has locked.
    if (order.side === "buy" && order.price !== undefined) {
      release(work, order, order.locked.units - Units.times(order.left, Units.from(order.price) ?? 0n))
    }
  }
  const charged = Units.times(received, fee)
  Ledger.transfer(state.ledger, "lender", wallet, other, received - charged)
  Ledger.transfer(state.ledger, "lender", "house", other, charged)
  order.dealFee += charged
  return { order, role, fee: charged, feeAsset: other }
}

/** A market buy says what it spends, not what it gets. */
const isInMoney = (order: Order): boolean =>
  order.side === "buy" && (order.type === "market" || order.type === "stop market")

// -----------------------------------------------------------------------------
// Trades
// -----------------------------------------------------------------------------

const record = (
  work: Work,
  market: Market,
  trading: Trading,
  trade: { readonly price: Units.Units; readonly amount: Units.Units; readonly side: Order["side"] },
  charges: { readonly maker: Charge; readonly taker: Charge | undefined }
): void => {
  // A taker may move the price on at once: whoever waits for this price is woken by it all the same.
  if (trade.price !== trading.lastPrice) Waiting.reach(trading.waiting, trade.price)
  trading.lastPrice = trade.price
  const id = ++work.state.lastId
  trading.trades.push({ id, at: work.at, ...trade })
  if (trading.trades.length > keptTrades) trading.trades.shift()
  for (const charge of [charges.taker, charges.maker]) {
    if (charge === undefined) continue
    const { account } = charge.order
    const fills = work.state.fills.get(account) ?? []
    fills.push({ trade: id, at: work.at, price: trade.price, amount: trade.amount, ...charge })
    work.state.fills.set(account, fills)
  }
  const { maker, taker } = charges
  work.emit({ _tag: "Traded", market: market.name, ...trade, maker: maker.order.id, taker: taker?.order.id })
}

/** What follows from a trade for an order of it: it is filled, its pair ends, reduce-only orders lose their position. */
const afterTrade = (work: Work, market: Market, order: Order): void => {
  if (order.left === 0n) end(work, order, "FILLED")
  else {
    order.status = "PARTIAL_FILLED"
    endOther(work, order)
  }
  if (order.kind !== "spot") reviewReduceOnly(work, order.account, market)
}

/** Whether an order may only reduce a position, and there is none to reduce. */
const isReduced = ({ state }: Work, order: Order): boolean =>
  order.reduceOnly && Positions.reducible(state, order.account, order.market, order.side) === 0n

/** A pending reduce-only order whose position is gone, or has changed sides, is canceled. */
const reviewReduceOnly = (work: Work, account: string, market: Market): void => {
  for (const order of work.state.openOrders.values()) {
    if (order.account === account && order.market === market.name && isReduced(work, order)) {
      end(work, order, "AUTO_CANCELED_REDUCE_ONLY")
    }
  }
}

/**
 * Trades a position with the rest of the world, without an order and without a trade on the market.
 *
 * @category trading
 */
export const openPosition = (
  work: Work,
  account: string,
  market: Market,
  side: Order["side"],
  amount: Units.Units,
  price: Units.Units
): void => {
  Positions.fill(work.state, account, market, side, amount, price, work.at)
  reviewReduceOnly(work, account, market)
}

/** What a taker may still take at a price: what is left of it, in base currency, and no more than it may reduce. */
const takeable = ({ state }: Work, market: Market, order: Order, price: Units.Units): Units.Units => {
  const step = 10n ** BigInt(Units.scale - market.stockPrecision)
  const left = isInMoney(order) ? Units.over(order.left, price) / step * step : order.left
  return order.reduceOnly ? min(left, Positions.reducible(state, order.account, market.name, order.side)) : left
}

/** The end of the taker band: how far an order without a limit goes. */
const band = (side: Order["side"], best: Units.Units): Units.Units => {
  const width = best * takerBandPercent / 100n
  return side === "buy" ? best + width : best - width
}

const crosses = (side: Order["side"], price: Units.Units, limit: Units.Units): boolean =>
  side === "buy" ? price <= limit : price >= limit

/** What stopped a taker. `filled`: what is left, if anything, can't buy the smallest amount. */
type Stopped = "filled" | "limit" | "empty" | "self-trade" | "reduced"

/** Trades an order against the book until it is filled or can go no further. */
const take = (
  work: Work,
  market: Market,
  trading: Trading,
  order: Order,
  price: Units.Units | undefined
): Stopped => {
  const side = Book.levels(trading.book, opposite[order.side])
  const best = side[0]?.price
  if (best === undefined) return "empty"
  const limit = price ?? band(order.side, best)
  for (;;) {
    const level = side[0]
    const maker = level?.orders[0]
    if (level === undefined || maker === undefined) return "empty"
    if (!crosses(order.side, level.price, limit)) return "limit"
    if (maker.account === order.account && order.stp !== "no") {
      if (order.stp !== "cancel_new") cancel(work, maker)
      if (order.stp === "cancel_old") continue
      return "self-trade"
    }
    const own = takeable(work, market, order, level.price)
    if (own === 0n) return isReduced(work, order) ? "reduced" : "filled"
    const theirs = takeable(work, market, maker, level.price)
    if (theirs === 0n) {
      end(work, maker, "AUTO_CANCELED_REDUCE_ONLY")
      continue
    }
    const amount = min(own, theirs)
    const charges = {
      taker: settle(work, market, order, level.price, amount, "taker"),
      maker: settle(work, market, maker, level.price, amount, "maker")
    }
    record(work, market, trading, { price: level.price, amount, side: order.side }, charges)
    afterTrade(work, market, maker)
    if (order.left === 0n) return "filled"
    order.status = "PARTIAL_FILLED"
    if (!work.state.openOrders.has(order.id)) return "filled"
  }
}

/**
 * Brings an order to the market: it takes what it can, and the rest of it rests in the book or is canceled.
 *
 * @category trading
 */
export const execute = (
  work: Work,
  market: Market,
  order: Order,
  limit: Units.Units | undefined = order.price === undefined ? undefined : Units.from(order.price)
): void => {
  const trading = work.state.trading.get(market.name)
  if (trading === undefined) return
  const stopped = order.postOnly ? "limit" : take(work, market, trading, order, limit)
  if (order.dealStock > 0n) endOther(work, order)
  if (!work.state.openOrders.has(order.id)) return
  if (order.left === 0n || (stopped === "filled" && order.dealStock > 0n)) end(work, order, "FILLED")
  else if (stopped === "reduced") end(work, order, "AUTO_CANCELED_REDUCE_ONLY")
  else if (stopped === "self-trade") cancel(work, order)
  else if (limit === undefined) {
    if (stopped === "limit" && order.dealStock > 0n) end(work, order, "CANCELED_TAKER_BAND")
    else cancel(work, order)
  } else if (order.ioc) cancel(work, order)
  else {
    order.queued = limit
    Book.add(trading.book, order, limit)
  }
  if (order.kind !== "spot") reviewReduceOnly(work, order.account, market)
}

/** What a market order of base currency would cost or bring, as the book stands. */
const worth = ({ state }: Work, trading: Trading, order: Order): Units.Units => {
  let left = order.left
  let sum = 0n
  // What the accounts on the other side could still reduce: with every trade it becomes less.
  const reducible = new Map<string, Units.Units>()
  const side = Book.levels(trading.book, opposite[order.side])
  const limit = side[0] === undefined ? 0n : band(order.side, side[0].price)
  for (const { orders, price } of side) {
    if (left === 0n || !crosses(order.side, price, limit)) break
    for (const maker of orders) {
      if (maker.account === order.account && order.stp !== "no") {
        if (order.stp === "cancel_old") continue
        return sum
      }
      const { account, kind, market, reduceOnly, side } = maker
      const most = reducible.get(account) ?? Positions.reducible(state, account, market, side)
      const amount = min(left, reduceOnly ? min(maker.left, most) : maker.left)
      if (kind !== "spot") reducible.set(account, most - min(amount, most))
      sum += Units.times(amount, price)
      left -= amount
    }
  }
  return sum
}

/**
 * Locks what a market order would spend, as the book stands; `false` when the wallet does not have it.
 *
 * @category locks
 */
export const lockForMarket = (work: Work, market: Market, order: Order): boolean => {
  const trading = work.state.trading.get(market.name)
  if (trading === undefined) return false
  const total = isInMoney(order) ? order.left : worth(work, trading, order)
  if (order.kind !== "spot") {
    const fee = Units.times(total, rate(market.takerFee))
    return lock(work, order, "collateral", market.money, total / Positions.leverage + fee)
  }
  return order.side === "buy"
    ? lock(work, order, "trade", market.money, total)
    : lock(work, order, "trade", market.stock, order.left)
}

/** Whether a post-only order would trade at once. */
export const wouldTake = ({ state }: Work, order: Order): boolean => {
  const book = state.trading.get(order.market)?.book
  const best = book === undefined ? undefined : Book.best(book, opposite[order.side])
  const limit = order.price === undefined ? undefined : Units.from(order.price)
  return best !== undefined && (limit === undefined || crosses(order.side, best, limit))
}

// -----------------------------------------------------------------------------
// Waking
// -----------------------------------------------------------------------------

/**
 * Lets an order wait for its price.
 *
 * @category orders
 */
export const wait = ({ state }: Work, order: StopOrder): void => {
  const trading = state.trading.get(order.market)
  if (trading !== undefined) Waiting.add(trading.waiting, order)
}

/**
 * Wakes every waiting order of a market whose price is reached, or was by a trade, the oldest first, until none is left:
 * an order that wakes may trade, and so move the price to the next.
 *
 * @category trading
 */
export const wake = (work: Work, market: Market): void => {
  const trading = work.state.trading.get(market.name)
  for (;;) {
    const last = trading?.lastPrice
    if (trading === undefined || last === undefined) return
    const next = Waiting.wake(trading.waiting, last)
    if (next === undefined) return
    next.changedAt = work.at
    work.emit({ _tag: "OrderActivated", ...Event.subject(next) })
    endOther(work, next)
    activate(work, market, trading, next)
  }
}

/** An order that has woken becomes a limit order, at its own price or at the best of the side that it asked for. */
const activate = (work: Work, market: Market, trading: Trading, order: StopOrder): void => {
  const { bboRole } = order.stop
  if (bboRole === undefined) return execute(work, market, order)
  const best = Book.best(trading.book, bboRole === "queue" ? order.side : opposite[order.side])
  // Nobody is there to queue with or to trade with.
  if (best === undefined) return cancel(work, order)
  const price = Units.from(order.price) ?? best
  // What is locked is enough for the order's own price, not for a worse one.
  execute(work, market, order, crosses(order.side, best, price) ? best : price)
}

/**
 * Moves the price of a market: whoever bids more or asks less than it trades with the rest of the world at their own
 * price, and orders that wait for it wake.
 *
 * @category trading
 */
export const movePrice = (work: Work, market: Market, price: Units.Units): void => {
  const trading = work.state.trading.get(market.name)
  if (trading === undefined) return
  for (const side of ["buy", "sell"] as const) {
    const levels = Book.levels(trading.book, side)
    for (;;) {
      const level = levels[0]
      const maker = level?.orders[0]
      if (level === undefined || maker === undefined || !crosses(side, price, level.price) || level.price === price)
        break
      const amount = takeable(work, market, maker, level.price)
      if (amount === 0n) end(work, maker, "AUTO_CANCELED_REDUCE_ONLY")
      else {
        const charges = { maker: settle(work, market, maker, level.price, amount, "maker"), taker: undefined }
        record(work, market, trading, { price: level.price, amount, side: opposite[side] }, charges)
        afterTrade(work, market, maker)
      }
    }
  }
  trading.lastPrice = price
  work.emit({ _tag: "PriceMoved", market: market.name, price })
  wake(work, market)
}
