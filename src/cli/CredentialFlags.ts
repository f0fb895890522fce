/**
 * Reads a key and its secret for a command: from the environment or a file. The secret is never an argument, because
 * every process on the machine can read arguments.
 */
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Credentials from "../client/Credentials.ts"
import * as Settings from "../client/Settings.ts"
import * as Variables from "../client/Variables.ts"
import * as Flags from "./Flags.ts"

/** The flag that names a file with the API secret. */
export const secretFile = Flags.optional(
  Flag.File("secret-file"),
  "A file that contains the API secret, and that only you can read; TXC_API_SECRET by default"
)

/**
 * Reads the credentials: the key from `key` or `TXC_API_KEY`, and the secret from the file or `TXC_API_SECRET`.
 */
export const read = Effect.fnUntraced(function*(file: Option.Option<string>, key?: Redacted.Redacted) {
  const apiKey = key ?? (yield* Variables.credential("apiKey"))
  const apiSecret = Option.isNone(file)
    ? yield* Variables.credential("apiSecret")
    : Redacted.make((yield* Settings.readPrivate(file.value)).trim())
  return yield* Credentials.make({ apiKey, apiSecret })
})
