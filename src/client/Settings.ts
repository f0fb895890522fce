/**
 * Reads the key, its secret and the exchange from configuration, and credentials from a file.
 *
 * @example
 * ```ts
 * import { Settings } from "effect-txc"
 *
 * // Credentials from `TXC_API_KEY` and `TXC_API_SECRET`, or from a file that only its owner may read.
 * export const fromConfig = Settings.layerCredentials
 * export const fromFile = Settings.layerCredentialsFile("/run/secrets/txc.env")
 * ```
 */
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Dialect from "../protocol/Dialect.ts"
import * as Credentials from "./Credentials.ts"
import * as Region from "./Region.ts"

/**
 * The credentials file can't be read, or users other than its owner may access it.
 *
 * @category errors
 */
export class CredentialsFileRefused extends Schema.TaggedError<CredentialsFileRefused>()("CredentialsFileRefused", {
  path: Schema.String,
  problem: Schema.String
}) {
  /** The path of the file. */
  declare readonly path: string
  /** The reason for the refusal, and how to fix it. */
  declare readonly problem: string
  override get message(): string {
    return `The credentials in ${this.path} are not used: ${this.problem}`
  }
}

/** The key and its secret: `TXC_API_KEY` and `TXC_API_SECRET`. */
const credentials: Config.Config<Credentials.Options> = Config.all({
  apiKey: Config.Redacted("TXC_API_KEY"),
  apiSecret: Config.Redacted("TXC_API_SECRET")
})

/**
 * Credentials from configuration: `TXC_API_KEY` and `TXC_API_SECRET`.
 *
 * @category layers
 */
export const layerCredentials: Layer.Layer<
  Credentials.Credentials,
  Credentials.InvalidCredentials | Config.ConfigError
> = Layer.effect(
  Credentials.Credentials,
  Effect.gen(function*() {
    return yield* Credentials.make(yield* credentials)
  })
)

/** The maximum number of bytes read from a file, far more than two lines need. */
const maxSize = 65_536

/** The mode bits that give a file's group and other users access to it. */
const ofOthers = 0o077

/**
 * Reads a file that only its owner may access (mode 0600 or stricter). Refuses any other file with an error that says
 * how to fix it. On systems without such modes, like Windows, it refuses every file. Reads at most 64 KiB.
 *
 * @category files
 */
export const readPrivate: (
  path: string
) => Effect.Effect<string, CredentialsFileRefused, FileSystem.FileSystem> = Effect.fnUntraced(
  function*(path: string) {
    const files = yield* FileSystem.FileSystem
    // Checks and reads the same open file, even if the path is replaced in between.
    const file = yield* files.open(path, { flag: "r" })
    const { mode, type } = yield* file.stat
    if (type !== "File") return yield* new CredentialsFileRefused({ path, problem: "it is not a file" })
    if ((mode & ofOthers) !== 0) {
      const octal = (mode & 0o777).toString(8).padStart(4, "0")
      return yield* new CredentialsFileRefused({
        path,
        problem: `users other than its owner can access it (mode ${octal}); run: chmod 600 ${path}`
      })
    }
    const bytes = yield* file.readAlloc(maxSize)
    return new TextDecoder().decode(Option.getOrElse(bytes, () => new Uint8Array()))
  },
  (read, path) =>
    Effect.scoped(read).pipe(
      Effect.catchTag("PlatformError", ({ message }) =>
        Effect.fail(new CredentialsFileRefused({ path, problem: `it can't be read: ${message}` })))
    )
)

/**
 * Credentials from a file that only its owner may access (see {@link readPrivate}), with one line for `TXC_API_KEY=…`
 * and one for `TXC_API_SECRET=…`.
 *
 * @category layers
 */
export const layerCredentialsFile = (
  path: string
): Layer.Layer<
  Credentials.Credentials,
  Credentials.InvalidCredentials | CredentialsFileRefused | Config.ConfigError,
  FileSystem.FileSystem
> =>
  Layer.effect(
    Credentials.Credentials,
    Effect.gen(function*() {
      const text = yield* readPrivate(path)
      return yield* Credentials.make(yield* credentials.parse(ConfigProvider.fromDotEnvContents(text)))
    })
  )

const place = Config.all({
  region: Config.option(Config.Literals(["global", "eu"], "TXC_REGION")),
  baseUrl: Config.option(Config.NonEmptyString("TXC_BASE_URL")),
  dialect: Config.option(Config.Literals(["document", "live"], "TXC_DIALECT")),
  allowInsecure: Config.withDefault(Config.Boolean("TXC_ALLOW_INSECURE"), false)
})

/**
 * The exchange from configuration: `TXC_REGION` (`global` or `eu`), or `TXC_BASE_URL` together with `TXC_DIALECT`
 * (`document` or `live`) and, if needed, `TXC_ALLOW_INSECURE`.
 *
 * @category layers
 */
export const layerRegion: Layer.Layer<Region.Region, Region.InvalidBaseUrl | Config.ConfigError> = Layer.effect(
  Region.Region,
  Effect.gen(function*() {
    const { allowInsecure, baseUrl, dialect, region } = yield* place
    if (Option.isSome(region) && Option.isNone(baseUrl)) return yield* Region.make({ region: region.value })
    if (Option.isSome(baseUrl) && Option.isSome(dialect) && Option.isNone(region)) {
      return yield* Region.make({
        baseUrl: baseUrl.value,
        dialect: Dialect.byName[dialect.value],
        allowInsecure
      })
    }
    return yield* new Region.InvalidBaseUrl({
      baseUrl: Option.getOrElse(baseUrl, () => ""),
      problem: Option.isSome(baseUrl) && Option.isNone(region)
        ? "set TXC_DIALECT to document or live: it can't be guessed"
        : "set either TXC_REGION, or TXC_BASE_URL with TXC_DIALECT"
    })
  })
)
