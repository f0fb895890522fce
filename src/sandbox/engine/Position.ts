/** Positions on margin and futures markets, and the records of changes to positions. */
import type { MarketName, OrderId, Ticker } from "../../domain/Identifiers.ts"
import type { PositionSide } from "../../domain/Order.ts"
import type { Units } from "./Units.ts"

/** An account's open position on a market. */
export interface Position {
  /** The exchange's identifier for the position. */
  readonly id: number
  /** The account that holds the position. */
  readonly account: string
  /** The position's market. */
  readonly market: MarketName
  /**
   * `BOTH` in one-way mode. In hedge mode, an account can have both a `LONG` and a `SHORT` position on a futures
   * market.
   */
  readonly side: PositionSide
  /** The time at which the position was opened, in Unix microseconds. */
  readonly openedAt: number
  /** The size, in units of the base currency; positive if long, negative if short. */
  amount: Units
  /** The total paid (long) or received (short) for the open part, in units of the quote currency. */
  cost: Units
  /** The realized profit and loss of the closed parts, without fees, in units of the quote currency. */
  realised: Units
  /** The fees of all trades so far, in units of the quote currency. */
  fees: Units
  /**
   * The funding, or for a margin position the interest, paid so far, in units of the quote currency; negative if
   * received.
   */
  funding: Units
  /**
   * The part of {@link funding} already included in records of the position's changes, in units of the quote currency.
   */
  recordedFunding: Units
  /** The total size that was opened, in units of the base currency. */
  opened: Units
  /** The total paid (long) or received (short) for the opened size, in units of the quote currency. */
  openedFor: Units
  /** The total size that was closed, in units of the base currency. */
  closed: Units
  /** The total received (long) or paid (short) for the closed size, in units of the quote currency. */
  closedFor: Units
  /** The time at which a margin position next pays interest, in Unix microseconds; zero on futures. */
  interestAt: number
  /** A margin position's borrow, which is also in the account's list of borrows; `undefined` on futures. */
  borrow: Borrow | undefined
  /** The time of the last trade, in Unix microseconds. */
  changedAt: number
}

/**
 * The cause of a position's change: an order of the account, a liquidation, a reduction for another account's
 * liquidation (ADL), or an action of the venue's owner.
 */
export type Cause = "order" | "liquidation" | "adl" | "owner"

/** A record of one change to a position. */
export interface PositionChange {
  /** The position's identifier. */
  readonly position: number
  /** The position's market. */
  readonly market: MarketName
  /** The position's side. */
  readonly side: PositionSide
  /** The time at which the position was opened, in Unix microseconds. */
  readonly openedAt: number
  /** The time of the change, in Unix microseconds. */
  readonly at: number
  /** The size after the change, in units of the base currency; negative if short. */
  readonly amount: Units
  /** The total paid or received for the open part after the change, in units of the quote currency. */
  readonly cost: Units
  /** The funding or interest paid so far, in units of the quote currency; negative if received. */
  readonly funding: Units
  /** The part of {@link funding} that was paid since the previous change. */
  readonly fundingFee: Units
  /**
   * The mark price at which the account would be liquidated after the change, in units of the quote currency;
   * `undefined` if there is no such price.
   */
  readonly liquidationPrice: Units | undefined
  /** The cause of the change. */
  readonly cause: Cause
  /** The order that traded; `undefined` if the venue's owner opened the position. */
  readonly order: OrderId | undefined
  /** The traded amount, in units of the base currency. */
  readonly traded: Units
  /** The price of the trade, in units of the quote currency. */
  readonly price: Units
  /** The fee of the trade, in units of the quote currency. */
  readonly fee: Units
  /** The realized profit of the closed part, if any, minus the fee, in units of the quote currency. */
  readonly realised: Units
}

/** A record of a closed position. */
export interface ClosedPosition
  extends
    Pick<Position, "id" | "market" | "side" | "openedAt" | "realised" | "fees" | "funding">,
    Pick<Position, "opened" | "openedFor" | "closed" | "closedFor">
{
  /** Whether the position was long before it closed. */
  readonly isLong: boolean
  /** The time at which the position closed, in Unix microseconds. */
  readonly closedAt: number
}

/** A position's funding payment. */
export interface FundingPayment {
  /** The position's market. */
  readonly market: MarketName
  /** The settlement's time, in Unix microseconds. */
  readonly at: number
  /** The funding rate, as a ratio: positive if longs pay shorts. */
  readonly rate: Units
  /**
   * The time that the exchange reports as the rate's calculation time: one interval before the settlement, in Unix
   * microseconds.
   */
  readonly ratedAt: number
  /** The mark price at the settlement, in units of the quote currency. */
  readonly price: Units
  /** The position's size, in units of the base currency; negative if short. */
  readonly position: Units
  /** The amount received, in units of the quote currency; negative if paid. */
  readonly amount: Units
}

/** A settlement of a market's funding. */
export type FundingRate = Pick<FundingPayment, "at" | "rate" | "price">

/** A margin position's borrow. A long position borrows quote currency, and a short position borrows base currency. */
export interface Borrow {
  /** The position's identifier. */
  readonly position: number
  /** The borrowed asset. */
  readonly ticker: Ticker
  /** The time at which the position was opened, in Unix microseconds. */
  readonly at: number
  /** The borrowed amount, in units of the asset; for a closed position, the last borrowed amount. */
  principal: Units
  /** The interest paid so far, in units of the asset. */
  interest: Units
  /** Whether the borrow is still active, has been repaid, or ended with a liquidation. */
  status: "active" | "repaid" | "liquidated"
}
