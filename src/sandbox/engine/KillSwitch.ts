/** A timer that cancels an account's orders on a market unless it is armed again. Times are Unix microseconds. */
import type { MarketName } from "../../domain/Identifiers.ts"
import type { CancelAllType } from "../../domain/Order.ts"

/** A kill switch that is armed. An account has one on a market. */
export interface KillSwitch {
  /** The account that has armed it, and whose orders it cancels. */
  readonly account: string
  /** The market. */
  readonly market: MarketName
  /** The kinds of orders that it cancels. `undefined`: all kinds. */
  readonly types: ReadonlyArray<CancelAllType> | undefined
  /** When it was armed, in Unix microseconds. */
  readonly armedAt: number
  /** When it cancels, in Unix microseconds. */
  readonly firesAt: number
}
