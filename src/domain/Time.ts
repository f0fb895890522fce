/**
 * Times: always Unix time (document, "What the service does", constraint 5).
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Constraint from "./Constraint.ts"

const isInteger = Constraint.annotation({ kind: "type", type: "integer" })

/**
 * Whole seconds since 1970-01-01T00:00:00Z.
 *
 * @category models
 * @since 0.1.0
 */
// oxlint-disable-next-line effecttsgo/schema-number -- isInt refuses what is not finite, and says by which constraint.
export const UnixSeconds = Schema.Number.annotate(isInteger).check(Schema.isInt(isInteger).abort()).pipe(
  Schema.brand("UnixSeconds")
).annotate({ identifier: "UnixSeconds" })
export type UnixSeconds = typeof UnixSeconds.Type

/**
 * Seconds since 1970-01-01T00:00:00Z with a fraction of microsecond precision, as order timestamps have.
 *
 * @category models
 * @since 0.1.0
 */
export const UnixTime = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)).pipe(Schema.brand("UnixTime"))
  .annotate({ identifier: "UnixTime" })
export type UnixTime = typeof UnixTime.Type

/**
 * The same instant in whole microseconds: exact for every time of microsecond precision before the year 2106.
 *
 * @category conversions
 * @since 0.1.0
 */
export const toMicros = (self: UnixTime): number => Math.round(self * 1e6)

/**
 * An instant given in whole microseconds.
 *
 * @category conversions
 * @since 0.1.0
 */
export const fromMicros = (micros: number): UnixTime => UnixTime.make(micros / 1e6)
