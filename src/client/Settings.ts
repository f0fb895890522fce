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
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Credentials from "./Credentials.ts"
import * as FileProblem from "./FileProblem.ts"
import * as Region from "./Region.ts"
import * as Variables from "./Variables.ts"

/**
 * The credentials file can't be read, or users other than its owner may access it.
 *
 * @category errors
 */
export class CredentialsFileRefused extends Schema.TaggedError<CredentialsFileRefused>()("CredentialsFileRefused", {
  path: Schema.String,
  problem: Schema.String
}) {
  /** The file's path. */
  declare readonly path: string
  /** The reason for the refusal, and how to fix the problem. */
  declare readonly problem: string
  override get message(): string {
    return `The credentials in ${this.path} are not used: ${this.problem}`
  }
}

/**
 * Provides credentials from configuration: `TXC_API_KEY` and `TXC_API_SECRET`. Fails with `InvalidCredentials`; if a
 * variable is missing, the error names it.
 *
 * @category layers
 */
export const layerCredentials: Layer.Layer<Credentials.Credentials, Credentials.InvalidCredentials> = Layer.effect(
  Credentials.Credentials,
  Variables.credentials
)

/** The maximum number of bytes to read from a file, which is far more than two lines need. */
const maxSize = 65_536

/** The mode bits that give a file's group and other users access to it. */
const ofOthers = 0o077

/**
 * Reads a file that only its owner may access (mode 0600 or stricter). Refuses any other file with an error that
 * explains how to fix the problem. On systems without such modes, such as Windows, every file is refused. Reads at most
 * 64 KiB.
 *
 * @category files
 */
export const readPrivate: (
  path: string
) => Effect.Effect<string, CredentialsFileRefused, FileSystem.FileSystem> = Effect.fnUntraced(
  function*(path: string) {
    const files = yield* FileSystem.FileSystem
    // The file is opened once, so that the check and the read use the same file even if the path is replaced in
    // between.
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
      Effect.catchTag("PlatformError", (error) =>
        Effect.fail(new CredentialsFileRefused({ path, problem: `it can't be read: ${FileProblem.of(error)}` })))
    )
)

/**
 * Provides credentials from a file that only its owner may access (see {@link readPrivate}), with one line for
 * `TXC_API_KEY=…` and one for `TXC_API_SECRET=…`.
 *
 * @category layers
 */
export const layerCredentialsFile = (
  path: string
): Layer.Layer<
  Credentials.Credentials,
  Credentials.InvalidCredentials | CredentialsFileRefused,
  FileSystem.FileSystem
> =>
  Layer.effect(
    Credentials.Credentials,
    Effect.gen(function*() {
      const text = yield* readPrivate(path)
      return yield* Effect.provideService(
        Variables.credentials,
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromDotEnvContents(text)
      )
    })
  )

/**
 * Provides the exchange from configuration: `TXC_REGION` (`global` or `eu`), or `TXC_BASE_URL` together with
 * `TXC_DIALECT` (`document` or `live`) and, if needed, `TXC_ALLOW_INSECURE`. If a variable is missing or invalid, fails
 * with `InvalidBaseUrl`, which names the variable.
 *
 * @category layers
 */
export const layerRegion: Layer.Layer<Region.Region, Region.InvalidBaseUrl> = Layer.effect(
  Region.Region,
  Variables.region
)
