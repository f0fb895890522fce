/**
 * Positions on margin and futures markets: one per account and market or, in hedge mode on futures, one long and one
 * short position. The lender is the other party to each position: it pays the amounts that the position receives, and
 * receives the amounts that the position pays. Gains are credited to the collateral wallet, and losses are debited from
 * it. A loss or fee that exceeds the collateral leaves a debt.
 */
import type { MarketName, OrderId } from "../../domain/Identifiers.ts"
import * as MarginUnits from "../../domain/MarginUnits.ts"
import type { Market } from "../../domain/Market.ts"
import type { OrderSide, PositionSide } from "../../domain/Order.ts"
import * as Borrows from "./Borrows.ts"
import * as Ledger from "./Ledger.ts"
import * as Margins from "./Margins.ts"
import type { Cause, Position } from "./Position.ts"
import * as Quotes from "./Quotes.ts"
import type { State } from "./State.ts"
import * as TimerQueue from "./TimerQueue.ts"
import * as Units from "./Units.ts"
import type { Work } from "./Work.ts"

/**
 * An account's actual or intended trade that changes a position. Every order has these fields. In hedge mode, `side`
 * and `reduceOnly` select the position.
 */
export interface Trader {
  /** The account that trades. */
  readonly account: string
  /** The position's market. */
  readonly market: string
  /** Whether the trade buys or sells. */
  readonly side: OrderSide
  /** Whether the trade may only reduce a position. */
  readonly reduceOnly: boolean
}

const keyOf = (account: string, market: string, side: PositionSide): string =>
  side === "BOTH" ? `${account}/${market}` : `${account}/${market}/${side}`

/** An account's open position on a market; in hedge mode, the position on the given side. */
export const get = (
  state: State,
  account: string,
  market: string,
  side: PositionSide = "BOTH"
): Position | undefined => state.positions.get(keyOf(account, market, side))

/** Whether an account can have both a long and a short position on this market. */
export const isHedged = ({ accounts, markets }: State, account: string, market: string): boolean =>
  accounts.get(account)?.hedgeMode === true && markets.get(market as MarketName)?.type === "futures"

/** The side of the position that an order affects. */
export const sideOf = (state: State, { account, market, reduceOnly, side }: Trader): PositionSide =>
  isHedged(state, account, market) ? ((side === "buy") === reduceOnly ? "SHORT" : "LONG") : "BOTH"

/** The open position that an order affects. */
export const of = (state: State, trader: Trader): Position | undefined =>
  get(state, trader.account, trader.market, sideOf(state, trader))

/**
 * The amount by which an order can reduce its position, in units of the base currency; zero if there is no position, or
 * if the order would increase the position.
 */
export const reducible = (state: State, trader: Trader): Units.Units => {
  const amount = of(state, trader)?.amount ?? 0n
  return trader.side === "sell" ? (amount > 0n ? amount : 0n) : (amount < 0n ? -amount : 0n)
}

/** A market's open interest: the total size of all its long positions, in units of the base currency. */
export const openInterest = ({ positionsOn }: State, market: MarketName): Units.Units => {
  let open = 0n
  for (const { amount } of positionsOn.get(market) ?? []) if (amount > 0n) open += amount
  return open
}

/**
 * The profit from closing part of a position at a price; a loss is negative. `cost` is the total paid or received for
 * that part when it was opened.
 */
const gainOf = (position: Position, closed: Units.Units, cost: Units.Units, price: Units.Units): Units.Units => {
  const value = Units.times(closed, price)
  return position.amount > 0n ? value - cost : cost - value
}

/** The first whole multiple of an interval after `at`, in Unix microseconds. */
export const nextMultiple = (at: number, minutes: number): number => {
  const interval = minutes * 60e6
  return (Math.floor(at / interval) + 1) * interval
}

const addTo = <K>(sets: Map<K, Set<Position>>, key: K, position: Position): void => {
  const own = sets.get(key)
  if (own === undefined) sets.set(key, new Set([position]))
  else own.add(position)
}

const removeFrom = <K>(sets: Map<K, Set<Position>>, key: K, position: Position): void => {
  const own = sets.get(key)
  own?.delete(position)
  if (own?.size === 0) sets.delete(key)
}

/**
 * Adds a position, and schedules its market's next funding settlement or, on a margin market, its next interest
 * payment. `at` is the current time, in Unix microseconds.
 */
export const add = (state: State, position: Position, at: number): Position => {
  const { account, market, side } = position
  const { due, funding, positions, positionsOf, positionsOn } = state
  positions.set(keyOf(account, market, side), position)
  addTo(positionsOf, account, position)
  const terms = funding.get(market)
  if (terms === undefined) TimerQueue.add(due.borrows, position.interestAt, position)
  else if (!positionsOn.has(market)) TimerQueue.add(due.funding, nextMultiple(at, terms.intervalMinutes), market)
  addTo(positionsOn, market, position)
  return position
}

const remove = (state: State, position: Position): void => {
  const { account, market, side } = position
  const { due, funding, positions, positionsOf, positionsOn } = state
  positions.delete(keyOf(account, market, side))
  removeFrom(positionsOf, account, position)
  removeFrom(positionsOn, market, position)
  TimerQueue.remove(due.borrows, position)
  if (positionsOn.has(market)) return
  TimerQueue.remove(due.funding, market)
  const terms = funding.get(market)
  if (terms === undefined) return
  terms.weighted = 0n
  terms.samples = 0
}

/** Takes a loss, a fee or another payment from the collateral wallet. */
export const charge = (
  { ledger, watches }: State,
  account: string,
  { money }: Market,
  units: Units.Units,
  to: Ledger.Creditor
): void => {
  watches.dirty.add(account)
  Ledger.charge(ledger, Ledger.pair(ledger, account, "collateral", money), to, units)
}

/** A trade that changes a position. */
export interface Traded {
  /** The amount, in units of the base currency. */
  readonly quantity: Units.Units
  /** The price, in units of the quote currency. */
  readonly price: Units.Units
  /** The fee, which the house receives, in units of the quote currency. */
  readonly fee: Units.Units
  /** The trade's cause. */
  readonly cause: Cause
  /** The order that traded; `undefined` if the venue's owner opened the position. */
  readonly order: OrderId | undefined
}

const opening = ({ at, state }: Work, trader: Trader, market: Market): Position => ({
  id: ++state.lastId,
  account: trader.account,
  market: market.name,
  side: sideOf(state, trader),
  openedAt: at,
  amount: 0n,
  cost: 0n,
  realised: 0n,
  fees: 0n,
  funding: 0n,
  recordedFunding: 0n,
  opened: 0n,
  openedFor: 0n,
  closed: 0n,
  closedFor: 0n,
  interestAt: market.type === "futures" ? 0 : at + Borrows.day,
  borrow: undefined,
  changedAt: at
})

/**
 * Applies a trade to a position: opens, increases, reduces, closes or flips it. The collateral wallet receives the
 * profit of the closed part, or pays its loss, and pays the fee. A trade that flips a position closes that position and
 * opens a new one.
 */
export const fill = (work: Work, trader: Trader, market: Market, trade: Traded): void => {
  const { fee, price, quantity } = trade
  const known = of(work.state, trader)
  const held = known === undefined ? 0n : MarginUnits.abs(known.amount)
  const isOpening = known === undefined || (known.amount > 0n) === (trader.side === "buy")
  const closed = isOpening ? 0n : quantity < held ? quantity : held
  const closingFee = closed === quantity ? fee : fee * closed / quantity
  if (known !== undefined && closed > 0n) close(work, known, market, { ...trade, quantity: closed, fee: closingFee })
  const opened = quantity - closed
  if (opened > 0n) {
    const position = isOpening && known !== undefined
      ? known
      : add(work.state, opening(work, trader, market), work.at)
    open(work, position, market, trader.side, { ...trade, quantity: opened, fee: fee - closingFee, price })
  }
}

const open = (work: Work, position: Position, market: Market, side: OrderSide, trade: Traded): void => {
  const { fee, price, quantity } = trade
  const total = Units.times(quantity, price)
  position.amount += side === "buy" ? quantity : -quantity
  position.cost += total
  position.opened += quantity
  position.openedFor += total
  changed(work, position, market, trade, -fee)
}

const close = (work: Work, position: Position, market: Market, trade: Traded): void => {
  const { state } = work
  const { fee, price, quantity } = trade
  const { account } = position
  const held = MarginUnits.abs(position.amount)
  const cost = quantity === held ? position.cost : position.cost * quantity / held
  const gain = gainOf(position, quantity, cost, price)
  const isLong = position.amount > 0n
  position.cost -= cost
  position.amount += isLong ? -quantity : quantity
  position.realised += gain
  position.closed += quantity
  position.closedFor += Units.times(quantity, price)
  if (gain > 0n) Ledger.transfer(state.ledger, "lender", Ledger.free(account, "collateral"), market.money, gain)
  else charge(state, account, market, -gain, "lender")
  changed(work, position, market, trade, gain - fee)
  if (position.amount !== 0n) return
  remove(state, position)
  if (account === Quotes.account) return
  const { closed, closedFor, fees, funding, id, openedAt, opened, openedFor, realised, side } = position
  keep(state.closedPositions, account, {
    id,
    market: market.name,
    side,
    isLong,
    openedAt,
    closedAt: work.at,
    opened,
    openedFor,
    closed,
    closedFor,
    realised,
    fees,
    funding
  })
}

/**
 * Charges a trade's fee, and records the change of the position. Changes of the counterparty's positions are not
 * recorded.
 */
const changed = (work: Work, position: Position, market: Market, trade: Traded, realised: Units.Units): void => {
  const { at, events, state } = work
  const { cause, fee, order, price, quantity } = trade
  const { account, amount, cost, funding, id, openedAt, recordedFunding, side } = position
  position.changedAt = at
  position.recordedFunding = funding
  position.fees += fee
  charge(state, account, market, fee, "house")
  Borrows.update(state, position, market, cause)
  events.push({ _tag: "PositionChanged", account, market: market.name, position: id, amount })
  if (account === Quotes.account) return
  keep(state.positionChanges, account, {
    position: id,
    market: market.name,
    side,
    openedAt,
    at,
    amount,
    cost,
    funding,
    fundingFee: funding - recordedFunding,
    liquidationPrice: amount === 0n ? undefined : Margins.liquidationPrice(state, position),
    cause,
    order,
    traded: quantity,
    price,
    fee,
    realised
  })
}

/** Adds a record to an account's list. */
export const keep = <A>(records: Map<string, Array<A>>, account: string, record: A): void => {
  const own = records.get(account)
  if (own === undefined) records.set(account, [record])
  else own.push(record)
}
