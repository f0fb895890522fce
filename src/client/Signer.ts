/**
 * Signs requests. Only this service has the secret. A remote signer, such as a key management service, can replace this
 * service, so that the secret is not in the process at all.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Redacted from "effect/Redacted"
 * import { Signer } from "effect-txc"
 *
 * // A signer that does not have the secret: `hmac` calls a key management service.
 * export const remote = (apiKey: string, hmac: (payload: string) => Promise<string>) =>
 *   Layer.succeed(Signer.Signer, {
 *     apiKey: Redacted.make(apiKey),
 *     sign: (payload) =>
 *       Effect.tryPromise({
 *         try: () => hmac(payload),
 *         catch: () => new Signer.SigningFailed({ reason: "the key management service did not sign" })
 *       }),
 *     scrub: Signer.scrubber(apiKey)
 *   })
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scrub from "../protocol/Scrub.ts"
import { Credentials } from "./Credentials.ts"
import { nodeCrypto } from "./NodeCrypto.ts"

/**
 * The signer could not sign, so nothing was sent.
 *
 * @category errors
 */
export class SigningFailed extends Schema.TaggedError<SigningFailed>()("SigningFailed", {
  reason: Schema.String
}) {
  /** The reason, included in the call's error. It must not contain a secret. */
  declare readonly reason: string
  override get message(): string {
    return `The request can't be signed: ${this.reason}`
  }
}

/**
 * Signs requests with one API key.
 *
 * @category services
 */
export class Signer extends Context.Service<Signer, {
  /** The public API key, sent as `X-TXC-APIKEY`. */
  readonly apiKey: Redacted.Redacted
  /**
   * Returns the lower-case hexadecimal HMAC-SHA512 of a payload, keyed with the API secret (the document,
   * "Authentication"). If it fails, nothing is sent and the call fails with `ExchangeUnreachable` (`why:
   * "not-signed"`).
   */
  readonly sign: (payload: string) => Effect.Effect<string, SigningFailed>
  /** Removes this signer's secrets from a string. */
  readonly scrub: (text: string) => string
}>()("effect-txc/client/Signer") {}

/**
 * Creates a function that removes the given secrets from a string: see `Scrub.scrubber`.
 *
 * @category scrubbing
 */
export const scrubber: (...secrets: ReadonlyArray<string>) => (text: string) => string = Scrub.scrubber

const withSecretsOf = (
  credentials: Credentials["Service"],
  sign: Signer["Service"]["sign"]
): Signer["Service"] => ({
  apiKey: credentials.apiKey,
  sign,
  scrub: scrubber(Redacted.value(credentials.apiKey), Redacted.value(credentials.apiSecret))
})

/**
 * Signs with `node:crypto` and a prepared key, the fastest way on Node, Bun and Deno. Each use of the layer builds its
 * own signer, because a signer belongs to one account's credentials. Fails with `SigningFailed` where `node:crypto`
 * does not exist.
 *
 * @category layers
 */
export const layerNode: Layer.Layer<Signer, SigningFailed, Credentials> = Layer.effect(
  Signer,
  Effect.gen(function*() {
    const credentials = yield* Credentials
    const crypto = nodeCrypto()
    if (crypto === undefined) {
      return yield* new SigningFailed({ reason: "there is no node:crypto here; use Signer.layerWebCrypto" })
    }
    const key = crypto.createSecretKey(Redacted.value(credentials.apiSecret), "utf8")
    return withSecretsOf(
      credentials,
      // Signs synchronously, so that the call does not need a timer for the signature.
      (payload) => Effect.succeed(crypto.createHmac("sha512", key).update(payload).digest("hex"))
    )
  })
).pipe(Layer.fresh)

/**
 * Signs with WebCrypto, for runtimes without `node:crypto`. Fails with `SigningFailed` when the key can't be imported.
 *
 * @category layers
 */
export const layerWebCrypto: Layer.Layer<Signer, SigningFailed, Credentials> = Layer.effect(
  Signer,
  Effect.gen(function*() {
    const credentials = yield* Credentials
    const encoder = new TextEncoder()
    const failed = (cause: unknown) => new SigningFailed({ reason: `WebCrypto: ${String(cause)}` })
    const key = yield* Effect.tryPromise({
      try: () =>
        crypto.subtle.importKey(
          "raw",
          encoder.encode(Redacted.value(credentials.apiSecret)),
          { name: "HMAC", hash: "SHA-512" },
          false,
          ["sign"]
        ),
      catch: failed
    })
    return withSecretsOf(credentials, (payload) =>
      Effect.map(
        Effect.tryPromise({ try: () => crypto.subtle.sign("HMAC", key, encoder.encode(payload)), catch: failed }),
        (signature) => Hex.encode(new Uint8Array(signature))
      ))
  })
).pipe(Layer.fresh)
