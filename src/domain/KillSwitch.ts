/** The timeout of a kill switch, after which it cancels orders. */
import * as Schema from "effect/Schema"
import * as Constraint from "./Constraint.ts"

/**
 * The shortest time that a kill switch can wait, in seconds.
 *
 * @category constants
 */
export const minSeconds = 5

/**
 * The longest time that a kill switch can wait, in seconds.
 *
 * @category constants
 */
export const maxSeconds = 600

const isInteger = Constraint.annotation({ kind: "type", type: "integer" })

/**
 * The time that a kill switch waits, in seconds: an integer from 5 to 600.
 *
 * @category models
 */
export type KillSwitchSeconds = typeof KillSwitchSeconds.Type

/**
 * The schema of {@link KillSwitchSeconds}. `KillSwitchSeconds.make(60)` throws when the number is out of bounds or not
 * an integer.
 *
 * @category schemas
 */
// oxlint-disable-next-line effecttsgo/schema-number -- isInt also refuses non-finite numbers, and names the constraint.
export const KillSwitchSeconds = Schema.Number.annotate(isInteger).check(
  Schema.isInt(isInteger).abort(),
  Schema.isGreaterThanOrEqualTo(minSeconds, Constraint.annotation({ kind: "min", min: minSeconds })),
  Schema.isLessThanOrEqualTo(maxSeconds, Constraint.annotation({ kind: "max", max: maxSeconds }))
).pipe(Schema.brand("KillSwitchSeconds")).annotate({ identifier: "KillSwitchSeconds" })
