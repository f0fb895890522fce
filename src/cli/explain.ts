/** Why a command has failed, and what its user can do about it. */
import * as Config from "effect/Config"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"

const toIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Where the settings of a command come from. */
const settings = "A sandbox says what to set when it starts: effect-txc sandbox"

const ofSettings: ReadonlySet<string> = new Set(["InvalidBaseUrl", "InvalidCredentials", "CredentialsFileRefused"])

/** Whether a command has failed before it did anything, because of what its environment or a file says. */
export const isOfSettings = (error: { readonly message: string; readonly _tag?: string }): boolean =>
  error instanceof Config.ConfigError || ofSettings.has(error._tag ?? "")

/** Says why a command has failed. It names the setting that is missing or wrong. */
export const explain = (error: { readonly message: string; readonly _tag?: string }): string => {
  if (error instanceof Config.ConfigError && Schema.isSchemaError(error.cause)) {
    const missing = toIssues(error.cause.issue).issues.map(({ message, path }) =>
      `${path?.map(String).join("_") ?? "The environment"} is not set, or wrong: ${message}.`
    )
    return `${missing.join(" ")}\n${settings}`
  }
  return error._tag === "InvalidBaseUrl" ? `${error.message}\n${settings}` : error.message
}
