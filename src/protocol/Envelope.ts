/**
 * Builds the body of a private request as compact JSON: the request's own fields, then `request` (the endpoint's path)
 * and the nonce (the document, "Authentication", 3).
 */
import type { NonceFields } from "./Dialect.ts"
import * as Json from "./Json.ts"

const encoder = new TextEncoder()

const encode: (text: string) => Uint8Array = typeof Buffer === "undefined"
  ? (text) => encoder.encode(text)
  : (text) => Buffer.from(text)

/**
 * Builds the exact bytes to sign and send. `request` has wire keys; `path` is the endpoint's path, starting with
 * `/api/v4`. The envelope's fields are written last, so request fields can't override them.
 */
export const bytes = (
  request: Readonly<Record<string, unknown>>,
  path: string,
  nonce: NonceFields
): Uint8Array => encode(Json.stringify({ ...request, request: path, ...nonce }))
