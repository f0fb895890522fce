/**
 * Creates an object from another object, member by member. Most of the time for reading a response is spent here.
 *
 * The code exists twice: as a loop, and as the source text of a function that repeats the loop's body for each member.
 * A JavaScript engine optimizes each line for the values that pass through it: a line that reads only one key and calls
 * only one parser is several times faster than a line that reads all keys and calls all parsers. The loop is for
 * runtimes that do not allow creating functions from source text.
 */
import { type Parser, refused, tally, undecided } from "./Parser.ts"

/** An object with unknown members. */
export type Fields = Readonly<Record<string, unknown>>

/** A member of the new object, and how its value is read from the source object. */
export interface Member {
  /** The key to read. */
  readonly from: string
  /** The key to write. */
  readonly to: string
  /** Converts the value that was read to the value to write. */
  readonly parse: Parser
  /** Whether the new object may lack the member. */
  readonly isOptional: boolean
  /** Whether the source object must have the key even if the member is optional. */
  readonly isDemanded?: boolean
  /** Whether the value that was read means "absent". */
  readonly isAbsent?: ((found: unknown, object: Fields) => boolean) | undefined
}

/**
 * Returns a function that converts an object to a new object with these members, in order. The function reads each
 * member once, and reads nothing else. It refuses an object if a required member is missing, or if a member's parser
 * refuses the value. Returns `undefined` if no such function can be created: two members have the same key, or a key is
 * the name of an inherited property, such as `constructor` or `__proto__`.
 */
export const maker = (members: ReadonlyArray<Member>): ((object: Fields) => unknown) | undefined =>
  members.some(({ from, to }, at) =>
      from in Object.prototype || to in Object.prototype || members.findIndex((other) => other.from === from) < at
    )
    ? undefined
    : unrolled(members) ?? looped(members)

/**
 * Creates a class whose instances are empty and behave like `{}`. With a class for each kind of object, the engine
 * starts each kind from a hidden class of its own. If all objects started from the same hidden class, objects with many
 * members would be slow.
 */
const emptyClass = (): new() => Record<string, unknown> => {
  const Made = function() {}
  Made.prototype = Object.prototype
  return Made as never
}

const looped = (members: ReadonlyArray<Member>) => {
  const Made = emptyClass()
  return (object: Fields): unknown => {
    const made = new Made()
    let keys = 0
    for (const { from, isAbsent, isDemanded, isOptional, parse, to } of members) {
      const found = object[from]
      if (found === undefined) {
        if (from in object) return undecided()
        if (!isOptional || isDemanded === true) return refused
        continue
      }
      keys++
      if (isAbsent?.(found, object) === true) {
        if (!isOptional) return refused
      } else {
        const value = parse(found)
        if (value === refused) return refused
        if (value === undefined) return undecided()
        made[to] = value
      }
    }
    tally.keys += keys
    return made
  }
}

/** Returns the source text of the loop's body for one member. */
const statement = ({ from, isAbsent, isDemanded, isOptional, to }: Member, at: number): string => {
  const key = JSON.stringify(from)
  return `
    found = object[${key}]
    if (found === undefined) {
      if (${key} in object) return undecided()
      ${isOptional && isDemanded !== true ? "" : "return refused"}
    } else {
      keys++
      if (${isAbsent === undefined ? "false" : `isAbsent${at}(found, object)`}) {
        ${isOptional ? "" : "return refused"}
      } else {
        value = parse${at}(found)
        if (value === refused) return refused
        if (value === undefined) return undecided()
        made[${JSON.stringify(to)}] = value
      }
    }`
}

/**
 * Returns a reader function created from the source text of the unrolled loop, or `undefined` where the runtime does
 * not allow that.
 */
const unrolled = (members: ReadonlyArray<Member>): ((object: Fields) => unknown) | undefined => {
  // The assignments in `Made` never run. They tell the engine for how many members to reserve space.
  const text = `"use strict"
  const Made = function() { if (false) ${members.map(({ to }) => `this[${JSON.stringify(to)}] = `).join("")} 0 }
  Made.prototype = Object.prototype
  return (object) => {
    const made = new Made()
    let keys = 0, found, value
    ${members.map(statement).join("")}
    tally.keys += keys
    return made
  }`
  const names = members.flatMap((_, at) => [`parse${at}`, `isAbsent${at}`])
  const values = members.flatMap(({ isAbsent, parse }) => [parse, isAbsent])
  try {
    // oxlint-disable-next-line typescript/no-implied-eval -- the only variable parts are quoted member names.
    return new Function("refused", "undecided", "tally", ...names, text)(refused, undecided, tally, ...values)
  } catch {
    return undefined
  }
}
