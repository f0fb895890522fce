/** Reads fields of records as numbers. */
import type { Body } from "./World.ts"

/** Returns a field as a number; `NaN` if the field is missing or null. */
export const number = (record: Body, key: string): number => Number(record[key] ?? Number.NaN)

/** Returns fields as numbers; see {@link number}. */
export const numbers = <Keys extends ReadonlyArray<string>>(record: Body, ...keys: Keys) =>
  keys.map((key) => number(record, key)) as { [K in keyof Keys]: number }

/** An id: a `bigint` only beyond 2^53. */
export type Id = number | bigint

/** Sorts ids in ascending order. */
export const byId = (one: Id, other: Id): number => one < other ? -1 : Number(one > other)

/** Returns an id as an integer, even if it is beyond 2^53 or text; `undefined` if the value is not an integer. */
export const idOf = (value: unknown): Id | undefined => {
  const text = String(value)
  if (!/^[0-9]+$/u.test(text)) return undefined
  return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)
}

/** Like {@link idOf}, but `NaN` if the value is not an integer. */
export const idAt = (value: unknown): Id => idOf(value) ?? Number.NaN

/** Whether two numbers differ by at most `tolerance`. */
export const isNear = (one: number, other: number, tolerance = 1e-6): boolean => Math.abs(one - other) <= tolerance
