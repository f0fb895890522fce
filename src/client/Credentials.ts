/**
 * The API key and its secret. `Settings` reads them from the environment or from a file.
 *
 * @example
 * ```ts
 * import * as Redacted from "effect/Redacted"
 * import { Credentials } from "effect-txc"
 *
 * export const given = (apiKey: string, apiSecret: string) =>
 *   Credentials.layer({ apiKey: Redacted.make(apiKey), apiSecret: Redacted.make(apiSecret) })
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Digest from "./Digest.ts"

/**
 * The key or the secret can't be used: it is empty, cut short, or has characters that an HTTP header can't carry. Neither is
 * shown.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidCredentials extends Schema.TaggedError<InvalidCredentials>()("InvalidCredentials", {
  part: Schema.Literals(["apiKey", "apiSecret"]),
  problem: Schema.String
}) {
  /** Which of the two. */
  declare readonly part: "apiKey" | "apiSecret"
  /** What is wrong with it, as the end of a sentence. */
  declare readonly problem: string
  override get message(): string {
    return `${this.part === "apiKey" ? "The API key" : "The API secret"} ${this.problem}`
  }
}

/**
 * A key and its secret. Both print as `<redacted>`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The public API key, sent with every signed request: at least 8 characters, ASCII without spaces. */
  readonly apiKey: Redacted.Redacted
  /** The secret that requests are signed with; never sent. At least 8 characters, ASCII without spaces. */
  readonly apiSecret: Redacted.Redacted
}

/**
 * The credentials of an account.
 *
 * @category services
 * @since 0.1.0
 */
export class Credentials extends Context.Service<Credentials, Options>()("effect-txc/client/Credentials") {}

/**
 * The fewest characters of a key and of a secret. Real ones are far longer. Shorter ones are parts of ordinary words, so to
 * remove them from errors would make the errors unreadable.
 */
const minLength = 8

const check = (part: InvalidCredentials["part"], value: Redacted.Redacted) => {
  const text = Redacted.value(value)
  if (text === "") return Effect.fail(new InvalidCredentials({ part, problem: "is empty" }))
  if (!/^[\x21-\x7e]+$/u.test(text)) {
    return Effect.fail(
      new InvalidCredentials({
        part,
        problem: "has spaces, line breaks or characters beyond ASCII; was it copied with something around it?"
      })
    )
  }
  if (text.length < minLength)
    return Effect.fail(new InvalidCredentials({ part, problem: "is too short; was it cut?" }))
  return Effect.void
}

/**
 * Checks a key and its secret and makes the service. Fails with `InvalidCredentials`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function*(options: Options): Effect.fn.Return<Options, InvalidCredentials> {
  yield* check("apiKey", options.apiKey)
  yield* check("apiSecret", options.apiSecret)
  return options
})

/**
 * The name of an API key in errors, intents and spans, where the key itself must not be seen: the first 16 hexadecimal digits
 * of its SHA-256.
 *
 * @category fingerprints
 * @since 0.1.0
 */
export const fingerprint = (apiKey: Redacted.Redacted): Effect.Effect<string> =>
  Effect.map(Digest.ofApiKey(Redacted.value(apiKey)), (digest) => digest.slice(0, 16))

/**
 * A key and a secret that the program has. Fails with `InvalidCredentials`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<Credentials, InvalidCredentials> =>
  Layer.effect(Credentials, make(options))
