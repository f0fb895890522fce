/** A timer that cancels an account's orders on a market unless it is armed again. Times are Unix microseconds. */
import type { MarketName } from "../../domain/Identifiers.ts"
import type { CancelAllType } from "../../domain/Order.ts"

/** An armed kill switch. An account has at most one on each market. */
export interface KillSwitch {
  /** The account that has armed it, and whose orders it cancels. */
  readonly account: string
  /** The market. */
  readonly market: MarketName
  /** The kinds of orders that it cancels. `undefined`: all kinds. */
  readonly types: ReadonlyArray<CancelAllType> | undefined
  /** The time at which it was armed, in Unix microseconds. */
  readonly armedAt: number
  /** The time at which it cancels, in Unix microseconds. */
  readonly firesAt: number
}
