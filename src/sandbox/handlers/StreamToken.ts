/**
 * Tokens that authorize a WebSocket connection. A token names its key and is signed with the key's secret. So the venue
 * does not need to store tokens, and they remain valid after a restart.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import type { Key, State } from "../engine/State.ts"

/** The contents of a valid token. */
export interface Token {
  /** The key that created the token. */
  readonly key: Key
  /** The time at which the token was created, on the clock that nonces are checked against, in Unix microseconds. */
  readonly createdAt: number
}

const sign = ({ apiSecret }: Key, named: string): string =>
  createHmac("sha256", apiSecret).update(`websocket token ${named}`).digest("base64url")

/**
 * Creates a token. Each token of a key is different, because no two calls have the same nonce. `at` is in Unix
 * microseconds on the clock that nonces are checked against.
 */
export const create = (key: Key, nonce: bigint, at: number): string => {
  // Times in a restored venue can contain a fraction of a microsecond.
  const named = [Buffer.from(key.apiKey).toString("base64url"), Math.floor(at), nonce].join(".")
  return `${named}.${sign(key, named)}`
}

const isEqual = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Reads a token; `undefined` if no key on this exchange has created the token. */
export const read = (state: State, token: string): Token | undefined => {
  const [encoded = "", at = "", nonce = "", signature = ""] = token.split(".")
  // Text that does not have the format of a key matches no key.
  const key = state.keys.get(Buffer.from(encoded, "base64url").toString() as never)
  const isSigned = key !== undefined && isEqual(signature, sign(key, `${encoded}.${at}.${nonce}`))
  return isSigned ? { key, createdAt: Number(at) } : undefined
}
