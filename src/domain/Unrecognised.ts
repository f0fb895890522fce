/**
 * Enumerations that an exchange may extend: the document lists the values that occur, not the values that ever will.
 *
 * @since 0.1.0
 */
import type * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"

/**
 * A value received where the document lists others: kept as it came, and told apart by its type.
 *
 * @category models
 * @since 0.1.0
 */
export type Unrecognised = string & Brand.Brand<"Unrecognised">

/**
 * @category schemas
 * @since 0.1.0
 */
export const Unrecognised = Schema.String.pipe(Schema.brand("Unrecognised")).annotate({ identifier: "Unrecognised" })

/**
 * An enumeration of an answer: the listed values by name, any other text as {@link Unrecognised}.
 *
 * @category schemas
 * @since 0.1.0
 */
export const open = <const L extends ReadonlyArray<string>>(
  known: Schema.Literals<L>
): Schema.Union<readonly [Schema.Literals<L>, typeof Unrecognised]> => Schema.Union([known, Unrecognised])
