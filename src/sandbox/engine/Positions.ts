/**
 * Positions on collateral and futures markets, one per account and market (one-way mode). The lender is the other party
 * to each: it pays what the position receives, and receives what the position pays. Gains go to the collateral wallet;
 * losses are taken from it. A loss or fee that exceeds the free collateral leaves a debt, and an account with a debt can
 * only close positions.
 */
import type { Market } from "../../domain/Market.ts"
import type { OrderSide } from "../../domain/Order.ts"
import * as Ledger from "./Ledger.ts"
import type { Position } from "./Position.ts"
import type { State } from "./State.ts"
import * as Units from "./Units.ts"

/** The leverage: a position may be worth at most this multiple of its margin. */
export const leverage = 10n

const keyOf = (account: string, market: string): string => `${account}/${market}`

/** The open position of an account on a market. */
export const get = (state: State, account: string, market: string): Position | undefined =>
  state.positions.get(keyOf(account, market))

/**
 * The amount that an order of this side can reduce, in units of the base currency; zero without a position, or if the
 * order would increase it.
 */
export const reducible = (state: State, account: string, market: string, side: OrderSide): Units.Units => {
  const amount = get(state, account, market)?.amount ?? 0n
  return side === "sell" ? (amount > 0n ? amount : 0n) : (amount < 0n ? -amount : 0n)
}

const collateral = (account: string): Ledger.Holder => Ledger.free(account, "collateral")

/**
 * The margin of the open positions, which can't be spent from the collateral wallet: their cost divided by the
 * leverage.
 */
export const margin = (state: State, account: string, ticker: string): Units.Units => {
  let sum = 0n
  for (const position of state.positionsOf.get(account) ?? []) {
    if (state.markets.get(position.market)?.money === ticker) sum += marginOf(position)
  }
  return sum
}

const marginOf = (position: Position | undefined): Units.Units => (position?.cost ?? 0n) / leverage

/**
 * The profit from closing part of a position at a price; a loss is negative. `cost` is the total paid for that part.
 */
const gainOf = (position: Position, closed: Units.Units, cost: Units.Units, price: Units.Units): Units.Units => {
  const value = Units.times(closed, price)
  return position.amount > 0n ? value - cost : cost - value
}

/**
 * Whether the collateral wallet still covers the margin of every position after a trade. The part that closes needs no
 * margin; its loss and the fee may use up the collateral that the opening part needs. `released` is the amount that the
 * order gets back from its lock.
 */
export const isCovered = (
  state: State,
  account: string,
  market: Market,
  side: OrderSide,
  quantity: Units.Units,
  price: Units.Units,
  { fee = 0n, released = 0n }: { readonly fee?: Units.Units; readonly released?: Units.Units } = {}
): boolean => {
  const closed = reducible(state, account, market.name, side)
  const opened = quantity - closed
  if (opened <= 0n) return true
  if (Ledger.isInDebt(state.ledger, account)) return false
  const position = get(state, account, market.name)
  // A trade that flips a position first closes all of it.
  const isFlipped = closed > 0n && position !== undefined
  const gain = isFlipped ? gainOf(position, closed, position.cost, price) : 0n
  const kept = isFlipped ? 0n : position?.cost ?? 0n
  const others = margin(state, account, market.money) - marginOf(position)
  const held = Ledger.balance(state.ledger, collateral(account), market.money)
  return held + released + gain - fee >= others + (kept + Units.times(opened, price)) / leverage
}

/** Adds a new position to the state and its index. */
export const add = ({ positions, positionsOf }: State, position: Position): Position => {
  const { account, market } = position
  positions.set(keyOf(account, market), position)
  const own = positionsOf.get(account)
  if (own === undefined) positionsOf.set(account, new Set([position]))
  else own.add(position)
  return position
}

const remove = ({ positions, positionsOf }: State, position: Position): void => {
  const { account, market } = position
  positions.delete(keyOf(account, market))
  const own = positionsOf.get(account)
  own?.delete(position)
  if (own?.size === 0) positionsOf.delete(account)
}

/** Takes a loss, or a fee for the exchange, from the collateral wallet. */
export const charge = (
  { ledger }: State,
  account: string,
  { money }: Market,
  units: Units.Units,
  to: "lender" | "house"
): void => Ledger.charge(ledger, Ledger.pair(ledger, account, "collateral", money), to, units)

/**
 * Applies a trade to a position: opens, increases, reduces, closes or flips it. The collateral wallet receives the
 * profit of the closed part, or pays its loss.
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
  const signed = side === "buy" ? quantity : -quantity
  const position = get(state, account, market.name) ?? add(state, {
    id: ++state.lastId,
    account,
    market: market.name,
    openedAt: at,
    amount: 0n,
    cost: 0n,
    realised: 0n,
    changedAt: at
  })
  position.changedAt = at
  const held = position.amount < 0n ? -position.amount : position.amount
  const isOpening = position.amount === 0n || (position.amount > 0n) === (signed > 0n)
  const closed = isOpening ? 0n : quantity < held ? quantity : held
  if (closed > 0n) {
    const cost = closed === held ? position.cost : position.cost * closed / held
    const gain = gainOf(position, closed, cost, price)
    position.cost -= cost
    position.amount += signed > 0n ? closed : -closed
    position.realised += gain
    if (gain > 0n) Ledger.transfer(state.ledger, "lender", collateral(account), market.money, gain)
    else charge(state, account, market, -gain, "lender")
  }
  const opened = quantity - closed
  if (opened > 0n) {
    position.amount += signed > 0n ? opened : -opened
    position.cost += Units.times(opened, price)
  }
  if (position.amount === 0n) remove(state, position)
}
