/** Converts the venue's margin policy to exact quantities. */
import type { MarginPolicy } from "../../domain/VenuePolicy.ts"
import * as Units from "./Units.ts"

/** A margin policy's quantities, all as ratios. */
export interface MarginRules {
  /** The maintenance margin, as a fraction of the initial margin. */
  readonly maintenanceShare: Units.Units
  /** The margin call level, as a fraction of the initial margin. */
  readonly callShare: Units.Units
  /** The part of a position that a liquidation closes first. */
  readonly partialShare: Units.Units
  /** The liquidation fee, as a ratio of the closed value. */
  readonly liquidationFee: Units.Units
  /** The largest absolute value of `interest - premium` in the funding rate. */
  readonly fundingClamp: Units.Units
  /** The daily interest on a borrowed amount, as a ratio. */
  readonly borrowRate: Units.Units
}

const known = new WeakMap<MarginPolicy, MarginRules>()

/** The quantities of a policy, computed only once for each policy. */
export const of = (policy: MarginPolicy): MarginRules => {
  const found = known.get(policy)
  if (found !== undefined) return found
  const maintenanceShare = Units.from(policy.maintenanceShare) ?? 0n
  const rules: MarginRules = {
    maintenanceShare,
    callShare: Units.times(maintenanceShare, Units.from(policy.callRatio) ?? Units.one),
    partialShare: Units.from(policy.partialShare) ?? Units.one,
    liquidationFee: Units.from(policy.liquidationFee) ?? 0n,
    fundingClamp: Units.from(policy.fundingClamp) ?? 0n,
    borrowRate: Units.from(policy.borrowRate) ?? 0n
  }
  known.set(policy, rules)
  return rules
}
