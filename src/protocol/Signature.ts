/**
 * How a private request is signed (document, "Authentication"): the payload is the Base64 of the body's bytes, the
 * signature the lower-case hexadecimal HMAC-SHA512 of the payload, keyed with the API secret.
 *
 * @since 0.1.0
 */
import * as Base64 from "effect/encoding/Base64"

/**
 * The names of the headers of a private request.
 *
 * @category models
 * @since 0.1.0
 */
export const headers = {
  apiKey: "x-txc-apikey",
  payload: "x-txc-payload",
  signature: "x-txc-signature"
} as const

/**
 * Matches the headers that must never be shown.
 *
 * @category models
 * @since 0.1.0
 */
export const secretHeaders: RegExp = /^x-txc-/iu

const encode: (bytes: Uint8Array) => string = typeof Buffer === "undefined"
  ? Base64.encode
  : (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")

/**
 * The payload: the Base64 of exactly the bytes that are sent.
 *
 * @category signing
 * @since 0.1.0
 */
export const payloadOf = (body: Uint8Array): string => encode(body)
