/** A base URL as it appears in errors: without a user name or password. */
export const shown = (baseUrl: string): string => baseUrl.replace(/^([a-z][a-z\d+.-]*:\/+)?[^]*@/iu, "$1")
