/**
 * Unix times (the document, "What the service does", 5).
 *
 * @example
 * ```ts
 * import { Time } from "effect-txc"
 *
 * const time = Time.fromMicros(1_700_000_000_123_456) // 1700000000.123456 seconds
 * const micros = Time.toMicros(time) // 1700000000123456
 * ```
 */
import * as Schema from "effect/Schema"
import * as Check from "./Check.ts"
import * as Constraint from "./Constraint.ts"

const isInteger = Constraint.annotation({ kind: "type", type: "integer" })

/**
 * Whole seconds since 1970-01-01T00:00:00Z.
 *
 * @category models
 */
export type UnixSeconds = typeof UnixSeconds.Type

/**
 * The schema of {@link UnixSeconds}: an integer. `UnixSeconds.make(seconds)` throws on a fraction.
 *
 * @category schemas
 */
// oxlint-disable-next-line effecttsgo/schema-number -- isInt also refuses non-finite numbers, and names the constraint.
export const UnixSeconds = Schema.Number.annotate(isInteger).check(Schema.isInt(isInteger).abort()).pipe(
  Schema.brand("UnixSeconds")
).annotate({ identifier: "UnixSeconds" })

/**
 * Seconds since 1970-01-01T00:00:00Z, zero or more, with a fraction of up to six digits (microseconds). The timestamps
 * of orders and trades have this form. Use {@link toMicros} to compare or subtract exactly.
 *
 * @category models
 */
export type UnixTime = typeof UnixTime.Type

const isNotNegative = Check.passes((time: number) => time >= 0, {
  expected: "a value greater than or equal to 0",
  toJsonSchema: () => ({ minimum: 0 })
})

/**
 * The schema of a {@link UnixTime}: a finite number, zero or more.
 *
 * @category schemas
 */
export const UnixTime = Schema.Finite.check(isNotNegative).pipe(Schema.brand("UnixTime"))
  .annotate({ identifier: "UnixTime" })

/**
 * Converts a time to whole microseconds since 1970-01-01T00:00:00Z. Exact before the year 2106 for times with
 * microsecond precision.
 *
 * @category conversions
 */
export const toMicros = (self: UnixTime): number => Math.round(self * 1e6)

/**
 * Converts whole microseconds since 1970-01-01T00:00:00Z to a time. Throws when `micros` is negative.
 *
 * @category conversions
 */
export const fromMicros = (micros: number): UnixTime => UnixTime.make(micros / 1e6)
