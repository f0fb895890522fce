/** Parsers are the fast path of a codec. A parser either returns a value or leaves the input to the schema. */

/** A parser returns this symbol instead of a value when it does not accept the input. Then the schema decides. */
export const refused: unique symbol = Symbol("effect-txc/refused")

/** A schema's decoding or encoding, as a plain function. Returns the value, or {@link refused}. */
export type Parser = (input: unknown) => unknown

/** Accepts every input unchanged. */
export const anything: Parser = (input) => input

/** Counters that all parsers share. */
export const tally = {
  /**
   * The number of JSON object keys read since the caller last reset this counter to zero. The number may be too low,
   * but never too high: a parser does not count a key that it reads again, or that it reads from a value created by
   * another parser. See `Json.isUnique`.
   */
  keys: 0,
  /** The number of inputs that {@link undecided} has refused. This counter is never reset. */
  undecided: 0
}

/** Refuses an input that the schema may still accept. After such a refusal, a union must not try its next member. */
export const undecided = (): typeof refused => {
  tally.undecided++
  return refused
}
