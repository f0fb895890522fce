/**
 * The API key and its secret.
 *
 * @since 0.1.0
 */
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Digest from "./Digest.ts"

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
 * The file with the key and the secret can't be read, or others can read it too.
 *
 * @category errors
 * @since 0.1.0
 */
export class CredentialsFileRefused extends Schema.TaggedError<CredentialsFileRefused>()("CredentialsFileRefused", {
  path: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `The credentials in ${this.path} are not used: ${this.problem}`
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
  Effect.map(Digest.ofApiKey(Redacted.value(apiKey)), (digest) => digest.slice(0, 16))

/**
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<Credentials, InvalidCredentials> =>
  Layer.effect(Credentials, make(options))

const config = Config.all({ apiKey: Config.Redacted("TXC_API_KEY"), apiSecret: Config.Redacted("TXC_API_SECRET") })

/**
 * From configuration: `TXC_API_KEY` and `TXC_API_SECRET`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig: Layer.Layer<Credentials, InvalidCredentials | Config.ConfigError> = Layer.effect(
  Credentials,
  Effect.flatMap(config, make)
)

/** Two short lines fit in it. */
const maxSize = 65_536

/** The permissions of a file's group and of all others. */
const ofOthers = 0o077

/**
 * The text of a file that only its owner may use (mode 0600 or stricter). Any other is refused, and the error says how to
 * mend it. Where files have no such modes, as on Windows, all are refused.
 *
 * @category files
 * @since 0.1.0
 */
export const readPrivate: (
  path: string
) => Effect.Effect<string, CredentialsFileRefused, FileSystem.FileSystem> = Effect.fnUntraced(function*(path: string) {
  const files = yield* FileSystem.FileSystem
  // What is looked at and what is read are the same file, whatever happens to its name in between.
  const file = yield* files.open(path, { flag: "r" })
  const { mode, type } = yield* file.stat
  if (type !== "File") return yield* new CredentialsFileRefused({ path, problem: "it is no file" })
  if ((mode & ofOthers) !== 0) {
    const octal = (mode & 0o777).toString(8).padStart(4, "0")
    return yield* new CredentialsFileRefused({
      path,
      problem: `others than its owner may use it (mode ${octal}); run: chmod 600 ${path}`
    })
  }
  const bytes = yield* file.readAlloc(maxSize)
  return new TextDecoder().decode(Option.getOrElse(bytes, () => new Uint8Array()))
}, (read, path) =>
  Effect.scoped(read).pipe(
    Effect.catchTag("PlatformError", ({ message }) =>
      Effect.fail(new CredentialsFileRefused({ path, problem: `it can't be read: ${message}` })))
  ))

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
    readPrivate(path).pipe(
      Effect.flatMap((text) => config.parse(ConfigProvider.fromDotEnvContents(text))),
      Effect.flatMap(make)
    )
  )
