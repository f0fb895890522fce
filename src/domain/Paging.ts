/**
 * The page size and the index of a page's first record (the document, "Limits", pagination bounds). The live exchange's
 * lists of orders and trades allow larger pages and greater offsets: see {@link HistoryLimit} and {@link RecordOffset}.
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
 * The maximum number of records on a page (the document, "Limits").
 *
 * @category constants
 */
export const maxLimit = 100

/**
 * The maximum index of a page's first record (the document, "Limits").
 *
 * @category constants
 */
export const maxOffset = 10000

/**
 * The maximum number of records on a page, in the live exchange's lists of orders and trades. Source: the live
 * exchange's documentation, 2026.
 *
 * @category constants
 */
export const maxHistoryLimit = 500

/**
 * The maximum index of a page's first record, in the live exchange's lists of orders and trades. Source: the live
 * exchange's documentation, 2026.
 *
 * @category constants
 */
export const maxRecordOffset = 4_294_967_295

const isInteger = Constraint.annotation({ kind: "type", type: "integer" })

// oxlint-disable-next-line effecttsgo/schema-number -- isInt also refuses non-finite numbers, and names the constraint.
const Whole = Schema.Number.annotate(isInteger).check(Schema.isInt(isInteger).abort())

const between = (min: number, max: number) =>
  Whole.check(
    Schema.isGreaterThanOrEqualTo(min, Constraint.annotation({ kind: "min", min })),
    Schema.isLessThanOrEqualTo(max, Constraint.annotation({ kind: "max", max }))
  )

/**
 * The maximum number of records on a page of trading history: an integer from 1 to 500 on the live exchange. The
 * document's dialect refuses more than 100.
 *
 * @category models
 */
export type HistoryLimit = typeof HistoryLimit.Type

/**
 * The schema of a {@link HistoryLimit}. `HistoryLimit.make(500)` throws when the number is out of bounds or not an
 * integer.
 *
 * @category schemas
 */
export const HistoryLimit = between(1, maxHistoryLimit).pipe(Schema.brand("HistoryLimit")).annotate({
  identifier: "HistoryLimit"
})

/**
 * The maximum number of records on a page: an integer from 1 to 100 (the document, "Limits"). Every `Limit` is also a
 * {@link HistoryLimit}.
 *
 * @category models
 */
export type Limit = typeof Limit.Type

/**
 * The schema of a {@link Limit}. `Limit.make(100)` throws when the number is out of bounds or not an integer.
 *
 * @category schemas
 */
export const Limit = between(1, maxLimit).pipe(Schema.brand("HistoryLimit"), Schema.brand("Limit")).annotate({
  identifier: "Limit"
})

/**
 * The index of a page's first record in a list of orders or trades: an integer from 0 to 4294967295 on the live
 * exchange. The document's dialect refuses more than 10000.
 *
 * @category models
 */
export type RecordOffset = typeof RecordOffset.Type

/**
 * The schema of a {@link RecordOffset}. `RecordOffset.make(0)` throws when the number is out of bounds or not an
 * integer.
 *
 * @category schemas
 */
export const RecordOffset = between(0, maxRecordOffset).pipe(Schema.brand("RecordOffset")).annotate({
  identifier: "RecordOffset"
})

/**
 * The index of a page's first record: an integer from 0 to 10000 (the document, "Limits"). Every `Offset` is also a
 * {@link RecordOffset}.
 *
 * @category models
 */
export type Offset = typeof Offset.Type

/**
 * The schema of an {@link Offset}. `Offset.make(0)` throws when the number is out of bounds or not an integer.
 *
 * @category schemas
 */
export const Offset = between(0, maxOffset).pipe(Schema.brand("RecordOffset"), Schema.brand("Offset")).annotate({
  identifier: "Offset"
})
