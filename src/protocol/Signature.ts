/**
 * Describes how private requests are signed (the document, "Authentication", 2). The payload is the Base64 of the
 * body's bytes. The signature is the HMAC-SHA512 of the payload, keyed with the API secret, in lower-case hexadecimal.
 */
import * as Bytes from "./Bytes.ts"

/** The header names of a private request, in lower case (the document, "Authentication", 2). */
export const headers = {
  /** The header for the public API key. */
  apiKey: "x-txc-apikey",
  /** The header for the body in Base64. */
  payload: "x-txc-payload",
  /** The header for the signature, in lower-case hexadecimal. */
  signature: "x-txc-signature"
} as const

/** Matches the names of headers whose values must not appear in logs, spans or errors. */
export const secretHeaders: RegExp = /^x-txc-/iu

const encode: (bytes: Uint8Array) => string = typeof Buffer === "undefined"
  ? Bytes.toBase64
  : (bytes) =>
    (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).toString("base64")

/** Creates the payload header for a body: the Base64 of exactly the bytes to send. */
export const payloadOf = (body: Uint8Array): string => encode(body)
