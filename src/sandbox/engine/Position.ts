/** Positions on collateral and futures markets, and the records of what happened to them. */
import type { MarketName, OrderId, Ticker } from "../../domain/Identifiers.ts"
import type { PositionSide } from "../../domain/Order.ts"
import type { Units } from "./Units.ts"

/** An open position of an account on a market. */
export interface Position {
  /** The exchange's number for the position. */
  readonly id: number
  /** The account that holds the position. */
  readonly account: string
  /** The market of the position. */
  readonly market: MarketName
  /** `BOTH` in one-way mode. In hedge mode an account has a `LONG` and a `SHORT` position on a futures market. */
  readonly side: PositionSide
  /** The time at which the position was opened, in Unix microseconds. */
  readonly openedAt: number
  /** The size, in units of the base currency: positive is long, negative is short. */
  amount: Units
  /** The total paid (long) or received (short) for the open part, in units of the quote currency. */
  cost: Units
  /** The realised profit and loss of the closed parts, without fees, in units of the quote currency. */
  realised: Units
  /** The fees of all trades so far, in units of the quote currency. */
  fees: Units
  /** The funding, or the interest on what it borrows, paid so far; negative if received. In units of the quote currency. */
  funding: Units
  /** The total size that was opened, in units of the base currency. */
  opened: Units
  /** The total paid or received for it, in units of the quote currency. */
  openedFor: Units
  /** The total size that was closed, in units of the base currency. */
  closed: Units
  /** The total received or paid for it, in units of the quote currency. */
  closedFor: Units
  /** The time at which a margin position next pays interest, in Unix microseconds; zero on futures. */
  interestAt: number
  /** The borrowing of a margin position; `undefined` on futures. It is in the list of the account's borrows, too. */
  borrow: Borrow | undefined
  /** The time of the last trade, in Unix microseconds. */
  changedAt: number
}

/** Why a position changed: by an order of the account, its liquidation, its reduction for another's (ADL), or the owner. */
export type Cause = "order" | "liquidation" | "adl" | "owner"

/** A record of one change of a position. */
export interface PositionChange {
  /** The number of the position. */
  readonly position: number
  /** The market of the position. */
  readonly market: MarketName
  /** The side of the position. */
  readonly side: PositionSide
  /** The time at which the position was opened, in Unix microseconds. */
  readonly openedAt: number
  /** The time of the change, in Unix microseconds. */
  readonly at: number
  /** The size after the change, in units of the base currency; negative if short. */
  readonly amount: Units
  /** The total paid or received for the open part after the change, in units of the quote currency. */
  readonly cost: Units
  /** The funding paid so far, in units of the quote currency. */
  readonly funding: Units
  /** The reason of the change. */
  readonly cause: Cause
  /** The order that traded; `undefined` if the owner opened the position. */
  readonly order: OrderId | undefined
  /** The traded amount, in units of the base currency. */
  readonly traded: Units
  /** The price of the trade, in units of the quote currency. */
  readonly price: Units
  /** The fee of the trade, in units of the quote currency. */
  readonly fee: Units
  /** The profit of the closed part minus the fee, in units of the quote currency; minus the fee if nothing was closed. */
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
  /** The time at which it closed, in Unix microseconds. */
  readonly closedAt: number
}

/** A funding payment of a position. */
export interface FundingPayment {
  /** The market of the position. */
  readonly market: MarketName
  /** The time of the settlement, in Unix microseconds. */
  readonly at: number
  /** The rate, as a ratio. */
  readonly rate: Units
  /** The time at which the rate was calculated: one interval earlier, in Unix microseconds. */
  readonly ratedAt: number
  /** The mark price at the settlement, in units of the quote currency. */
  readonly price: Units
  /** The size of the position, in units of the base currency; negative if short. */
  readonly position: Units
  /** The amount received, in units of the quote currency; negative if paid. */
  readonly amount: Units
}

/** A settlement of a market's funding. */
export type FundingRate = Pick<FundingPayment, "at" | "rate" | "price">

/** The borrowing of a margin position: of its quote currency if long, of its base currency if short. */
export interface Borrow {
  /** The number of the position. */
  readonly position: number
  /** The borrowed asset. */
  readonly ticker: Ticker
  /** The time at which the position was opened, in Unix microseconds. */
  readonly at: number
  /** The borrowed amount, in units of the asset; once the position is closed, the last one. */
  principal: Units
  /** The interest paid so far, in units of the asset. */
  interest: Units
  /** The state of the borrow. */
  status: "active" | "repaid" | "liquidated"
}
