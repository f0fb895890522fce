/**
 * Names for API keys that do not reveal them, for what many programs share.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"

/**
 * The first 128 bits of the SHA-256 of an API key, as hexadecimal digits.
 *
 * @category names
 * @since 0.1.0
 */
export const ofApiKey = (apiKey: string): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(apiKey))),
    (digest) => Hex.encode(new Uint8Array(digest)).slice(0, 32)
  )
