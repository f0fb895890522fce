/** Renders a request as a command for a POSIX shell, without secrets. */
import * as Curl from "../protocol/Curl.ts"
import type { Request } from "./Target.ts"

/**
 * Returns the command's headers. The shell fills in the key, the payload and the signature, from the user's own keys.
 */
const headersOf = ({ changed = [], headers }: Request): ReadonlyArray<string> =>
  Object.entries(headers).map(([name, value]) => {
    if (name === "content-type" || changed.includes(name)) return Curl.word(`${name}: ${value}`)
    switch (name) {
      case "x-txc-apikey":
        return Curl.fromShell.apiKey
      case "x-txc-payload":
        return Curl.fromShell.payload
      case "x-txc-signature":
        return Curl.fromShell.signature
      default:
        return Curl.word(`${name}: ...`)
    }
  })

/**
 * Returns a command that sends a request again. The shell signs it with `TXC_API_KEY` and `TXC_API_SECRET`, using a new
 * nonce unless the rule chose the nonce.
 */
export const line = (baseUrl: string, request: Request): string => {
  const { body, changed = [], headers, method, path, query, signed } = request
  const at = /^https?:/u.test(path) ? path : baseUrl + path
  const url = Curl.word(query === undefined || query === "" ? at : `${at}?${query}`)
  const send = (body?: string) =>
    Curl.send({ method, url, headers: headersOf(request), ...(body === undefined ? {} : { body }) })
  if (signed === undefined) return send(body === undefined ? undefined : Curl.word(body))
  const isRenewable = !changed.includes("nonce") && Curl.nonceOf(signed) !== undefined
  const sign = (text: string) => isRenewable ? Curl.renewed(text, "$nonce") : Curl.word(text)
  const wordOf = (body: string) => {
    if (body === signed) return `"$signed"`
    return isRenewable && Curl.nonceOf(body) !== Curl.nonceOf(signed) ? Curl.renewed(body, "${nonce}0") : sign(body)
  }
  const isSigned = (name: string) => Object.hasOwn(headers, name) && !changed.includes(name)
  return [
    ...(isRenewable ? ["nonce=$(date +%s%3N)"] : []),
    `signed=${sign(signed)}`,
    ...(isSigned("x-txc-payload") || isSigned("x-txc-signature")
      ? [changed.includes("payload") ? `payload="$signed"` : Curl.payloadOf("signed")]
      : []),
    ...(isSigned("x-txc-signature") ? [Curl.signatureBy(`"$TXC_API_SECRET"`)] : []),
    send(body === undefined ? undefined : wordOf(body))
  ].join("; ")
}
