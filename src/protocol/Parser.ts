/**
 * A parser: the fast half of a codec, which either makes a value or leaves its input to the schema.
 *
 * @since 0.1.0
 */

/**
 * In place of a value: the parser does not accept the input. The schema decides.
 *
 * @category models
 * @since 0.1.0
 */
export const refused: unique symbol = Symbol("effect-txc/refused")

/**
 * One direction of a schema as a plain function: gives the value, or {@link refused}.
 *
 * @category models
 * @since 0.1.0
 */
export type Parser = (input: unknown) => unknown

/**
 * Accepts everything, as it is.
 *
 * @category parsers
 * @since 0.1.0
 */
export const anything: Parser = (input) => input

/**
 * How many keys of JSON objects the parsers have read since somebody set it to zero. It never says more than there are:
 * what a parser reads again, or reads of a value that another one has made, is not counted. See `Json.isUnique`.
 *
 * @category counting
 * @since 0.1.0
 */
export const tally = { keys: 0 }
