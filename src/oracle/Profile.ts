/** What a check may do to a target. */

/**
 * What a rule needs of a target, and what a check allows:
 *
 * - `read-only`: reads, and calls that any account must be refused
 * - `mutating`: also orders of the smallest amount, far from the market, which are canceled afterwards. An order that
 *   is wrong on purpose trades nothing even if the target accepts it
 * - `control`: also everything that a sandbox's control plane can set: accounts, funds, prices and the clock
 */
export type Profile = "read-only" | "mutating" | "control"

/** The profiles in order: each allows what those before it allow. */
export const profiles: ReadonlyArray<Profile> = ["read-only", "mutating", "control"]

/** Whether a check of one profile may run a rule that needs another. */
export const allows = (allowed: Profile, needed: Profile): boolean =>
  profiles.indexOf(needed) <= profiles.indexOf(allowed)
