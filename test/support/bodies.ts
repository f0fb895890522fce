/** The keys of a body, and copies of the body with one changed key. */
import * as Json from "../../src/protocol/Json.ts"

/** The keys that lead from a body to one of its parts. */
export type Path = ReadonlyArray<string>

/** Lists the paths of all keys in a body. For lists, only the keys of the first element are included. */
export const pathsOf = (value: unknown): ReadonlyArray<Path> => {
  if (Array.isArray(value)) return value.slice(0, 1).flatMap((item) => pathsOf(item).map((path) => ["0", ...path]))
  if (!Json.isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => [[key], ...pathsOf(inner).map((path) => [key, ...path])])
}

/** A change to a single key. */
export type Change = (parent: Record<string, unknown>, key: string) => void

/** Copies the body, and applies the change to the object that contains the path's last key. */
export const changed = (value: unknown, path: Path, change: Change): unknown => {
  const copy = structuredClone(value)
  const parent = path.slice(0, -1).reduce((inner, key) => (inner as Record<string, unknown>)[key], copy)
  change(parent as Record<string, unknown>, path.at(-1) ?? "")
  return copy
}
