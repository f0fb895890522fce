/**
 * Enumerations that the exchange may extend: a response may contain values that the document does not list.
 *
 * @example
 * ```ts
 * import { Order } from "effect-txc"
 *
 * // "buy" and "sell" are known. Any other side is of type `Unrecognised`, and is kept as it was received.
 * const describe = (side: Order.ReceivedSide): string =>
 *   side === "buy" ? "buys" : side === "sell" ? "sells" : `has the unknown side ${side}`
 * ```
 */
import type * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"

/**
 * A value that the document does not list, as the exchange sent it. The brand distinguishes it from the listed values.
 *
 * @category models
 */
export type Unrecognised = string & Brand.Brand<"Unrecognised">

/**
 * The schema of an {@link Unrecognised} value: any text.
 *
 * @category schemas
 */
export const Unrecognised = Schema.String.pipe(Schema.brand("Unrecognised")).annotate({ identifier: "Unrecognised" })

/**
 * Creates the schema of an enumeration in a response: listed values are literals, and any other text is {@link
 * Unrecognised}.
 *
 * @category schemas
 */
export const open = <const L extends ReadonlyArray<string>>(
  known: Schema.Literals<L>
): Schema.Union<readonly [Schema.Literals<L>, typeof Unrecognised]> => Schema.Union([known, Unrecognised])
