/**
 * Pages: how many records one has, and where it starts (document, "Limits", pagination bounds).
 *
 * @example
 * ```ts
 * import { Paging, SubAccounts } from "effect-txc"
 *
 * const secondPage = SubAccounts.SubAccounts.use((subAccounts) =>
 *   subAccounts.page({ limit: Paging.Limit.make(50), offset: Paging.Offset.make(50) })
 * )
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Constraint from "./Constraint.ts"

/**
 * The most records of one page (document, "Limits").
 *
 * @category constants
 * @since 0.1.0
 */
export const maxLimit = 100

/**
 * The greatest index that a page can start at (document, "Limits").
 *
 * @category constants
 * @since 0.1.0
 */
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
 * The most records that a page may hold: an integer from 1 to 100 (document, "Limits").
 *
 * @category models
 * @since 0.1.0
 */
export type Limit = typeof Limit.Type

/**
 * The schema of a {@link Limit}. `Limit.make(100)` makes one, and throws when the number is out of bounds.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Limit = between(1, maxLimit).pipe(Schema.brand("Limit")).annotate({ identifier: "Limit" })

/**
 * The index of a page's first record: an integer from 0 to 10000 (document, "Limits").
 *
 * @category models
 * @since 0.1.0
 */
export type Offset = typeof Offset.Type

/**
 * The schema of an {@link Offset}. `Offset.make(0)` makes one, and throws when the number is out of bounds.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Offset = between(0, maxOffset).pipe(Schema.brand("Offset")).annotate({ identifier: "Offset" })
