/**
 * Makes an object of another one, member by member. Answers are made of objects, so most of the time of reading one is
 * spent here.
 *
 * What is done is written twice: as a loop, and as the text of a function that has the loop's body once for each member. An
 * engine optimises each line by what it has seen there: a line that reads one key and calls one parser is several times
 * faster than one that reads all keys and calls all parsers. Where functions can't be made of text, the loop does it.
 */
import { type Parser, refused, tally, undecided } from "./Parser.ts"

/** An object, before anything is known of its members. */
export type Fields = Readonly<Record<string, unknown>>

/** A member of the object that is made, and the one that it is made of. */
export interface Member {
  /** The key that is read. */
  readonly from: string
  /** The key that is written. */
  readonly to: string
  /** Makes the value that is written of the value that was read. */
  readonly parse: Parser
  /** Whether the object that is made may lack the member. */
  readonly isOptional: boolean
  /** Whether the object that is read must have the key, even if the member is optional. */
  readonly isDemanded?: boolean
  /** Whether a value that was read means that the member is absent. */
  readonly isAbsent?: ((found: unknown, object: Fields) => boolean) | undefined
}

/**
 * A maker of objects with these members, in their order. It refuses an object that lacks a member that is not optional, or
 * that has one whose parser refuses it. It reads each member once, and nothing else. `undefined` when a key is read twice,
 * or is one that every object has, such as `constructor` or `__proto__`.
 */
export const maker = (members: ReadonlyArray<Member>): ((object: Fields) => unknown) | undefined =>
  members.some(({ from, to }, at) =>
      from in Object.prototype || to in Object.prototype || members.findIndex((other) => other.from === from) < at
    )
    ? undefined
    : unrolled(members) ?? looped(members)

/**
 * Makes empty objects that are like `{}`. Each class of them is a hidden class of its own: an engine that grows all objects
 * of the program from one class turns those with many members into slow ones.
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

/** The loop as text, once for each member; `undefined` where the runtime makes no functions of text. */
const unrolled = (members: ReadonlyArray<Member>): ((object: Fields) => unknown) | undefined => {
  // What the class never does tells an engine for how many members it makes room.
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
