/** A position on a collateral or futures market. */
import type { MarketName } from "../../domain/Identifiers.ts"
import type { Units } from "./Units.ts"

/** An open position of an account on a market. */
export interface Position {
  /** The exchange's number for the position. */
  readonly id: number
  /** The account that holds the position. */
  readonly account: string
  /** The market of the position. */
  readonly market: MarketName
  /** The time at which the position was opened, in Unix microseconds. */
  readonly openedAt: number
  /** The size, in units of the base currency: positive is long, negative is short. */
  amount: Units
  /** The total paid (long) or received (short) for the open part, in units of the quote currency. */
  cost: Units
  /** The realised profit and loss of the closed parts, in units of the quote currency. */
  realised: Units
  /** The time of the last trade, in Unix microseconds. */
  changedAt: number
}
