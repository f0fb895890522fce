/** A parser: the fast half of a codec, which either makes a value or leaves its input to the schema. */

/** In place of a value: the parser does not accept the input. The schema decides. */
export const refused: unique symbol = Symbol("effect-txc/refused")

/** One direction of a schema as a plain function: gives the value, or {@link refused}. */
export type Parser = (input: unknown) => unknown

/** Accepts everything, as it is. */
export const anything: Parser = (input) => input

/** What the parsers count. Only its differences mean something. */
export const tally = {
  /**
   * How many keys of JSON objects the parsers have read since somebody set it to zero. It never says more than there are:
   * what a parser reads again, or reads of a value that another one has made, is not counted. See `Json.isUnique`.
   */
  keys: 0,
  /** How many inputs {@link undecided} has refused. */
  undecided: 0
}

/**
 * Refuses an input that the schema may accept. Where a choice has several members, the next one may then not be tried.
 */
export const undecided = (): typeof refused => {
  tally.undecided++
  return refused
}
