/**
 * The size of a page and its first record (document, "Limits", pagination bounds).
 *
 * @example
 * ```ts
 * import { Paging, SubAccounts } from "effect-txc"
 *
 * const secondPage = SubAccounts.SubAccounts.use((subAccounts) =>
 *   subAccounts.page({ limit: Paging.Limit.make(50), offset: Paging.Offset.make(50) })
 * )
 * ```
 */
import * as Schema from "effect/Schema"
import * as Constraint from "./Constraint.ts"

/**
 * The maximum number of records on a page (document, "Limits").
 *
 * @category constants
 */
export const maxLimit = 100

/**
 * The maximum index of a page's first record (document, "Limits").
 *
 * @category constants
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
 * The maximum number of records on a page: an integer from 1 to 100 (document, "Limits").
 *
 * @category models
 */
export type Limit = typeof Limit.Type

/**
 * The schema of a {@link Limit}. `Limit.make(100)` throws when the number is out of bounds.
 *
 * @category schemas
 */
export const Limit = between(1, maxLimit).pipe(Schema.brand("Limit")).annotate({ identifier: "Limit" })

/**
 * The index of a page's first record: an integer from 0 to 10000 (document, "Limits").
 *
 * @category models
 */
export type Offset = typeof Offset.Type

/**
 * The schema of an {@link Offset}. `Offset.make(0)` throws when the number is out of bounds.
 *
 * @category schemas
 */
export const Offset = between(0, maxOffset).pipe(Schema.brand("Offset")).annotate({ identifier: "Offset" })
