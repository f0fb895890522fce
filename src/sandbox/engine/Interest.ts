/** Charges daily interest on the amounts that margin positions borrow. */
import * as Borrows from "./Borrows.ts"
import * as MarginRules from "./MarginRules.ts"
import type { Position } from "./Position.ts"
import * as Positions from "./Positions.ts"
import * as ReferencePrices from "./ReferencePrices.ts"
import * as TimerQueue from "./TimerQueue.ts"
import * as Units from "./Units.ts"
import type { Work } from "./Work.ts"

/**
 * Charges a day of interest on a position. The position must be the one whose interest is due next. The house receives
 * the interest, in the quote currency.
 */
export const charge = ({ events, state }: Work, position: Position): void => {
  const { account, borrow, market: name } = position
  const market = state.markets.get(name)
  TimerQueue.pop(state.due.borrows)
  position.interestAt += Borrows.day
  TimerQueue.add(state.due.borrows, position.interestAt, position)
  if (market === undefined || borrow === undefined) return
  const interest = Units.times(borrow.principal, MarginRules.of(state.margin).borrowRate)
  const price = borrow.ticker === market.money ? Units.one : ReferencePrices.mark(state, name) ?? 0n
  const amount = Units.times(interest, price)
  borrow.interest += interest
  position.funding += amount
  Positions.charge(state, account, market, amount, "house")
  events.push({ _tag: "BorrowInterestPaid", account, market: name, amount })
}
