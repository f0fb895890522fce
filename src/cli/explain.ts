/** Explains to the user why a command has failed. */

const ofSettings: ReadonlySet<string> = new Set(["InvalidBaseUrl", "InvalidCredentials", "CredentialsFileRefused"])

/** Whether a command failed because of an invalid setting, before it did anything. */
export const isOfSettings = (error: { readonly message: string; readonly _tag?: string }): boolean =>
  ofSettings.has(error._tag ?? "")

/** Returns the explanation of an error, with advice if a setting is invalid. */
export const explain = (error: { readonly message: string; readonly _tag?: string }): string =>
  error._tag === "InvalidBaseUrl" || error._tag === "InvalidCredentials"
    ? `${error.message}\nA sandbox prints valid settings when it starts: effect-txc sandbox`
    : error.message
