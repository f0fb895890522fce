/**
 * The funds that open orders have locked.
 *
 * @since 0.1.0
 */
import type { Ticker } from "../../domain/Identifiers.ts"
import type { Market } from "../../domain/Market.ts"
import * as Ledger from "./Ledger.ts"
import type { Order } from "./Order.ts"
import * as Positions from "./Positions.ts"
import type { State } from "./State.ts"
import * as Units from "./Units.ts"
import type { Work } from "./Work.ts"

/** How much of an order would open a position. What closes one, and no other order already does, needs no margin. */
const openingPart = (state: State, order: Order): Units.Units => {
  let closing = Positions.reducible(state, order.account, order.market, order.side)
  for (const other of state.openOrders.values()) {
    if (other.account === order.account && other.market === order.market && other.side === order.side) {
      closing -= other.left
    }
  }
  return closing <= 0n ? order.quantity : closing >= order.quantity ? 0n : order.quantity - closing
}

/**
 * What an order has to lock.
 *
 * @category models
 * @since 0.1.0
 */
export interface Requirement {
  /** The wallet that must hold the funds. */
  readonly wallet: "trade" | "collateral"
  /** The asset. */
  readonly ticker: Ticker
  /** How much; of collateral, how much if the whole order opened a position. */
  readonly units: Units.Units
}

/**
 * What an order of this total has to lock: what a spot order would spend, or the margin and the fee of a position.
 * `total` is in quote currency.
 *
 * @category locks
 * @since 0.1.0
 */
export const requirementOf = (market: Market, order: Order, total: Units.Units): Requirement => {
  if (order.kind !== "spot") {
    const fee = Units.times(total, Units.ofPercent(market.takerFee))
    return { wallet: "collateral", ticker: market.money, units: total / Positions.leverage + fee }
  }
  return order.side === "buy"
    ? { wallet: "trade", ticker: market.money, units: total }
    : { wallet: "trade", ticker: market.stock, units: order.left }
}

/**
 * Locks what an order needs; `false` when the wallet does not have it.
 *
 * @category locks
 * @since 0.1.0
 */
export const lock = ({ state }: Work, order: Order, { ticker, units: required, wallet }: Requirement): boolean => {
  const { account } = order
  const units = wallet === "collateral" && order.quantity > 0n
    ? required * openingPart(state, order) / order.quantity
    : required
  if (wallet === "collateral") {
    const spendable = Ledger.balance(state.ledger, Ledger.free(account, wallet), ticker) -
      Positions.margin(state, account, ticker)
    if (spendable < units) return false
  }
  if (!Ledger.transfer(state.ledger, Ledger.free(account, wallet), Ledger.locked(account, wallet), ticker, units)) {
    return false
  }
  order.locked = { wallet, ticker, units }
  return true
}

/**
 * Frees a part of what an order has locked.
 *
 * @category locks
 * @since 0.1.0
 */
export const release = ({ state }: Work, order: Order, units: Units.Units): void => {
  if (order.locked === undefined || units === 0n) return
  const { account } = order
  const { ticker, wallet } = order.locked
  Ledger.transfer(state.ledger, Ledger.locked(account, wallet), Ledger.free(account, wallet), ticker, units)
  order.locked.units -= units
}
