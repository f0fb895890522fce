/**
 * Signed requests, put together step by step so that each step can be done wrongly on purpose. It shares nothing with the
 * client: what both get wrong in the same way would never show.
 *
 * @since 0.1.0
 */
import * as Redacted from "effect/Redacted"
import { createHmac } from "node:crypto"
import type { Keys, Request } from "../Target.ts"

/**
 * What is done otherwise than the document says:
 *
 * - `envelope`: fields of the body, in place of `request` and `nonce`; `undefined` leaves one out
 * - `text`: the body as text, before it is signed
 * - `body`: what is sent in place of what was signed
 * - `payload`, `signature`: the values of the headers
 * - `headers`: in place of the right ones; `undefined` leaves one out
 * - `method`: in place of POST
 *
 * @category models
 * @since 0.1.0
 */
export interface Tampering {
  readonly envelope?: Readonly<Record<string, unknown>>
  readonly text?: (text: string) => string
  readonly body?: (text: string) => string
  readonly payload?: (text: string) => string
  readonly signature?: (payload: string, secret: string, text: string) => string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly method?: string
}

/** @category signing */
export const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64")

/** @category signing */
export const hmac = (secret: string, text: string, hash: "sha512" | "sha256" = "sha512"): string =>
  createHmac(hash, secret).update(text, "utf8").digest("hex")

/**
 * A call of a path with these fields, signed with these keys.
 *
 * @category signing
 * @since 0.1.0
 */
export const request = (
  keys: Keys,
  path: string,
  fields: Readonly<Record<string, unknown>>,
  nonce: Readonly<Record<string, unknown>>,
  but: Tampering = {}
): Request => {
  const secret = Redacted.value(keys.apiSecret)
  const compact = JSON.stringify({ ...fields, request: path, ...nonce, ...but.envelope })
  const text = but.text === undefined ? compact : but.text(compact)
  const payload = but.payload === undefined ? base64(text) : but.payload(text)
  const signature = but.signature === undefined ? hmac(secret, payload) : but.signature(payload, secret, text)
  const headers = {
    "content-type": "application/json",
    "x-txc-apikey": Redacted.value(keys.apiKey),
    "x-txc-payload": payload,
    "x-txc-signature": signature,
    ...but.headers
  }
  // What whoever sends the request again must leave as it is: the rest is signed anew, with another nonce.
  const changed = [
    ...Object.keys(but.headers ?? {}),
    ...(but.payload === undefined ? [] : ["payload"]),
    ...(but.signature === undefined ? [] : ["x-txc-signature"]),
    ...(Object.hasOwn(but.envelope ?? {}, "nonce") ? ["nonce"] : [])
  ]
  return {
    ...(changed.length === 0 ? {} : { changed }),
    signed: text,
    method: but.method ?? "POST",
    path,
    headers: Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) => value === undefined ? [] : [[name, value]])
    ),
    ...(but.method === "GET" ? {} : { body: but.body === undefined ? text : but.body(text) })
  }
}
