/**
 * Makes a map of an object whose keys are data, such as tickers, entry by entry.
 *
 * What is done is written twice, as in `Members.ts`: as a loop, and as the text of a function. Each codec that is made of the
 * text has a loop of its own, so an engine optimises it by the entries of that codec alone. Where functions can't be made of
 * text, the loop that all codecs share does it.
 */
import type * as Members from "./Members.ts"
import { type Parser, refused, tally } from "./Parser.ts"

/**
 * A maker of maps of an object's entries, in their order. `isKey` refuses a key that is none, and `read` makes the value of
 * an entry. One entry that is refused refuses the object.
 */
export const maker = (isKey: Parser, read: Parser): (object: Members.Fields) => unknown =>
  ofText(isKey, read) ?? looped(isKey, read)

const looped = (isKey: Parser, read: Parser) => (object: Members.Fields): unknown => {
  const made = new Map<string, unknown>()
  for (const key of Object.keys(object)) {
    const value = read(object[key])
    if (value === refused || isKey(key) === refused) return refused
    made.set(key, value)
  }
  tally.keys += made.size
  return made
}

/** The same as text; `undefined` where the runtime makes no functions of text. */
const ofText = (isKey: Parser, read: Parser): ((object: Members.Fields) => unknown) | undefined => {
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
