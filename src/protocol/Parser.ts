/**
 * Parsers are the fast path of a codec. A parser either returns a value or refuses the input, which is then left to the
 * schema.
 */

/** A parser returns this symbol instead of a value if it does not accept the input. Then the schema decides. */
export const refused: unique symbol = Symbol("effect-txc/refused")

/** A plain function that decodes or encodes as a schema does. It returns the value, or {@link refused}. */
export type Parser = (input: unknown) => unknown

/** Accepts every input unchanged. */
export const anything: Parser = (input) => input

/** Counters that all parsers share. */
export const tally = {
  /**
   * The number of JSON object keys that parsers have read since this counter was last set to zero. The number may be
   * too low, but never too high: a parser does not count a key that was already read, or that belongs to a value
   * created by another parser. `Json.isUnique` uses this counter.
   */
  keys: 0,
  /** The number of inputs that {@link undecided} has refused. This counter is never reset. */
  undecided: 0
}

/**
 * Refuses an input that the schema itself may still accept. After such a refusal, a union must not try its next member.
 */
export const undecided = (): typeof refused => {
  tally.undecided++
  return refused
}
