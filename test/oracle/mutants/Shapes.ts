/** Malformed responses, derived from correct ones: each field is missing once, and has the wrong type once. */
import * as Json from "../../../src/protocol/Json.ts"
import { type Change, changing, type Place } from "./Mutant.ts"

/**
 * A malformed response: a field is `missing` or `retyped` (a number replaces a string, a string replaces any other
 * value).
 */
export interface Shape extends Change {
  readonly path: string
  readonly place: Place
  readonly fault: "missing" | "retyped"
}

/**
 * Returns all places in a response. All elements of a list are one place, and so are all values of an object that is
 * keyed by names.
 */
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

/** Returns a value of the wrong type, as a careless JSON writer would produce it. */
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
