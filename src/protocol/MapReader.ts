/**
 * Converts an object whose keys are data, such as tickers, to a map.
 *
 * The code exists twice, as in `ObjectReader.ts`: as a loop, and as the source text of a function. Each codec creates
 * its own function from the source text, so that the engine optimizes the function for this codec's entries. If the
 * runtime does not allow that, all codecs share the loop.
 */
import type * as ObjectReader from "./ObjectReader.ts"
import { type Parser, refused, tally } from "./Parser.ts"

/**
 * Creates a function that converts an object to a map, with its entries in the same order. `isKey` refuses invalid
 * keys, and `read` parses the values. If one of them refuses an entry, the function refuses the object.
 */
export const maker = (isKey: Parser, read: Parser): (object: ObjectReader.Fields) => unknown =>
  ofText(isKey, read) ?? looped(isKey, read)

const looped = (isKey: Parser, read: Parser) => (object: ObjectReader.Fields): unknown => {
  const made = new Map<string, unknown>()
  for (const key of Object.keys(object)) {
    const value = read(object[key])
    if (value === refused || isKey(key) === refused) return refused
    made.set(key, value)
  }
  tally.keys += made.size
  return made
}

/** Returns a reader function created from source text, or `undefined` where the runtime does not allow that. */
const ofText = (isKey: Parser, read: Parser): ((object: ObjectReader.Fields) => unknown) | undefined => {
  const text = `"use strict"
  return (object) => {
    const made = new Map()
    const keys = Object.keys(object)
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at]
      const value = read(object[key])
      if (value === refused || isKey(key) === refused) return refused
      made.set(key, value)
    }
    tally.keys += made.size
    return made
  }`
  try {
    // oxlint-disable-next-line typescript/no-implied-eval -- the text is a constant.
    return new Function("refused", "tally", "isKey", "read", text)(refused, tally, isKey, read)
  } catch {
    return undefined
  }
}
