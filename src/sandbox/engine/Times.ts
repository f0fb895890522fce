/**
 * The bounds of times and durations. Every time that enters a venue is checked against these bounds, whether it comes
 * from the machine's clock or from an imported journal. The bounds keep the sum of a time and a duration before the
 * year 2255, after which a `number` can no longer represent every microsecond.
 */
import * as Schema from "effect/Schema"

/** The latest time that a venue's clock can have, 1 January 2200, in Unix microseconds. */
export const latest = Date.UTC(2200, 0, 1) * 1000

/** The maximum duration, 50 years, in days. */
const longestDays = 50 * 365

/** The maximum duration in milliseconds. */
export const longestMillis = longestDays * 86_400_000

/** The maximum skew of the callers' clock, 30 years, in milliseconds. */
export const largestSkew = 30 * 365 * 86_400_000

/** The schema of a time, in Unix microseconds. */
export const At = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: latest }))

/** The schema of the difference between a venue's clock and the machine's, in microseconds. */
export const Ahead = Schema.Int.check(Schema.isBetween({ minimum: -latest, maximum: latest }))

/** The schema of a skew, in microseconds. */
export const Skew = Schema.Int.check(Schema.isBetween({ minimum: -largestSkew * 1000, maximum: largestSkew * 1000 }))

/** The schema of a duration in milliseconds. */
export const Millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: longestMillis }))

/** The schema of a duration in seconds; at least one second. */
export const Seconds = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: longestMillis / 1000 }))

/** The schema of a duration in days; at least one day. */
export const Days = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: longestDays }))
