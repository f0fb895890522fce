/**
 * Updates the amounts that margin positions borrow. A long position borrows the part of its cost that its margin does
 * not cover, and a short position borrows the entire amount that it sells. Interest is paid daily.
 */
import * as MarginUnits from "../../domain/MarginUnits.ts"
import type { Market } from "../../domain/Market.ts"
import * as Leverage from "./Leverage.ts"
import type { Borrow, Cause, Position } from "./Position.ts"
import type { State } from "./State.ts"
import type { Units } from "./Units.ts"

/** A day, in microseconds. */
export const day = 86_400_000_000

const principalOf = (state: State, { account, amount, cost }: Position, market: Market): Units => {
  if (amount < 0n) return -amount
  const { denominator, numerator } = Leverage.fractionOf(state, account, market, cost)
  return cost - MarginUnits.ceilOver(cost * numerator, denominator)
}

const begin = (state: State, position: Position, market: Market): Borrow => {
  const borrow: Borrow = {
    position: position.id,
    ticker: position.amount > 0n ? market.money : market.stock,
    at: position.openedAt,
    principal: 0n,
    interest: 0n,
    status: "active"
  }
  const own = state.borrows.get(position.account)
  if (own === undefined) state.borrows.set(position.account, [borrow])
  else own.push(borrow)
  return borrow
}

/**
 * After the size of a margin position has changed, updates the principal that the position borrows. When the position
 * closes, the borrow's status becomes `repaid`, or `liquidated` after a liquidation. Does nothing for futures
 * positions.
 */
export const update = (state: State, position: Position, market: Market, cause: Cause): void => {
  if (position.interestAt === 0) return
  const borrow = position.borrow ??= begin(state, position, market)
  if (position.amount === 0n) borrow.status = cause === "liquidation" ? "liquidated" : "repaid"
  else borrow.principal = principalOf(state, position, market)
}
