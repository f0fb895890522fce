/** Faults of form, derived from an answer: each field missing or retyped. */
import * as Json from "../../../src/protocol/Json.ts"
import { type Change, changing, type Place } from "./Mutant.ts"

/**
 * A fault of form: `missing`, or `retyped` (a number in place of a string, a string in place of anything else).
 */
export interface Shape extends Change {
  readonly path: string
  readonly place: Place
  readonly fault: "missing" | "retyped"
}

/** All places in an answer. Elements of a list share one place, and so do values whose keys are names. */
export const places = (value: unknown, isNamed: (key: string) => boolean = () => true): ReadonlyArray<Place> => {
  const found = new Map<string, Place>()
  const visit = (value: unknown, place: Place): void => {
    if (place.length > 0) found.set(place.join("."), place)
    if (Array.isArray(value)) { for (const item of value) visit(item, [...place, "*"]) }
    else if (Json.isObject(value)) {
      for (const [key, inner] of Object.entries(value)) visit(inner, [...place, isNamed(key) ? key : "*"])
    }
  }
  visit(value, [])
  return [...found.values()].filter((place) => place.at(-1) !== "*")
}

/** A value of another kind, as a careless JSON writer would produce it. */
const retyped = (value: unknown): unknown =>
  typeof value === "string"
    ? Number(value === "" || Number.isNaN(Number(value)) ? 1 : value)
    : typeof value === "object"
    ? JSON.stringify(value)
    : String(value)

/** @category shapes */
export const faultsAt = (path: string, place: Place): ReadonlyArray<Shape> => [
  { path, place, fault: "missing", ...changing(path, place, () => undefined) },
  { path, place, fault: "retyped", ...changing(path, place, retyped) }
]
