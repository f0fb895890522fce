/** Explains to the user why a command has failed. */
import * as Config from "effect/Config"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"

const toIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Advice for a user whose settings are missing or invalid. */
const settings = "A sandbox prints the settings when it starts: effect-txc sandbox"

const ofSettings: ReadonlySet<string> = new Set(["InvalidBaseUrl", "InvalidCredentials", "CredentialsFileRefused"])

/** Whether a command failed because of its settings, and therefore did nothing. */
export const isOfSettings = (error: { readonly message: string; readonly _tag?: string }): boolean =>
  error instanceof Config.ConfigError || ofSettings.has(error._tag ?? "")

/** Explains why a command has failed. Names the missing or invalid setting. */
export const explain = (error: { readonly message: string; readonly _tag?: string }): string => {
  if (error instanceof Config.ConfigError && Schema.isSchemaError(error.cause)) {
    const missing = toIssues(error.cause.issue).issues.map(({ message, path }) =>
      `${path?.map(String).join("_") ?? "The environment"} is missing or invalid: ${message}.`
    )
    return `${missing.join(" ")}\n${settings}`
  }
  return error._tag === "InvalidBaseUrl" ? `${error.message}\n${settings}` : error.message
}
