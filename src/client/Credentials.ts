/**
 * The API key and its secret. `Settings` reads them from the environment or a file.
 *
 * @example
 * ```ts
 * import * as Redacted from "effect/Redacted"
 * import { Credentials } from "effect-txc"
 *
 * export const given = (apiKey: string, apiSecret: string) =>
 *   Credentials.layer({ apiKey: Redacted.make(apiKey), apiSecret: Redacted.make(apiSecret) })
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Digest from "./Digest.ts"

/**
 * The key or secret can't be used: it is missing or empty, or it has spaces, line breaks or non-ASCII characters. The
 * error contains neither the key nor the secret.
 *
 * @category errors
 */
export class InvalidCredentials extends Schema.TaggedError<InvalidCredentials>()("InvalidCredentials", {
  part: Schema.Literals(["apiKey", "apiSecret"]),
  problem: Schema.String
}) {
  /** The part that can't be used: the key or the secret. */
  declare readonly part: "apiKey" | "apiSecret"
  /** The problem, as a phrase that follows "The API key" or "The API secret". */
  declare readonly problem: string
  override get message(): string {
    return `${this.part === "apiKey" ? "The API key" : "The API secret"} ${this.problem}`
  }
}

/**
 * A key and its secret. Both print as `<redacted>`.
 *
 * @category models
 */
export interface Options {
  /** The public API key, sent with every signed request: one or more ASCII characters, without spaces. */
  readonly apiKey: Redacted.Redacted
  /**
   * The secret that signs requests. It is never sent. It consists of one or more ASCII characters, without spaces. In
   * error messages, every occurrence of the secret is replaced by `<redacted>`, so a very short secret makes the
   * messages hard to read.
   */
  readonly apiSecret: Redacted.Redacted
}

/**
 * An account's credentials.
 *
 * @category services
 */
export class Credentials extends Context.Service<Credentials, Options>()("effect-txc/client/Credentials") {}

const check = (part: InvalidCredentials["part"], value: Redacted.Redacted) => {
  const text = Redacted.value(value)
  if (text === "") return Effect.fail(new InvalidCredentials({ part, problem: "is empty" }))
  if (!/^[\x21-\x7e]+$/u.test(text)) {
    return Effect.fail(
      new InvalidCredentials({
        part,
        problem: "has spaces, line breaks or non-ASCII characters; was something else copied with it?"
      })
    )
  }
  return Effect.void
}

/**
 * Checks a key and its secret, and creates the service. Fails with `InvalidCredentials`.
 *
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(options: Options): Effect.fn.Return<Options, InvalidCredentials> {
  yield* check("apiKey", options.apiKey)
  yield* check("apiSecret", options.apiSecret)
  return options
})

/**
 * An API key's fingerprint, which identifies the key in errors, intents and spans without revealing it: the first 16
 * hexadecimal digits of the key's SHA-256.
 *
 * @category fingerprints
 */
export const fingerprint = (apiKey: Redacted.Redacted): Effect.Effect<string> =>
  Effect.map(Digest.ofApiKey(Redacted.value(apiKey)), (digest) => digest.slice(0, 16))

/**
 * Provides credentials that the program already has. Fails with `InvalidCredentials`.
 *
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<Credentials, InvalidCredentials> =>
  Layer.effect(Credentials, make(options))
