/** A request as a line for a POSIX shell, without anything secret in it. */
import type { Request } from "./Target.ts"

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The place of the nonce. The shell that runs the line takes a nonce from its clock. */
const mark = "@nonce@"

const nonceForm = /"nonce":("?)([0-9]+)"?/u

const nonceOf = (text: string): string | undefined => nonceForm.exec(text)?.[2]

/** The text with another nonce. */
const renewed = (text: string, nonce: string): string =>
  quote(text.replace(nonceForm, `"nonce":$1${mark}$1`)).replace(mark, `'${nonce}'`)

/** The shell fills in key, payload and signature, from the reader's own keys. */
const headersOf = ({ changed = [], headers }: Request): ReadonlyArray<string> =>
  Object.entries(headers).map(([name, value]) => {
    if (name === "content-type" || changed.includes(name)) return `-H ${quote(`${name}: ${value}`)}`
    switch (name) {
      case "x-txc-apikey":
        return `-H "X-TXC-APIKEY: $TXC_API_KEY"`
      case "x-txc-payload":
        return `-H "X-TXC-PAYLOAD: $payload"`
      case "x-txc-signature":
        return `-H "X-TXC-SIGNATURE: $signature"`
      default:
        return `-H ${quote(`${name}: ...`)}`
    }
  })

/**
 * The line that sends a request again. The shell signs it anew with `TXC_API_KEY` and `TXC_API_SECRET`, and with a new
 * nonce unless the nonce is what is wrong with the request.
 */
export const line = (baseUrl: string, request: Request): string => {
  const { body, changed = [], headers, method, path, query } = request
  const at = /^https?:/u.test(path) ? path : baseUrl + path
  const url = quote(query === undefined || query === "" ? at : `${at}?${query}`)
  const send = [`curl -s -X ${method}`, url, ...headersOf(request)].join(" ")
  if (body === undefined && request.signed === undefined) return send
  if (request.signed === undefined) return `${send} --data-binary ${quote(body ?? "")}`
  const { signed } = request
  const isRenewable = !changed.includes("nonce") && nonceOf(signed) !== undefined
  const sign = (text: string) => isRenewable ? renewed(text, "$nonce") : quote(text)
  const other = isRenewable && nonceOf(body ?? "") !== nonceOf(signed)
    ? renewed(body ?? "", "${nonce}0")
    : sign(body ?? "")
  const isSigned = (name: string) => Object.hasOwn(headers, name) && !changed.includes(name)
  return [
    ...(isRenewable ? ["nonce=$(date +%s%3N)"] : []),
    `signed=${sign(signed)}`,
    ...(isSigned("x-txc-payload") || isSigned("x-txc-signature")
      ? [`payload=${changed.includes("payload") ? `"$signed"` : `$(printf %s "$signed" | base64 | tr -d '\\n')`}`]
      : []),
    ...(isSigned("x-txc-signature")
      ? [`signature=$(printf %s "$payload" | openssl dgst -sha512 -hmac "$TXC_API_SECRET" | sed 's/^.* //')`]
      : []),
    body === undefined ? send : `${send} --data-binary ${body === signed ? `"$signed"` : other}`
  ].join("; ")
}
