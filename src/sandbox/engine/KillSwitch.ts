/**
 * A timer that cancels an account's orders on a market unless the timer is armed again in time. Times are in Unix
 * microseconds.
 */
import type { MarketName } from "../../domain/Identifiers.ts"
import type { CancelAllType } from "../../domain/Order.ts"

/** An armed kill switch. An account has at most one kill switch on each market. */
export interface KillSwitch {
  /** The account that armed the switch. The switch cancels only this account's orders. */
  readonly account: string
  /** The market on which the orders are canceled. */
  readonly market: MarketName
  /** The kinds of orders that the switch cancels; `undefined` for all kinds. */
  readonly types: ReadonlyArray<CancelAllType> | undefined
  /** The time at which the switch was armed, in Unix microseconds. */
  readonly armedAt: number
  /** The time at which the switch cancels the orders, in Unix microseconds. */
  readonly firesAt: number
}
