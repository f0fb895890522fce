/**
 * Positions on collateral and futures markets, one per account and market (one-way mode). The lender is their other
 * party: it pays and receives what a position trades. Gains go to the collateral wallet, losses come from it.
 *
 * @since 0.1.0
 */
import type { Market } from "../../domain/Market.ts"
import type { OrderSide } from "../../domain/Order.ts"
import * as Ledger from "./Ledger.ts"
import type { Position } from "./Position.ts"
import type { State } from "./State.ts"
import * as Units from "./Units.ts"

/**
 * How many times its margin a position may be worth.
 *
 * @category bounds
 * @since 0.1.0
 */
export const leverage = 10n

const keyOf = (account: string, market: string): string => `${account}/${market}`

/**
 * The open position of an account on a market.
 *
 * @category reading
 * @since 0.1.0
 */
export const get = (state: State, account: string, market: string): Position | undefined =>
  state.positions.get(keyOf(account, market))

/**
 * How much an order of this side can reduce, in base currency: zero without a position, or on the position's own side.
 *
 * @category reading
 * @since 0.1.0
 */
export const reducible = (state: State, account: string, market: string, side: OrderSide): Units.Units => {
  const amount = get(state, account, market)?.amount ?? 0n
  return side === "sell" ? (amount > 0n ? amount : 0n) : (amount < 0n ? -amount : 0n)
}

const collateral = (account: string): Ledger.Holder => Ledger.free(account, "collateral")

/** Pays an amount, or all that the holder has of it. The lender bears a loss that a wallet can't cover. */
const payUpTo = (
  ledger: Ledger.Ledger,
  from: Ledger.Holder,
  to: Ledger.Holder,
  market: Market,
  units: Units.Units
) => {
  const held = Ledger.balance(ledger, from, market.money)
  const paid = held < units ? held : units
  Ledger.transfer(ledger, from, to, market.money, paid)
  return paid
}

/**
 * The margin of the open positions, which can't be spent from the collateral wallet: their cost divided by the
 * leverage.
 *
 * @category reading
 * @since 0.1.0
 */
export const margin = (state: State, account: string, ticker: string): Units.Units => {
  let sum = 0n
  for (const position of state.positions.values()) {
    if (position.account !== account || state.markets.get(position.market)?.money !== ticker) continue
    sum += position.cost / leverage
  }
  return sum
}

/**
 * Whether the collateral wallet has the margin for the part of a trade that would open a position.
 *
 * @category reading
 * @since 0.1.0
 */
export const isAffordable = (
  state: State,
  account: string,
  market: Market,
  side: OrderSide,
  quantity: Units.Units,
  price: Units.Units
): boolean => {
  const opened = quantity - reducible(state, account, market.name, side)
  if (opened <= 0n) return true
  const free = Ledger.balance(state.ledger, collateral(account), market.money) - margin(state, account, market.money)
  return Units.times(opened, price) / leverage <= free
}

/**
 * Trades a position: opens, increases, reduces, closes or flips it. The collateral wallet receives the gain of what is
 * closed, or pays the loss.
 *
 * @category trading
 * @since 0.1.0
 */
export const fill = (
  state: State,
  account: string,
  market: Market,
  side: OrderSide,
  quantity: Units.Units,
  price: Units.Units,
  at: number
): void => {
  const key = keyOf(account, market.name)
  const signed = side === "buy" ? quantity : -quantity
  const position = state.positions.get(key) ?? {
    id: ++state.lastId,
    account,
    market: market.name,
    openedAt: at,
    amount: 0n,
    cost: 0n,
    realised: 0n,
    changedAt: at
  }
  state.positions.set(key, position)
  position.changedAt = at
  const held = position.amount < 0n ? -position.amount : position.amount
  const isOpening = position.amount === 0n || (position.amount > 0n) === (signed > 0n)
  const closed = isOpening ? 0n : quantity < held ? quantity : held
  if (closed > 0n) {
    const cost = closed === held ? position.cost : position.cost * closed / held
    const value = Units.times(closed, price)
    const gain = position.amount > 0n ? value - cost : cost - value
    position.cost -= cost
    position.amount += signed > 0n ? closed : -closed
    position.realised += gain
    if (gain > 0n) Ledger.transfer(state.ledger, "lender", collateral(account), market.money, gain)
    else payUpTo(state.ledger, collateral(account), "lender", market, -gain)
  }
  const opened = quantity - closed
  if (opened > 0n) {
    position.amount += signed > 0n ? opened : -opened
    position.cost += Units.times(opened, price)
  }
  if (position.amount === 0n) state.positions.delete(key)
}

/**
 * Charges a fee on the collateral wallet. Returns how much was charged: no more than the wallet has.
 *
 * @category trading
 * @since 0.1.0
 */
export const charge = (state: State, account: string, market: Market, fee: Units.Units): Units.Units =>
  payUpTo(state.ledger, collateral(account), "house", market, fee)
