/** Creates digests that identify API keys in shared storage without revealing them. */
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import { nodeCrypto } from "./NodeCrypto.ts"

/** The first 128 bits of an API key's SHA-256, as hexadecimal digits. */
export const ofApiKey = (apiKey: string): Effect.Effect<string> => {
  // Uses `node:crypto` where available, because it hashes synchronously and loads faster than WebCrypto.
  const crypto = nodeCrypto()
  const digest = crypto === undefined ? digestOf(apiKey) : Effect.sync(() => crypto.hash("sha256", apiKey))
  return Effect.map(digest, (digits) => digits.slice(0, 32))
}

const digestOf = (text: string): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))),
    (digest) => Hex.encode(new Uint8Array(digest))
  )
