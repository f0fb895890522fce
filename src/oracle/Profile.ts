/** Profiles: what a check may do to a target. */

/**
 * The profile that a rule needs or that a check allows:
 *
 * - `read-only`: reads, and calls that the target must refuse for every account
 * - `mutating`: also the smallest orders, far from the market, which are canceled afterwards, and codes that nobody has
 *   issued. An intentionally invalid order cannot trade, even if the target accepts it
 * - `control`: also all actions of a sandbox's control plane: accounts, funds, prices and the clock
 */
export type Profile = "read-only" | "mutating" | "control"

/** The profiles from weakest to strongest: each allows everything that the previous ones allow. */
export const profiles: ReadonlyArray<Profile> = ["read-only", "mutating", "control"]

/** Whether a check with the profile `allowed` may run a rule that needs the profile `needed`. */
export const allows = (allowed: Profile, needed: Profile): boolean =>
  profiles.indexOf(needed) <= profiles.indexOf(allowed)
