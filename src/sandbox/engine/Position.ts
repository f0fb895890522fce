/** A position on a collateral or futures market. */
import type { MarketName } from "../../domain/Identifiers.ts"
import type { Units } from "./Units.ts"

/** An open position. */
export interface Position {
  /** The exchange's number of the position. */
  readonly id: number
  /** The account that holds it. */
  readonly account: string
  /** The market that it is on. */
  readonly market: MarketName
  /** When it was opened, in Unix microseconds. */
  readonly openedAt: number
  /** The size, in units of the base currency: above zero it is long, below zero short. */
  amount: Units
  /** What the part that is still open has paid (long) or received (short), in units of the quote currency. */
  cost: Units
  /** The gains and losses of the parts that are closed, in units of the quote currency. */
  realised: Units
  /** When it last traded, in Unix microseconds. */
  changedAt: number
}
