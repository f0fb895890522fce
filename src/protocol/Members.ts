/**
 * Makes one object from another, member by member. Answers consist of objects, so this takes most of the time of
 * reading one.
 *
 * The code exists twice: as a loop, and as the text of a function that repeats the loop's body for each member. An
 * engine optimises each line for the values it has seen there: a line that reads one key and calls one parser is
 * several times faster than one that reads all keys and calls all parsers. Where functions can't be made from text, the
 * loop is used.
 */
import { type Parser, refused, tally, undecided } from "./Parser.ts"

/** An object whose members are not yet known. */
export type Fields = Readonly<Record<string, unknown>>

/** A member of the new object, and its source. */
export interface Member {
  /** The key to read. */
  readonly from: string
  /** The key to write. */
  readonly to: string
  /** Parses the value that was read into the value to write. */
  readonly parse: Parser
  /** Whether the new object may lack the member. */
  readonly isOptional: boolean
  /** Whether the source must have the key even if the member is optional. */
  readonly isDemanded?: boolean
  /** Whether a value that was read means that the member is absent. */
  readonly isAbsent?: ((found: unknown, object: Fields) => boolean) | undefined
}

/**
 * Makes a function that creates objects with these members, in order. The function refuses an object that lacks a
 * required member or has one that its parser refuses. It reads each member once, and nothing else. `undefined` when a
 * key is read twice, or is one that every object inherits, such as `constructor` or `__proto__`.
 */
export const maker = (members: ReadonlyArray<Member>): ((object: Fields) => unknown) | undefined =>
  members.some(({ from, to }, at) =>
      from in Object.prototype || to in Object.prototype || members.findIndex((other) => other.from === from) < at
    )
    ? undefined
    : unrolled(members) ?? looped(members)

/**
 * A class of empty objects that behave like `{}`. Each class has its own hidden class: an engine slows down objects
 * with many members if all objects of the program grow from one class.
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

/** The loop's body for one member. */
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

/** The unrolled loop as text; `undefined` where the runtime does not make functions from text. */
const unrolled = (members: ReadonlyArray<Member>): ((object: Fields) => unknown) | undefined => {
  // These assignments never run; they tell the engine how many members to reserve.
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
    // oxlint-disable-next-line typescript/no-implied-eval -- the text has names of members, in string literals, and no more.
    return new Function("refused", "undecided", "tally", ...names, text)(refused, undecided, tally, ...values)
  } catch {
    return undefined
  }
}
