/**
 * What may come from configuration and from files: the key, its secret, and the exchange. `Credentials.ts` and `Region.ts`
 * load this when they are asked for it.
 */
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Dialect from "../protocol/Dialect.ts"
import * as Credentials from "./Credentials.ts"
import * as Region from "./Region.ts"

// -----------------------------------------------------------------------------
// Credentials
// -----------------------------------------------------------------------------

/** The key and its secret: `TXC_API_KEY` and `TXC_API_SECRET`. */
export const credentials: Config.Config<Credentials.Options> = Config.all({
  apiKey: Config.Redacted("TXC_API_KEY"),
  apiSecret: Config.Redacted("TXC_API_SECRET")
})

/** Two short lines fit in it. */
const maxSize = 65_536

/** The permissions of a file's group and of all others. */
const ofOthers = 0o077

/** The text of a file that only its owner may use: see {@link Credentials.readPrivate}. */
export const readPrivate: (
  path: string
) => Effect.Effect<string, Credentials.CredentialsFileRefused, FileSystem.FileSystem> = Effect.fnUntraced(
  function*(path: string) {
    const files = yield* FileSystem.FileSystem
    // The file that is checked is the file that is read, whatever happens to its name in between.
    const file = yield* files.open(path, { flag: "r" })
    const { mode, type } = yield* file.stat
    if (type !== "File") return yield* new Credentials.CredentialsFileRefused({ path, problem: "it is not a file" })
    if ((mode & ofOthers) !== 0) {
      const octal = (mode & 0o777).toString(8).padStart(4, "0")
      return yield* new Credentials.CredentialsFileRefused({
        path,
        problem: `others than its owner may use it (mode ${octal}); run: chmod 600 ${path}`
      })
    }
    const bytes = yield* file.readAlloc(maxSize)
    return new TextDecoder().decode(Option.getOrElse(bytes, () => new Uint8Array()))
  },
  (read, path) =>
    Effect.scoped(read).pipe(
      Effect.catchTag("PlatformError", ({ message }) =>
        Effect.fail(new Credentials.CredentialsFileRefused({ path, problem: `it can't be read: ${message}` })))
    )
)

/** The key and its secret in a file that only its owner may use: see {@link Credentials.layerFile}. */
export const credentialsIn = (
  path: string
): Effect.Effect<
  Credentials.Options,
  Credentials.CredentialsFileRefused | Config.ConfigError,
  FileSystem.FileSystem
> => Effect.flatMap(readPrivate(path), (text) => credentials.parse(ConfigProvider.fromDotEnvContents(text)))

// -----------------------------------------------------------------------------
// Region
// -----------------------------------------------------------------------------

const place = Config.all({
  region: Config.option(Config.Literals(["global", "eu"], "TXC_REGION")),
  baseUrl: Config.option(Config.NonEmptyString("TXC_BASE_URL")),
  dialect: Config.option(Config.Literals(["document", "live"], "TXC_DIALECT")),
  allowInsecure: Config.withDefault(Config.Boolean("TXC_ALLOW_INSECURE"), false)
})

/** The exchange that is called: see {@link Region.layerConfig}. */
export const region: Effect.Effect<Region.Options, Region.InvalidBaseUrl | Config.ConfigError> = Effect.flatMap(
  place,
  ({ allowInsecure, baseUrl, dialect, region }): Effect.Effect<Region.Options, Region.InvalidBaseUrl> => {
    if (Option.isSome(region) && Option.isNone(baseUrl)) return Effect.succeed({ region: region.value })
    if (Option.isSome(baseUrl) && Option.isSome(dialect) && Option.isNone(region)) {
      return Effect.succeed({ baseUrl: baseUrl.value, dialect: Dialect.byName[dialect.value], allowInsecure })
    }
    return Effect.fail(
      new Region.InvalidBaseUrl({
        baseUrl: Option.getOrElse(baseUrl, () => ""),
        problem: Option.isSome(baseUrl) && Option.isNone(region)
          ? "set TXC_DIALECT to document or live: which one is spoken there can't be guessed"
          : "set either TXC_REGION, or TXC_BASE_URL with TXC_DIALECT"
      })
    )
  }
)
