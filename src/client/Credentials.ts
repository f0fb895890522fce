/**
 * The API key and its secret.
 *
 * @since 0.1.0
 */
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/**
 * The key or the secret can't be used: empty, cut short, or with characters that an HTTP header can't carry. Neither is
 * shown.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidCredentials extends Schema.TaggedError<InvalidCredentials>()("InvalidCredentials", {
  part: Schema.Literals(["apiKey", "apiSecret"]),
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.part === "apiKey" ? "The API key" : "The API secret"} ${this.problem}`
  }
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly apiKey: Redacted.Redacted
  readonly apiSecret: Redacted.Redacted
}

/**
 * The public API key and the secret that requests are signed with. Both print as `<redacted>`.
 *
 * @category services
 * @since 0.1.0
 */
export class Credentials extends Context.Service<Credentials, Options>()("effect-txc/client/Credentials") {}

/**
 * The fewest characters of a key and of a secret. Real ones are far longer; shorter ones could not be kept out of errors
 * without spoiling their words.
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
 * Checks the two and makes the service.
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
 * What an API key is called in errors, intents and spans, where the key itself must not be seen: the first 16 digits of
 * its SHA-256 in hexadecimal.
 *
 * @category fingerprints
 * @since 0.1.0
 */
export const fingerprint = (apiKey: Redacted.Redacted): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(Redacted.value(apiKey)))),
    (digest) => Hex.encode(new Uint8Array(digest, 0, 8))
  )

/**
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<Credentials, InvalidCredentials> =>
  Layer.effect(Credentials, make(options))

/**
 * From configuration: `TXC_API_KEY` and `TXC_API_SECRET`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig: Layer.Layer<Credentials, InvalidCredentials | Config.ConfigError> = Layer.effect(
  Credentials,
  Effect.flatMap(
    Config.all({ apiKey: Config.Redacted("TXC_API_KEY"), apiSecret: Config.Redacted("TXC_API_SECRET") }),
    make
  )
)
