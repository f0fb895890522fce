/** A parser is the fast half of a codec: it either makes a value or leaves its input to the schema. */

/** Returned instead of a value when the parser does not accept the input. The schema then decides. */
export const refused: unique symbol = Symbol("effect-txc/refused")

/** One direction of a schema as a plain function. Returns the value, or {@link refused}. */
export type Parser = (input: unknown) => unknown

/** Accepts every input unchanged. */
export const anything: Parser = (input) => input

/** Counters of the parsers. Only differences between two readings are meaningful. */
export const tally = {
  /**
   * The number of JSON object keys read since the caller last reset it to zero. Never too high: a parser does not count
   * keys that it reads again, or reads from a value that another parser made. See `Json.isUnique`.
   */
  keys: 0,
  /** The number of inputs that {@link undecided} has refused. */
  undecided: 0
}

/** Refuses an input that the schema may accept. In a union, the next member must then not be tried. */
export const undecided = (): typeof refused => {
  tally.undecided++
  return refused
}
