/**
 * Pages: how many records at a time, and from which on (document, "Limits", pagination bounds).
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Constraint from "./Constraint.ts"

/** The most records in one page. */
export const maxLimit = 100

/** The last index that a page can start at. */
export const maxOffset = 10000

const isInteger = Constraint.annotation({ kind: "type", type: "integer" })

// oxlint-disable-next-line effecttsgo/schema-number -- isInt refuses what is not finite, and says by which constraint.
const Whole = Schema.Number.annotate(isInteger).check(Schema.isInt(isInteger).abort())

const between = (min: number, max: number) =>
  Whole.check(
    Schema.isGreaterThanOrEqualTo(min, Constraint.annotation({ kind: "min", min })),
    Schema.isLessThanOrEqualTo(max, Constraint.annotation({ kind: "max", max }))
  )

/**
 * How many records a page holds at most: 1 to 100.
 *
 * @category models
 * @since 0.1.0
 */
export const Limit = between(1, maxLimit).pipe(Schema.brand("Limit")).annotate({ identifier: "Limit" })
export type Limit = typeof Limit.Type

/**
 * The index of a page's first record: 0 to 10000.
 *
 * @category models
 * @since 0.1.0
 */
export const Offset = between(0, maxOffset).pipe(Schema.brand("Offset")).annotate({ identifier: "Offset" })
export type Offset = typeof Offset.Type
