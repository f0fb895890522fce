/**
 * The API key and its secret.
 *
 * @example
 * ```ts
 * import * as Redacted from "effect/Redacted"
 * import { Credentials } from "effect-txc"
 *
 * // From `TXC_API_KEY` and `TXC_API_SECRET`; or from a file that only its owner may read.
 * export const fromConfig = Credentials.layerConfig
 * export const fromFile = Credentials.layerFile("/run/secrets/txc.env")
 *
 * // Of a key that came from somewhere else.
 * export const given = (apiKey: string, apiSecret: string) =>
 *   Credentials.layer({ apiKey: Redacted.make(apiKey), apiSecret: Redacted.make(apiSecret) })
 * ```
 *
 * @since 0.1.0
 */
import type * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
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
 * The file with the key and the secret can't be read, or others than its owner may use it.
 *
 * @category errors
 * @since 0.1.0
 */
export class CredentialsFileRefused extends Schema.TaggedError<CredentialsFileRefused>()("CredentialsFileRefused", {
  path: Schema.String,
  problem: Schema.String
}) {
  /** The path of the file. */
  declare readonly path: string
  /** Why it is refused, and how to fix that. */
  declare readonly problem: string
  override get message(): string {
    return `The credentials in ${this.path} are not used: ${this.problem}`
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

/** Not an import: who has the key and the secret does not pay for what reads them. */
const settings = Effect.promise(() => import("./Settings.ts"))

/**
 * From configuration: `TXC_API_KEY` and `TXC_API_SECRET`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig: Layer.Layer<Credentials, InvalidCredentials | Config.ConfigError> = Layer.effect(
  Credentials,
  Effect.flatMap(Effect.flatMap(settings, ({ credentials }) => credentials), make)
)

/**
 * The text of a file that only its owner may use (mode 0600 or stricter). Any other file is refused, and the error says how
 * to fix it. Where files have no such modes, as on Windows, all are refused. Reads 64 KiB at most.
 *
 * @category files
 * @since 0.1.0
 */
export const readPrivate = (
  path: string
): Effect.Effect<string, CredentialsFileRefused, FileSystem.FileSystem> =>
  Effect.flatMap(settings, ({ readPrivate }) => readPrivate(path))

/**
 * From a file that only its owner may use, see {@link readPrivate}, with a line for each of `TXC_API_KEY=…` and
 * `TXC_API_SECRET=…`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerFile = (
  path: string
): Layer.Layer<
  Credentials,
  InvalidCredentials | CredentialsFileRefused | Config.ConfigError,
  FileSystem.FileSystem
> =>
  Layer.effect(
    Credentials,
    Effect.flatMap(Effect.flatMap(settings, ({ credentialsIn }) => credentialsIn(path)), make)
  )
