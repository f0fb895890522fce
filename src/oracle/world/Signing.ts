/**
 * Signed requests, made step by step so that each step can be done wrongly on purpose. This module shares nothing with
 * the client: a mistake that both made would never show.
 *
 * @since 0.1.0
 */
import * as Redacted from "effect/Redacted"
import { createHmac } from "node:crypto"
import type { Keys, Request } from "../Target.ts"

/**
 * What a call does otherwise than the document says. What is absent is done right.
 *
 * @category models
 * @since 0.1.0
 */
export interface Tampering {
  /** Fields of the body that replace `request` and `nonce`; `undefined` leaves one out. */
  readonly envelope?: Readonly<Record<string, unknown>>
  /** Changes the text of the body before it is signed. */
  readonly text?: (text: string) => string
  /** Changes the body that is sent, after it was signed. */
  readonly body?: (text: string) => string
  /** The payload header, made from the body's text. */
  readonly payload?: (text: string) => string
  /** The signature header. */
  readonly signature?: (payload: string, secret: string, text: string) => string
  /** Headers that replace the right ones, by lower-case name; `undefined` leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** The method; a GET has no body. */
  readonly method?: string
}

/**
 * The Base64 of a text's UTF-8 bytes.
 *
 * @category signing
 * @since 0.1.0
 */
export const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64")

/**
 * The hexadecimal HMAC of a text's UTF-8 bytes.
 *
 * @category signing
 * @since 0.1.0
 */
export const hmac = (secret: string, text: string, hash: "sha512" | "sha256" = "sha512"): string =>
  createHmac(hash, secret).update(text, "utf8").digest("hex")

/**
 * A call of a path with these fields and this nonce, signed with these keys.
 *
 * @category signing
 * @since 0.1.0
 */
export const request = (
  keys: Keys,
  path: string,
  fields: Readonly<Record<string, unknown>>,
  nonce: Readonly<Record<string, unknown>>,
  tampering: Tampering = {}
): Request => {
  const secret = Redacted.value(keys.apiSecret)
  const compact = JSON.stringify({ ...fields, request: path, ...nonce, ...tampering.envelope })
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
  // A curl line repeats these as they are; it signs the rest anew, with another nonce.
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
