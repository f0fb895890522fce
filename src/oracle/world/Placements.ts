/** The orders that a check has placed on a real account and not yet canceled. All rules of a check share them. */
import type * as Effect from "effect/Effect"

/** The placed orders of a check, and whether it may place more. */
export interface Placements {
  /** A warning for each order that is or may be open. It identifies the order, and explains how to cancel it. */
  readonly open: Map<string, string>
  /** The paths for which a trial order has been sent, and canceled if it was placed. */
  readonly tried: Set<string>
  /** The paths for which the target's list of open orders has shown an order. */
  readonly listed: Set<string>
  /** Effects that look again for orders whose placement got no response. They run at the end of the check. */
  readonly doubts: Array<Effect.Effect<unknown>>
  /** The maximum wait while the target throttles a placement, in milliseconds. */
  readonly patience: number
  /** The reason why the check places no more orders: an order could not be canceled. Absent while it may place more. */
  stopped?: string
}

/** Creates the state for a check that has placed nothing. */
export const make = (patience: number): Placements => ({
  open: new Map(),
  tried: new Set(),
  listed: new Set(),
  doubts: [],
  patience
})
