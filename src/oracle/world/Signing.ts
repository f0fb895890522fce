/**
 * Signs requests step by step, so that a rule can get any step wrong on purpose. This module shares no code with the
 * client, because a mistake in shared code would go unnoticed.
 */
import * as Redacted from "effect/Redacted"
import { createHmac } from "node:crypto"
import * as Json from "../../protocol/Json.ts"
import type { Keys, Request } from "../Target.ts"

/**
 * Deviations from a correctly signed call. A step without a field here is done correctly.
 *
 * @category models
 */
export interface Tampering {
  /** Fields of the body that replace `request` and `nonce`; a field set to `undefined` is omitted. */
  readonly envelope?: Readonly<Record<string, unknown>>
  /** Changes the text of the body before signing. */
  readonly text?: (text: string) => string
  /** Changes the body after signing. */
  readonly body?: (text: string) => string
  /** Creates the payload header from the body's text. */
  readonly payload?: (text: string) => string
  /** Creates the signature header from the payload, the secret and the body's text. */
  readonly signature?: (payload: string, secret: string, text: string) => string
  /** Headers that replace the correct ones, keyed by lower-case name; a header set to `undefined` is omitted. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** The HTTP method; a GET has no body. */
  readonly method?: string
}

/**
 * Returns the Base64 of a string's UTF-8 bytes.
 *
 * @category signing
 */
export const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64")

/**
 * Returns the hexadecimal HMAC of a string's UTF-8 bytes.
 *
 * @category signing
 */
export const hmac = (secret: string, text: string, hash: "sha512" | "sha256" = "sha512"): string =>
  createHmac(hash, secret).update(text, "utf8").digest("hex")

/**
 * Builds a call to a path with these fields and this nonce, signed with these keys.
 *
 * @category signing
 */
export const request = (
  keys: Keys,
  path: string,
  fields: Readonly<Record<string, unknown>>,
  nonce: Readonly<Record<string, unknown>>,
  tampering: Tampering = {}
): Request => {
  const secret = Redacted.value(keys.apiSecret)
  const compact = Json.stringify({ ...fields, request: path, ...nonce, ...tampering.envelope })
  const text = tampering.text === undefined ? compact : tampering.text(compact)
  const payload = tampering.payload === undefined ? base64(text) : tampering.payload(text)
  const signature = tampering.signature === undefined
    ? hmac(secret, payload)
    : tampering.signature(payload, secret, text)
  const headers = {
    "content-type": "application/json",
    "x-txc-apikey": Redacted.value(keys.apiKey),
    "x-txc-payload": payload,
    "x-txc-signature": signature,
    ...tampering.headers
  }
  // A curl command repeats these parts unchanged, and signs the rest again with a new nonce.
  const changed = [
    ...Object.keys(tampering.headers ?? {}),
    ...(tampering.payload === undefined ? [] : ["payload"]),
    ...(tampering.signature === undefined ? [] : ["x-txc-signature"]),
    ...(Object.hasOwn(tampering.envelope ?? {}, "nonce") ? ["nonce"] : [])
  ]
  return {
    ...(changed.length === 0 ? {} : { changed }),
    signed: text,
    method: tampering.method ?? "POST",
    path,
    headers: Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) => value === undefined ? [] : [[name, value]])
    ),
    ...(tampering.method === "GET" ? {} : { body: tampering.body === undefined ? text : tampering.body(text) })
  }
}
