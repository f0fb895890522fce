/** A state without its indexes, as plain data that can be stored and compared. */
import type { MarketName, OrderId } from "../../domain/Identifiers.ts"
import type { VenuePolicy } from "../../domain/VenuePolicy.ts"
import * as AccountIndex from "./AccountIndex.ts"
import * as Book from "./Book.ts"
import type { Candle } from "./Candles.ts"
import * as FifoQueue from "./FifoQueue.ts"
import type { KillSwitch } from "./KillSwitch.ts"
import * as KillSwitches from "./KillSwitches.ts"
import * as Ledger from "./Ledger.ts"
import * as Lending from "./Lending.ts"
import * as Locks from "./Locks.ts"
import type { Exit, OcoOrder, Order, StopOrder } from "./Order.ts"
import * as PendingStopOrders from "./PendingStopOrders.ts"
import * as Positions from "./Positions.ts"
import * as Quotes from "./Quotes.ts"
import * as Risk from "./Risk.ts"
import * as Schedule from "./Schedule.ts"
import * as State from "./State.ts"
import type { Units } from "./Units.ts"

/** The orders at one price, oldest first. */
export interface Level {
  /** The price, in units of the quote currency. */
  readonly price: Units
  /** The orders, oldest first. */
  readonly orders: ReadonlyArray<Order>
}

/** Both sides of a book. */
interface Sides {
  /** The buy orders, highest price first. */
  readonly bids: ReadonlyArray<Level>
  /** The sell orders, lowest price first. */
  readonly asks: ReadonlyArray<Level>
}

/** The trading state of a market. */
export interface Trading extends Pick<State.Trading, "trades" | "lastPrice" | "indexPrice" | "markPrice"> {
  /** The resting orders, best price first. */
  readonly book: Sides & {
    /** The `rpi` orders, which trade only against retail orders. */
    readonly rpi: Sides
  }
  /** The stop orders that have not been triggered, oldest first. */
  readonly waiting: { readonly orders: ReadonlySet<StopOrder> }
}

/** The fields of the state that a saved state leaves out because they are derived, or stores in a different form. */
type Indexed =
  | "claims"
  | "pending"
  | "counterparty"
  | "positionsOf"
  | "positionsOn"
  | "reserved"
  | "watches"
  | "due"
  | "investmentsOf"
  | "accountIndex"
  | "killSwitches"
  | "ledger"
  | "openOrders"
  | "ocoOrders"
  | "otoOrders"
  | "exits"
  | "priceSteps"
  | "trading"

/** A state as plain data, without the parts that are the same on every venue with the same policy. */
export interface Saved extends Omit<State.State, Indexed | "markets" | "policy"> {
  /** The non-zero balances, keyed by holder and asset, and the debts, keyed by account and asset. */
  readonly ledger: { readonly balances: Ledger.Balances; readonly debts: Ledger.Debts }
  /** The orders that can still trade, oldest first. */
  readonly openOrders: ReadonlyMap<OrderId, Order>
  /** The OCO orders with both legs open. */
  readonly ocoOrders: ReadonlyMap<OrderId, OcoOrder>
  /** The positions' exits (take-profits and stop-losses) with at least one open leg. */
  readonly exits: ReadonlyMap<OrderId, Exit>
  /** The kill switches, in the order in which they were armed. */
  readonly killSwitches: ReadonlyArray<KillSwitch>
  /** The scheduled prices, in the order in which they were requested. */
  readonly priceSteps: ReadonlyArray<State.PriceStep>
  /** The trading state of each market. */
  readonly trading: ReadonlyMap<MarketName, Trading>
  /** The candles of each market that has candles, in one list per interval length. */
  readonly candles: ReadonlyMap<MarketName, ReadonlyArray<ReadonlyArray<Candle>>>
  /** The counterparty; absent until the venue's owner has configured or funded it. */
  readonly counterparty?: Omit<Quotes.Counterparty, "hit">
}

const levelsOf = (levels: Iterable<Book.Level>): ReadonlyArray<Level> =>
  Array.from(levels, ({ orders, price }) => ({ price, orders: [...FifoQueue.members(orders)] }))

const sidesOf = ({ asks, bids }: Book.Sides): Sides => ({ bids: levelsOf(bids), asks: levelsOf(asks) })

const tradingOf = (
  { book, indexPrice, lastPrice, markPrice, trades, waiting }: State.Trading
): Trading => ({
  book: { ...sidesOf(book), rpi: sidesOf(book.rpi) },
  waiting: {
    orders: new Set(PendingStopOrders.all(waiting).toSorted((one, other) => Number(one.id) - Number(other.id)))
  },
  trades,
  lastPrice,
  indexPrice,
  markPrice
})

/** Converts a state to plain data. Nothing is copied deeply: the data shares objects with the state. */
export const save = (state: State.State): Saved => {
  const {
    claims: _claims,
    pending: _pending,
    counterparty: { credited, markets: quoted },
    due: _due,
    accountIndex: _accountIndex,
    investmentsOf: _investmentsOf,
    markets: _markets,
    otoOrders: _otoOrders,
    policy: _policy,
    positionsOf: _positionsOf,
    positionsOn: _positionsOn,
    reserved: _reserved,
    watches: _watches,
    ...rest
  } = state
  return {
    ...rest,
    ledger: { balances: Ledger.save(state.ledger), debts: state.ledger.debts },
    openOrders: new Map(state.openOrders),
    ocoOrders: new Map(state.ocoOrders),
    exits: new Map(state.exits),
    killSwitches: [...state.killSwitches.values()],
    priceSteps: [...state.priceSteps],
    trading: new Map(Array.from(state.trading, ([market, trading]) => [market, tradingOf(trading)])),
    candles: new Map(
      [...state.trading].flatMap(([market, { candles }]) =>
        candles.some((list) => list.length > 0) ? [[market, candles]] : []
      )
    ),
    ...(quoted.size + credited.size === 0 ? {} : { counterparty: { markets: quoted, credited } })
  }
}

const loadTrading = (state: State.State, market: MarketName, saved: Trading): void => {
  const trading = state.trading.get(market)
  if (trading === undefined) return
  const { book: { asks, bids, rpi }, indexPrice, lastPrice, markPrice, trades, waiting } = saved
  for (const { orders, price } of [...bids, ...asks, ...rpi.bids, ...rpi.asks]) {
    for (const order of orders) Book.add(trading.book, order, price)
  }
  for (const order of waiting.orders) PendingStopOrders.add(trading.waiting, order)
  for (const trade of trades) trading.trades.push(trade)
  trading.lastPrice = lastPrice
  trading.indexPrice = indexPrice
  trading.markPrice = markPrice
}

const loadCandles = (state: State.State, { candles }: Saved): void => {
  for (const [market, lists] of candles) {
    for (const [level, list] of lists.entries()) {
      const loaded = state.trading.get(market)?.candles[level]
      // There might be too many candles to pass as arguments of a single `push` call.
      if (loaded !== undefined) { for (const candle of list) loaded.push(candle) }
    }
  }
}

/** Builds a state from plain data. Nothing is copied deeply: the data's objects become part of the state. */
export const load = (saved: Saved, policy: VenuePolicy): State.State => {
  const {
    candles: _candles,
    counterparty,
    exits,
    investments,
    killSwitches,
    ledger,
    ocoOrders,
    openOrders,
    positions,
    priceSteps,
    trading,
    ...rest
  } = saved
  const state: State.State = {
    ...State.make(policy),
    ...rest,
    ledger: Ledger.make(ledger.balances, ledger.debts),
    counterparty: { ...Quotes.make(), ...counterparty }
  }
  for (const subAccount of state.subAccounts.values()) AccountIndex.addSubAccount(state.accountIndex, subAccount)
  for (const key of state.keys.values()) AccountIndex.addKey(state.accountIndex, key)
  for (const oco of ocoOrders.values()) state.ocoOrders.add(oco)
  for (const exit of exits.values()) state.exits.add(exit)
  for (const order of openOrders.values()) {
    state.openOrders.add(order)
    if (order.oto !== undefined) state.otoOrders.add({ id: order.oto.id, order })
    Locks.claim(state, order)
    Locks.restore(state, order)
  }
  for (const [market, traded] of trading) loadTrading(state, market, traded)
  loadCandles(state, saved)
  for (const position of positions.values()) Positions.add(state, position, state.at)
  for (const investment of investments.values()) Lending.add(state, investment)
  for (const step of priceSteps) Schedule.addPrice(state, step)
  for (const killSwitch of killSwitches) KillSwitches.add(state, killSwitch)
  for (const account of state.positionsOf.keys()) Risk.renew(state, account)
  return state
}
