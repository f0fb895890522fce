/**
 * Handles request fields that are part of an endpoint's path. A client writes the fields into the path, and an exchange
 * reads them from it.
 */
import * as Result from "effect/Result"
import type * as Endpoint from "./Endpoint.ts"

const placeholder = /\{([A-Za-z_]+)\}/gu

/** A request's path, and the fields that the path does not contain. */
export interface Location {
  /** The path, with its placeholders filled from the request's fields. */
  readonly path: string
  /** The request fields that the path does not contain, keyed by wire key. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** Builds a request's path, which may contain some of the request's fields. `wire` is the request with wire keys. */
export const locate = (
  { path }: Endpoint.Any,
  wire: Readonly<Record<string, unknown>>
): Location => {
  if (!path.includes("{")) return { path, fields: wire }
  const fields = { ...wire }
  const filled = path.replace(placeholder, (_, key: string) => {
    const value = fields[key]
    delete fields[key]
    return encodeURIComponent(String(value))
  })
  return { path: filled, fields }
}

const unescape = (text: string): string => Result.getOrElse(Result.try(() => decodeURIComponent(text)), () => text)

/** Returns the fields in a path, keyed by wire key; `undefined` if the path belongs to another endpoint. */
export const match = (
  { path: template }: {
    /** A path with placeholders, such as `/api/v4/public/orderbook/{market}`. */
    readonly path: string
  },
  path: string
): Readonly<Record<string, string>> | undefined => {
  const expected = template.split("/")
  const given = path.split("/")
  if (expected.length !== given.length) return undefined
  const fields: Record<string, string> = {}
  for (const [index, part] of expected.entries()) {
    const found = given[index] ?? ""
    if (!part.startsWith("{")) {
      if (part !== found) return undefined
    } else if (found === "") return undefined
    else fields[part.slice(1, -1)] = unescape(found)
  }
  return fields
}
